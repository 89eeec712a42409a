// Finds the arrays of a batch by number, type and name, as gls.h defines them.
#pragma once

#include <gls.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "sample/batch/batch.h"

namespace gls {

inline constexpr int32_t kLastBatchArray = GLS_BATCH_EDGE_INDEX;
// Arrays with higher numbers are views of listed arrays.
inline constexpr int32_t kLastListedArray = GLS_BATCH_ANCHOR_MASK;

bool is_node_array(const Batch& batch, int32_t array);
bool is_column(int32_t array);
// Whether names distinguish several arrays of one type.
bool is_named(int32_t array);

// Undefined if the batch has no such array. Not for columns and attached arrays.
Tensor find_batch_array(const Batch& batch, int32_t array, size_t type, const char* name);

struct ListedArray {
  int32_t array;  // GLS_BATCH_*
  size_t type;
  const char* name;         // NULL: no name
  bool seeds_only = false;  // for columns
};

// An index of all arrays of a batch, so that a look-up does not search. The batch must outlive it;
// arrays may be attached to the batch meanwhile.
class BatchArrays {
 public:
  explicit BatchArrays(const Batch& batch);

  size_t size() const { return listed_.size() + batch_.attached.size(); }
  ListedArray at(size_t index) const;
  // Undefined if no such column was gathered.
  Tensor column(int32_t array, size_t type, const char* name) const;

 private:
  std::pair<int32_t, size_t> owner(size_t column) const {
    const ListedArray& listed = listed_[first_column_ + column];
    return {listed.array, listed.type};
  }

  const Batch& batch_;
  std::vector<ListedArray> listed_;  // all except attached arrays
  size_t first_column_ = 0;
  std::vector<size_t> by_type_;  // columns by array and type
};

// The arrays of one batch, indexed at first use, by any thread.
class LazyBatchArrays {
 public:
  const BatchArrays& of(const Batch& batch) const;
  // As BatchArrays::column(). A few columns are searched without an index.
  Tensor column(const Batch& batch, int32_t array, size_t type, const char* name) const;

 private:
  mutable std::once_flag once_;
  mutable std::optional<BatchArrays> arrays_;
};

}  // namespace gls
