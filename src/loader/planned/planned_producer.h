// Makes batches on the CPU of this process, with rows of columns that do not fit into memory. Steps
// come from planned windows; a batch by number is read directly.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "loader/planned/planned_run.h"
#include "loader/produce/batch_producer.h"

namespace gls {

class PlannedProducer final : public BatchProducer {
 public:
  // `host` makes the batches without columns. `planned` are some of `columns`. `passes`: samples
  // windows; NULL: `host` does. One of both is there. `ahead_bytes`: of batches that the loader
  // makes ahead, part of options.memory.
  static Result<std::unique_ptr<BatchProducer>> open(const Sampler& sampler,
                                                     std::unique_ptr<BatchProducer> host,
                                                     const std::vector<ColumnToGather>& columns,
                                                     std::vector<PlannedColumn> planned,
                                                     std::shared_ptr<const WindowSampler> passes,
                                                     const StorageOptions& options,
                                                     uint64_t ahead_bytes, uint32_t num_workers);
  ~PlannedProducer() override;

  Result<ProducedBatch> make(const EpochPlan& plan, uint64_t number) const override;
  Result<ProducedBatch> make_step(const EpochPlan& plan, uint64_t step,
                                  uint64_t round) const override;
  Result<std::shared_ptr<Batch>> make_on_host(const EpochPlan& plan,
                                              uint64_t number) const override;
  bool brings_columns() const override { return true; }
  ThreadPool* threads() const override { return threads_.get(); }
  uint64_t cancel_all() override;
  void stop() override;
  std::unique_ptr<BatchProducer> share() const override;
  DiskCounts disk_counts() const override;
  const DiskSpeed* disk() const override { return &sources_->disk; }
  const WindowSampler* window_sampler() const override { return sources_->passes.get(); }

 private:
  PlannedProducer(std::shared_ptr<BatchProducer> host,
                  std::shared_ptr<const PlannedSources> sources,
                  std::shared_ptr<ThreadPool> threads)
      : host_(std::move(host)),
        sources_(std::move(sources)),
        threads_(std::move(threads)),
        room_(std::make_unique<MemoryShares::Idle>(sources_->context->storage_memory())) {}
  Result<std::shared_ptr<PlannedRun>> run_of(const EpochPlan& plan, uint64_t round) const;
  void finish(const std::shared_ptr<PlannedRun>& run) const;

  const std::shared_ptr<BatchProducer> host_;
  const std::shared_ptr<const PlannedSources> sources_;
  const std::shared_ptr<ThreadPool> threads_;  // all loaders of the same batches share them
  std::unique_ptr<MemoryShares::Idle> room_;   // PlannedRun::Room of the last run that finished
  mutable std::mutex creating_;                // locked before mutex_
  mutable std::mutex mutex_;
  mutable Status not_created_;                                // why this round has no run
  mutable std::shared_ptr<PlannedRun> run_;                   // of this round
  mutable std::vector<std::shared_ptr<PlannedRun>> retired_;  // cancelled; their threads end
  mutable DiskCounts counts_;                                 // of runs that are gone
  uint64_t round_ = 0;
  bool stopped_ = false;
};

}  // namespace gls
