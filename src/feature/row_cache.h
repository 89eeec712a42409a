// Some rows of a column once more, in memory of a device, and a table that says which.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "device/device.h"

namespace gls {

// The hottest rows that share so many bytes, each of which takes `row_bytes`; ascending.
using HotRows = std::function<Result<std::vector<int64_t>>(uint64_t row_bytes, uint64_t room)>;

class RowCache {
 public:
  // As many rows as `room` holds beside the table, which is 4 bytes for each row of the column;
  // then `room` is what is left. NULL: there is room for none.
  static Result<std::shared_ptr<RowCache>> make(const std::shared_ptr<Device>& device,
                                                const Tensor& column, int64_t stride,
                                                const HotRows& hot, uint64_t* room);

  const void* rows() const { return rows_->data(); }
  int64_t stride() const { return stride_; }
  int64_t size() const { return size_; }
  // int32, by row of the column: its number in rows(), or -1.
  const int32_t* slots_on_device() const { return static_cast<const int32_t*>(slots_->data()); }
  int32_t slot_of(int64_t row) const { return slots_on_host_[static_cast<size_t>(row)]; }

 private:
  RowCache(std::shared_ptr<Device> device, Tensor column, int64_t stride)
      : device_(std::move(device)), column_(std::move(column)), stride_(stride) {}
  Status copy_rows(std::span<const int64_t> rows, std::byte* to, const DeviceStream& stream) const;

  std::shared_ptr<Device> device_;
  Tensor column_;
  int64_t stride_;
  int64_t size_ = 0;
  std::shared_ptr<DeviceMemory> rows_;
  std::shared_ptr<DeviceMemory> slots_;
  std::vector<int32_t> slots_on_host_;
};

// The bytes of rows, without what is between them; `unit` bytes each, zeros behind the row.
void copy_raw_row(const Tensor& column, int64_t row, uint64_t unit, std::byte* out);

}  // namespace gls
