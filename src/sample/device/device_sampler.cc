#include "sample/device/device_sampler.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "device/memory/pinned_pages.h"
#include "device/memory/staging.h"
#include "sample/batch/relabel.h"
#include "sample/device/device_request.h"
#include "sample/methods/importance.h"
#include "sample/neighbor/batch_worker.h"
#include "sample/pick/weight_table.h"

namespace gls {
namespace {

// In each batch, drawing from the remaining entries takes 8 bytes for each entry of the longest
// row. Computing a row's weights again takes 16 bytes.
constexpr int64_t kMostLeft = int64_t{1} << 27;
constexpr int64_t kMostWeighed = int64_t{1} << 24;
// Picking this many entries of a longer row needs a set of them.
constexpr int64_t kMostPicked = int64_t{1} << 22;

bool any_has_more_edges(const Dataset& dataset, int64_t count) {
  return std::any_of(dataset.edge_types().begin(), dataset.edge_types().end(),
                     [&](const EdgeType& type) { return type.count > count; });
}

// An HGT option that a device does not support. HGT itself lacks the options that are tested first.
std::string_view beyond_by_hgt(const Sampler& sampler) {
  const SamplerOptions& options = sampler.options();
  const Dataset& dataset = *sampler.dataset();
  if (options.disjoint || options.replace != Replace::kNever || options.pick == Pick::kLayer ||
      options.subgraph == Subgraph::kBidirectional || !options.supervisions.empty()) {
    return "budgets have no trees, times, replacement, layers, reverse edges or labels";
  }
  const int64_t considered = options.hgt->most_neighbors;
  if (considered > kMostPicked && any_has_more_edges(dataset, considered)) {
    return "budgets consider more than 2^22 neighbours of a node, and rows may be longer";
  }
  // Nodes of all types are numbered consecutively.
  int64_t left = std::numeric_limits<int64_t>::max();
  for (const NodeType& type : dataset.node_types()) {
    if (type.count > left) {
      return "the nodes of all types are more than 2^63";
    }
    left -= type.count;
  }
  return {};
}

// Whether batches have picked edges of this type, and not all edges.
bool is_picked_from(const Sampler& sampler, size_t edge_type) {
  if (const std::optional<WalkPlan>& walks = sampler.walk_plan()) {
    return std::any_of(walks->path.begin(), walks->path.end(),
                       [&](const WalkStep& step) { return step.edge_type == edge_type; });
  }
  const std::vector<int64_t>& fanouts = sampler.options().fanouts[edge_type];
  return std::any_of(fanouts.begin(), fanouts.end(), [](int64_t f) { return f != 0; });
}

bool is_weighted(const Sampler& sampler, size_t edge_type) {
  return sampler.plan().weights()[edge_type].column.data() != nullptr &&
         is_picked_from(sampler, edge_type);
}

// Whether batches may exclude edges of a type, in addition to those that a request names.
bool may_exclude(const Sampler& sampler, size_t edge_type) {
  const std::vector<Supervision>& supervisions = sampler.options().supervisions;
  return !sampler.plan().excluded()[edge_type].empty() || sampler.options().exclude_links ||
         std::any_of(supervisions.begin(), supervisions.end(), [](const Supervision& one) {
           return one.edge_type.has_value() && one.sampled;
         });
}

// Whether the weights of all rows are computed again, because the CPU has no alias table either.
bool weighs_all(const Sampler& sampler, size_t edge_type) {
  return sampler.options().pick == Pick::kLayer || sampler.plan().times()[edge_type].active();
}

// Uses an existing column of the type.
Result<WeighedRows> weighed_rows(const Sampler& sampler, size_t edge_type) {
  const Dataset& dataset = *sampler.dataset();
  const SamplerOptions& options = sampler.options();
  return WeightTable::weighed_rows(
      dataset, edge_type, options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr,
      *dataset.edge_types()[edge_type].find_column(options.weight));
}

// A weight option that a device does not support.
std::string_view beyond_by_weight(const Sampler& sampler) {
  if (sampler.options().weight.empty()) {
    return {};
  }
  constexpr std::string_view kUnfit =
      "edges are picked by weight, and a row has weights that do not fit, or whose sum is infinite";
  const bool walks = sampler.walk_plan().has_value();
  for (size_t t = 0; t < sampler.plan().weights().size(); ++t) {
    if (!is_weighted(sampler, t)) {
      continue;
    }
    if (walks && may_exclude(sampler, t)) {
      return "walks go by weight, and some edges are left out";
    }
    int64_t longest = 0;  // of rows drawn from without their taken entries
    int64_t weighed = 0;  // of rows whose weights are computed again
    if (weighs_all(sampler, t)) {
      auto rows = weighed_rows(sampler, t);
      if (!rows.ok()) {
        return "edges are picked by weight, and there is no memory to look at their weights";
      }
      if (!rows->fit) {
        return kUnfit;
      }
      weighed = sampler.options().pick == Pick::kLayer ? 0 : rows->longest;
    } else {
      const std::shared_ptr<const WeightTable>& table = sampler.plan().weights()[t].table;
      if (table == nullptr) {
        return "edges are picked by weight, and sample.weight_tables has no room for their tables";
      }
      if (!table->complete()) {
        return kUnfit;
      }
      longest = walks || sampler.options().replace != Replace::kNever ? 0 : table->longest();
      weighed = may_exclude(sampler, t) ? table->longest() : 0;
    }
    if (weighed > kMostWeighed) {
      return "edges are picked by weight, and a row has more than 2^24 that may have to be weighed "
             "anew";
    }
    if (longest > kMostLeft) {
      return "edges are picked by weight, and a row has more than 2^27 of them";
    }
  }
  return {};
}

}  // namespace

std::string_view DeviceSampler::beyond(const Sampler& sampler) {
  const SamplerOptions& options = sampler.options();
  const Dataset& dataset = *sampler.dataset();
  if (dataset.source() != nullptr || dataset.part().has_value()) {
    return "arrays of the graph are elsewhere, or it is a part";
  }
  if (options.hgt.has_value()) {
    return beyond_by_hgt(sampler);
  }
  if (options.ppr.has_value() && (options.subgraph != Subgraph::kSampled || options.disjoint)) {
    return "neighbours by personalised PageRank have no subgraphs or trees";
  }
  if (options.ppr.has_value() && options.ppr->row_limit > kMostPicked &&
      any_has_more_edges(dataset, options.ppr->row_limit)) {
    return "personalised PageRank reads more than 2^22 edges of a row, and rows may be longer";
  }
  if (options.importance.has_value() && options.subgraph != Subgraph::kSampled) {
    return "importance neighbours have no subgraphs";
  }
  if (sampler.walk_plan().has_value() && options.disjoint) {
    return "walks have no trees";
  }
  return beyond_by_weight(sampler);
}

Result<std::shared_ptr<const DeviceSampler>> DeviceSampler::create(
    std::shared_ptr<const Sampler> sampler, std::shared_ptr<Device> device) {
  std::shared_ptr<DeviceSampler> out(new DeviceSampler(std::move(sampler), std::move(device)));
  GLS_TRY(out->place());
  // An error of the device is reported here, and not during the first batch.
  GLS_ASSIGN(device::GpuSampler* const first, out->borrow());
  out->idle_.push_back(first);
  return std::shared_ptr<const DeviceSampler>(std::move(out));
}

DeviceSampler::~DeviceSampler() {
  if (device_->in_forked_child()) {
    return;
  }
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
  const bool walks = sampler_->walk_plan().has_value();
  for (size_t i = 0; walks && i < sampler_->walk_plan()->path.size(); ++i) {
    path_.push_back(static_cast<uint32_t>(sampler_->walk_plan()->path[i].edge_type));
  }
  const bool hgt = options.hgt.has_value();
  for (size_t t = 0; hgt && t < node_counts_.size(); ++t) {
    const std::vector<int64_t>& samples = options.hgt->samples[t];
    samples_.insert(samples_.end(), samples.begin(), samples.end());
  }
  plan_pushes();
  const bool pushes = sampler_->plan().ppr_plan().has_value();
  const bool all = hgt || options.subgraph == Subgraph::kInduced;
  no_fanouts_.resize(sampler_->num_hops());
  const bool bidirectional = !walks && options.subgraph == Subgraph::kBidirectional;
  if (bidirectional) {
    for (const std::optional<size_t>& mirror : mirrors_of(dataset, options)) {
      mirrors_.push_back(mirror.has_value() ? static_cast<int32_t>(*mirror) : -1);
    }
  }
  const std::vector<bool> followed = followed_types(dataset, options);
  rows_.resize(dataset.edge_types().size());
  for (size_t t = 0; t < rows_.size(); ++t) {
    const EdgeType& type = dataset.edge_types()[t];
    device::EdgePlan plan = {};
    plan.anchor_type = static_cast<uint32_t>(in ? type.target : type.source);
    plan.neighbor_type = static_cast<uint32_t>(in ? type.source : type.target);
    plan.fanouts = walks || hgt || pushes ? no_fanouts_.data() : options.fanouts[t].data();
    plan.name = type.joined.c_str();
    const auto size = static_cast<std::ptrdiff_t>(sampler_->num_hops());
    const bool used =
        (all && followed[t]) || std::find(path_.begin(), path_.end(), t) != path_.end() ||
        std::find(push_steps_.begin(), push_steps_.end(), t) != push_steps_.end() ||
        std::any_of(plan.fanouts, plan.fanouts + size, [](int64_t f) { return f != 0; });
    if (used) {
      const Topology& topology = *type.topology(layout);
      GLS_ASSIGN(rows_[t], graph_->get(t, layout));
      rows_[t].fill(topology, &plan);
      GLS_TRY(place_excluded(sampler_->plan().excluded()[t], &plan.excluded));
      GLS_TRY(place_times(sampler_->plan().times()[t], topology.num_rows, &plan.times));
      if (is_weighted(*sampler_, t)) {
        GLS_TRY(place_weights(t, topology, &plan.weights));
      }
    }
    edges_.push_back(plan);
  }
  return {};
}

void DeviceSampler::plan_pushes() {
  if (!sampler_->plan().ppr_plan().has_value()) {
    return;
  }
  for (const RowSteps& steps : sampler_->plan().ppr_plan()->pushes) {
    for (const std::vector<RowStep>& of_type : steps) {
      push_begins_.push_back(push_steps_.size());
      for (const RowStep& step : of_type) {
        push_steps_.push_back(static_cast<uint32_t>(step.edge_type));
      }
    }
  }
  push_begins_.push_back(push_steps_.size());
}

Status DeviceSampler::place_times(const TimeRule& rule, int64_t num_rows,
                                  device::TimesOfType* out) {
  if (!rule.active()) {
    return {};
  }
  const auto place = [&](const IntegerColumn& column, device::Integers* to) -> Status {
    if (column.defined()) {
      *to = column.view();
      GLS_ASSIGN(std::shared_ptr<const DeviceArray> placed, graph_->get(column.tensor()));
      to->data = placed->data();
      times_.push_back(std::move(placed));
    }
    return {};
  };
  GLS_TRY(place(rule.edge(), &out->edge));
  GLS_TRY(place(rule.node(), &out->node));
  GLS_ASSIGN(const DeviceStream stream, device_->stream());
  const auto bytes = static_cast<uint64_t>(num_rows);
  GLS_ASSIGN(std::shared_ptr<DeviceMemory> states, device_->allocate(bytes, stream));
  GLS_TRY(copy_in_pieces(
      stream, states->data(), bytes, 1,
      [](uint64_t, uint64_t size, std::byte* to) { std::memset(to, kUnknown, size); }));
  out->states = static_cast<uint8_t*>(states->data());
  row_states_.push_back(std::move(states));
  return {};
}

Status DeviceSampler::place_weights(size_t edge_type, const Topology& topology,
                                    device::WeightsOfType* out) {
  const Weights& weights = sampler_->plan().weights()[edge_type];
  const bool all_anew = weighs_all(*sampler_, edge_type);
  if (all_anew) {
    GLS_ASSIGN(const WeighedRows rows, weighed_rows(*sampler_, edge_type));
    out->longest = rows.longest;
  } else {
    const std::shared_ptr<const WeightTable>& table = weights.table;
    const auto place = [&](const void* data, int64_t words) -> Result<const void*> {
      GLS_ASSIGN(std::shared_ptr<const DeviceArray> placed,
                 graph_->get(Tensor(table, data, kInt64, {words})));
      weights_.push_back(std::move(placed));
      return weights_.back()->data();
    };
    static_assert(sizeof(WeightedRow) == 2 * sizeof(int64_t));
    static_assert(sizeof(AliasSlot) == sizeof(int64_t));
    GLS_ASSIGN(const void* const rows, place(table->rows(), 2 * topology.num_rows));
    GLS_ASSIGN(const void* const slots, place(table->slots(), topology.num_edges));
    out->rows = static_cast<const WeightedRow*>(rows);
    out->slots = static_cast<const AliasSlot*>(slots);
    out->longest = table->longest();
  }
  const std::optional<WalkPlan>& walks = sampler_->walk_plan();
  if (walks.has_value() ? walks->second_order : all_anew || may_exclude(*sampler_, edge_type)) {
    const Tensor& column = weights.column;
    GLS_ASSIGN(std::shared_ptr<const DeviceArray> placed, graph_->get(column));
    out->exact = {placed->data(), column.row_stride(), column.dtype().code, column.dtype().bits};
    weights_.push_back(std::move(placed));
  }
  return {};
}

Status DeviceSampler::place_excluded(const ExcludedEdges& edges, device::ExclusionFilter* out) {
  if (edges.empty()) {
    return {};
  }
  uint64_t room = std::numeric_limits<uint64_t>::max();  // they are few and read often
  const auto place = [&](const void* data, uint64_t count) -> Result<const void*> {
    const Tensor array(nullptr, data, kInt64, {static_cast<int64_t>(count)});
    GLS_ASSIGN(std::shared_ptr<const DeviceArray> placed,
               DeviceArray::place(device_, array, &room, {}));
    excluded_.push_back(std::move(placed));
    return excluded_.back()->data();
  };
  *out = edges.view();
  GLS_ASSIGN(const void* const positions, place(out->positions, static_cast<uint64_t>(out->count)));
  GLS_ASSIGN(const void* const filter, place(out->filter, filter_words(out->shift)));
  out->positions = static_cast<const int64_t*>(positions);
  out->filter = static_cast<const uint64_t*>(filter);
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
  plan.anchors_last = options.anchor_is_col();
  plan.disjoint = options.disjoint;
  plan.edge_ids = options.edge_ids;
  plan.in_time = options.temporal();
  plan.times_strict = options.time_strict;
  plan.times_last = options.time_strategy == TimeStrategy::kLast;
  plan.time_window = options.time_window;
  plan.induced = options.subgraph == Subgraph::kInduced;
  plan.by_labor = options.pick == Pick::kLayer;
  plan.layer_dependent = options.layer_dependent;
  plan.mirrors = mirrors_.empty() ? nullptr : mirrors_.data();
  if (const std::optional<WalkPlan>& walk = sampler_->walk_plan()) {
    plan.walks = {path_.data(),
                  path_.size(),
                  static_cast<int64_t>(walk->length),
                  static_cast<int64_t>(walk->walks),
                  walk->restart,
                  walk->stop,
                  walk->bias.back,
                  walk->bias.away,
                  walk->ascending};
    if (options.importance.has_value()) {
      plan.importance = {static_cast<int64_t>(options.importance->neighbors),
                         static_cast<int64_t>(walk->traversal), nodes_that_walk_together(*walk),
                         kMostNodesUnchecked};
    }
  }
  if (options.hgt.has_value()) {
    plan.budgets = {samples_.data(), options.hgt->most_neighbors};
  }
  if (const std::optional<PprPlan>& ppr = sampler_->plan().ppr_plan()) {
    const PprOptions& asked = ppr->options;
    plan.ppr = {static_cast<int64_t>(asked.neighbors),
                asked.alpha,
                asked.epsilon,
                asked.top_up,
                asked.max_edges,
                asked.row_limit,
                ppr->pushes.size(),
                push_begins_.data(),
                push_steps_.data(),
                asked.channels.empty() ? nullptr : ppr->places.data()};
  }
  device::GpuError failure;
  device::GpuSampler* const made = device_->gpu().open_sampler(plan, &failure);
  if (made == nullptr) {
    return status_of(failure);
  }
  return made;
}

void DeviceSampler::give_back(device::GpuSampler* sampler) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(sampler);
}

Result<const DeviceNegatives*> DeviceSampler::negatives(size_t edge_type) const {
  const std::lock_guard lock(negatives_mutex_);
  negatives_.resize(edges_.size());
  Negatives& found = negatives_[edge_type];
  if (!found.known) {
    GLS_ASSIGN(std::shared_ptr<const NegativeSampler> on_host, sampler_->negatives(edge_type));
    auto made = DeviceNegatives::make(*sampler_, edge_type, std::move(on_host), graph_);
    if (made.ok()) {
      found.on_device = made.take();
    } else if (is_beyond_pinned(made.status()) || made.status().code() == GLS_ERR_OUT_OF_MEMORY) {
      sampler_->dataset()->context()->log().write(GLS_LOG_WARN, "device",
                                                  "the processor draws negatives of \"{}\": {}",
                                                  edges_[edge_type].name, made.status().message());
    } else {
      return std::move(made.status());
    }
  }
  found.known = true;
  return found.on_device.get();
}

Status DeviceSampler::prepare_negatives(size_t edge_type) const {
  GLS_ASSIGN(const auto on_host, sampler_->negatives(edge_type));
  if (on_host->possible() && !on_host->in_time()) {
    GLS_ASSIGN(const DeviceNegatives* const made, negatives(edge_type));
    static_cast<void>(made);
  }
  return {};
}

Result<DrawnNegatives> DeviceSampler::draw(const device::NegativesWork& work,
                                           std::span<const int64_t> sources,
                                           const DeviceStream& stream) const {
  const auto count = static_cast<size_t>(work.count);
  DrawnNegatives out = {std::vector<int64_t>(work.draws.each == 0 ? count : 0),
                        std::vector<int64_t>(count)};
  GLS_ASSIGN(device::GpuSampler* const sampler, borrow());
  device::GpuError failure;
  const bool drawn = sampler->draw(work, sources.data(), static_cast<int64_t>(sources.size()),
                                   stream.get(), out.sources.data(), out.targets.data(), &failure);
  give_back(sampler);
  if (!drawn) {
    return status_of(failure);
  }
  return out;
}

bool DeviceSampler::wide_edge_ids(size_t edge_type) const {
  return !sampler_->options().int32 ||
         sampler_->dataset()->edge_types()[edge_type].count > Relabel::kMaxLocal;
}

bool DeviceSampler::by_tables_alone(size_t edge_type) const {
  const device::WeightsOfType& weights = edges_[edge_type].weights;
  const bool weighs_anew = weights.exact.data != nullptr && !sampler_->walk_plan().has_value();
  return weights.rows != nullptr && !weighs_anew;
}

bool DeviceSampler::takes(const SampleRequest& request) const {
  if (request.exclude.empty()) {
    return true;
  }
  for (size_t t = 0; t < edges_.size(); ++t) {
    if (by_tables_alone(t)) {
      return false;
    }
  }
  return true;
}

Result<std::shared_ptr<Batch>> DeviceSampler::sample(const SampleRequest& request,
                                                     const DeviceStream& stream) const {
  const SamplerOptions& options = sampler_->options();
  const DeviceDrawing drawing = {
      [this](size_t edge_type) { return negatives(edge_type); },
      [this, &stream](const device::NegativesWork& work, std::span<const int64_t> sources) {
        return draw(work, sources, stream);
      }};
  GLS_ASSIGN(const DeviceRequest asked, DeviceRequest::of(*sampler_, request, drawing));
  for (size_t t = 0; t < edges_.size(); ++t) {
    if (by_tables_alone(t) && asked.excludes(t)) {
      return error(GLS_ERR_UNSUPPORTED,
                   "edges of type \"{}\" are left out of this batch, but the sampler has a device "
                   "pick them by weight from tables alone, as no batch was to leave out any",
                   edges_[t].name);
    }
  }
  const size_t hops = sampler_->num_hops();
  std::vector<device::NodeArrays> nodes(node_counts_.size());
  std::vector<device::EdgeArrays> edges(edges_.size());
  std::vector<std::vector<int64_t>> node_counts(nodes.size(), std::vector<int64_t>(hops + 1));
  std::vector<std::vector<int64_t>> edge_counts(
      edges.size(),
      std::vector<int64_t>(options.subgraph == Subgraph::kSampled && !options.hgt.has_value() ? hops
                                                                                              : 1));
  for (size_t t = 0; t < nodes.size(); ++t) {
    nodes[t].per_hop = node_counts[t].data();
  }
  for (size_t t = 0; t < edges.size(); ++t) {
    edges[t].per_hop = edge_counts[t].data();
  }
  device::SampleAnswer answer = {};
  answer.nodes = nodes.data();
  answer.edges = edges.data();
  std::vector<device::ImportanceArrays> found(nodes.size());
  answer.virtual_neighbors = found.data();
  std::vector<void*> at_places(asked.num_places());
  answer.at_places = at_places.data();
  GLS_ASSIGN(device::GpuSampler* const sampler, borrow());
  device::GpuError failure;
  const bool sampled = sampler->sample(asked.work(), stream.get(), &answer, &failure);
  give_back(sampler);
  if (!sampled) {
    return status_of(failure);
  }
  if (answer.no_negative >= 0) {
    return asked.no_negative(answer.no_negative);
  }
  auto batch = std::make_shared<Batch>();
  batch->dataset = sampler_->dataset();
  batch->epoch = request.epoch;
  batch->number = request.batch;
  batch->num_hops = hops;
  batch->device = device_;
  batch->readers = std::make_shared<StreamReaders>();
  const auto memory = std::make_shared<DeviceMemory>(answer.block, stream, batch->readers);
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
  const bool anchor_is_col = options.anchor_is_col();
  const std::optional<WalkPlan>& walk = sampler_->walk_plan();
  if (const std::optional<PprPlan>& ppr = sampler_->plan().ppr_plan();
      ppr.has_value() || options.importance.has_value()) {
    batch->near.resize(nodes.size());
    const auto columns = static_cast<int64_t>(ppr.has_value() ? ppr->score_columns : 2);
    for (size_t t = 0; t < found.size(); ++t) {
      if (!ppr.has_value() && t != walk->node_type()) {
        continue;  // importance has neighbours of one type only
      }
      const int64_t count = found[t].count;
      batch->near[t] = {array(found[t].seed, wide, count),
                        array(found[t].node, wide, count),
                        Tensor(memory, found[t].score, kFloat32, {count, columns}, false)
                            .with_device(device_->dl()),
                        {}};
    }
  } else if (walk.has_value()) {
    const auto length = static_cast<int64_t>(walk->length);
    const int64_t count = nodes[walk->node_type()].num_seeds * static_cast<int64_t>(walk->walks);
    const bool wide_edges =
        std::any_of(path_.begin(), path_.end(), [&](uint32_t t) { return wide_edge_ids(t); });
    const auto shaped = [](const Tensor& flat, int64_t rows, int64_t columns) {
      return Tensor(flat.owner(), flat.data(), flat.dtype(), {rows, columns}, false)
          .with_device(flat.device());
    };
    batch->walks = SampledWalks{
        walk->node_type(),
        shaped(array(answer.walk, wide, count * (length + 1)), count, length + 1),
        options.edge_ids
            ? shaped(array(answer.walk_edge, wide_edges, count * length), count, length)
            : Tensor(),
        {}};
  } else if (options.subgraph == Subgraph::kSampled) {
    batch->frontier = anchor_is_col ? Frontier::kCol : Frontier::kRow;
    batch->frontier_is_target = in;
  }
  for (size_t t = 0; t < edges.size(); ++t) {
    SampledEdges out;
    out.num_edges = counts_tensor(edge_counts[t]);
    const int64_t count = sum_of_counts(out.num_edges);
    const Tensor ends =
        array(anchor_is_col ? edges[t].neighbors : edges[t].anchors, wide, 2 * count);
    out.index =
        Tensor(memory, ends.data(), ends.dtype(), {2, count}, false).with_device(device_->dl());
    out.edge = options.edge_ids && batch->near.empty()
                   ? array(edges[t].edge_ids, wide_edge_ids(t), count)
                   : Tensor();
    batch->edges.push_back(std::move(out));
  }
  std::vector<Tensor> ids_at_places;
  ids_at_places.reserve(at_places.size());
  for (size_t l = 0; l < at_places.size(); ++l) {
    ids_at_places.push_back(array(at_places[l], wide, asked.work().places[l].count));
  }
  asked.complete(ids_at_places, batch.get());
  return batch;
}

}  // namespace gls
