// The arrays of a batch by number, type and name, as gls.h lists and names them.
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
// Those behind it show memory of arrays that are listed.
inline constexpr int32_t kLastListedArray = GLS_BATCH_ANCHOR_MASK;

bool is_node_array(const Batch& batch, int32_t array);
bool is_column(int32_t array);
// Whether several of one type have names.
bool is_named(int32_t array);

// Undefined where the batch has no such array. Of arrays that are neither columns nor attached.
Tensor find_batch_array(const Batch& batch, int32_t array, size_t type, const char* name);

struct ListedArray {
  int32_t array;  // GLS_BATCH_*
  size_t type;
  const char* name;         // NULL: it has none
  bool seeds_only = false;  // columns
};

// All arrays of a batch: every one of them is found without a look at all others. The batch
// outlives this; arrays may be attached to it in the meantime.
class BatchArrays {
 public:
  explicit BatchArrays(const Batch& batch);

  size_t size() const { return listed_.size() + batch_.attached.size(); }
  ListedArray at(size_t index) const;
  // Undefined where no such column was gathered.
  Tensor column(int32_t array, size_t type, const char* name) const;

 private:
  std::pair<int32_t, size_t> owner(size_t column) const {
    const ListedArray& listed = listed_[first_column_ + column];
    return {listed.array, listed.type};
  }

  const Batch& batch_;
  std::vector<ListedArray> listed_;  // all but those attached
  size_t first_column_ = 0;
  std::vector<size_t> by_type_;  // columns by array and type
};

// The arrays of one batch, listed when they are first asked for, by any thread.
class LazyBatchArrays {
 public:
  const BatchArrays& of(const Batch& batch) const;
  // As BatchArrays::column(). Where there are few columns, nothing is listed for it.
  Tensor column(const Batch& batch, int32_t array, size_t type, const char* name) const;

 private:
  mutable std::once_flag once_;
  mutable std::optional<BatchArrays> arrays_;
};

}  // namespace gls
