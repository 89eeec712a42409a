#include "sample/device/device_negatives.h"

#include <utility>

#include "graph/dataset/topology_query.h"

namespace gls {

Result<std::shared_ptr<const DeviceNegatives>> DeviceNegatives::make(
    const Sampler& sampler, size_t edge_type, std::shared_ptr<const NegativeSampler> negatives,
    const std::shared_ptr<DeviceGraph>& graph) {
  const device::NegativeDraws draws = negatives->draws(0);
  const auto place = [&](const device::NodeChances& of) {
    return graph->get_own(
        of.sums == nullptr ? Tensor() : Tensor(negatives, of.sums, kFloat64, {of.count}, false));
  };
  std::shared_ptr<DeviceNegatives> out(new DeviceNegatives(negatives));
  GLS_ASSIGN(out->source_sums_, place(draws.sources));
  GLS_ASSIGN(out->target_sums_, place(draws.targets));
  if (sampler.options().negatives.strict) {
    GLS_TRY(out->place_edges(sampler, edge_type, *graph));
  }
  return std::shared_ptr<const DeviceNegatives>(std::move(out));
}

// Uses the rows that the device samples from, where those are stored; the device has no others.
Status DeviceNegatives::place_edges(const Sampler& sampler, size_t edge_type, DeviceGraph& graph) {
  const EdgeType& type = sampler.dataset()->edge_types()[edge_type];
  const bool in = sampler.options().direction == Direction::kIn;
  rows_of_targets_ = type.stores(in ? Layout::kCsc : Layout::kCsr) == in;
  const Layout layout = rows_of_targets_ ? Layout::kCsc : Layout::kCsr;
  const Topology& topology = *type.topology(layout);
  GLS_ASSIGN(rows_, graph.get(edge_type, layout));
  rows_.fill(topology, &edges_.emplace());
  edges_->name = type.joined.c_str();
  ascending_ = rows_ascend(sampler.dataset()->context()->pool(), topology);
  return {};
}

device::NegativesWork DeviceNegatives::work(uint64_t key, int64_t links) const {
  device::NegativesWork out;
  out.draws = negatives_->draws(key);
  out.draws.sources.sums = static_cast<const double*>(source_sums_->data());
  out.draws.targets.sums = static_cast<const double*>(target_sums_->data());
  out.count = negatives_->wanted(links);
  out.edges = edges_.has_value() ? &*edges_ : nullptr;
  out.rows_of_targets = rows_of_targets_;
  out.ascending = ascending_;
  return out;
}

}  // namespace gls
