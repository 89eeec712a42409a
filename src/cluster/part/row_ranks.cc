#include "cluster/part/row_ranks.h"

namespace gls {

Result<const PartitionBookIndex*> RowRanks::of(bool of_nodes, size_t type) const {
  const PartitionBook* const book =
      of_nodes ? &partition_->node_book(type) : partition_->edge_book(type);
  if (book == nullptr) {
    return static_cast<const PartitionBookIndex*>(nullptr);
  }
  const std::lock_guard lock(mutex_);
  auto found = made_.find({of_nodes, type});
  if (found == made_.end()) {
    GLS_ASSIGN(PartitionBookIndex ranks, PartitionBookIndex::make(*book));
    found = made_.emplace(std::pair(of_nodes, type), std::move(ranks)).first;
  }
  return static_cast<const PartitionBookIndex*>(&found->second);
}

}  // namespace gls
