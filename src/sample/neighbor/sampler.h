// The sampler over a dataset, with one of these methods: neighbourhoods (docs/contract.md section
// 3), walks (section 6), importance neighbours (section 8), personalised PageRank (section 9), or
// HGT (section 11).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "graph/dataset/dataset.h"
#include "query/graph_source.h"
#include "query/sampler_options.h"
#include "sample/batch/batch.h"
#include "sample/kernels/kernels.h"
#include "sample/links/negatives.h"
#include "sample/pick/excluded_edges.h"
#include "sample/pick/pick.h"
#include "sample/pick/time_rule.h"
#include "sample/search/hgt_plan.h"
#include "sample/search/ppr_plan.h"
#include "sample/search/walk_plan.h"

namespace gls {

struct SamplerScratch;

class Sampler : public std::enable_shared_from_this<Sampler> {
 public:
  // `table`: the kernels of benchmarks; NULL: those that the context's settings choose.
  static Result<std::shared_ptr<const Sampler>> create(std::shared_ptr<const Dataset> dataset,
                                                       SamplerOptions options,
                                                       const kernels::Table* table = nullptr);
  ~Sampler();

  // Any number of threads may call it at once. Works on the calling thread.
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request) const;

  // Frees the memory that is reused across batches.
  void trim() const;

  // Made when links of an edge type are first seeds.
  Result<std::shared_ptr<const NegativeSampler>> negatives(size_t edge_type) const;

  const std::shared_ptr<const Dataset>& dataset() const { return dataset_; }
  const SamplerOptions& options() const { return options_; }
  // Whether `exclude` of the options excludes some edges.
  bool excludes() const { return excludes_; }
  size_t num_hops() const { return num_hops_; }
  // By edge type; for all batches.
  const std::vector<ExcludedEdges>& excluded() const { return excluded_; }
  const std::vector<TimeRule>& times() const { return times_; }     // by edge type
  const std::vector<Weights>& weights() const { return weights_; }  // by edge type
  // Of walks, including the walks of importance; else not set.
  const std::optional<WalkPlan>& walk_plan() const { return walk_plan_; }
  const std::optional<PprPlan>& ppr_plan() const { return ppr_plan_; }
  // Whether the options name edges that no batch uses.
  bool names_excluded() const { return names_excluded_; }
  // For a remote graph: a copy of the options' `exclude`, so that servers can make this sampler's
  // batches. Not set: it is too long to keep.
  const std::optional<std::vector<EdgeSet>>& kept_exclude() const { return kept_exclude_; }

 private:
  friend class BatchWorker;
  friend class HopAnswer;
  friend class HopWorker;
  friend class WalkBatch;
  friend class ImportanceBatch;
  friend class HgtBatch;
  Sampler(std::shared_ptr<const Dataset> dataset, SamplerOptions options,
          const kernels::Table* table);

  Status check_layout(const EdgeType& type) const;
  static Result<std::shared_ptr<const Sampler>> create_here(std::shared_ptr<Sampler> sampler);
  static Result<std::shared_ptr<const Sampler>> create_elsewhere(std::shared_ptr<Sampler> sampler);
  bool reads_rows() const;
  Status open_sources();
  Status open_rows_elsewhere();
  Result<std::shared_ptr<const Sampler>> over(std::shared_ptr<const Dataset> fetched) const;
  Result<SampleRequest> ask_first(const SampleRequest& request) const;
  Result<std::shared_ptr<Batch>> sample_by_rows(const SampleRequest& request) const;
  Result<std::shared_ptr<Batch>> sample_prepared(const SampleRequest& request) const;
  Status check_options() const;
  Status check_ids() const;
  Status check_reverse() const;
  Status check_negatives() const;
  Status check_pick() const;
  Status find_weights();
  bool draws_by_weight(size_t edge_type) const;
  std::unique_ptr<SamplerScratch> borrow_scratch() const;
  void return_scratch(std::unique_ptr<SamplerScratch> scratch) const;

  std::shared_ptr<const Dataset> dataset_;
  SamplerOptions options_;
  bool excludes_ = false;
  size_t num_hops_ = 0;
  std::optional<WalkPlan> walk_plan_;
  std::optional<PprPlan> ppr_plan_;
  std::optional<HgtPlan> hgt_plan_;
  Layout layout_ = Layout::kCsc;
  const kernels::Table* kernels_ = nullptr;
  uint64_t direct_limit_ = 0;
  std::vector<Weights> weights_;         // by edge type
  std::vector<ExcludedEdges> excluded_;  // by edge type
  std::vector<TimeRule> times_;          // by edge type
  // For a remote graph: makes the picks, or returns the rows to pick from.
  std::shared_ptr<const HopSource> hops_;
  std::shared_ptr<const HopSource> row_source_;
  std::shared_ptr<const HopSource> label_rows_;  // returns the rows of anchors; NULL: not needed
  // Returns the rows at the ends of excluded edges; NULL: not needed.
  std::shared_ptr<const HopSource> pair_rows_;
  std::shared_ptr<const Sampler> plans_;  // owns the data that the plans above point to
  bool names_excluded_ = false;
  std::optional<std::vector<EdgeSet>> kept_exclude_;
  const Sampler* asked_for_ = nullptr;  // the sampler whose batch this one makes from fetched rows

  mutable std::mutex negatives_mutex_;
  mutable std::vector<std::shared_ptr<const NegativeSampler>> negatives_;  // by edge type
  mutable std::mutex scratch_mutex_;
  mutable std::vector<std::unique_ptr<SamplerScratch>> scratch_;
};

}  // namespace gls
