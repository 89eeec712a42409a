// Rows that a part has of ids that others own, the hot ones above all:
// docs/decisions/0033-parts.md. A bit for each id of the whole, so that to look costs one line of
// memory.
#pragma once

#include <cstdint>

#include "graph/topology/global_ids.h"
#include "graph/topology/rank_bitset.h"

namespace gls {

class RowCopies {
 public:
  // Of the ids behind the owned as far as they ascend. Reads them.
  explicit RowCopies(const WholeIds& ids);

  // Where the row of an id of the whole is in a column with so many rows; -1: the id is owned, or
  // its row is not there.
  int64_t row_of(int64_t whole, int64_t rows) const {
    const int64_t rank = ranks_.rank(whole);
    return rank >= 0 && owned_ + rank < rows ? owned_ + rank : -1;
  }

 private:
  int64_t owned_;
  IdRanks ranks_;
};

}  // namespace gls
