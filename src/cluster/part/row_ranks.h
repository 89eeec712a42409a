// Computes the positions of rows in their parts from the partition books, which each client has.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "graph/partition/partition.h"
#include "graph/partition/partition_book_index.h"

namespace gls {

class RowRanks {
 public:
  explicit RowRanks(std::shared_ptr<const Partition> partition)
      : partition_(std::move(partition)) {}

  // The index of an existing type, built at first use. Null: the type has no book. An error: the
  // book is damaged.
  Result<const PartitionBookIndex*> of(bool of_nodes, size_t type) const;

 private:
  const std::shared_ptr<const Partition> partition_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<bool, size_t>, PartitionBookIndex> made_;
};

}  // namespace gls
