#include "loader/seeds/batch_seeds.h"

#include <vector>

namespace gls {

void BatchSeeds::sum() const {
  std::call_once(summed_, [this] {
    sets_checksum_ = sets_.checksum();
    rule_checksum_ = rule_->checksum();
  });
}

const std::string& BatchSeeds::sets_checksum() const {
  sum();
  return sets_checksum_;
}

const std::string& BatchSeeds::rule_checksum() const {
  sum();
  return rule_checksum_;
}

Result<std::shared_ptr<Batch>> BatchSeeds::make(const EpochPlan& plan, uint64_t number,
                                                BufferPool& pool, const Sample& sample) const {
  const int64_t count = rule_->count(plan, number);
  std::vector<int64_t> positions(static_cast<size_t>(count));
  rule_->fill(plan, number, positions.data());
  SampleRequest request;
  request.epoch = plan.epoch();
  request.batch = number;
  SeedSets::Chosen chosen;
  std::vector<SampledInput> inputs;
  sets_.choose(positions, pool, &chosen, &request, &inputs);
  GLS_ASSIGN(std::shared_ptr<Batch> batch, sample(request));
  batch->inputs = std::move(inputs);
  return batch;
}

}  // namespace gls
