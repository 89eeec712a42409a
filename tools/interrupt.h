// SIGINT, SIGTERM and SIGHUP ask for an orderly end; the same one again ends the process at once.
// SIGPIPE is ignored.
#pragma once

namespace gls::tool {

void install_interrupt_handlers();
// The signal that asked, or 0.
int interrupt_signal();

// Thrown where work stops because of it.
struct Interrupted {};
void throw_if_interrupted();

}  // namespace gls::tool
