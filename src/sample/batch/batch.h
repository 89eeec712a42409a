// A batch: the sampled nodes and edges, and the rows of columns gathered for them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "device/row_tiers.h"
#include "graph/dataset/dataset.h"
#include "tensor/tensor.h"

namespace gls {

// The sampled nodes of one type.
struct SampledNodes {
  Tensor node;         // [N] dataset ids
  Tensor tree;         // [N], only with disjoint trees
  Tensor seed;         // [B] local id of each given seed
  Tensor seed_time;    // int64 [B], for temporal samplers
  Tensor num_nodes;    // int64 [hops + 1]: unique seeds, then new nodes of each hop
  Tensor mask;         // bool [N], for padded batches: false for padding
  Tensor seed_mask;    // bool [B], for types of seeds; as `mask`
  Tensor anchor_mask;  // bool [anchors], for the anchors' type; as `mask`

  int64_t num_seeds() const { return num_nodes.as<int64_t>()[0]; }
};

// The sampled edges of one type.
struct SampledEdges {
  Tensor index;      // [2, E] local ids, contiguous: sources, then targets
  Tensor edge;       // [E] edge ids, on request
  Tensor num_edges;  // int64 [hops]
  Tensor mask;       // bool [E], for padded batches: false for padding

  int64_t count() const { return index.defined() ? index.shape()[1] : 0; }  // E
  // Views of the two rows; undefined where `index` is.
  Tensor row() const { return index.defined() ? index.row_at(0) : Tensor(); }  // [E] sources
  Tensor col() const { return index.defined() ? index.row_at(1) : Tensor(); }  // [E] targets
};
// An `index` without edges.
Tensor no_edges(bool wide);

// Links that were seeds, and the negatives drawn for them, as local ids.
struct SampledLinks {
  size_t edge_type = 0;
  Tensor source;    // [links + binary negatives]
  Tensor target;    // [links + binary negatives]
  Tensor negative;  // [links, amount], triplets only; -1: no negative was found
  Tensor label;     // [links + binary negatives, ...]
  Tensor mask;      // bool [links + binary negatives], for padded batches: false for padding
  // Bool [links, amount], for padded batches: true where a negative was found.
  Tensor negative_mask;
};

// The labels of anchors, one row for each anchor.
struct SampledLabels {
  size_t node_type = 0;
  std::string name;  // of the supervision
  bool negative = false;
  Tensor label;  // [anchors, m] local ids; -1: none
};

// Random walks, one row each, grouped by seed.
struct SampledWalks {
  size_t node_type = 0;  // of the seeds
  Tensor walk;           // [seeds * walks, length + 1] local ids; -1 after the end
  Tensor edge;  // [seeds * walks, length] edge ids, on request; -1 for steps that were not taken
  Tensor mask;  // bool [seeds * walks], for padded batches: false for padding
};

// Importance neighbours of one node type, which no edges represent: docs/contract.md sections 8 and
// 9.
struct SampledNear {
  Tensor seed;   // [K] local id of the seed, in the seeds' type
  Tensor node;   // [K] local id of its neighbour
  Tensor score;  // float32 [K, 2]
  Tensor mask;   // bool [K], for padded batches: false for padding
};

struct GatheredColumn {
  bool of_nodes = true;
  size_t type = 0;
  const Column* column = nullptr;  // of the dataset
  bool seeds_only = false;
  Tensor data;
};

enum class Padding : uint8_t { kNone = 0, kFits = 1, kOverflow = 2 };

// The row of `index` that holds the expanded end of each edge, where edges are in the order of
// picking.
enum class Frontier : uint8_t { kNone = 0, kRow = 1, kCol = 2 };

// An array that the user's transform attached.
struct AttachedArray {
  std::string name;
  Tensor data;
};

struct Batch {
  std::shared_ptr<const Dataset> dataset;
  uint64_t epoch = 0;
  uint64_t number = 0;
  size_t num_hops = 0;
  std::vector<SampledNodes> nodes;  // by node type
  std::vector<SampledEdges> edges;  // by edge type
  std::optional<SampledLinks> links;
  std::optional<SampledWalks> walks;
  std::vector<SampledLabels> labels;  // by supervision
  size_t input_type = 0;          // of a loader: type of the seeds; edge type if those are links
  Tensor input;                   // of a loader: [B] positions in its seeds
  std::vector<SampledNear> near;  // by node type; empty: another sampling method
  std::vector<GatheredColumn> columns;
  Padding padding = Padding::kNone;
  Frontier frontier = Frontier::kNone;
  bool frontier_is_target = true;  // the expanded end is the target in the graph; else the source
  std::vector<AttachedArray> attached;
  // The device of the arrays, except attached arrays, and the counts of nodes and edges by hop,
  // which are always on the host.
  std::shared_ptr<Device> device;           // NULL: on the host
  std::shared_ptr<StreamReaders> readers;   // for arrays on a device
  std::optional<int64_t> num_inputs_known;  // set where the inputs are on a device
  uint64_t sample_ns = 0;
  uint64_t gather_ns = 0;
  RowTiers tiers;  // for `columns`

  // Without padding.
  int64_t num_nodes() const;
  int64_t num_edges() const;
  int64_t num_inputs() const;  // for batches of a loader
  uint64_t bytes() const;
  uint64_t gathered_rows() const;  // of all columns, including padding
};

// Calls visit(tensor) for each array, defined or not, except the counts of nodes and edges by hop.
template <typename AnyBatch, typename Visit>
void visit_arrays(AnyBatch& batch, Visit visit) {
  visit(batch.input);
  for (auto& type : batch.nodes) {
    for (auto* const array : {&type.node, &type.tree, &type.seed, &type.seed_time, &type.mask,
                              &type.seed_mask, &type.anchor_mask}) {
      visit(*array);
    }
  }
  for (auto& type : batch.edges) {
    for (auto* const array : {&type.index, &type.edge, &type.mask}) {
      visit(*array);
    }
  }
  if (batch.links.has_value()) {
    auto& links = *batch.links;
    for (auto* const array : {&links.source, &links.target, &links.negative, &links.label,
                              &links.mask, &links.negative_mask}) {
      visit(*array);
    }
  }
  if (batch.walks.has_value()) {
    for (auto* const array : {&batch.walks->walk, &batch.walks->edge, &batch.walks->mask}) {
      visit(*array);
    }
  }
  for (auto& labels : batch.labels) {
    visit(labels.label);
  }
  for (auto& type : batch.near) {
    for (auto* const array : {&type.seed, &type.node, &type.score, &type.mask}) {
      visit(*array);
    }
  }
  for (auto& column : batch.columns) {
    visit(column.data);
  }
  for (auto& array : batch.attached) {
    visit(array.data);
  }
}

// Converts numbers of nodes or edges to an array of a batch.
Tensor counts_tensor(const std::vector<int64_t>& counts);
int64_t sum_of_counts(const Tensor& counts);

}  // namespace gls
