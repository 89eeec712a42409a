// The options of a table of trainable rows, and its arrays: docs/decisions/0086-tables.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/dtype.h"

namespace gls::table {

inline constexpr int64_t kMostWidth = int64_t{1} << 20;
inline constexpr uint32_t kMostTrainers = 16384;

enum class Optimizer : uint8_t { kNone = 0, kSgd = 1, kAdagrad = 2, kAdam = 3 };
const char* name_of(Optimizer optimizer);  // "Adagrad"

struct TableOptions {
  DLDataType dtype = kFloat32;
  int64_t width = 0;
  double low = 0;  // documented in gls.h
  double high = 0;
  uint64_t seed = 0;
  Optimizer optimizer = Optimizer::kNone;
  bool mean = false;
  bool row_steps = false;
  double epsilon = 0;  // the value in use; defaults are already applied
  double beta1 = 0;
  double beta2 = 0;
};

// An error names the argument. Also checks options from other processes.
Status check(const TableOptions& options);
// The first difference in words, with both values; empty: equal.
std::string difference(const TableOptions& is, const TableOptions& wanted);

// Arrays with one row for each row of the table. Messages and file names use these numbers.
enum class Array : uint8_t {
  kValues = 0,
  kFirst = 1,   // sum of Adagrad, m of Adam
  kSecond = 2,  // v of Adam
  kSteps = 3    // int32: steps that the row has taken
};

struct ArrayForm {
  Array array = Array::kValues;
  DLDataType dtype{};
  int64_t width = 1;
  std::string_view name;

  int64_t row_bytes() const { return width * static_cast<int64_t>(dtype_bytes(dtype)); }
};
// NULL: the list does not contain it.
const ArrayForm* find_form(const std::vector<ArrayForm>& forms, Array array);
// The values come first.
std::vector<ArrayForm> arrays_of(const TableOptions& options);
int64_t bytes_per_row(const TableOptions& options);  // over all arrays

}  // namespace gls::table
