// Columns of a dataset as a device reads them, and rows of them gathered there. A column lies in
// one of these places, the best that there is room for:
//   - in memory of the device;
//   - in memory of devices that read each other's, see feature/group_columns.h;
//   - on the host, in pages that the device reads in place;
//   - on the host, from where the processor gathers rows that are then copied;
//   - in a file, from where they come straight into memory of the device.
// Of the latter three, the hottest rows lie in memory of the device, or of such devices, as well.
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

// Bytes from row to row: rows that begin on whole words are read in whole words.
int64_t stride_on_device(int64_t row_bytes);

// Rows that a device finds in one of three places, counted there.
class TierCounts {
 public:
  // For so many gathers.
  Status begin(size_t gathers, const DeviceStream& stream);
  uint64_t* of(size_t gather) const;  // on the device, three numbers
  Status end(const DeviceStream& stream);
  // Once the stream was waited for: of all gathers.
  RowTiers read() const;

 private:
  size_t size_ = 0;
  PinnedBuffer on_host_;
  std::shared_ptr<DeviceMemory> on_device_;
};

class DeviceColumn {
 public:
  struct Placing {
    uint64_t most_pinned = ~uint64_t{0};  // see PinnedPages; 0: nothing is read in place
    HotRows hot;                          // empty: the column is whole or not there
    bool adaptive = false;
    bool from_storage = false;  // what is in a file is read there, and not on the host
    // Of a column that is divided among devices, instead of all before: the rows that have a slot,
    // and whether these are all.
    std::shared_ptr<RowCache> divided;
    bool all_divided = false;
    bool whole = true;         // false: not, whatever room there is
    const Log* log = nullptr;  // that is told what did not go as counted on
  };
  // On the device as far as it takes at most `room`, and there is so much; then `room` is what is
  // left.
  static Result<std::shared_ptr<const DeviceColumn>> place(const std::shared_ptr<Device>& device,
                                                           const Column& column,
                                                           const Placing& placing, uint64_t* room);
  DeviceColumn(const DeviceColumn&) = delete;
  DeviceColumn& operator=(const DeviceColumn&) = delete;

  DevicePlace where() const { return where_; }
  // Rows that lie on the device as well; NULL: none.
  RowCache* cache() const { return cache_.get(); }
  // Whether the processor must know which rows are asked for.
  bool needs_ids() const { return where_ == DevicePlace::kHost || where_ == DevicePlace::kStorage; }
  // Whether where a row is found is known only when it was read.
  bool counts() const { return !needs_ids() && cache_ != nullptr; }
  // As gather(), or gather_decoded(), with the result on the device: queues what is to be done, or,
  // where the column is on the host, does it. The ids are those of the host and the same on the
  // device, whose memory must live until the stream was waited for; the former may be missing
  // unless needs_ids().
  struct Ids {
    IdSpan on_host;
    IdSpan on_device;
  };
  struct Notes {
    uint64_t* asked = nullptr;  // where rows are counted that are found when they are read
    RowTiers* tiers = nullptr;  // the others are added to these
    // What must live until the stream was waited for.
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
  Status gather_here(const IdSpan& ids, DLDataType dtype, const GatherOptions& options,
                     uint64_t row_bytes, const Tensor& out, const DeviceStream& stream) const;
  struct Found;
  Status find(const IdSpan& ids, const GatherOptions& options, const DeviceStream& stream,
              Found* out) const;

  std::shared_ptr<Device> device_;
  Column column_;
  PinnedPages pages_;  // of the column, kPinned
  DevicePlace where_ = DevicePlace::kHost;
  const void* rows_ = nullptr;  // as the device sees them
  int64_t stride_ = 0;
  std::shared_ptr<DeviceMemory> memory_;      // kDevice
  std::shared_ptr<const StoredRows> stored_;  // kStorage
  std::shared_ptr<RowCache> cache_;
  std::shared_ptr<DeviceMemory> by_byte_;  // of codes that the device reads
};

class GroupColumns;

// Those of a dataset that some loader has asked for, which all loaders share.
class DeviceColumns {
 public:
  // `place` is for groups of devices of several processes, of who asks first.
  static std::shared_ptr<DeviceColumns> of(const std::shared_ptr<const Dataset>& dataset,
                                           const std::shared_ptr<Device>& device,
                                           const LocalPlace& place = {});
  // Reads the column, unless it is there. With a group this is for all of its devices, and waits
  // for what other processes do.
  Result<std::shared_ptr<const DeviceColumn>> get(const Column& column);
  // An error, of a group: one whose memory is read is gone.
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
  std::shared_ptr<GroupColumns> group_;  // NULL: there is none
  std::atomic<const GroupColumns*> checked_ = nullptr;
  uint32_t member_ = 0;  // of the group: this device
  uint64_t room_ = 0;
  std::map<const Column*, std::shared_ptr<const DeviceColumn>> columns_;
  HotColumns hot_;
};

}  // namespace gls
