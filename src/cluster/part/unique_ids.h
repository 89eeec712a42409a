// Each of some ids once, and which of the others are the same.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace gls {

class DistinctIds {
 public:
  DistinctIds() = default;
  explicit DistinctIds(const IdSpan& ids);

  // In the order in which they come first, and where that is.
  IdSpan span() const { return {ids_.data(), true, static_cast<int64_t>(ids_.size())}; }
  int64_t place(int64_t i) const { return places_[static_cast<size_t>(i)]; }

  struct Repeat {
    int64_t first;
    int64_t place;
  };
  const std::vector<Repeat>& repeats() const { return repeats_; }

 private:
  std::vector<int64_t> ids_;
  std::vector<int64_t> places_;
  std::vector<Repeat> repeats_;
};

}  // namespace gls
