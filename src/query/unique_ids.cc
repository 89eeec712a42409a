#include "query/unique_ids.h"

#include <bit>

namespace gls {

UniqueIds::UniqueIds(const IdSpan& ids) {
  const auto count = static_cast<uint64_t>(ids.size());
  ids_.reserve(count);
  places_.reserve(count);
  const uint64_t slots = std::bit_ceil(2 * count + 1);
  const int shift = 64 - std::countr_zero(slots);
  std::vector<int64_t> first(slots, -1);  // number among the unique ids
  for (int64_t i = 0; i < ids.size(); ++i) {
    const int64_t id = ids[i];
    uint64_t slot = shift < 64 ? (static_cast<uint64_t>(id) * 0x9e3779b97f4a7c15) >> shift : 0;
    while (first[slot] >= 0 && ids_[static_cast<size_t>(first[slot])] != id) {
      slot = (slot + 1) & (slots - 1);
    }
    if (first[slot] >= 0) {
      repeats_.push_back({place(first[slot]), i});
      continue;
    }
    first[slot] = static_cast<int64_t>(ids_.size());
    ids_.push_back(id);
    places_.push_back(i);
  }
}

std::vector<int64_t> UniqueIds::numbers() const {
  std::vector<int64_t> out(ids_.size() + repeats_.size());
  for (size_t i = 0; i < ids_.size(); ++i) {
    out[static_cast<size_t>(places_[i])] = static_cast<int64_t>(i);
  }
  for (const auto& [first, place] : repeats_) {
    out[static_cast<size_t>(place)] = out[static_cast<size_t>(first)];
  }
  return out;
}

}  // namespace gls
