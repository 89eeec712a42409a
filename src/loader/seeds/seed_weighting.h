// The rule that chooses the seeds of each batch: docs/contract.md section 4.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "loader/seeds/epoch_plan.h"
#include "loader/seeds/seed_sets.h"

namespace gls {

enum class SeedsBy : uint8_t { kOrder = 0, kDraw = 1, kCluster = 2 };
enum class SeedWeighting : uint8_t { kUniform = 0, kDegree = 1, kInverseDegree = 2 };

struct SeedRuleOptions {
  SeedsBy by = SeedsBy::kOrder;
  SeedWeighting law = SeedWeighting::kUniform;
  std::string weight;    // column to draw by; empty: by law
  uint64_t batches = 0;  // for draws: batches of an epoch; 0: as many as without draws
  std::string cluster;   // node column
  Tensor clusters;       // instead of the column, [nodes]; may be undefined
};

class SeedRule {
 public:
  virtual ~SeedRule() = default;
  SeedRule() = default;
  SeedRule(const SeedRule&) = delete;
  SeedRule& operator=(const SeedRule&) = delete;

  // `plan`: all but the number of seeds, which is size() of what is made. Draws and clusters are of
  // seeds of one type.
  static Result<std::unique_ptr<const SeedRule>> create(const Sampler& sampler,
                                                        const SeedSets& seeds,
                                                        const SeedRuleOptions& options,
                                                        const PlanOptions& plan);

  // The number of things that an epoch's plan counts: seeds, draws or clusters.
  virtual uint64_t size() const = 0;
  // The number of a batch's seeds, and their positions in the list of seeds. Any number of threads
  // may call them.
  virtual int64_t count(const EpochPlan& plan, uint64_t batch) const = 0;
  virtual void fill(const EpochPlan& plan, uint64_t batch, int64_t* positions) const = 0;
  // A text that identifies the rule; empty if each seed is taken once.
  virtual std::string checksum() const = 0;
};

// Rules in files of their own.
Result<std::unique_ptr<const SeedRule>> make_drawn_seeds(const Sampler& sampler,
                                                         const SeedList& seeds,
                                                         const SeedRuleOptions& options,
                                                         const PlanOptions& plan);
Result<std::unique_ptr<const SeedRule>> make_clustered_seeds(const Sampler& sampler,
                                                             const SeedList& seeds,
                                                             const SeedRuleOptions& options);

}  // namespace gls
