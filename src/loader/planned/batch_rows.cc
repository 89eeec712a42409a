#include "loader/planned/batch_rows.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "feature/gather.h"
#include "loader/planned/sorted_rows.h"

namespace gls {

Status BatchRows::find(const IdSpan& ids, uint64_t num_rows, std::span<const RowMove> moves,
                       size_t number, KeptRows* kept) {
  count = ids.size();
  SortedRows& sorted = SortedRows::of_thread();
  sorted.sort(ids, num_rows);
  const auto kept_moves = static_cast<size_t>(std::count_if(
      moves.begin(), moves.end(), [](const RowMove& move) { return move.from != RowMove::kNone; }));
  const auto repeats =
      static_cast<size_t>(count) - std::min(moves.size(), static_cast<size_t>(count));
  slots.reserve(kept_moves + repeats);
  slot_places.reserve(kept_moves + repeats);
  read.reserve(moves.size() - kept_moves + repeats);
  read_places.reserve(moves.size() - kept_moves + repeats);
  staying_.reserve(moves.size());
  size_t found = 0;
  sorted.visit([&](uint64_t, std::span<const int64_t> places) {
    if (found++ >= moves.size()) {
      return;
    }
    const RowMove move = moves[found - 1];
    const bool stays = move.until != RowMove::kNone;
    if (move.from == RowMove::kNone) {
      const auto row = static_cast<int64_t>(num_read++);
      read.insert(read.end(), places.size(), row);
      read_places.insert(read_places.end(), places.begin(), places.end());
      if (stays) {
        staying_.push_back({row, 0, move.until});
        ++needed_slots;
      }
      return;
    }
    const uint32_t slot = kept->take(move.from, static_cast<uint16_t>(number));
    slots.insert(slots.end(), places.size(), slot);
    slot_places.insert(slot_places.end(), places.begin(), places.end());
    if (stays) {
      staying_.push_back({-1, slot, move.until});
    } else {
      freed.push_back(slot);
    }
  });
  return found == moves.size() ? Status()
                               : error(GLS_ERR_INTERNAL, "a batch has {} rows, but its plan has {}",
                                       found, moves.size());
}

void BatchRows::leave(size_t number, KeptRows* kept) const {
  size_t next = 0;
  for (const Stay& stay : staying_) {
    uint32_t slot = stay.slot;
    if (stay.read >= 0) {
      slot = taken[next++];
      std::memcpy(kept->row(slot), pack + static_cast<uint64_t>(stay.read) * kept->row_bytes(),
                  kept->row_bytes());
    }
    kept->leave(slot, static_cast<uint16_t>(number), stay.until);
  }
}

Tensor BatchRows::gather(Context& context, const PlannedColumn& column,
                         const KeptRows* kept) const {
  const Column& stored = *column.wanted.column;
  std::vector<int64_t> shape = stored.shape();
  shape[0] = count;
  int64_t elements = 1;
  for (const int64_t extent : shape) {
    elements *= extent;
  }
  const auto bytes = static_cast<uint64_t>(elements) * dtype_bytes(column.wanted.dtype);
  SharedBytes memory = given_or_acquired(nullptr, *context.buffers(), bytes);
  std::byte* const out = memory.get();
  const GatherOptions options = GatherOptions::from(context).for_bytes(bytes);
  const auto add = [&](const std::byte* rows, uint64_t num_rows, const std::vector<int64_t>& which,
                       const std::vector<int64_t>& places) {
    if (which.empty()) {
      return;
    }
    std::vector<int64_t> rows_shape = stored.data.shape();
    rows_shape[0] = static_cast<int64_t>(num_rows);
    const Tensor held(nullptr, rows, stored.data.dtype(), std::move(rows_shape),
                      static_cast<int64_t>(column.row_bytes), true);
    if (stored.codebook != nullptr) {
      gather_decoded_to(out, held, *stored.codebook, span_of(which), options, places.data());
    } else {
      gather_to(out, held, span_of(which), column.wanted.dtype, options, places.data());
    }
  };
  if (kept != nullptr) {
    add(kept->row(0), kept->slots(), slots, slot_places);
  }
  add(pack, num_read, read, read_places);
  return Tensor(std::move(memory), out, column.wanted.dtype, std::move(shape), false);
}

Status add_columns(const BatchColumns& columns, const std::vector<PlannedColumn>& planned,
                   const std::function<Result<Tensor>(size_t c)>& rows, Batch* batch) {
  size_t next = 0;
  for (size_t i = 0; i < columns.wanted().size(); ++i) {
    if (next == planned.size() || planned[next].index != i) {
      GLS_TRY(columns.gather_one(i, batch));
      continue;
    }
    GLS_ASSIGN(Tensor of, rows(next++));
    batch->tiers.host += static_cast<uint64_t>(of.rows());
    batch->columns.push_back(columns.described(i, std::move(of)));
  }
  return {};
}

Result<Tensor> read_directly(Context& context, const PlannedColumn& column, const IdSpan& ids,
                             const RowReadOptions& options, IoQueue& queue, DiskCounts* counts) {
  BatchRows rows;
  rows.count = ids.size();
  SortedRows& sorted = SortedRows::of_thread();
  sorted.sort(ids, column.num_rows);
  std::vector<int64_t> wanted;
  sorted.visit([&](uint64_t row, std::span<const int64_t> places) {
    rows.read.insert(rows.read.end(), places.size(), static_cast<int64_t>(wanted.size()));
    rows.read_places.insert(rows.read_places.end(), places.begin(), places.end());
    wanted.push_back(static_cast<int64_t>(row));
  });
  rows.num_read = wanted.size();
  BufferPool& pool = *context.buffers();
  const Buffer pack = pool.acquire(wanted.size() * column.row_bytes + 1);
  rows.pack = pack.as<>();
  constexpr uint64_t kMemory = uint64_t{8} << 20;
  const auto take = [&](size_t first, size_t count, const std::byte* data) {
    for (size_t i = first; i < first + count; ++i) {
      std::memcpy(pack.as<>() + i * column.row_bytes,
                  data + static_cast<uint64_t>(wanted[i] - wanted[first]) * column.stride,
                  column.row_bytes);
    }
    return Status();
  };
  GLS_ASSIGN(const RowReadStats stats,
             read_rows(queue, pool, column.rows(), wanted, options, kMemory, take));
  counts->add({rows.num_read, rows.num_read * column.row_bytes, stats.bytes, 0});
  return rows.gather(context, column, nullptr);
}

}  // namespace gls
