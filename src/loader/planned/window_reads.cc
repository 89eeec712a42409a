#include "loader/planned/window_reads.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace gls {
namespace {

constexpr size_t kRowsAtOnce = size_t{128} << 10;  // whose batches are noted

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

uint64_t all_pack_bytes(const Window& window, const std::vector<PlannedColumn>& columns) {
  uint64_t sum = 0;
  for (size_t batch = 1; batch <= window.batches; ++batch) {
    sum += pack_offset(window, columns, batch, columns.size());
  }
  return sum;
}

}  // namespace

RowReadOptions WindowReads::options() const {
  RowReadOptions out;
  out.largest_gap = disk_.largest_gap();
  return out;
}

// The time to read what the first `count` batches miss.
double WindowReads::seconds_of(const Window& window, size_t count) const {
  double sum = 0;
  std::vector<int64_t> missed;
  for (size_t c = 0; c < columns_.size(); ++c) {
    RowReadStats stats;
    const auto add = [&] {
      const RowReadStats more = count_reads(columns_[c].rows(), missed, options());
      stats.requests += more.requests;
      stats.bytes += more.bytes;
      missed.clear();
    };
    visit_misses(window.plans[c], 1, std::span(window.rows[c]).first(count), columns_[c].num_rows,
                 [&](uint64_t row, std::span<const uint32_t>) {
                   missed.push_back(static_cast<int64_t>(row));
                   if (missed.size() == kRowsAtOnce) {
                     add();
                   }
                 });
    add();
    if (stats.requests > 0) {
      const auto reads = static_cast<double>(stats.requests);
      sum += disk_.seconds(reads, static_cast<double>(stats.bytes) / reads);
    }
  }
  return sum;
}

size_t WindowReads::choose_group(const Window& window, uint64_t pack_memory, bool may_write) const {
  const uint64_t packs = all_pack_bytes(window, columns_);
  const uint64_t groups = packs / std::max<uint64_t>(pack_memory, 1) + 1;
  const size_t group = std::max<size_t>(1, window.batches / groups);
  if (groups == 1 || !may_write) {
    return group;
  }
  const double in_groups =
      seconds_of(window, group) * static_cast<double>(window.batches) / static_cast<double>(group);
  const double packed =
      seconds_of(window, window.batches) + 2 * static_cast<double>(packs) / disk_.sequential;
  return in_groups <= packed ? group : 0;
}

// Calls take(batch, row bytes) for each missed row in ascending order, on this thread.
template <typename Take>
Status WindowReads::visit(const Window& window, size_t column, size_t first, size_t count,
                          DiskCounts* counts, Take take) const {
  const RowFile file = columns_[column].rows();
  MissedRows missed;
  const auto read = [&]() -> Status {
    GLS_ASSIGN(const RowReadStats stats,
               read_rows(queue_, pool_, file, missed.rows, options(), memory_,
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
                 if (missed.rows.size() == kRowsAtOnce) {
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

Status WindowReads::write(const Window& window, IoQueue& writes, uint64_t memory,
                          DiskCounts* counts) const {
  static constexpr std::array<std::byte, kCacheLine> kZeros{};
  PackWriter writer(*window.file, writes, pool_, memory);
  for (size_t c = 0; c < columns_.size(); ++c) {
    const uint64_t row_bytes = columns_[c].row_bytes;
    GLS_TRY(visit(window, c, 1, window.batches, counts, [&](uint32_t batch, const std::byte* row) {
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
