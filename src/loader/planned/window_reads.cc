#include "loader/planned/window_reads.h"

#include <array>
#include <cstring>

#include "loader/planned/read_plan.h"

namespace gls {
namespace {

// Rows in ascending order, with the batches that miss each.
struct MissedRows {
  std::vector<int64_t> rows;
  std::vector<size_t> ends;  // in batches, of each row
  std::vector<uint32_t> batches;

  void clear() {
    rows.clear();
    ends.clear();
    batches.clear();
  }
};

}  // namespace

// Calls take(batch, row bytes) for each missed row in ascending order, on this thread.
template <typename Take>
Status WindowReads::visit(const Window& window, size_t column, size_t first, size_t count,
                          DiskCounts* counts, Take take) const {
  const RowFile file = columns_[column].rows();
  MissedRows missed;
  const auto read = [&]() -> Status {
    GLS_ASSIGN(const RowReadStats stats,
               read_rows(queue_, pool_, file, missed.rows, read_options(disk_), memory_,
                         [&](size_t at, size_t rows, const std::byte* data) -> Status {
                           const int64_t base = missed.rows[at];
                           size_t begin = at == 0 ? 0 : missed.ends[at - 1];
                           for (size_t i = at; i < at + rows; ++i) {
                             const std::byte* const row =
                                 data + static_cast<uint64_t>(missed.rows[i] - base) * file.stride;
                             for (; begin < missed.ends[i]; ++begin) {
                               GLS_TRY(take(missed.batches[begin], row));
                             }
                           }
                           return {};
                         }));
    counts->read_bytes += stats.bytes;
    missed.clear();
    return {};
  };
  Status failed;
  visit_misses(window.plans[column], first,
               std::span(window.rows[column]).subspan(first - 1, count), columns_[column].num_rows,
               [&](uint64_t row, std::span<const uint32_t> batches) {
                 if (!failed.ok()) {
                   return;
                 }
                 missed.rows.push_back(static_cast<int64_t>(row));
                 missed.batches.insert(missed.batches.end(), batches.begin(), batches.end());
                 missed.ends.push_back(missed.batches.size());
                 if (missed.rows.size() == kRowsReadAtOnce) {
                   failed = read();
                 }
               });
  GLS_TRY(std::move(failed));
  return read();
}

Status WindowReads::read(const Window& window, size_t first, std::span<std::byte* const> packs,
                         DiskCounts* counts) const {
  for (size_t c = 0; c < columns_.size(); ++c) {
    const uint64_t row_bytes = columns_[c].row_bytes;
    std::vector<std::byte*> to(packs.begin(), packs.end());
    for (size_t i = 0; i < to.size(); ++i) {
      to[i] += pack_offset(window, columns_, first + i, c);
    }
    GLS_TRY(visit(window, c, first, packs.size(), counts,
                  [&](uint32_t batch, const std::byte* row) -> Status {
                    std::byte*& next = to[batch - first];
                    std::memcpy(next, row, row_bytes);
                    next += row_bytes;
                    return {};
                  }));
  }
  return {};
}

Status WindowReads::write(const Window& window, std::span<const KeptRows> kept, IoQueue& writes,
                          uint64_t memory, DiskCounts* counts) const {
  static constexpr std::array<std::byte, kCacheLine> kZeros{};
  PackWriter writer(*window.file, writes, pool_, memory);
  for (size_t c = 0; c < columns_.size(); ++c) {
    const uint64_t row_bytes = columns_[c].row_bytes;
    size_t placed = 0;
    GLS_TRY(visit(window, c, 1, window.batches, counts,
                  [&](uint32_t batch, const std::byte* row) -> Status {
                    if (batch == 0) {
                      std::memcpy(kept[c].row(window.placed[c][placed++]), row, row_bytes);
                      return {};
                    }
                    return writer.append(batch - 1, row, row_bytes);
                  }));
    for (size_t batch = 1; batch <= window.batches; ++batch) {
      const uint64_t filled = window.plans[c].missed[batch] * row_bytes;
      GLS_TRY(writer.append(batch - 1, kZeros.data(), aligned(filled, kCacheLine) - filled));
    }
  }
  counts->packed_bytes += window.file->file_bytes();
  return writer.finish();
}

}  // namespace gls
