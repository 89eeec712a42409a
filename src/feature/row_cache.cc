#include "feature/row_cache.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "device/memory/staging.h"
#include "system/read_ahead.h"

namespace gls {
namespace {

constexpr uint64_t kSegmentBytes = uint64_t{64} << 20;
constexpr uint64_t kSegments = 16;  // at least, for a cache with this many rows
// The unit of GPU reads. A segment that is being written must not share such a unit with rows that
// are read.
constexpr uint64_t kLine = 128;
constexpr int64_t kNear = 16384;  // gaps up to this many bytes are read rather than skipped
constexpr int64_t kMostNoted = int64_t{32} << 10;  // of a column and batch

Result<std::shared_ptr<DeviceMemory>> copied_table(const DeviceStream& stream,
                                                   const std::vector<int32_t>& slots) {
  const uint64_t bytes = slots.size() * sizeof(int32_t);
  GLS_ASSIGN(std::shared_ptr<DeviceMemory> out, stream.device().allocate(bytes, stream));
  const auto* const from = reinterpret_cast<const std::byte*>(slots.data());
  GLS_TRY(copy_in_pieces(stream, out->data(), bytes, sizeof(int32_t),
                         [from](uint64_t offset, uint64_t size, std::byte* to) {
                           std::memcpy(to, from + offset, size);
                         }));
  return out;
}

}  // namespace

void copy_raw_row(const Tensor& column, int64_t row, uint64_t unit, std::byte* out) {
  const auto bytes = static_cast<size_t>(column.row_bytes());
  std::memcpy(out, column.data() + row * column.row_stride(), bytes);
  std::memset(out + bytes, 0, unit - bytes);
}

namespace {

// Starts reading rows before they are copied, unless a sample of them is in memory. For rows near
// each other, the gap is read, too, to keep the number of calls low.
void will_read_rows(const Tensor& column, std::span<const int64_t> rows) {
  constexpr size_t kLooks = 16;
  const auto at = [&column](int64_t row) { return column.data() + row * column.row_stride(); };
  bool all_in_memory = true;
  for (size_t i = 0; i < kLooks && all_in_memory && !rows.empty(); ++i) {
    all_in_memory = is_in_memory(at(rows[i * rows.size() / kLooks]));
  }
  if (all_in_memory) {
    return;
  }
  for (size_t i = 0; i < rows.size();) {
    const std::byte* const begin = at(rows[i]);
    const std::byte* end = begin + column.row_bytes();
    for (++i; i < rows.size() && at(rows[i]) >= begin && at(rows[i]) - end < kNear; ++i) {
      end = std::max(end, at(rows[i]) + column.row_bytes());
    }
    will_read(begin, static_cast<uint64_t>(end - begin));
  }
}

}  // namespace

Status copy_raw_rows(const Tensor& column, std::span<const int64_t> rows, uint64_t unit, void* to,
                     const DeviceStream& stream) {
  size_t asked = 0;
  return copy_in_pieces(stream, to, unit * rows.size(), unit,
                        [&](uint64_t offset, uint64_t size, std::byte* out) {
                          // This piece, unless its read was started already, and the next one.
                          const size_t end = std::min(rows.size(), (offset + 2 * size) / unit);
                          will_read_rows(column, rows.subspan(asked, end - asked));
                          asked = end;
                          for (uint64_t at = 0; at < size; at += unit) {
                            copy_raw_row(column, rows[(offset + at) / unit], unit, out + at);
                          }
                        });
}

Result<std::shared_ptr<RowCache>> RowCache::make(const std::shared_ptr<Device>& device,
                                                 const Tensor& column, int64_t stride,
                                                 const HotRows& hot, bool adaptive,
                                                 uint64_t* room) {
  std::shared_ptr<RowCache> none;
  const auto unit = static_cast<uint64_t>(stride);
  const uint64_t table = static_cast<uint64_t>(column.rows()) * sizeof(int32_t);
  const uint64_t tables = adaptive ? 2 * table : table;
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int32_t>::max());
  uint64_t places = *room < tables ? 0 : std::min((*room - tables) / unit, kMost);
  uint64_t segment = 0;
  if (adaptive) {
    const uint64_t whole_lines = kLine / std::gcd(kLine, unit);  // this many rows are
    segment = std::max<uint64_t>(std::min(kSegmentBytes / unit, places / kSegments), 1);
    segment = (segment + whole_lines - 1) / whole_lines * whole_lines;
    places = places / segment * segment;
  }
  if (places <= segment) {
    return adaptive ? make(device, column, stride, hot, false, room) : none;
  }
  GLS_ASSIGN(const std::vector<int64_t> ids, hot(unit, (places - segment) * unit));
  std::shared_ptr<RowCache> out(new RowCache(device, column, stride));
  const auto rows = static_cast<size_t>(column.rows());
  std::vector<int32_t> slots(rows, -1);
  for (size_t i = 0; i < ids.size(); ++i) {
    slots[static_cast<size_t>(ids[i])] = static_cast<int32_t>(i);
  }
  GLS_ASSIGN(const DeviceStream stream, device->stream());
  GLS_ASSIGN(out->rows_, device->allocate(places * unit, stream));
  out->divided_.rows[0] = out->rows_->data();
  GLS_TRY(copy_raw_rows(column, ids, unit, out->rows_->data(), stream));
  GLS_TRY(out->begin(slots, stream));
  if (adaptive) {
    GLS_ASSIGN(out->tables_[1], copied_table(stream, slots));
    out->sketch_ = std::make_unique<FrequencySketch>(places);
    out->segment_ = static_cast<int64_t>(segment);
    out->interval_ = 8 * segment;
    out->candidates_ = std::make_unique<std::atomic<int64_t>[]>(segment);
    out->segments_.resize(places / segment);
    for (size_t i = 0; i < ids.size(); ++i) {
      out->segments_[i / segment].push_back(ids[i]);
    }
    out->free_ = out->segments_.size() - 1;
    for (size_t i = 0; i < out->free_; ++i) {
      out->order_.push_back(i);
    }
  }
  *room -= tables + places * unit;
  return out;
}

Result<std::shared_ptr<RowCache>> RowCache::of_group(const std::shared_ptr<Device>& device,
                                                     const Tensor& column, int64_t stride,
                                                     const std::vector<int32_t>& slots,
                                                     Divided divided) {
  std::shared_ptr<RowCache> out(new RowCache(device, column, stride));
  out->divided_ = std::move(divided);
  GLS_ASSIGN(const DeviceStream stream, device->stream());
  GLS_TRY(out->begin(slots, stream));
  return out;
}

// The first table, on the host and on the device.
Status RowCache::begin(const std::vector<int32_t>& slots, const DeviceStream& stream) {
  slots_ = std::make_unique<std::atomic<int32_t>[]>(slots.size());
  for (size_t i = 0; i < slots.size(); ++i) {
    slots_[i].store(slots[i], std::memory_order_relaxed);
  }
  GLS_ASSIGN(tables_[0], copied_table(stream, slots));
  current_ = std::make_shared<const Generation>(
      Generation{static_cast<const int32_t*>(tables_[0]->data()), 0});
  return {};
}

std::shared_ptr<const RowCache::Generation> RowCache::read() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

int64_t RowCache::size() const {
  return std::count_if(slots_.get(), slots_.get() + column_.rows(),
                       [](const auto& slot) { return slot.load(std::memory_order_relaxed) >= 0; });
}

// ---- adapting ----------------------------------------------------------------------------------

// A range that varies between batches, because their starts and ends differ.
RowCache::Window RowCache::window(int64_t count) {
  const int64_t size = std::min(count, kMostNoted);
  const uint64_t turn = windows_.fetch_add(1, std::memory_order_relaxed);
  const auto turns = static_cast<uint64_t>((count + kMostNoted - 1) / kMostNoted);
  return {count == size ? 0 : std::min(static_cast<int64_t>(turn % turns) * size, count - size),
          size};
}

void RowCache::note(const IdSpan& rows) {
  const auto room = static_cast<uint64_t>(segment_);
  for (int64_t i = 0; i < rows.size(); ++i) {
    const int64_t row = rows[i];
    if (row < 0 || row >= column_.rows()) {
      continue;
    }
    const uint32_t uses = sketch_->add(row);
    // Each time the count has doubled, so that few rows appear twice.
    if (uses >= 2 && std::has_single_bit(uses) && slot_of(row) < 0) {
      const uint64_t at = num_candidates_.fetch_add(1, std::memory_order_relaxed);
      if (at < room) {
        candidates_[at].store(row, std::memory_order_relaxed);
      }
    }
  }
  noted_.fetch_add(static_cast<uint64_t>(rows.size()), std::memory_order_relaxed);
}

Result<bool> RowCache::adapt() {
  if (noted_.load(std::memory_order_relaxed) < interval_) {
    return false;
  }
  const std::unique_lock lock(adapting_, std::try_to_lock);
  // While the previous generation is still read, so is the free segment.
  if (!lock.owns_lock() || noted_.load(std::memory_order_relaxed) < interval_ ||
      !before_.expired()) {
    return false;
  }
  noted_.store(0, std::memory_order_relaxed);
  const size_t looked_at = order_.front();
  std::vector<int64_t> chosen = choose(segments_[looked_at]);
  if (!chosen.empty()) {
    GLS_TRY(replace(looked_at, std::move(chosen)));
  }
  order_.push_back(segments_[looked_at].empty() ? std::exchange(free_, looked_at) : looked_at);
  order_.pop_front();
  return free_ == looked_at;
}

// The rows that a segment should have instead; empty: no replacement is worthwhile.
std::vector<int64_t> RowCache::choose(const std::vector<int64_t>& cached) {
  struct Scored {
    uint32_t uses;
    bool cached;
    int64_t row;
  };
  std::vector<Scored> all;
  all.reserve(2 * static_cast<size_t>(segment_));
  for (const int64_t row : cached) {
    all.push_back({sketch_->estimate(row), true, row});
  }
  const uint64_t count = std::min(num_candidates_.exchange(0, std::memory_order_relaxed),
                                  static_cast<uint64_t>(segment_));
  std::vector<int64_t> candidates(count);
  for (uint64_t i = 0; i < count; ++i) {
    candidates[i] = candidates_[i].load(std::memory_order_relaxed);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  for (const int64_t row : candidates) {
    if (slot_of(row) < 0) {
      all.push_back({sketch_->estimate(row), false, row});
    }
  }
  std::sort(all.begin(), all.end(), [](const Scored& a, const Scored& b) {
    return a.uses != b.uses ? a.uses > b.uses : a.cached != b.cached ? a.cached : a.row < b.row;
  });
  all.resize(std::min(all.size(), static_cast<size_t>(segment_)));
  std::vector<int64_t> out;
  if (std::all_of(all.begin(), all.end(), [](const Scored& one) { return one.cached; })) {
    return out;
  }
  for (const Scored& one : all) {
    out.push_back(one.row);
  }
  return out;
}

// Writes the rows to the free segment, which has no readers, and updates the other table. New
// readers then get this table. The replaced segment is free after the last reader of the previous
// table.
Status RowCache::replace(size_t segment, std::vector<int64_t> rows) {
  std::map<int64_t, int64_t> slots;
  for (const device::SlotChange& change : last_changes_) {
    slots[change.row] = change.slot;
  }
  std::map<int64_t, int64_t> changed;
  for (const int64_t row : segments_[segment]) {
    changed[row] = -1;
  }
  const int64_t first = static_cast<int64_t>(free_) * segment_;
  for (size_t i = 0; i < rows.size(); ++i) {
    changed[rows[i]] = first + static_cast<int64_t>(i);
  }
  std::vector<device::SlotChange> changes_of_now;
  changes_of_now.reserve(changed.size());
  for (const auto& [row, slot] : changed) {
    slots[row] = slot;
    changes_of_now.push_back({row, slot});
  }
  const std::shared_ptr<const Generation> now = read();
  const size_t other = 1 - now->table;
  auto* const table = static_cast<int32_t*>(tables_[other]->data());
  GLS_ASSIGN(const PinnedBuffer changes,
             device_->pinned(slots.size() * sizeof(device::SlotChange)));
  auto* at = reinterpret_cast<device::SlotChange*>(changes.data());
  for (const auto& [row, slot] : slots) {
    *at++ = {row, slot};
  }
  auto next = std::make_shared<const Generation>(Generation{table, other});
  GLS_ASSIGN(const DeviceStream stream, device_->stream());
  GLS_TRY(copy_raw_rows(column_, rows, static_cast<uint64_t>(stride_),
                        static_cast<std::byte*>(rows_->data()) + first * stride_, stream));
  device::GpuError failure;
  if (!device_->gpu().set_slots(table, reinterpret_cast<const device::SlotChange*>(changes.data()),
                                static_cast<int64_t>(slots.size()), stream.get(), &failure)) {
    return status_of(failure);
  }
  GLS_TRY(stream.finish());
  last_changes_ = std::move(changes_of_now);
  for (const device::SlotChange& change : last_changes_) {
    slots_[static_cast<size_t>(change.row)].store(static_cast<int32_t>(change.slot),
                                                  std::memory_order_release);
  }
  segments_[free_] = std::move(rows);
  segments_[segment].clear();
  before_ = now;
  const std::lock_guard lock(mutex_);  // readers of the new table find its slots on the host, too
  current_ = std::move(next);
  return {};
}

}  // namespace gls
