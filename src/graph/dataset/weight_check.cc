#include "graph/dataset/weight_check.h"

#include "base/float_mode.h"

namespace gls {

Status check_weights(const CheckRun& run, const Column& column, const CheckedArray& array) {
  const Tensor& data = column.data;
  return run.range(data.rows(), [&](int64_t begin, int64_t end) -> Status {
    const DefaultFloatMode float_mode;
    for (int64_t row = begin; row < end; ++row) {
      const std::byte* const at = data.data() + row * data.row_stride();
      for (int64_t i = 0; i < data.row_elements(); ++i) {
        const double weight = element_as_double(at, data.dtype(), static_cast<size_t>(i));
        if (!is_weight(weight)) {
          return array_fault(array, row,
                             formatted("weight {} in row {} {}", weight, row, kNoWeight))
              .with("column", column.name);
        }
      }
    }
    return {};
  });
}

}  // namespace gls
