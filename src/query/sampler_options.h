// The options of a sampler in C++; gls.h documents each option.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host_device/row_rule.h"
#include "tensor/tensor.h"

namespace gls {

enum class Direction : uint8_t { kIn = 0, kOut = 1 };
enum class TimeStrategy : uint8_t { kUniform = 0, kLast = 1 };
enum class Subgraph : uint8_t { kSampled = 0, kInduced = 1, kBidirectional = 2 };
enum class Pick : uint8_t { kIndependent = 0, kLayer = 1 };
enum class ExcludeMode : uint8_t { kSelf = 0, kReverseId = 1, kReverseTypes = 2 };

enum class NegativeMode : uint8_t { kNone = 0, kBinary = 1, kTriplet = 2 };

// Negatives of links.
struct NegativeOptions {
  NegativeMode mode = NegativeMode::kNone;
  bool strict = false;
  bool allow_short = false;
  bool in_time = false;  // nodes that exist at the time of the link alone
  bool oldest = false;   // where none exists then, the oldest
  double amount = 1;
  uint32_t degree_quarters = 0;  // in proportion to degree^(quarters / 4); 0: uniformly
  std::string source_weight;     // node columns; empty: by degree_quarters
  std::string target_weight;
  uint32_t tries = 64;
};

// Random walks: docs/contract.md section 6.
struct WalkOptions {
  size_t length = 0;  // steps; 0: the length of the path
  size_t walks = 1;   // for each seed
  double p = 1;       // node2vec: a larger value makes a step back to the previous node less likely
  double q = 1;  // a larger value makes steps away from the previous node's neighbours less likely
  double restart = 0;
  double stop = 0;
  std::vector<size_t> path;  // edge types in order; empty: the only one
};

// Labels of anchors: docs/contract.md section 10.
struct Supervision {
  std::optional<size_t> edge_type;  // not set: labels come with the anchors
  size_t node_type = 0;             // of labels
  std::string name;
  bool negative = false;
  bool sampled = false;    // the edge type is also sampled, and not for labels only
  int64_t max_labels = 0;  // 0: all
};

// Importance neighbours, which random walks visit most: docs/contract.md section 8.
struct ImportanceOptions {
  size_t neighbors = 0;  // for each node
  size_t walks = 10;
  size_t traversals = 2;  // of the path, by each walk
  size_t hops = 1;
  double stop = 0;           // before each traversal but the first
  std::vector<size_t> path;  // edge types in order; empty: the only one
};

// A push along some of the edge types.
struct PprChannel {
  std::vector<size_t> edge_types;
  double share = 0;  // of the neighbours
};

// Personalised PageRank by forward push: docs/contract.md section 9.
struct PprOptions {
  size_t neighbors = 50;  // for each seed, in each node type
  double alpha = 0.5;
  double epsilon = 1e-4;
  bool top_up = true;
  uint64_t max_edges = uint64_t{1} << 24;
  int64_t row_limit = 0;             // 0: no limit
  std::vector<size_t> edge_types;    // empty: all
  std::vector<PprChannel> channels;  // empty: one push along all of them
};

// HGT sampling: docs/contract.md section 11.
struct HgtOptions {
  size_t num_hops = 0;
  std::vector<std::vector<int64_t>> samples;  // [node type][hop]; -1: all
  int64_t most_neighbors = 50;                // of a node along an edge type
};

// Ids [n], or pairs [2, n] of sources and targets.
struct EdgeSet {
  size_t edge_type = 0;
  Tensor edges;
};

// Limits for each type in a batch. A batch with more nodes or edges is an error, found before
// memory for them is allocated.
struct MostOfType {
  int64_t nodes = (int64_t{1} << 31) - 1;  // local ids have 32 bits
  int64_t edges = std::numeric_limits<int64_t>::max();
  // Limit in bytes of a table by node, which each thread keeps; beyond it, tables have the size of
  // the batch.
  uint64_t table_bytes = std::numeric_limits<uint64_t>::max();
};

struct SamplerOptions {
  uint64_t seed = 0;
  size_t num_hops = 0;
  std::vector<std::vector<int64_t>> fanouts;  // [edge type][hop]
  Direction direction = Direction::kIn;
  Replace replace = Replace::kNever;
  bool edge_ids = false;
  bool disjoint = false;
  bool toward_seeds = false;
  bool int32 = false;
  std::string weight;            // edge column; empty: uniform
  std::vector<EdgeSet> exclude;  // borrowed until the sampler is made
  ExcludeMode exclude_mode = ExcludeMode::kSelf;
  std::string reverse_column;
  std::vector<std::pair<size_t, size_t>> reverse_types;  // edge type indices
  std::string node_time;                                 // node column; empty: not temporal
  std::string edge_time;
  bool time_strict = false;
  int64_t time_window = 0;
  TimeStrategy time_strategy = TimeStrategy::kUniform;
  Subgraph subgraph = Subgraph::kSampled;
  NegativeOptions negatives;
  std::optional<WalkOptions> walk;  // walks instead of neighbourhoods
  bool exclude_links = false;       // links that are seeds are not sampled
  Pick pick = Pick::kIndependent;
  uint32_t batch_dependency = 0;  // LABOR: number of batches for which a node keeps its number
  bool layer_dependent = false;   // LABOR: all hops share the numbers
  std::vector<Supervision> supervisions;  // not empty: seeds are anchors
  std::optional<ImportanceOptions> importance;
  std::optional<PprOptions> ppr;
  std::optional<HgtOptions> hgt;
  MostOfType most;  // a server that makes batches for clients sets lower limits

  bool temporal() const { return !node_time.empty() || !edge_time.empty(); }
  // Whether `col` of a batch has the expanded end; else `row` has it.
  bool anchor_is_col() const { return direction == Direction::kIn || toward_seeds; }
};

struct SeedSet {
  size_t node_type = 0;
  IdSpan ids;
  IdSpan times{};  // one for each id, for temporal samplers
};

// Links that are seeds, as ids [n] or pairs [2, n].
struct LinkSet {
  size_t edge_type = 0;
  Tensor links;
  IdSpan times{};  // one for each link, for temporal samplers
  Tensor labels;   // [n, ...] numbers; may be undefined

  int64_t size() const { return links.shape().size() == 2 ? links.shape()[1] : links.rows(); }
};

struct SampleRequest {
  std::vector<SeedSet> seeds;
  std::vector<LinkSet> links;  // instead of seeds; each edge type once
  std::vector<Tensor> labels;  // [anchors, m] by supervision; undefined: from its edge type
  bool labels_found = false;   // includes the labels of edge types (find_labels())
  uint64_t epoch = 0;
  uint64_t batch = 0;
  std::vector<EdgeSet> exclude;
};

}  // namespace gls
