// Measures how quickly a thread gathers rows, and gets new memory.
#pragma once

#include <cstdint>

#include "context/context.h"

namespace gls {

// Bytes per second, of rows at random places of 64 MiB.
double measure_gather(Context& context, uint64_t row_bytes);

// Bytes per second that the system clears for this process, of up to 256 MiB. Throws
// std::bad_alloc.
double measure_new_memory(const Context& context);

}  // namespace gls
