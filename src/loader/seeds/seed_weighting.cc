#include "loader/seeds/seed_weighting.h"

namespace gls {
namespace {

// Takes each seed once, in the epoch's order.
class OrderedSeeds final : public SeedRule {
 public:
  explicit OrderedSeeds(uint64_t size) : size_(size) {}

  uint64_t size() const override { return size_; }
  int64_t count(const EpochPlan& plan, uint64_t batch) const override {
    return static_cast<int64_t>(plan.batch_end(batch) - plan.batch_begin(batch));
  }
  void fill(const EpochPlan& plan, uint64_t batch, int64_t* positions) const override {
    for (uint64_t i = plan.batch_begin(batch); i < plan.batch_end(batch); ++i) {
      *positions++ = static_cast<int64_t>(plan.seed_index(i));
    }
  }
  std::string checksum() const override { return {}; }

 private:
  uint64_t size_;
};

}  // namespace

Result<std::unique_ptr<const SeedRule>> SeedRule::create(const Sampler& sampler,
                                                         const SeedList& seeds,
                                                         const SeedRuleOptions& options,
                                                         const PlanOptions& plan) {
  switch (options.by) {
    case SeedsBy::kDraw:
      return make_drawn_seeds(sampler, seeds, options, plan);
    case SeedsBy::kCluster:
      return make_clustered_seeds(sampler, seeds, options);
    default:
      return std::unique_ptr<const SeedRule>(
          std::make_unique<OrderedSeeds>(static_cast<uint64_t>(seeds.size())));
  }
}

}  // namespace gls
