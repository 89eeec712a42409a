// Determines the batches of a trainer and their seeds: docs/contract.md section 4. Pure arithmetic;
// nothing is stored per seed or batch.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/permutation.h"

namespace gls {

enum class Even : uint8_t { kNone = 0, kDrop = 1, kRepeat = 2 };

struct PlanOptions {
  uint64_t num_seeds = 0;  // seeds, draws of an epoch, or clusters: what SeedRule counts
  uint64_t batch_size = 1;
  bool shuffle = false;
  bool drop_last = false;
  uint64_t rank = 0;
  uint64_t world_size = 1;
  Even even = Even::kNone;
  // Of the trainer's steps, only those numbered `part`, `part` + `parts`, ... Other processes make
  // the rest.
  uint64_t part = 0;
  uint64_t parts = 1;
};

class EpochPlan {
 public:
  // `first`: finished batches of the epoch (for a resumed loader).
  EpochPlan(const PlanOptions& options, uint64_t seed, uint64_t epoch, uint64_t first)
      : options_(options),
        permutation_(options.num_seeds, order_key(seed, epoch)),
        epoch_(epoch),
        first_(first),
        steps_(count_steps(options, first)) {}

  // Batches of an epoch over all trainers, without repeats.
  static uint64_t num_batches(const PlanOptions& options) {
    return options.drop_last ? options.num_seeds / options.batch_size
                             : options.num_seeds / options.batch_size +
                                   (options.num_seeds % options.batch_size != 0 ? 1 : 0);
  }
  // Batches left for this trainer when the first `first` batches of the epoch are done.
  static uint64_t count_steps(const PlanOptions& options, uint64_t first) {
    const uint64_t all = num_batches(options);
    const uint64_t left = all > first ? all - first : 0;
    const uint64_t world = options.world_size;
    uint64_t steps = left / world;
    if (options.even != Even::kDrop) {
      const bool one_more =
          options.even == Even::kRepeat ? left % world != 0 : options.rank < left % world;
      steps += one_more ? 1 : 0;
    }
    return steps > options.part ? (steps - options.part - 1) / options.parts + 1 : 0;
  }

  uint64_t epoch() const { return epoch_; }
  uint64_t first() const { return first_; }
  uint64_t steps() const { return steps_; }
  // Finished batches of all trainers when this one is at `step`.
  uint64_t position(uint64_t step) const {
    return first_ + (step * options_.parts + options_.part) * options_.world_size;
  }
  // The number of a step's batch; steps beyond the last batch repeat the first ones.
  uint64_t batch(uint64_t step) const {
    return (position(step) + options_.rank) % num_batches(options_);
  }
  // As batch(). At the end, a number beyond the last batch, so that even skipped batches are
  // behind.
  uint64_t next_batch(uint64_t step) const {
    return step < steps_ ? batch(step)
                         : std::max(position(step) + options_.rank, num_batches(options_));
  }
  uint64_t batch_begin(uint64_t batch) const { return batch * options_.batch_size; }
  uint64_t batch_end(uint64_t batch) const {
    return std::min((batch + 1) * options_.batch_size, options_.num_seeds);
  }
  // Index into the seeds of the i-th seed of the epoch.
  uint64_t seed_index(uint64_t i) const { return options_.shuffle ? permutation_(i) : i; }

 private:
  PlanOptions options_;
  KeyedPermutation permutation_;
  uint64_t epoch_;
  uint64_t first_;
  uint64_t steps_;
};

}  // namespace gls
