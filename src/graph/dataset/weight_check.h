// What a number of a column of weights must be. One rule for text, arrays and stored datasets.
#pragma once

#include <cmath>

#include "graph/dataset/dataset.h"
#include "graph/topology/array_check.h"

namespace gls {

// A constant for messages, to follow the number.
inline constexpr const char* kNoWeight = "is negative or not finite";
// To be asked where subnormal numbers are not read as 0 (DefaultFloatMode).
inline bool is_weight(double number) { return number >= 0 && !std::isinf(number); }

// Whether all numbers of a column are weights; the error names the row.
Status check_weights(const CheckRun& run, const Column& column, const CheckedArray& array);

}  // namespace gls
