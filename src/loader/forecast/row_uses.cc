#include "loader/forecast/row_uses.h"

#include <algorithm>

namespace gls {

void RowUses::add(std::span<const RowList> batches) {
  visit_rows(pointers_to(batches), counts_.size(),
             [&](uint64_t row, std::span<const uint32_t> users) {
               distinct_ += counts_[row] == 0 ? 1 : 0;
               counts_[row] += static_cast<uint32_t>(users.size());
               uses_ += users.size();
             });
}

void RowUses::close() {
  for (const uint32_t count : counts_) {
    if (count > 0) {
      ++rows_[count];
    }
  }
}

uint64_t RowUses::missed(uint64_t slots) const {
  uint64_t missed = uses_;
  for (const auto& [uses, with_uses] : rows_) {
    const uint64_t kept = std::min(slots, with_uses);
    missed -= kept * (uses - 1);  // its first use is a read, too
    slots -= kept;
  }
  return missed;
}

}  // namespace gls
