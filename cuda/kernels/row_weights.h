// Reads the weights of rows on the device, one by one. For .cu files.
#pragma once

#include "cuda/kernels/row_times.h"
#include "tensor/element.h"

namespace gls::cuda {

__device__ inline double number_at(const device::Numbers& column, int64_t row) {
  return stored_as_double(static_cast<const char*>(column.data) + row * column.stride, column.code,
                          column.bits);
}

// For a row whose weights are read. Ids and weights are valid; otherwise the CPU samples.
struct RowWeights {
  RowTimes times;

  __device__ RowWeights(const PickStep& step, int64_t i) : times(step, i) {}
  __device__ double weight(int64_t position) const {
    return number_at(times.step.weights.exact, times.entries.edge(position));
  }
  __device__ bool is_entry(int64_t position) const { return times.may_pick(position); }
  __device__ bool may_pick(int64_t position) const {
    return is_entry(position) && weight(position) > 0;
  }
};

}  // namespace gls::cuda
