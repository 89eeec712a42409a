// Rows that a part stores for ids that other parts own, mostly hot ids:
// docs/decisions/0033-parts.md. The index has one bit for each global id, so that a lookup reads
// one cache line.
#pragma once

#include <cstdint>

#include "graph/topology/global_ids.h"
#include "graph/topology/rank_bitset.h"

namespace gls {

class ReplicatedRows {
 public:
  // Reads the ids behind the owned ones, as far as they ascend.
  explicit ReplicatedRows(const GlobalIds& ids);

  // The position of a global id's row in a column with `rows` rows. -1: the part owns the id, or
  // does not store its row.
  int64_t row_of(int64_t whole, int64_t rows) const {
    const int64_t rank = ranks_.rank(whole);
    return rank >= 0 && owned_ + rank < rows ? owned_ + rank : -1;
  }

 private:
  int64_t owned_;
  RankBitset ranks_;
};

}  // namespace gls
