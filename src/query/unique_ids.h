// Reduces a list of ids to its unique ids, and maps each position to its unique id.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/tensor.h"

namespace gls {

class UniqueIds {
 public:
  UniqueIds() = default;
  explicit UniqueIds(const IdSpan& ids);

  // The unique ids in the order of first occurrence, and the position of each.
  IdSpan span() const { return {ids_.data(), true, static_cast<int64_t>(ids_.size())}; }
  int64_t place(int64_t i) const { return places_[static_cast<size_t>(i)]; }

  struct Repeat {
    int64_t first;
    int64_t place;
  };
  const std::vector<Repeat>& repeats() const { return repeats_; }
  // For each position: the number of its id among the unique ones.
  std::vector<int64_t> numbers() const;

 private:
  std::vector<int64_t> ids_;
  std::vector<int64_t> places_;
  std::vector<Repeat> repeats_;
};

}  // namespace gls
