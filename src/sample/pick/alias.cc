#include "sample/pick/alias.h"

#include <algorithm>

namespace gls {
namespace {

constexpr uint64_t kSlot = kAllParts;

int64_t drawn(std::span<const AliasSlot> slots, RowDraws& draws, uint64_t j) {
  return alias_drawn(slots.data(), slots.size(), draws, static_cast<uint32_t>(j));
}

}  // namespace

void make_alias(std::span<const int32_t> parts, AliasSlot* slots) {
  const size_t size = parts.size();
  const auto times_size = [&](size_t i) {
    return alias_size(parts[i] - (i == 0 ? 0 : parts[i - 1]), size);
  };
  size_t light = 0;
  size_t heavy = 0;
  const auto next_light = [&](size_t i) {
    while (i < size && times_size(i) > kSlot) {
      ++i;
    }
    return i;
  };
  const auto next_heavy = [&](size_t i) {
    while (i < size && times_size(i) <= kSlot) {
      ++i;
    }
    return i;
  };
  const auto put = [&](size_t i, uint64_t own, size_t other) {
    slots[i] = alias_slot(own, static_cast<uint32_t>(i), static_cast<uint32_t>(other));
  };
  light = next_light(0);
  heavy = next_heavy(0);
  uint64_t left = heavy < size ? times_size(heavy) : 0;  // of the heavy entry
  while (light < size || heavy < size) {
    if (left > kSlot || heavy == size) {  // a light slot, and the amount that the heavy entry adds
      const uint64_t own = times_size(light);
      put(light, own, heavy);
      left -= kSlot - own;
      light = next_light(light + 1);
    } else {  // the heavy entry's own slot, and the amount that the next heavy entry adds
      const size_t next = next_heavy(heavy + 1);
      put(heavy, left, next);
      left = next < size ? left + times_size(next) - kSlot : 0;
      heavy = next;
    }
  }
}

void parts_of(std::span<const AliasSlot> slots, std::vector<int32_t>* parts) {
  std::vector<uint64_t> times_size(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    const AliasSlot& slot = slots[i];
    const uint64_t own = slot.other == i ? kSlot : slot.share / 4;
    times_size[i] += own;
    times_size[slot.other] += kSlot - own;
  }
  parts->resize(slots.size());
  int32_t running = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    running += static_cast<int32_t>(times_size[i] / slots.size());
    (*parts)[i] = running;
  }
}

void AliasPicker::repeated(std::span<const AliasSlot> slots, RowDraws& draws, int64_t count,
                           std::vector<int64_t>* out) {
  for (int64_t j = 0; j < count; ++j) {
    out->push_back(drawn(slots, draws, static_cast<uint64_t>(j)));
  }
}

void AliasPicker::distinct(std::span<const AliasSlot> slots, RowDraws& draws, int64_t count,
                           std::vector<int64_t>* out) {
  const size_t before = out->size();
  const size_t end = before + static_cast<size_t>(count);
  const uint64_t limit = alias_draws(slots.size(), static_cast<uint64_t>(count));
  taken_.start(slots.size(), static_cast<uint64_t>(count));
  for (uint64_t j = 0; j < limit && out->size() < end; ++j) {
    const int64_t i = drawn(slots, draws, j);
    if (taken_.insert(i)) {
      out->push_back(i);
    }
  }
  if (out->size() == end) {
    return;
  }
  parts_of(slots, &parts_);
  remaining_.start(parts_, count);
  for (size_t at = before; at < out->size(); ++at) {
    remaining_.take((*out)[at]);
  }
  for (uint64_t n = out->size() - before; out->size() < end; ++n) {
    out->push_back(
        remaining_.draw(alias_upper(slots.size(), draws, static_cast<uint32_t>(limit + n))));
    remaining_.take(out->back());
  }
}

}  // namespace gls
