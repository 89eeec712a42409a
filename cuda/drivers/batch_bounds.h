// Bounds of a batch's size, used to allocate memory while only the GPU knows the sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "device/gpu.h"
#include "host_device/row_rule.h"
#include "host_device/walk_rule.h"

namespace gls::cuda {

// A copy of SamplerPlan with arrays of its own.
struct OwnPlan {
  explicit OwnPlan(const device::SamplerPlan& plan);

  struct EdgeType {
    device::EdgePlan rows;
    std::string name;
    std::vector<int64_t> fanouts;  // by hop
    bool wide_out;                 // edge ids of a batch
  };
  struct Walks {
    std::vector<uint32_t> path;
    int64_t length = 0;  // 0: no walks
    int64_t walks = 1;
    double restart = 0;
    double stop = 0;
    WalkBias bias;
    bool second_order = false;
    bool ascending = false;
    bool wide_edges = false;
  };
  // The type of the nodes in a column of the array of walks.
  int64_t type_of_column(int64_t column) const;
  std::vector<int64_t> node_counts;
  std::vector<EdgeType> edges;
  uint32_t num_hops;
  Replace replace;
  bool wide;
  bool disjoint;
  bool edge_ids;
  bool in_time;
  bool times_strict;
  bool times_last;
  int64_t time_window;
  Walks walks;
  device::ImportancePlan importance;
  bool finds_virtual_neighbors() const { return importance.neighbors > 0; }
  std::vector<int64_t> samples;  // for HGT, by node type and hop
  int64_t most_neighbors = 0;    // neighbours considered of a node; 0: not HGT
  bool draws_hgt() const { return most_neighbors > 0; }
  // device::PprPlan, in the form that is copied to the device.
  struct Ppr {
    device::PprPlan options;  // without arrays
    std::vector<int64_t> step_begins;
    std::vector<int64_t> steps;
    std::vector<int64_t> places;  // empty: no channels
    int64_t columns = 2;          // columns of a score
  };
  Ppr ppr;
  bool pushes() const { return ppr.options.neighbors > 0; }
  bool induced;
  bool by_labor;
  bool layer_dependent;
  bool anchors_last;
  std::vector<int32_t> mirrors;  // by edge type; empty: not bidirectional
  // Edges are determined after all nodes.
  bool edges_last() const { return induced || !mirrors.empty() || draws_hgt(); }
};

// Upper bounds of the numbers of a batch.
class BatchBounds {
 public:
  // Local ids are below this.
  static constexpr int64_t kMostLocal = (int64_t{1} << 31) - 1;

  explicit BatchBounds(const OwnPlan& plan);

  int64_t nodes(size_t node_type) const { return nodes_[node_type]; }
  // Nodes that were new in the previous hop, or seeds.
  int64_t frontier(size_t node_type) const { return frontier_[node_type]; }
  int64_t edges(size_t edge_type) const { return edges_[edge_type]; }
  bool too_many_nodes() const;

  void add_seeds(size_t node_type, int64_t count);
  // Picks along one edge type from the whole frontier.
  int64_t picks(size_t hop, size_t edge_type) const;
  void add_picks(size_t edge_type, int64_t count);
  void add_nodes(size_t node_type, int64_t count);
  void end_hop();
  // Replaces the bounds of a hop by its true numbers.
  void set_nodes(size_t node_type, int64_t before, int64_t after);
  void set_edges(size_t edge_type, int64_t count) { edges_[edge_type] = count; }

 private:
  int64_t limited(size_t node_type, int64_t count) const;

  const OwnPlan* plan_;
  std::vector<int64_t> nodes_;
  std::vector<int64_t> frontier_;
  std::vector<int64_t> next_;  // for the current hop
  std::vector<int64_t> edges_;
};

}  // namespace gls::cuda
