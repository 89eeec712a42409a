// Which rows of a column are asked for most, and how much room columns have on a device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "context/settings.h"
#include "device/device.h"
#include "graph/dataset/dataset.h"
#include "graph/dataset/hotness.h"

namespace gls {

// As "x" of "user", with these marks: for errors, and to tell columns apart.
std::string name_of_column(const Dataset& dataset, const Column& column);

// Of one dataset, whose nodes are counted once. One thread at a time.
class HotColumns {
 public:
  // The hottest that share so many bytes, `row_bytes` each; ascending. Edges are all the same: what
  // is uniform over the rows of nodes is about uniform over edges.
  Result<std::vector<int64_t>> rows(const Dataset& dataset, const Column& column,
                                    uint64_t row_bytes, uint64_t room);

 private:
  HotNodes nodes_;
};

// Setting device.column_memory, or half of what is free now.
Result<uint64_t> room_for_columns(const Settings& settings, const Device& device);

}  // namespace gls
