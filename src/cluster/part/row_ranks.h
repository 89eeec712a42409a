// Where parts have the rows of nodes and edges, by what a client knows itself: the books.
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

  // Of a type there is; made when it is first asked for. Null: it has no book. An error: that is
  // damaged.
  Result<const BookRanks*> of(bool of_nodes, size_t type) const;

 private:
  const std::shared_ptr<const Partition> partition_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<bool, size_t>, BookRanks> made_;
};

}  // namespace gls
