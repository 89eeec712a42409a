#include "cluster/visits.h"

#include <algorithm>
#include <utility>

#include "sample/sampler.h"

namespace gls {
namespace {

constexpr int64_t kBatch = 1024;
const std::vector<int64_t> kFanouts = {15, 10};  // enough to tell what is asked for more often

SamplerOptions options_for(const Dataset& dataset, uint64_t seed) {
  const auto& types = dataset.edge_types();
  const auto has_csc = [](const EdgeType& type) { return type.stores(Layout::kCsc); };
  SamplerOptions out;
  out.direction =
      std::all_of(types.begin(), types.end(), has_csc) ? Direction::kIn : Direction::kOut;
  out.num_hops = kFanouts.size();
  out.fanouts.assign(types.size(), kFanouts);
  out.seed = seed;
  return out;
}

std::vector<int64_t> own_seeds(const Tensor& set, const Book& owners, uint32_t part) {
  const IdSpan ids(set.data(), same_dtype(set.dtype(), kInt64), set.rows());
  std::vector<int64_t> out;
  for (int64_t i = 0; i < ids.size(); ++i) {
    if (owners[ids[i]] == part) {
      out.push_back(ids[i]);
    }
  }
  return out;
}

}  // namespace

Result<std::vector<std::vector<uint32_t>>> count_visits(
    const std::shared_ptr<const Dataset>& dataset, const std::string& id_set, uint64_t seed,
    const std::vector<Book>& owners, uint32_t part, const Progress& progress) {
  GLS_ASSIGN(const auto sampler, Sampler::create(dataset, options_for(*dataset, seed)));
  const auto& types = dataset->node_types();
  std::vector<std::vector<uint32_t>> out;
  out.reserve(types.size());
  for (const NodeType& type : types) {
    out.emplace_back(static_cast<size_t>(type.count));
  }
  for (size_t t = 0; t < types.size(); ++t) {
    const auto found = std::find_if(types[t].id_sets.begin(), types[t].id_sets.end(),
                                    [&](const auto& set) { return set.name == id_set; });
    if (found == types[t].id_sets.end()) {
      continue;
    }
    const std::vector<int64_t> seeds = own_seeds(found->ids, owners[t], part);
    const auto count = static_cast<int64_t>(seeds.size());
    SampleRequest request;
    for (int64_t begin = 0; begin < count; begin += kBatch, ++request.batch) {
      GLS_TRY(report(progress, "counting what is asked for", static_cast<uint64_t>(begin),
                     static_cast<uint64_t>(count), "seeds"));
      request.seeds = {
          {t, IdSpan(seeds.data() + begin, true, std::min(kBatch, count - begin)), {}}};
      GLS_ASSIGN(const auto batch, sampler->sample(request));
      for (size_t n = 0; n < types.size(); ++n) {
        const Tensor& nodes = batch->nodes[n].node;
        const IdSpan ids(nodes.data(), same_dtype(nodes.dtype(), kInt64), nodes.rows());
        for (int64_t i = 0; i < ids.size(); ++i) {
          ++out[n][static_cast<size_t>(ids[i])];
        }
      }
    }
  }
  return out;
}

}  // namespace gls
