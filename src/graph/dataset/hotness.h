// Estimates the hottest rows from the edges of their nodes, and chooses those that fit in limited
// memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "graph/dataset/dataset.h"

namespace gls {

// The number of edge ends of all types at each node of the type. If ends can only be counted edge
// by edge, at most some tens of millions are read, evenly spread, and scaled up.
std::vector<uint64_t> node_hotness(const Dataset& dataset, size_t node_type);

struct HotQuestion {
  int64_t rows = 0;
  std::span<const uint64_t> hotness;              // [rows]; empty: all are equal
  std::span<const int64_t> first;                 // rows that come before all others, in this order
  uint64_t room = 0;                              // memory in bytes
  std::function<uint64_t(int64_t row)> bytes_of;  // 0: exclude this row
};
// The rows that share the memory, ascending: the hottest ones, and among nearly equal ones the
// lower numbers. If a row does not fit, the rest is filled with colder rows, in order of numbers.
std::vector<int64_t> hottest_rows(const HotQuestion& question);

// Orders of a dataset's nodes by hotness, each made at first use. One thread at a time.
class HotNodes {
 public:
  struct Order {
    std::vector<uint64_t> hotness;
    std::vector<int64_t> first;
  };
  // Checks the id set that the setting device.hot_ids names. GLS_ERR_NOT_FOUND: no type has it.
  static Status check(const Dataset& dataset);
  // Nodes of this set come first. An error if the set has a node that does not exist.
  Result<const Order*> of(const Dataset& dataset, size_t node_type);

 private:
  std::vector<std::unique_ptr<Order>> orders_;  // by node type
};

}  // namespace gls
