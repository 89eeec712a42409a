// Numbers the nodes of one batch by type, in the order of first visit.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/dataset/dataset.h"
#include "sample/kernels/id_array.h"
#include "sample/neighbor/sampler_scratch.h"

namespace gls {

class NodeNumbering {
 public:
  struct Input {
    const Dataset& dataset;
    SamplerScratch& scratch;
    const kernels::Table& kernels;
    uint64_t direct_limit;  // limit of tables, in bytes
    bool wide;
  };
  explicit NodeNumbering(const Input& input);
  ~NodeNumbering();
  NodeNumbering(const NodeNumbering&) = delete;
  NodeNumbering& operator=(const NodeNumbering&) = delete;

  // Converts dataset ids, which must be in range, to local ids.
  Tensor number(size_t node_type, const IdSpan& ids);
  int64_t count(size_t node_type) const { return nodes_[node_type].count; }
  // The dataset id of a local id.
  int64_t id(size_t node_type, int64_t local) const { return nodes_[node_type].ids[local]; }
  // The dataset ids of all nodes; number() must not be called afterwards.
  Tensor finish(size_t node_type);

 private:
  struct Nodes {
    IdArray ids;
    Relabel* table = nullptr;  // NULL until the type is first visited
    int64_t count = 0;
  };
  Nodes& reach(size_t node_type);

  const Input in_;
  BufferPool& pool_;
  std::vector<Nodes> nodes_;
};

}  // namespace gls
