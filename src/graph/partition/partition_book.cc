#include "graph/partition/partition_book.h"

#include <utility>

namespace gls {

Result<PartitionBook> PartitionBook::make(Tensor tensor, int64_t count, uint32_t parts,
                                          std::string_view what) {
  PartitionBook out;
  out.count_ = count;
  out.parts_ = parts;
  const bool flat = tensor.shape().size() == 1 && tensor.contiguous();
  const int64_t length = flat ? tensor.rows() : -1;
  if (length == count && same_dtype(tensor.dtype(), kUint8)) {
    out.narrow_ = tensor.as<uint8_t>();
  } else if (length == count && same_dtype(tensor.dtype(), kUint16)) {
    out.wide_ = tensor.as<uint16_t>();
  } else if (length == int64_t{parts} + 1 && same_dtype(tensor.dtype(), kInt64)) {
    out.ranges_ = tensor.as<int64_t>();
  } else {
    return invalid("{} is {} {}, expected uint8 or uint16 [{}]", what, dtype_name(tensor.dtype()),
                   shape_text(tensor.shape()), count)
        .with("argument", "owners");
  }
  out.tensor_ = std::move(tensor);
  return out;
}

Status PartitionBook::damaged_at(int64_t id) const {
  return corrupt("{}: the owner of id {} is {}, expected a number below {}", tensor_.file(), id,
                 (*this)[id], parts_)
      .with("file", tensor_.file());
}

Status PartitionBook::check(std::string_view what) const {
  const auto bad = [&](int64_t at, int64_t value, int64_t limit) {
    return invalid("{}: entry {} is {}, expected a number below {}", what, at, value, limit)
        .with("argument", "owners")
        .with("offset", std::to_string(at));
  };
  if (ranges_ != nullptr) {
    for (uint32_t p = 0; p <= parts_; ++p) {
      const bool end = (p > 0 || ranges_[p] == 0) && (p < parts_ || ranges_[p] == count_);
      if (!end || (p > 0 && ranges_[p] < ranges_[p - 1])) {
        return invalid("{}: range end {} is {}, expected ascending ones from 0 to {}", what, p,
                       ranges_[p], count_)
            .with("argument", "owners");
      }
    }
    return {};
  }
  for (int64_t id = 0; id < count_; ++id) {
    if ((*this)[id] >= parts_) {
      return bad(id, (*this)[id], parts_);
    }
  }
  return {};
}

}  // namespace gls
