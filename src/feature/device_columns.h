// Columns of a dataset that a device reads, and gathers of their rows. A column is in the best of
// these places that has room:
// - in device memory;
// - in memory of several devices that read each other's, see feature/group_columns.h;
// - on the host, in pages that the device reads in place;
// - on the host, where the CPU gathers rows that are then copied;
// - in a file, from which rows are read directly into device memory.
// For the last three places, the hottest rows are also in device memory, or in memory of such a
// group.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "device/device.h"
#include "device/memory/pinned_pages.h"
#include "device/peer/peer_link.h"
#include "device/row_tiers.h"
#include "feature/gather.h"
#include "feature/hot_columns.h"
#include "feature/row_cache.h"
#include "feature/stored_rows.h"
#include "graph/dataset/dataset.h"

namespace gls {

enum class DevicePlace : uint8_t { kDevice = 0, kPinned = 1, kHost = 2, kGroup = 3, kStorage = 4 };

// Bytes from row to row. Rows that begin at whole words are read in whole words.
int64_t stride_on_device(int64_t row_bytes);

// Counts rows by the place where the device finds them, on the device.
class TierCounts {
 public:
  // For this many gathers.
  Status begin(size_t gathers, const DeviceStream& stream);
  uint64_t* of(size_t gather) const;  // on the device, three numbers
  Status end(const DeviceStream& stream);
  // Sums over all gathers, after the stream has been waited for.
  RowTiers read() const;

 private:
  size_t size_ = 0;
  PinnedBuffer on_host_;
  std::shared_ptr<DeviceMemory> on_device_;
};

// One column in one of these places.
class DeviceColumn {
 public:
  struct Placing {
    uint64_t most_pinned = ~uint64_t{0};  // see PinnedPages; 0: nothing is read in place
    HotRows hot;                          // empty: the column is whole on the device, or not at all
    bool adaptive = false;
    bool from_storage = false;  // rows in a file are read from storage, and not through the host
    // For a column divided among devices, instead of the members above: the rows with a slot, and
    // whether these are all rows.
    std::shared_ptr<RowCache> divided;
    bool all_divided = false;
    bool whole = true;         // false: never whole, even if it fits
    const Log* log = nullptr;  // receives unexpected outcomes
  };
  // Places the column in device memory as far as it fits in `room` and in memory; then `room` is
  // reduced.
  static Result<std::shared_ptr<const DeviceColumn>> place(const std::shared_ptr<Device>& device,
                                                           const Column& column,
                                                           const Placing& placing, uint64_t* room);
  DeviceColumn(const DeviceColumn&) = delete;
  DeviceColumn& operator=(const DeviceColumn&) = delete;

  DevicePlace where() const { return where_; }
  // Rows that are also in device memory; NULL: none.
  RowCache* cache() const { return cache_.get(); }
  // Whether the CPU must know the requested rows.
  bool needs_ids() const { return where_ == DevicePlace::kHost || where_ == DevicePlace::kStorage; }
  // Whether the place of a row is known only after it was read.
  bool counts() const { return !needs_ids() && cache_ != nullptr; }
  // As gather(), or gather_decoded(), with the result on the device. Queues the work, or does it if
  // the column is on the host. The ids are on the host and on the device, where their memory must
  // live until the stream has been waited for. Ids on the host may be missing unless needs_ids().
  struct Ids {
    IdSpan on_host;
    IdSpan on_device;
  };
  struct Notes {
    uint64_t* asked = nullptr;  // counters for rows whose place is known after they were read
    RowTiers* tiers = nullptr;  // receives the other counts
    // Keeps objects alive until the stream has been waited for.
    std::vector<std::shared_ptr<const void>>* held = nullptr;
  };
  Result<Tensor> gather(const Ids& ids, DLDataType dtype, const GatherOptions& options,
                        int64_t rows, const Notes& notes, const DeviceStream& stream,
                        std::shared_ptr<StreamReaders> readers) const;

 private:
  DeviceColumn(std::shared_ptr<Device> device, const Column& column)
      : device_(std::move(device)), column_(column) {}
  Status copy_to_device(int64_t stride);
  Status copy_codes(const DeviceStream& stream);
  device::RowForm form(DLDataType dtype) const;
  Status gather_on_host(const IdSpan& ids, DLDataType dtype, const GatherOptions& options,
                        uint64_t row_bytes, const Tensor& out, const DeviceStream& stream) const;
  struct Found;
  Status find(const IdSpan& ids, const GatherOptions& options, const DeviceStream& stream,
              Found* out) const;

  std::shared_ptr<Device> device_;
  Column column_;
  PinnedPages pages_;  // for kPinned
  DevicePlace where_ = DevicePlace::kHost;
  const void* rows_ = nullptr;  // the address on the device
  int64_t stride_ = 0;
  std::shared_ptr<DeviceMemory> memory_;      // for kDevice
  std::shared_ptr<const StoredRows> stored_;  // for kStorage
  std::shared_ptr<RowCache> cache_;
  std::shared_ptr<DeviceMemory> by_byte_;  // for codes that the device reads
};

class GroupColumns;

// The columns of a dataset that loaders have requested; all loaders share them.
class DeviceColumns {
 public:
  // `place` is for groups of devices of several processes, from the first caller.
  static std::shared_ptr<DeviceColumns> of(const std::shared_ptr<const Dataset>& dataset,
                                           const std::shared_ptr<Device>& device,
                                           const LocalPlace& place = {});
  // Places the column, unless that was done. In a group, it places it on all devices, and waits for
  // the other processes.
  Result<std::shared_ptr<const DeviceColumn>> get(const Column& column);
  // An error: a process of the group whose memory is read was lost.
  Status check() const;

 private:
  DeviceColumns(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Device> device,
                LocalPlace place)
      : dataset_(std::move(dataset)), device_(std::move(device)), place_(std::move(place)) {}
  Status begin();

  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<Device> device_;
  LocalPlace place_;
  std::mutex mutex_;
  bool begun_ = false;
  std::shared_ptr<GroupColumns> group_;  // NULL: no group
  std::atomic<const GroupColumns*> checked_ = nullptr;
  uint32_t member_ = 0;  // of the group: this device
  uint64_t room_ = 0;
  std::map<const Column*, std::shared_ptr<const DeviceColumn>> columns_;
  HotColumns hot_;
};

}  // namespace gls
