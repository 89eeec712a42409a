#include "storage/kept_rows.h"

#include <utility>

namespace gls {

KeptRows::KeptRows(uint64_t row_bytes, size_t slots, bool huge_pages)
    : row_bytes_(row_bytes), slots_(slots), memory_(slots * row_bytes, huge_pages), behind_(slots) {
  free_.reserve(slots);
  clear();
}

void KeptRows::clear() {
  free_.clear();
  for (size_t slot = slots_; slot-- > 0;) {
    free_.push_back(static_cast<uint32_t>(slot));
  }
  batches_ = 0;
  ends_ = 0;
  queues_.clear();
}

void KeptRows::begin_window(const WindowPlan& plan, const std::vector<RowMove>& before,
                            std::span<const uint32_t> placed, std::vector<uint32_t>* dropped) {
  std::vector<Queue> fresh((plan.batches + 2) * plan.ends);
  std::vector<uint32_t> left(before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    left[i] = take(before[i].from, before[i].until);
  }
  queues_ = std::move(fresh);
  batches_ = plan.batches;
  ends_ = plan.ends;
  for (size_t i = 0; i < before.size(); ++i) {
    const uint16_t until = plan.moves[0][i].until;
    if (until == RowMove::kNone) {
      dropped->push_back(left[i]);
    } else {
      leave(left[i], 0, until);
    }
  }
  for (size_t i = 0; i < placed.size(); ++i) {
    leave(placed[i], RowMove::kPlaced, plan.placed[i]);
  }
}

uint32_t KeptRows::take(uint16_t from, uint16_t until) {
  Queue& of = queue(from, until);
  const uint32_t slot = of.first;
  of.first = behind_[slot];
  if (slot == of.last) {
    of = {};
  }
  return slot;
}

void KeptRows::leave(uint32_t slot, uint16_t from, uint16_t until) {
  Queue& of = queue(from, until);
  behind_[slot] = kEnd;
  if (of.first == kEnd) {
    of.first = slot;
  } else {
    behind_[of.last] = slot;
  }
  of.last = slot;
}

}  // namespace gls
