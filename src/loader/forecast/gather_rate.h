// Measures how quickly a thread gathers rows from memory.
#pragma once

#include <cstdint>

#include "context/context.h"

namespace gls {

// Bytes per second, of rows at random places of 64 MiB.
double measure_gather(Context& context, uint64_t row_bytes);

}  // namespace gls
