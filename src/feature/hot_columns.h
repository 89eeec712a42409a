// Finds the hottest rows of a column, and the device memory available for columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "context/settings.h"
#include "device/device.h"
#include "graph/dataset/dataset.h"
#include "graph/dataset/hotness.h"

namespace gls {

// For instance "x" of "user", in quotes: for errors, and to identify columns.
std::string name_of_column(const Dataset& dataset, const Column& column);

// For one dataset, whose nodes are counted once. One thread at a time.
class HotColumns {
 public:
  // The hottest rows that fit in this many bytes, `row_bytes` each; ascending. Rows of edges count
  // as equal: if requests are uniform over nodes' rows, they are about uniform over edges.
  Result<std::vector<int64_t>> rows(const Dataset& dataset, const Column& column,
                                    uint64_t row_bytes, uint64_t room);

 private:
  HotNodes nodes_;
};

// The setting device.column_memory, or half of what is free now.
Result<uint64_t> room_for_columns(const Settings& settings, const Device& device);

}  // namespace gls
