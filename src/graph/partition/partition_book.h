// A partition book: the owner of each node, or each edge, of a type.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "tensor/tensor.h"

namespace gls {

class PartitionBook {
 public:
  PartitionBook() = default;
  // uint8 or uint16 [count], or the ends of ranges: int64 [parts + 1]. Errors name it `what`.
  static Result<PartitionBook> make(Tensor tensor, int64_t count, uint32_t parts,
                                    std::string_view what);

  int64_t count() const { return count_; }
  uint32_t parts() const { return parts_; }
  const Tensor& tensor() const { return tensor_; }
  bool ranges() const { return ranges_ != nullptr; }
  // In a damaged book, the result may not be a valid part; see check().
  uint32_t operator[](int64_t id) const {
    if (narrow_ != nullptr) {
      return narrow_[id];
    }
    if (wide_ != nullptr) {
      return wide_[id];
    }
    return static_cast<uint32_t>(std::upper_bound(ranges_ + 1, ranges_ + parts_, id) - ranges_ - 1);
  }
  // The error of an entry that is not a part.
  Status damaged_at(int64_t id) const;
  // Checks that every entry is a part. Reads all of it.
  Status check(std::string_view what) const;

 private:
  Tensor tensor_;
  int64_t count_ = 0;
  uint32_t parts_ = 0;
  const uint8_t* narrow_ = nullptr;
  const uint16_t* wide_ = nullptr;
  const int64_t* ranges_ = nullptr;
};

}  // namespace gls
