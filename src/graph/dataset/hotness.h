// Which rows are expected to be asked for most, by the edges of their nodes, and how many of those
// fit where there is little room.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "graph/dataset/dataset.h"

namespace gls {

// Ends of edges of all types at each node of the type. Where an end can only be counted edge by
// edge, no more than some tens of millions of them are looked at, evenly, and count for the others.
std::vector<uint64_t> node_hotness(const Dataset& dataset, size_t node_type);

struct HotQuestion {
  int64_t rows = 0;
  std::span<const uint64_t> hotness;              // [rows]; empty: all are the same
  std::span<const int64_t> first;                 // before all others, in this order; rows
  uint64_t room = 0;                              // bytes
  std::function<uint64_t(int64_t row)> bytes_of;  // 0: not this one
};
// The rows that share the room, ascending: the hottest, of about equal ones those of lesser
// numbers. What is left when one of them has no room is for those that are less hot, in order of
// numbers.
std::vector<int64_t> hottest_rows(const HotQuestion& question);

// Orders of the nodes of a dataset, each made when it is first asked for. One thread at a time.
class HotNodes {
 public:
  struct Order {
    std::vector<uint64_t> hotness;
    std::vector<int64_t> first;
  };
  // Setting device.hot_ids names an id set that some type has. GLS_ERR_NOT_FOUND, if not.
  static Status check(const Dataset& dataset);
  // Those of this set come first. An error where it has a node that is not there.
  Result<const Order*> of(const Dataset& dataset, size_t node_type);

 private:
  std::vector<std::unique_ptr<Order>> orders_;  // by node type
};

}  // namespace gls
