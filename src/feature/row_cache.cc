#include "feature/row_cache.h"

#include <cstring>
#include <limits>

#include "device/staging.h"

namespace gls {

void copy_raw_row(const Tensor& column, int64_t row, uint64_t unit, std::byte* out) {
  const auto bytes = static_cast<size_t>(column.row_bytes());
  std::memcpy(out, column.data() + row * column.row_stride(), bytes);
  std::memset(out + bytes, 0, unit - bytes);
}

Result<std::shared_ptr<RowCache>> RowCache::make(const std::shared_ptr<Device>& device,
                                                 const Tensor& column, int64_t stride,
                                                 const HotRows& hot, uint64_t* room) {
  std::shared_ptr<RowCache> none;
  const auto unit = static_cast<uint64_t>(stride);
  const uint64_t table = static_cast<uint64_t>(column.rows()) * sizeof(int32_t);
  if (*room < table + unit) {
    return none;
  }
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int32_t>::max());
  GLS_ASSIGN(const std::vector<int64_t> ids,
             hot(unit, std::min((*room - table) / unit, kMost) * unit));
  if (ids.empty()) {
    return none;
  }
  std::shared_ptr<RowCache> out(new RowCache(device, column, stride));
  out->size_ = static_cast<int64_t>(ids.size());
  out->slots_on_host_.assign(static_cast<size_t>(column.rows()), -1);
  for (size_t i = 0; i < ids.size(); ++i) {
    out->slots_on_host_[static_cast<size_t>(ids[i])] = static_cast<int32_t>(i);
  }
  const uint64_t bytes = unit * ids.size();
  GLS_ASSIGN(const DeviceStream stream, device->stream());
  GLS_ASSIGN(out->rows_, device->allocate(bytes, stream));
  GLS_ASSIGN(out->slots_, device->allocate(table, stream));
  GLS_TRY(out->copy_rows(ids, static_cast<std::byte*>(out->rows_->data()), stream));
  const auto* const slots = reinterpret_cast<const std::byte*>(out->slots_on_host_.data());
  GLS_TRY(copy_in_pieces(stream, out->slots_->data(), table, sizeof(int32_t),
                         [slots](uint64_t offset, uint64_t size, std::byte* to) {
                           std::memcpy(to, slots + offset, size);
                         }));
  *room -= table + bytes;
  return out;
}

Status RowCache::copy_rows(std::span<const int64_t> rows, std::byte* to,
                           const DeviceStream& stream) const {
  const auto unit = static_cast<uint64_t>(stride_);
  return copy_in_pieces(stream, to, unit * rows.size(), unit,
                        [&](uint64_t offset, uint64_t size, std::byte* out) {
                          for (uint64_t at = 0; at < size; at += unit) {
                            copy_raw_row(column_, rows[(offset + at) / unit], unit, out + at);
                          }
                        });
}

}  // namespace gls
