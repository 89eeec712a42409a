// Who makes the batches of a loader where other processes do: servers of a graph
// (docs/decisions/0046).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>

#include "base/status.h"
#include "loader/seeds/seed_list.h"
#include "sample/batch/batch.h"
#include "sample/neighbor/sampler.h"

namespace gls {

struct LoaderOptions;

// All that the batches of a loader depend on. Of the options rank, world size and what is done with
// a batch that was made, as padding, do not count.
struct BatchRecipe {
  const Sampler& sampler;
  const SeedList::Given& seeds;
  const LoaderOptions& options;
  // For whoever checks what was made; that of all batches of the loader.
  int64_t num_seeds = std::numeric_limits<int64_t>::max();
  std::function<int64_t(uint64_t epoch, uint64_t number)> inputs = {};  // how many; empty: any
};

class BatchMaker {
 public:
  BatchMaker() = default;
  BatchMaker(const BatchMaker&) = delete;
  BatchMaker& operator=(const BatchMaker&) = delete;
  virtual ~BatchMaker() = default;

  struct Question {
    uint64_t epoch = 0;
    uint64_t number = 0;
    std::span<const uint64_t> next;  // those that will be asked for soon, in their order
    uint64_t round = 0;              // as cancel_all() said last; at first 0
  };
  // Waits for a batch with its columns, not padded. Any number of threads at once.
  virtual Result<std::shared_ptr<Batch>> make(const Question& question) = 0;
  // What was asked so far ends with GLS_ERR_CANCELED now, as does what is still asked in rounds
  // before the one that this returns. Does not wait.
  virtual uint64_t cancel_all() = 0;
  // What is waited for ends with GLS_ERR_CANCELED now, as does what is asked from now on.
  virtual void stop() = 0;
  // The same batches, for somebody who stops by himself.
  virtual std::shared_ptr<BatchMaker> share() const = 0;
};

// What a dataset's source also is where servers make batches.
class BatchServers {
 public:
  virtual ~BatchServers() = default;
  // Waits for one of them, which says what is wrong with the recipe.
  virtual Result<std::shared_ptr<BatchMaker>> open_batches(const BatchRecipe& recipe) const = 0;
};

}  // namespace gls
