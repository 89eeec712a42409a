// Samples many batches of a graph whose topology does not fit into memory: hop by hop, all batches
// together, each hop in passes over the topology in the order of its rows. The batches have the
// same bytes as without passes (docs/decisions/0100).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "loader/produce/batch_producer.h"
#include "loader/produce/window_sampler.h"
#include "loader/seeds/batch_seeds.h"
#include "sample/sampler.h"

namespace gls {

class PassSampler final : public WindowSampler {
 public:
  // Why batches of a sampler of a local graph are not sampled in passes; NULL: they can be. Methods
  // that read whole rows are not, as each batch would hold all rows that it needs.
  static const char* why_not(const Sampler& sampler);
  // For such a sampler. `chunk_bytes`: of the topology; about three times as many are in memory.
  static Result<std::shared_ptr<const PassSampler>> open(
      const std::shared_ptr<const Sampler>& sampler, std::shared_ptr<const BatchSeeds> seeds,
      uint64_t chunk_bytes);

  // The folder is for questions about hops, and their answers; empty: they are in memory.
  Result<uint64_t> run(size_t batches, const std::string& folder, const Make& make,
                       const std::function<Status()>& tick) const override;

 private:
  PassSampler(std::shared_ptr<const Dataset> dataset, std::unique_ptr<BatchProducer> recorded)
      : dataset_(std::move(dataset)), recorded_(std::move(recorded)) {}

  const std::shared_ptr<const Dataset> dataset_;
  const std::unique_ptr<BatchProducer> recorded_;
};

}  // namespace gls
