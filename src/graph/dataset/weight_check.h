// The rule for weights in a column, which holds for text, arrays and stored datasets.
#pragma once

#include <cmath>

#include "graph/dataset/dataset.h"
#include "graph/topology/array_check.h"

namespace gls {

// The text that follows the number in messages.
inline constexpr const char* kNoWeight = "is negative or not finite";
// Call it where subnormal numbers are not read as 0 (DefaultFloatMode).
inline bool is_weight(double number) { return number >= 0 && !std::isinf(number); }

// Checks that all numbers of a column are weights; the error names the row.
Status check_weights(const CheckRun& run, const Column& column, const CheckedArray& array);

}  // namespace gls
