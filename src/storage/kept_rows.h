// The rows of one column that stay in memory between batches, as window plans decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "storage/window_plan.h"
#include "system/memory.h"

namespace gls {

// One thread at a time changes it; another one may take and return free slots, under a lock of the
// caller. Threads may read rows whose slots were not freed.
class KeptRows {
 public:
  // `slots`: rows that have room. Throws std::bad_alloc.
  KeptRows(uint64_t row_bytes, size_t slots, bool huge_pages);

  uint64_t row_bytes() const { return row_bytes_; }
  size_t slots() const { return slots_; }
  size_t free_slots() const { return free_.size(); }
  std::byte* row(uint32_t slot) const { return memory_.data() + slot * row_bytes_; }

  // The rows of the window before are those of plan.moves[0]; `before`: their moves when they were
  // left. `placed`: slots of the rows of plan.placed. Adds the slots of rows that no batch of the
  // plan needs to `dropped`. Throws std::bad_alloc.
  void begin_window(const WindowPlan& plan, const std::vector<RowMove>& before,
                    std::span<const uint32_t> placed, std::vector<uint32_t>* dropped);
  // The slot of the next row, in ascending order of rows, that batch `from` left for `until`.
  uint32_t take(uint16_t from, uint16_t until);
  // Leaves the row in this slot for a later batch. Rows must come in ascending order.
  void leave(uint32_t slot, uint16_t from, uint16_t until);
  // There must be as many free slots.
  std::vector<uint32_t> take_free(size_t count) {
    std::vector<uint32_t> slots(free_.rbegin(), free_.rbegin() + static_cast<ptrdiff_t>(count));
    free_.resize(free_.size() - count);
    return slots;
  }
  void give_back(uint32_t slot) { free_.push_back(slot); }
  // All slots are free; their memory stays.
  void clear();
  // Takes the memory of slots `begin` to `end` - 1 from the system.
  void fault_in(uint32_t begin, uint32_t end) const {
    memory_.fault_in(begin * row_bytes_, (end - begin) * row_bytes_);
  }

 private:
  static constexpr uint32_t kEnd = ~uint32_t{0};
  struct Queue {
    uint32_t first = kEnd;
    uint32_t last = kEnd;
  };
  Queue& queue(uint16_t from, uint16_t until) {
    return queues_[(from == RowMove::kPlaced ? batches_ + 1 : from) * ends_ + until];
  }

  uint64_t row_bytes_;
  size_t slots_;
  PageBlock memory_;
  std::vector<uint32_t> free_;
  std::vector<uint32_t> behind_;  // the next slot in the same queue
  size_t batches_ = 0;
  size_t ends_ = 0;
  std::vector<Queue> queues_;  // by `from` and `until`; placed rows last
};

}  // namespace gls
