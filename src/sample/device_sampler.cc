#include "sample/device_sampler.h"

#include <algorithm>
#include <utility>

#include "base/philox.h"
#include "sample/batch_worker.h"
#include "sample/relabel.h"

namespace gls {

std::string_view DeviceSampler::beyond(const Sampler& sampler) {
  const SamplerOptions& options = sampler.options();
  const Dataset& dataset = *sampler.dataset();
  if (dataset.source() != nullptr || dataset.part().has_value()) {
    return "the graph is elsewhere, or a part";
  }
  if (options.walk.has_value() || options.importance.has_value() || options.ppr.has_value() ||
      options.hgt.has_value()) {
    return "the sampler is not of the kind GLS_SAMPLER_NEIGHBOR";
  }
  if (!options.weight.empty()) {
    return "edges are picked by weight";
  }
  if (options.temporal()) {
    return "the sampler goes by times";
  }
  if (options.pick != Pick::kIndependent) {
    return "nodes are picked by layer";
  }
  if (options.subgraph != Subgraph::kSampled) {
    return "the subgraph is induced or bidirectional";
  }
  if (!options.supervisions.empty()) {
    return "seeds are anchors";
  }
  if (sampler.leaves_out_edges()) {
    return "edges are left out";
  }
  return {};
}

Result<std::shared_ptr<const DeviceSampler>> DeviceSampler::create(
    std::shared_ptr<const Sampler> sampler, std::shared_ptr<Device> device) {
  std::shared_ptr<DeviceSampler> out(new DeviceSampler(std::move(sampler), std::move(device)));
  GLS_TRY(out->place());
  // An error of the device is one of making, and not of the first batch.
  GLS_ASSIGN(device::GpuSampler* const first, out->borrow());
  out->idle_.push_back(first);
  return std::shared_ptr<const DeviceSampler>(std::move(out));
}

DeviceSampler::~DeviceSampler() {
  for (device::GpuSampler* const sampler : idle_) {
    sampler->destroy();
  }
}

Status DeviceSampler::place() {
  const Dataset& dataset = *sampler_->dataset();
  const SamplerOptions& options = sampler_->options();
  const bool in = options.direction == Direction::kIn;
  const Layout layout = in ? Layout::kCsc : Layout::kCsr;
  graph_ = DeviceGraph::of(sampler_->dataset(), device_);
  for (const NodeType& type : dataset.node_types()) {
    node_counts_.push_back(type.count);
  }
  rows_.resize(dataset.edge_types().size());
  for (size_t t = 0; t < rows_.size(); ++t) {
    const EdgeType& type = dataset.edge_types()[t];
    device::EdgePlan plan = {};
    plan.anchor_type = static_cast<uint32_t>(in ? type.target : type.source);
    plan.neighbor_type = static_cast<uint32_t>(in ? type.source : type.target);
    plan.fanouts = options.fanouts[t].data();
    plan.name = type.joined.c_str();
    const bool used = std::any_of(options.fanouts[t].begin(), options.fanouts[t].end(),
                                  [](int64_t fanout) { return fanout != 0; });
    if (used) {
      const Topology& topology = *type.topology(layout);
      GLS_ASSIGN(rows_[t], graph_->get(t, layout));
      plan.indptr = static_cast<const int64_t*>(rows_[t].indptr->data());
      plan.indices = rows_[t].indices->data();
      plan.edge_ids = rows_[t].edge_ids->data();
      if (rows_[t].hot != nullptr) {
        rows_[t].hot->fill(&plan);
      }
      plan.wide_indices = topology.wide_indices;
      plan.wide_edge_ids = topology.wide_edge_ids;
      plan.num_rows = static_cast<uint64_t>(topology.num_rows);
      plan.num_edges = static_cast<uint64_t>(topology.num_edges);
      plan.num_neighbors = static_cast<uint64_t>(topology.num_neighbors);
    }
    edges_.push_back(plan);
  }
  return {};
}

Result<device::GpuSampler*> DeviceSampler::borrow() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      device::GpuSampler* const sampler = idle_.back();
      idle_.pop_back();
      return sampler;
    }
  }
  const SamplerOptions& options = sampler_->options();
  device::SamplerPlan plan = {};
  plan.num_node_types = static_cast<uint32_t>(node_counts_.size());
  plan.node_counts = node_counts_.data();
  plan.num_edge_types = static_cast<uint32_t>(edges_.size());
  plan.edges = edges_.data();
  plan.num_hops = static_cast<uint32_t>(sampler_->num_hops());
  plan.replace = static_cast<uint32_t>(options.replace);
  plan.wide = !options.int32;
  plan.disjoint = options.disjoint;
  plan.edge_ids = options.edge_ids;
  device::GpuError failure;
  device::GpuSampler* const made = device_->gpu().open_sampler(plan, &failure);
  if (made == nullptr) {
    return status_of(failure);
  }
  return made;
}

bool DeviceSampler::wide_edge_ids(size_t edge_type) const {
  return !sampler_->options().int32 ||
         sampler_->dataset()->edge_types()[edge_type].count > Relabel::kMaxLocal;
}

Result<std::shared_ptr<Batch>> DeviceSampler::sample(const SampleRequest& request,
                                                     const DeviceStream& stream) const {
  const Dataset& dataset = *sampler_->dataset();
  const SamplerOptions& options = sampler_->options();
  if (request.links.has_value() || !request.exclude.empty()) {
    return error(GLS_ERR_UNSUPPORTED, "a device samples for nodes, and leaves out no edges");
  }
  std::vector<std::vector<int64_t>> ids;
  std::vector<device::SeedsOfType> seeds;
  ids.reserve(request.seeds.size());
  seeds.reserve(request.seeds.size());
  for (const SeedSet& set : request.seeds) {
    const NodeType& type = dataset.node_types()[set.node_type];
    GLS_TRY(check_seed_ids(type, set.ids));
    GLS_TRY(check_seed_times(options, type, set));
    std::vector<int64_t>& list = ids.emplace_back(static_cast<size_t>(set.ids.size()));
    for (int64_t i = 0; i < set.ids.size(); ++i) {
      list[static_cast<size_t>(i)] = set.ids[i];
    }
    seeds.push_back({static_cast<uint32_t>(set.node_type), list.data(), set.ids.size()});
  }
  device::SampleWork work = {};
  work.key = batch_key(options.seed, request.epoch, request.batch);
  work.seeds = seeds.data();
  work.num_seeds = seeds.size();
  const size_t hops = sampler_->num_hops();
  std::vector<device::NodeArrays> nodes(node_counts_.size());
  std::vector<device::EdgeArrays> edges(edges_.size());
  std::vector<std::vector<int64_t>> node_counts(nodes.size(), std::vector<int64_t>(hops + 1));
  std::vector<std::vector<int64_t>> edge_counts(edges.size(), std::vector<int64_t>(hops));
  for (size_t t = 0; t < nodes.size(); ++t) {
    nodes[t].per_hop = node_counts[t].data();
  }
  for (size_t t = 0; t < edges.size(); ++t) {
    edges[t].per_hop = edge_counts[t].data();
  }
  device::SampleAnswer answer = {};
  answer.nodes = nodes.data();
  answer.edges = edges.data();
  GLS_ASSIGN(device::GpuSampler* const sampler, borrow());
  device::GpuError failure;
  const bool sampled = sampler->sample(work, stream.get(), &answer, &failure);
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(sampler);
  }
  if (!sampled) {
    return status_of(failure);
  }
  auto batch = std::make_shared<Batch>();
  batch->dataset = sampler_->dataset();
  batch->epoch = request.epoch;
  batch->number = request.batch;
  batch->num_hops = hops;
  batch->device = device_;
  batch->readers = std::make_shared<StreamReaders>();
  const auto memory =
      std::make_shared<DeviceMemory>(device_, answer.block, stream.get(), batch->readers);
  const auto array = [&](const void* data, bool wide, int64_t count) {
    return Tensor(memory, data, wide ? kInt64 : kInt32, {count}, false).with_device(device_->dl());
  };
  const bool wide = !options.int32;
  for (size_t t = 0; t < nodes.size(); ++t) {
    SampledNodes out;
    out.num_nodes = counts_tensor(node_counts[t]);
    const int64_t count = sum_of_counts(out.num_nodes);
    out.node = array(nodes[t].ids, wide, count);
    out.tree = options.disjoint ? array(nodes[t].trees, wide, count) : Tensor();
    out.seed = array(nodes[t].seed, wide, nodes[t].num_seeds);
    batch->nodes.push_back(std::move(out));
  }
  const bool in = options.direction == Direction::kIn;
  const bool anchor_is_col = in || options.toward_seeds;
  batch->frontier = anchor_is_col ? Frontier::kCol : Frontier::kRow;
  batch->frontier_is_target = in;
  for (size_t t = 0; t < edges.size(); ++t) {
    SampledEdges out;
    out.num_edges = counts_tensor(edge_counts[t]);
    const int64_t count = sum_of_counts(out.num_edges);
    out.row = array(anchor_is_col ? edges[t].neighbors : edges[t].anchors, wide, count);
    out.col = array(anchor_is_col ? edges[t].anchors : edges[t].neighbors, wide, count);
    out.edge = options.edge_ids ? array(edges[t].edge_ids, wide_edge_ids(t), count) : Tensor();
    batch->edges.push_back(std::move(out));
  }
  return batch;
}

}  // namespace gls
