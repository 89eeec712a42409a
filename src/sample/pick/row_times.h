// The times of one type's edges, in stored order, and the state of each row:
// docs/decisions/0087-row-times.md. Times are copied row by row, when a sampler first visits a row,
// and kept with the dataset. Batches are the same with and without them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "host_device/time_bounds.h"
#include "system/memory.h"
#include "tensor/tensor.h"

namespace gls {

class RowTimes {
 public:
  // The kind of times to keep for an edge type.
  struct Shape {
    std::string key;   // distinguishes it from others of the dataset
    std::string what;  // shown in the log
    int64_t num_rows = 0;
    int64_t num_edges = 0;
    bool wide = true;  // int64, else int32
    bool two = false;  // each edge has two times, and both count
    Tensor stored{};   // defined: the first times are already stored in this order
  };
  // Rows with more edges, whose times do not ascend, are ordered at the second visit.
  static constexpr int64_t kScanned = 128;

  // Only the states of rows, for one sampler.
  explicit RowTimes(int64_t num_rows);
  // The times of the dataset, with copies. If they do not fit in `most_bytes`, it has no copies and
  // is not kept. The limit covers all times that a dataset keeps.
  static Result<std::shared_ptr<RowTimes>> of(const Dataset& dataset, const Shape& shape,
                                              uint64_t most_bytes);
  RowTimes(const RowTimes&) = delete;
  RowTimes& operator=(const RowTimes&) = delete;

  // Whether times were copied: those of rows whose state is neither unknown nor kReading.
  bool has_times() const { return first_.data() != nullptr; }
  const IdSpan& first() const { return first_; }
  const IdSpan& second() const { return second_; }  // without data if there are no second times

  // ---- rows; any number of threads ----
  // States in addition to those of time_bounds.h. One thread reads the row, or orders it; the row
  // is ordered; the row will never be ordered.
  static constexpr uint8_t kReading = 3;
  static constexpr uint8_t kOrdering = 4;
  static constexpr uint8_t kOrdered = 5;
  static constexpr uint8_t kUnordered = 6;
  uint8_t state(int64_t row) const { return state_of(row).load(std::memory_order_acquire); }
  // Changes the state from `from` to `to`. True: it did, and the caller must settle the state.
  bool claim(int64_t row, uint8_t from, uint8_t to) const {
    return state_of(row).compare_exchange_strong(from, to, std::memory_order_acquire,
                                                 std::memory_order_relaxed);
  }
  void settle(int64_t row, uint8_t state) const {
    state_of(row).store(state, std::memory_order_release);
  }
  // Requires the state kReading.
  void copy_first(int64_t position, int64_t time) const {
    write(first_block_, first_.wide(), position, time);
  }
  void copy_second(int64_t position, int64_t time) const {
    write(second_block_, second_.wide(), position, time);
  }
  bool copies_first() const { return first_block_.data() != nullptr; }
  bool copies_second() const { return second_block_.data() != nullptr; }
  // Requires the state kOrdering. Returns the state to settle; kMixed: try again later.
  uint8_t put_in_order(int64_t row, int64_t begin, int64_t end) const;
  // The memory that a TimeOrder views; requires the state kOrdered.
  const std::byte* order(int64_t row) const { return orders()[row]; }
  // Prefetch in stages: the first reads of a row, then the next reads, and last those that find the
  // times low .. high.
  void ask_for(int64_t row) const;
  void ask_for_times(int64_t row, int64_t begin, int64_t end) const;
  void ask_for_entries(int64_t row, int64_t begin, int64_t end, int64_t low, int64_t high) const;

  // Counts the memory used by all times of a dataset.
  class Room {
   public:
    bool take(uint64_t bytes, uint64_t most_bytes);
    void give_back(uint64_t bytes) { used_.fetch_sub(bytes); }
    uint64_t used() const { return used_.load(); }

   private:
    std::atomic<uint64_t> used_ = 0;
  };
  static Result<std::shared_ptr<Room>> room_of(const Dataset& dataset);

 private:
  RowTimes(const Shape& shape, std::shared_ptr<Context> context, std::shared_ptr<Room> room,
           uint64_t most_bytes);

  std::atomic_ref<uint8_t> state_of(int64_t row) const {
    return std::atomic_ref(reinterpret_cast<uint8_t*>(states_.data())[row]);
  }
  const std::byte** orders() const { return reinterpret_cast<const std::byte**>(orders_.data()); }
  std::byte* allocate(uint64_t bytes) const;
  static void write(const PageBlock& block, bool wide, int64_t position, int64_t time) {
    if (wide) {
      reinterpret_cast<int64_t*>(block.data())[position] = time;
    } else {
      reinterpret_cast<int32_t*>(block.data())[position] = static_cast<int32_t>(time);
    }
  }

  PageBlock states_;
  PageBlock first_block_;
  PageBlock second_block_;
  PageBlock orders_;  // by row, for ordered rows
  Tensor stored_;
  IdSpan first_;
  IdSpan second_;
  std::shared_ptr<Room> room_;
  uint64_t most_bytes_ = 0;
  std::shared_ptr<Context> context_;
  std::string what_;
  // Memory of orders. A thread that finds it locked continues without it, because after fork() a
  // thread of the parent process may hold it forever.
  mutable std::atomic<bool> taken_ = false;
  mutable std::vector<PageBlock> blocks_;
  mutable std::byte* next_ = nullptr;
  mutable uint64_t left_ = 0;
  mutable std::atomic<bool> said_full_ = false;
};

}  // namespace gls
