// Chooses the columns that a loader gathers, the nodes or edges, and the dtypes.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "graph/dataset/dataset.h"
#include "sample/sampler.h"

namespace gls {

struct ColumnToGather {
  bool of_nodes = true;
  size_t type = 0;
  const Column* column = nullptr;
  bool seeds_only = false;
  DLDataType dtype{};
};

// By role: features for every node and, if the sampler reports edge ids, for every edge; labels for
// the seeds.
std::vector<ColumnToGather> default_columns(const Sampler& sampler);

enum class RowsToGather : uint8_t { kAuto = 0, kAll = 1, kSeeds = 2 };

struct ColumnRequest {
  const char* type;  // node or edge type; NULL: every type that has the column
  std::string_view name;
  RowsToGather rows;
  DLDataType dtype;  // all zero: as stored
};

// Collects the columns of all requests, in order.
class ColumnChoice {
 public:
  explicit ColumnChoice(const Sampler& sampler) : sampler_(sampler) {}

  Status add(const ColumnRequest& request);
  std::vector<ColumnToGather> take() { return std::move(out_); }

 private:
  Status no_column_in(const ColumnRequest& request) const;
  Status add_found(const ColumnRequest& request, bool of_nodes, size_t type,
                   const std::string& type_name, const Column& column);

  const Sampler& sampler_;
  std::vector<ColumnToGather> out_;
  std::unordered_set<const Column*> chosen_;
};

}  // namespace gls
