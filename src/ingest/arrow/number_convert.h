// Converts numbers from one dtype to another, and refuses those that the other cannot hold.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tensor/dtype.h"

namespace gls {

// Converts `count` numbers at `from`, which may be at any address. Floats are rounded to nearest.
// Errors: a finite number beyond the range; a fraction or NaN where integers are expected; a number
// other than 0 and 1 for bool. Returns NULL, or the error to follow the number in a
// sentence; then `*at` is the index of the number.
const char* convert_numbers(const void* from, DLDataType from_dtype, size_t count,
                            DLDataType to_dtype, std::byte* to, size_t* at);

}  // namespace gls
