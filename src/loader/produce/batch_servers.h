// The interface to servers of a graph that make batches (docs/decisions/0046).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "loader/columns/columns.h"
#include "loader/seeds/epoch_plan.h"
#include "loader/seeds/seed_list.h"
#include "loader/seeds/seed_weighting.h"
#include "query/graph_source.h"
#include "sample/batch/batch.h"
#include "sample/sampler.h"

namespace gls {

// Everything that the batches of a loader depend on. Rank, world size and later processing of
// batches, such as padding, have no effect here.
struct BatchRecipe {
  const Sampler& sampler;
  const SeedList::Given& seeds;
  const SeedRuleOptions& rule;
  const PlanOptions& plan;
  const std::vector<ColumnToGather>& columns;
  // For checks of finished batches: the seeds of all batches of the loader.
  int64_t num_seeds = std::numeric_limits<int64_t>::max();
  // The number of inputs; empty: any.
  std::function<int64_t(uint64_t epoch, uint64_t number)> inputs = {};
};

// Requests the batches of one loader from servers.
class BatchClient {
 public:
  BatchClient() = default;
  BatchClient(const BatchClient&) = delete;
  BatchClient& operator=(const BatchClient&) = delete;
  virtual ~BatchClient() = default;

  struct Request {
    uint64_t epoch = 0;
    uint64_t number = 0;
    std::span<const uint64_t> next;  // batches to be requested soon, in order
    uint64_t round = 0;              // the result of the last cancel_all(); at first 0
  };
  // Waits for a batch with its columns, without padding. Any number of threads may call it at once.
  virtual Result<std::shared_ptr<Batch>> fetch(const Request& request) = 0;
  // Cancels all requests so far with GLS_ERR_CANCELED, and later ones of earlier rounds than the
  // returned one. Does not wait.
  virtual uint64_t cancel_all() = 0;
  // Cancels current and later requests with GLS_ERR_CANCELED.
  virtual void stop() = 0;
  // The same batches for another user, with a stop() of its own.
  virtual std::unique_ptr<BatchClient> share() const = 0;
};

// A service of a dataset's source, where servers make batches.
class BatchServers {
 public:
  virtual ~BatchServers() = default;
  // NULL: the dataset has no servers that make batches.
  static const BatchServers* of(const Dataset& dataset) {
    return dataset.source() != nullptr ? dataset.source()->services().find<BatchServers>()
                                       : nullptr;
  }
  // Waits for one of the servers, which reports errors in the recipe.
  virtual Result<std::unique_ptr<BatchClient>> open_batches(const BatchRecipe& recipe) const = 0;
};

}  // namespace gls
