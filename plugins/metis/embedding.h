// The random numbers of METIS on this thread.
#pragma once

#include <cstdint>

namespace gls::metis {

void set_seed(uint64_t seed);

}  // namespace gls::metis
