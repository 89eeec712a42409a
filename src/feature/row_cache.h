// A cache of some rows of a column in device memory, and a table that lists them. The rows may
// change while they are read: docs/decisions/0064-tiers.md.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "device/device.h"
#include "feature/frequency_sketch.h"

namespace gls {

// The hottest rows that fit in this many bytes, each with `row_bytes`; ascending.
using HotRows = std::function<Result<std::vector<int64_t>>(uint64_t row_bytes, uint64_t room)>;

class RowCache {
 public:
  // As many rows as fit in `room` beside the tables. A table takes 4 bytes for each row of the
  // column, and an adaptive cache has two. Then `room` is reduced. A cache of few rows is not
  // adaptive. NULL: no row fits.
  static Result<std::shared_ptr<RowCache>> make(const std::shared_ptr<Device>& device,
                                                const Tensor& column, int64_t stride,
                                                const HotRows& hot, bool adaptive, uint64_t* room);

  // Rows divided among devices, this one and others whose memory it reads. `slots` covers all rows
  // of the column, numbered as in GatherWork.
  struct Divided {
    std::array<const void*, device::kMostMembers> rows{};  // by member: the address on this device
    uint32_t place_bits = 31;
    uint32_t own = 0;
    // Owners of the memory; the first is destroyed first.
    std::vector<std::shared_ptr<const void>> owners;
  };
  static Result<std::shared_ptr<RowCache>> of_group(const std::shared_ptr<Device>& device,
                                                    const Tensor& column, int64_t stride,
                                                    const std::vector<int32_t>& slots,
                                                    Divided divided);

  // A table: the slot of each row of the column, or -1. Without a group, a slot is the index in
  // rows(). Memory that it refers to stays unchanged while a reader holds it, so readers hold it
  // until the stream has been waited for.
  struct Generation {
    const int32_t* slots;  // on the device
    size_t table;
  };
  std::shared_ptr<const Generation> read() const;
  // The same on the host, for the generation that the caller holds, or a later one.
  int32_t slot_of(int64_t row) const {
    return slots_[static_cast<size_t>(row)].load(std::memory_order_acquire);
  }
  const void* rows() const { return divided_.rows[divided_.own]; }
  const Divided& divided() const { return divided_; }
  // Whether a slot is in memory of another device.
  bool of_peer(int32_t slot) const {
    return static_cast<uint32_t>(slot >> divided_.place_bits) != divided_.own;
  }
  int64_t stride() const { return stride_; }
  int64_t size() const;  // the number of cached rows, on all devices
  bool adaptive() const { return sketch_ != nullptr; }

  // The functions below are for adaptive caches. Any number of threads may call them at once.
  // Reports requested rows.
  void note(const IdSpan& rows);
  // The range of `count` requested rows to report.
  struct Window {
    int64_t first;
    int64_t count;
  };
  Window window(int64_t count);
  // Replaces cached rows by rows that are requested more often, on this thread, if it is time and
  // no other thread does so. True: some were replaced.
  Result<bool> adapt();

 private:
  RowCache(std::shared_ptr<Device> device, Tensor column, int64_t stride)
      : device_(std::move(device)), column_(std::move(column)), stride_(stride) {}
  Status begin(const std::vector<int32_t>& slots, const DeviceStream& stream);
  std::vector<int64_t> choose(const std::vector<int64_t>& cached);
  Status replace(size_t segment, std::vector<int64_t> rows);

  std::shared_ptr<Device> device_;
  Tensor column_;
  int64_t stride_;
  Divided divided_;
  std::shared_ptr<DeviceMemory> rows_;  // NULL: other objects own them
  std::array<std::shared_ptr<DeviceMemory>, 2> tables_;
  std::unique_ptr<std::atomic<int32_t>[]> slots_;
  mutable std::mutex mutex_;  // held for a moment only
  std::shared_ptr<const Generation> current_;

  // Adaptive: rows are replaced in segments, of which one is always free.
  std::unique_ptr<FrequencySketch> sketch_;
  int64_t segment_ = 0;    // rows of a segment
  uint64_t interval_ = 0;  // reported rows between two changes
  std::atomic<uint64_t> noted_{0};
  std::atomic<uint64_t> windows_{0};
  std::unique_ptr<std::atomic<int64_t>[]> candidates_;  // [segment_]
  std::atomic<uint64_t> num_candidates_{0};             // may exceed the capacity
  std::mutex adapting_;
  // Used by the adapting thread.
  std::weak_ptr<const Generation> before_;
  std::vector<std::vector<int64_t>> segments_;    // the rows of each segment
  std::deque<size_t> order_;                      // segments, in the order of the next checks
  size_t free_ = 0;                               // the free segment, which is not in that order
  std::vector<device::SlotChange> last_changes_;  // which the other table lacks
};

// Copies rows of a column to device memory, `unit` bytes each.
Status copy_raw_rows(const Tensor& column, std::span<const int64_t> rows, uint64_t unit, void* to,
                     const DeviceStream& stream);

// Copies a row without padding, followed by zeros up to `unit` bytes.
void copy_raw_row(const Tensor& column, int64_t row, uint64_t unit, std::byte* out);

}  // namespace gls
