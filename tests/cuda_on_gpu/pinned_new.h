// Tests of kernels give them vectors of the host, which the emulated runtime reads as they are. For
// a GPU, what `new` gives is pinned memory, which it reads at the same addresses.
#pragma once

namespace gls::test {

// From now on.
void pin_new_memory();

}  // namespace gls::test
