// A tensor that owns a vector.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace gls {

// `shape`: as many elements as the vector has; empty: one dimension.
template <typename T>
Tensor vector_tensor(std::vector<T> values, DLDataType dtype, std::vector<int64_t> shape = {}) {
  if (shape.empty()) {
    shape = {static_cast<int64_t>(values.size())};
  }
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const T* const data = owner->data();
  return Tensor(std::move(owner), data, dtype, std::move(shape));
}

}  // namespace gls
