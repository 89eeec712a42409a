// Arrays as arguments and results of calls: borrowed ids, and owned results.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace gls::capi {

// The tensor behind an IdSpan must outlive it.
struct Ids {
  Tensor tensor;
  IdSpan span;
};

inline Result<Ids> read_ids(const DLTensor& given, const char* what) {
  Ids out;
  GLS_ASSIGN(out.tensor, Tensor::borrow(given, what));
  GLS_ASSIGN(out.span, IdSpan::of(out.tensor, what));
  return out;
}

template <typename T>
Tensor tensor_of(std::vector<T> values, DLDataType dtype) {
  const auto owner = std::make_shared<const std::vector<T>>(std::move(values));
  return {owner, owner->data(), dtype, {static_cast<int64_t>(owner->size())}, false};
}

// Exports both or neither.
inline void export_two(const Tensor& one, const Tensor& two, gls_tensor_t** first,
                       gls_tensor_t** second) {
  gls_tensor_t* const made = one.export_dlpack();
  try {
    *second = two.export_dlpack();
  } catch (...) {
    gls_tensor_release(made);
    throw;
  }
  *first = made;
}

}  // namespace gls::capi
