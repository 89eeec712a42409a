#include "sample/drivers/ppr_method.h"

#include "base/float_mode.h"
#include "sample/drivers/virtual_neighbor_batch.h"
#include "sample/methods/ppr_search.h"

namespace gls {
namespace {

class PprBatch final : public VirtualNeighborBatch {
 public:
  using VirtualNeighborBatch::VirtualNeighborBatch;

 private:
  Status find() override;
};

Status PprBatch::find() {
  PprSearch search({dataset_, *plan_.ppr_plan(), plan_.excluded(), excluded_, key_},
                   scratch_.table);
  for (int64_t local = 0; local < num_seeds_; ++local) {
    GLS_TRY(search.run(seed_type_, numbering_.id(seed_type_, local), local, &scratch_.rows));
    GLS_TRY(check_size());
  }
  for (size_t t = 0; t < node_.size(); ++t) {
    node_[t] = numbering_.number(t, span_of(scratch_.rows[t].node));
    per_hop_[t].push_back(numbering_.count(t) - per_hop_[t][0]);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<Batch>> PprMethod::sample(const SampleRequest& request,
                                                 SamplerScratch& scratch) const {
  const DefaultFloatMode float_mode;
  return PprBatch(plan(), scratch, request).run();
}

Result<std::optional<std::vector<SeedSet>>> PprMethod::node_seeds(
    const SampleRequest& request, std::vector<std::vector<int64_t>>* memory) const {
  static_cast<void>(memory);
  GLS_ASSIGN(const SeedSet seeds, seeds_of_one_type(plan(), request));
  return std::optional(std::vector{seeds});
}

}  // namespace gls
