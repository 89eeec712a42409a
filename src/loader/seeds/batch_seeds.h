// The seeds of a loader and the rule that divides them into batches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "loader/seeds/epoch_plan.h"
#include "loader/seeds/seed_sets.h"
#include "loader/seeds/seed_weighting.h"
#include "sample/batch/batch.h"
#include "system/memory.h"

namespace gls {

class BatchSeeds {
 public:
  BatchSeeds(SeedSets sets, std::unique_ptr<const SeedRule> rule)
      : sets_(std::move(sets)), rule_(std::move(rule)) {}

  const SeedSets& sets() const { return sets_; }
  const SeedRule& rule() const { return *rule_; }
  // As the functions of SeedSets and SeedRule; computed at first use.
  const std::string& sets_checksum() const;
  const std::string& rule_checksum() const;

  using Sample = std::function<Result<std::shared_ptr<Batch>>(const SampleRequest& request)>;
  // Calls `sample` with the request for a batch. The request views memory that lives during the
  // call.
  Result<std::shared_ptr<Batch>> make(const EpochPlan& plan, uint64_t number, BufferPool& pool,
                                      const Sample& sample) const;

 private:
  void sum() const;

  const SeedSets sets_;
  const std::unique_ptr<const SeedRule> rule_;
  mutable std::once_flag summed_;
  mutable std::string sets_checksum_;
  mutable std::string rule_checksum_;
};

}  // namespace gls
