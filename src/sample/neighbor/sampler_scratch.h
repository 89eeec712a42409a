// Memory that sampling reuses across batches.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "graph/dataset/dataset.h"
#include "sample/batch/relabel.h"
#include "sample/kernels/index_set.h"
#include "sample/methods/hgt_budget.h"
#include "sample/methods/virtual_neighbor_scratch.h"
#include "sample/pick/labor.h"
#include "sample/pick/pick.h"
#include "system/memory.h"

namespace gls {

// Memory of a worker that is reused across batches: tables, chunk buffers, and the last sizes.
struct SamplerScratch {
  static constexpr int64_t kMinExpected = 1024;
  explicit SamplerScratch(const Dataset& dataset);

  std::vector<std::unique_ptr<Relabel>> tables;  // by node type, made at first use
  std::vector<int64_t> expected_nodes;           // by node type
  std::vector<int64_t> expected_edges;           // by edge type
  PageBlock chunk;
  int64_t* positions;
  void* neighbors;  // uint32 or uint64
  uint32_t* edge_trees;
  RowPicker picker;
  std::vector<int64_t> row_positions;
  std::vector<int64_t> row_excluded;
  RowEntries row_entries;  // the entries of a row within the time limits, if they are not a range
  std::vector<int64_t> row_kept;  // positions whose neighbours are in the batch
  std::vector<int64_t> keys;      // of neighbours that may be in the batch
  std::vector<uint32_t> filter;   // bits of the nodes that are in the batch
  AliasPicker alias;
  LaborScratch labor;
  IndexSet taken;
  // Rows whose picks wait in row_positions: local id and number of picks.
  std::vector<std::pair<int64_t, int64_t>> row_runs;
  std::unique_ptr<VirtualNeighborScratch> virtual_neighbors;  // made at first use
  std::unique_ptr<HgtBudget> hgt;                             // made at first use
};

// The scratch memory of a sampler: one for each thread that makes a batch.
class ScratchPool {
 public:
  explicit ScratchPool(std::shared_ptr<const Dataset> dataset) : dataset_(std::move(dataset)) {}

  std::unique_ptr<SamplerScratch> borrow() const;
  // For a batch that ended, also with an error. After an exception, destroy the memory instead.
  void give_back(std::unique_ptr<SamplerScratch> scratch) const;
  // Frees the memory that no thread uses.
  void trim() const;

 private:
  const std::shared_ptr<const Dataset> dataset_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<SamplerScratch>> idle_;
};

}  // namespace gls
