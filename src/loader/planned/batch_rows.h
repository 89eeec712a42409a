// The rows that one batch needs of one planned column: where each is, and where it goes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "loader/columns/batch_columns.h"
#include "loader/planned/planned_columns.h"
#include "loader/produce/batch_producer.h"
#include "storage/kept_rows.h"

namespace gls {

struct BatchRows {
  const std::byte* pack = nullptr;   // rows that were read for this batch
  int64_t count = 0;                 // of the batch
  uint64_t num_read = 0;             // rows of the pack
  std::vector<int64_t> slots;        // of kept rows, one for each place
  std::vector<int64_t> slot_places;  // in the batch
  std::vector<int64_t> read;         // rows of the pack, one for each place
  std::vector<int64_t> read_places;
  std::vector<uint32_t> freed;  // slots that no later batch reads
  size_t needed_slots = 0;      // for rows of the pack that stay
  std::vector<uint32_t> taken;  // free slots for them
  Tensor done;                  // set if the rows were gathered early

  // Finds the rows by the moves of batch `number` of a window, and takes those that are kept.
  Status find(const IdSpan& ids, uint64_t num_rows, std::span<const RowMove> moves, size_t number,
              KeptRows* kept);
  // Leaves the rows that stay. `taken` has needed_slots slots.
  void leave(size_t number, KeptRows* kept) const;
  // The rows in the order of the batch. `kept` may be NULL if no row is kept.
  Tensor gather(Context& context, const PlannedColumn& column, const KeptRows* kept) const;
  // `done`, or else gather().
  Tensor take(Context& context, const PlannedColumn& column, const KeptRows* kept) {
    return done.defined() ? std::move(done) : gather(context, column, kept);
  }

 private:
  struct Stay {
    int64_t read;  // row of the pack; -1: the row has a slot
    uint32_t slot;
    uint16_t until;
  };
  std::vector<Stay> staying_;  // ascending by row
};

// Adds all columns to a batch: rows(c) gives those of planned[c], and the others are gathered.
Status add_columns(const BatchColumns& columns, const std::vector<PlannedColumn>& planned,
                   const std::function<Result<Tensor>(size_t c)>& rows, Batch* batch);

// Reads the rows of a column for a batch outside of any window, and counts them.
Result<Tensor> read_directly(Context& context, const PlannedColumn& column, const IdSpan& ids,
                             const RowReadOptions& options, IoQueue& queue, DiskCounts* counts);

}  // namespace gls
