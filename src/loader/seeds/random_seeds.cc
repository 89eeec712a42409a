// Draws new seeds for each batch.
#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/float_mode.h"
#include "base/philox.h"
#include "loader/seeds/seed_weighting.h"
#include "query/graph_query.h"
#include "sample/links/seed_distribution.h"

namespace gls {
namespace {

constexpr uint64_t kMostDraws = uint64_t{1} << 32;

class DrawnSeeds final : public SeedRule {
 public:
  DrawnSeeds(SeedDistribution distribution, uint64_t seed, uint64_t size)
      : distribution_(std::move(distribution)), seed_(seed), size_(size) {}

  uint64_t size() const override { return size_; }
  int64_t count(const EpochPlan& plan, uint64_t batch) const override {
    return static_cast<int64_t>(plan.batch_end(batch) - plan.batch_begin(batch));
  }
  void fill(const EpochPlan& plan, uint64_t batch, int64_t* positions) const override {
    const DefaultFloatMode float_mode;
    RowDraws draws(draw_key(batch_key(seed_, plan.epoch(), batch)), 0, 0);
    const auto drawn = static_cast<uint32_t>(count(plan, batch));
    for (uint32_t i = 0; i < drawn; ++i) {
      positions[i] = distribution_.draw(draws, i);
    }
  }
  std::string checksum() const override {
    const std::vector<double>& sums = distribution_.sums();
    return "drawn " + (sums.empty() ? "uniformly" : hex64(hash64(std::as_bytes(std::span(sums)))));
  }

 private:
  SeedDistribution distribution_;
  uint64_t seed_;
  uint64_t size_;
};

const char* law_name(SeedWeighting law) {
  return law == SeedWeighting::kDegree ? "GLS_LAW_DEGREE" : "GLS_LAW_INVERSE_DEGREE";
}

Status no_law(SeedWeighting law, const char* why) {
  return invalid("seed_law is {}, but {}", law_name(law), why).with("argument", "seed_law");
}

// Counts the edges of all types whose source is a given node.
Status weigh_by_degree(const Dataset& dataset, const SeedList& seeds,
                       std::vector<double>* weights) {
  std::vector<int64_t> degrees(static_cast<size_t>(dataset.node_types()[seeds.type()].count));
  for (size_t t = 0; t < dataset.edge_types().size(); ++t) {
    if (dataset.edge_types()[t].source != seeds.type()) {
      continue;
    }
    GLS_ASSIGN(const std::vector<int64_t> some, find_all_degrees(dataset, t, Layout::kCsr));
    std::transform(some.begin(), some.end(), degrees.begin(), degrees.begin(), std::plus<>());
  }
  for (size_t i = 0; i < weights->size(); ++i) {
    const auto node = static_cast<size_t>(seeds.id(static_cast<int64_t>(i)));
    (*weights)[i] = static_cast<double>(degrees[node]);
  }
  return {};
}

Status weigh_by_inverse_degree(const Dataset& dataset, const SeedList& seeds,
                               std::vector<double>* weights) {
  const size_t type = seeds.type();
  GLS_ASSIGN(const std::vector<int64_t> from, find_all_degrees(dataset, type, Layout::kCsr));
  GLS_ASSIGN(const std::vector<int64_t> to, find_all_degrees(dataset, type, Layout::kCsc));
  constexpr int64_t kChunk = 1 << 16;  // limits the ends that are stored at once
  std::vector<int64_t> ids;
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  for (int64_t begin = 0; begin < seeds.size(); begin += kChunk) {
    const int64_t count = std::min(kChunk, seeds.size() - begin);
    ids.clear();
    sources.clear();
    targets.clear();
    for (int64_t i = begin; i < begin + count; ++i) {
      ids.push_back(seeds.id(i));
    }
    GLS_TRY(find_edge_ends(dataset, type, IdSpan(ids.data(), true, count), "seeds", &sources,
                           &targets));
    for (int64_t i = 0; i < count; ++i) {
      const auto source = static_cast<size_t>(sources[static_cast<size_t>(i)]);
      const auto target = static_cast<size_t>(targets[static_cast<size_t>(i)]);
      const auto out = static_cast<double>(from[source]);
      const auto in = static_cast<double>(to[target]);
      (*weights)[static_cast<size_t>(begin + i)] = 1 / out + 1 / in;
    }
  }
  return {};
}

Status weigh_by_column(const Dataset& dataset, const SeedList& seeds, const std::string& name,
                       const WeightOwner& owner, std::vector<double>* weights) {
  GLS_ASSIGN(const WeightColumn column,
             WeightColumn::open(dataset, !seeds.of_links(), seeds.type(), name, owner));
  for (size_t i = 0; i < weights->size(); ++i) {
    GLS_ASSIGN((*weights)[i], column.at(seeds.id(static_cast<int64_t>(i))));
  }
  return {};
}

Result<SeedDistribution> distribute(const Dataset& dataset, const SeedList& seeds,
                                    const SeedRuleOptions& options) {
  const bool by_column = !options.weight.empty();
  if (!by_column && options.law == SeedWeighting::kUniform) {
    return SeedDistribution(seeds.size());
  }
  if (by_column && options.law != SeedWeighting::kUniform) {
    return no_law(options.law, "seed_weight is given, too; expected one of the two");
  }
  if (options.law == SeedWeighting::kDegree && seeds.of_links()) {
    return no_law(options.law, "the seeds are links");
  }
  if (options.law == SeedWeighting::kInverseDegree && !seeds.of_links()) {
    return no_law(options.law, "the seeds are nodes");
  }
  const WeightOwner owner = {"seed_weight", seeds.of_links() ? "edge" : "node", seeds.type_name()};
  if (seeds.pairs()) {
    return invalid("{} is given, but the links are pairs of nodes; expected ids of edges",
                   by_column ? "seed_weight" : "seed_law")
        .with("argument", by_column ? "seed_weight" : "seed_law");
  }
  std::vector<double> weights(static_cast<size_t>(seeds.size()));
  if (by_column) {
    GLS_TRY(weigh_by_column(dataset, seeds, options.weight, owner, &weights));
  } else if (options.law == SeedWeighting::kDegree) {
    GLS_TRY(weigh_by_degree(dataset, seeds, &weights));
  } else {
    GLS_TRY(weigh_by_inverse_degree(dataset, seeds, &weights));
  }
  return make_distribution(std::move(weights), owner);
}

}  // namespace

Result<std::unique_ptr<const SeedRule>> make_drawn_seeds(const Sampler& sampler,
                                                         const SeedList& seeds,
                                                         const SeedRuleOptions& options,
                                                         const PlanOptions& plan) {
  const DefaultFloatMode float_mode;
  if (plan.shuffle || plan.drop_last) {
    return invalid("{} is set, but seeds are drawn: there is no order, and every batch is full",
                   plan.shuffle ? "GLS_LOADER_SHUFFLE" : "GLS_LOADER_DROP_LAST")
        .with("argument", "flags");
  }
  if (options.batches > kMostDraws) {
    return invalid("batches is {}, expected at most {}", options.batches, kMostDraws)
        .with("argument", "batches");
  }
  GLS_ASSIGN(SeedDistribution distribution, distribute(*sampler.dataset(), seeds, options));
  PlanOptions counted = plan;
  counted.num_seeds = static_cast<uint64_t>(seeds.size());
  const uint64_t batches = options.batches != 0 ? options.batches : EpochPlan::num_batches(counted);
  if (distribution.empty() && batches > 0) {
    return invalid("seeds: {}, so none can be drawn",
                   seeds.size() == 0 ? "there are none" : "all have weight 0")
        .with("argument", "seed_rule");
  }
  return std::unique_ptr<const SeedRule>(std::make_unique<DrawnSeeds>(
      std::move(distribution), sampler.options().seed, batches * plan.batch_size));
}

}  // namespace gls
