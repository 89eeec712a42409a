// How often each row of a column is used, for a cache of the rows that are used most.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "storage/row_list.h"

namespace gls {

class RowUses {
 public:
  // Throws std::bad_alloc.
  explicit RowUses(uint64_t num_rows) : counts_(num_rows) {}

  // Uses of the batches of a window.
  void add(std::span<const RowList> batches);
  uint64_t uses() const { return uses_; }
  uint64_t distinct() const { return distinct_; }
  // Rows read if those with the most uses are read once and stay in memory, as many as `slots`.
  uint64_t missed(uint64_t slots) const;
  // After the last add(), before missed().
  void close();

 private:
  std::vector<uint32_t> counts_;                       // by row
  std::map<uint32_t, uint64_t, std::greater<>> rows_;  // how many have so many uses, the most first
  uint64_t uses_ = 0;
  uint64_t distinct_ = 0;
};

}  // namespace gls
