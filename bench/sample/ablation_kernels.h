// The AVX-512 kernels with one part replaced, to see what that part costs. Only to be called where
// there is AVX-512.
#pragma once

#include "sample/kernels/kernels.h"

namespace gls::kernels {

// A cheap hash for random words.
const Table& hashing_table();
// Neighbour ids are not compared with the number of nodes.
const Table& unchecked_table();

}  // namespace gls::kernels
