#include "sample/neighbor/request_seeds.h"

#include <memory>
#include <utility>

namespace gls {

Status check_seed_ids(const NodeType& type, const IdSpan& ids) {
  if (const int64_t bad = ids.find_outside(type.count); bad >= 0) {
    return invalid("seeds: node {} at index {} is outside 0 .. {} of type \"{}\"", ids[bad], bad,
                   type.count - 1, type.name)
        .with("argument", "seeds");
  }
  return {};
}

Status check_seed_times(const SamplerOptions& options, const NodeType& type, const SeedSet& seeds) {
  if (!options.temporal() && seeds.times.data() != nullptr) {
    return invalid("times are given, but the sampler has neither node_time nor edge_time")
        .with("argument", "times");
  }
  if (options.temporal() && seeds.times.size() != seeds.ids.size()) {
    return invalid("times: {} for {} seeds of type \"{}\", expected one each", seeds.times.size(),
                   seeds.ids.size(), type.name)
        .with("argument", "times");
  }
  return {};
}

Result<LinkSeedSets> find_link_seeds(const SamplerPlan& plan, const SampleRequest& request,
                                     uint64_t key) {
  return find_link_seeds(plan, request,
                         [key](const NegativeSampler& negatives, const LinkSet& links,
                               std::span<const int64_t> sources) {
                           return negatives.draw(key, sources, links.times);
                         });
}

Result<LinkSeedSets> find_link_seeds(const SamplerPlan& plan, const SampleRequest& request,
                                     const DrawForLinks& draw) {
  if (!request.seeds.empty()) {
    return invalid("links are given and seeds, too; expected one of the two")
        .with("argument", "links");
  }
  const SamplerOptions& options = plan.options();
  LinkSeedSets out;
  for (const LinkSet& links : request.links) {
    std::shared_ptr<const NegativeSampler> negatives;
    if (options.negatives.mode != NegativeMode::kNone) {
      GLS_ASSIGN(negatives, plan.negatives()->get(links.edge_type));
    }
    GLS_ASSIGN(LinkSeeds seeds, seeds_of_links(
                                    *plan.dataset(), links, options.negatives,
                                    [&](std::span<const int64_t> sources) {
                                      return draw(*negatives, links, sources);
                                    },
                                    options.most.nodes));
    out.add(std::move(seeds));
  }
  return out;
}

SeedSet seed_set(const LinkSeeds::List& list, bool timed) {
  const auto span = [](const std::vector<int64_t>& values) {
    return IdSpan(values.data(), true, static_cast<int64_t>(values.size()));
  };
  return {list.node_type, span(list.ids), timed ? span(list.times) : IdSpan()};
}

}  // namespace gls
