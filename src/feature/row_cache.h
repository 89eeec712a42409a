// Some rows of a column once more, in memory of a device, and a table that says which. Which rows
// these are may change while they are read: docs/decisions/0064-tiers.md.
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

// The hottest rows that share so many bytes, each of which takes `row_bytes`; ascending.
using HotRows = std::function<Result<std::vector<int64_t>>(uint64_t row_bytes, uint64_t room)>;

class RowCache {
 public:
  // As many rows as `room` holds beside the tables, of 4 bytes for each row of the column, two
  // where it is adaptive; then `room` is what is left. Where there is room for a few it is not
  // adaptive. NULL: there is room for none.
  static Result<std::shared_ptr<RowCache>> make(const std::shared_ptr<Device>& device,
                                                const Tensor& column, int64_t stride,
                                                const HotRows& hot, bool adaptive, uint64_t* room);

  // Of rows that are divided among devices, this one and others whose memory it reads. `slots` are
  // those of all rows of the column, numbered as GatherWork says.
  struct Divided {
    std::array<const void*, device::kMostMembers> rows{};  // by member, as this device sees them
    uint32_t place_bits = 31;
    uint32_t own = 0;
    std::vector<std::shared_ptr<const void>> owners;  // of the memory; the first goes first
  };
  static Result<std::shared_ptr<RowCache>> of_group(const std::shared_ptr<Device>& device,
                                                    const Tensor& column, int64_t stride,
                                                    const std::vector<int32_t>& slots,
                                                    Divided divided);

  // A table, by row of the column: its slot, which without a group is its number in rows(), or -1.
  // What is read by it stays as it is while somebody holds it, so it is held until the stream was
  // waited for.
  struct Generation {
    const int32_t* slots;  // on the device
    size_t table;
  };
  std::shared_ptr<const Generation> read() const;
  // The same on the host, of some generation that is not older than one that the caller holds, or
  // of that.
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
  int64_t size() const;  // rows that are there, wherever
  bool adaptive() const { return sketch_ != nullptr; }

  // What follows is of caches that are adaptive. Any number of threads at once.
  // These rows were asked for.
  void note(const IdSpan& rows);
  // Of `count` rows that were asked for, which to note: so many from here on.
  struct Window {
    int64_t first;
    int64_t count;
  };
  Window window(int64_t count);
  // If it is time for that, and no other does it, has rows that are asked for more often take the
  // places of others, on this thread. True: some did.
  Result<bool> adapt();

 private:
  RowCache(std::shared_ptr<Device> device, Tensor column, int64_t stride)
      : device_(std::move(device)), column_(std::move(column)), stride_(stride) {}
  Status begin(const std::vector<int32_t>& slots, const DeviceStream& stream);
  std::vector<int64_t> choose(const std::vector<int64_t>& there);
  Status replace(size_t segment, std::vector<int64_t> rows);

  std::shared_ptr<Device> device_;
  Tensor column_;
  int64_t stride_;
  Divided divided_;
  std::shared_ptr<DeviceMemory> rows_;  // NULL: they are others'
  std::array<std::shared_ptr<DeviceMemory>, 2> tables_;
  std::unique_ptr<std::atomic<int32_t>[]> slots_;
  mutable std::mutex mutex_;  // for a moment only
  std::shared_ptr<const Generation> current_;

  // Adaptive: rows are replaced by segments, of which one is always free.
  std::unique_ptr<UseSketch> sketch_;
  int64_t segment_ = 0;    // rows of one
  uint64_t interval_ = 0;  // rows that are noted from change to change
  std::atomic<uint64_t> noted_{0};
  std::atomic<uint64_t> windows_{0};
  std::unique_ptr<std::atomic<int64_t>[]> candidates_;  // [segment_]
  std::atomic<uint64_t> num_candidates_{0};             // more than there is room for, too
  std::mutex adapting_;
  // Of who adapts.
  std::weak_ptr<const Generation> before_;
  std::vector<std::vector<int64_t>> segments_;    // which rows each has
  std::deque<size_t> order_;                      // of segments, the one to be looked at next first
  size_t free_ = 0;                               // not among them
  std::vector<device::SlotChange> last_changes_;  // which the other table does not have
};

// Rows of a column to memory of a device, `unit` bytes each.
Status copy_raw_rows(const Tensor& column, std::span<const int64_t> rows, uint64_t unit, void* to,
                     const DeviceStream& stream);

// A row without what is between rows; zeros behind it until there are `unit` bytes.
void copy_raw_row(const Tensor& column, int64_t row, uint64_t unit, std::byte* out);

}  // namespace gls
