// The owners of a type's nodes as a tensor: uint8 for few parts, else uint16.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace gls {

inline constexpr uint32_t kMostNarrowParts = 256;

template <typename Owner>
Tensor owner_tensor(std::vector<Owner> owners) {
  static_assert(sizeof(Owner) <= 2);
  const auto kept = std::make_shared<const std::vector<Owner>>(std::move(owners));
  return Tensor(kept, kept->data(), sizeof(Owner) == 1 ? kUint8 : kUint16,
                {static_cast<int64_t>(kept->size())});
}

// Reads both dtypes.
class OwnerSpan {
 public:
  explicit OwnerSpan(const Tensor& owners)
      : data_(owners.data()), wide_(owners.dtype().bits == 16) {}
  uint32_t operator[](int64_t node) const {
    return wide_ ? reinterpret_cast<const uint16_t*>(data_)[node]
                 : static_cast<uint32_t>(data_[node]);
  }

 private:
  const std::byte* data_;
  bool wide_;
};

}  // namespace gls
