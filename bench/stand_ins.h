#pragma once

#include "sample/kernels.h"

namespace gls::kernels {

// The AVX-512 kernels with a cheap hash for random words; only to be called where there is AVX-512.
const Table& hashing_table();

}  // namespace gls::kernels
