// Handles signals. SIGINT, SIGTERM and SIGHUP request an orderly end; the same signal again ends
// the process at once. SIGPIPE is ignored.
#pragma once

namespace gls::tool {

void install_interrupt_handlers();
// The signal that requested the end, or 0.
int interrupt_signal();

// Thrown where work stops for this reason.
struct Interrupted {};
void throw_if_interrupted();

}  // namespace gls::tool
