#include "cuda/drivers/batch_run.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace gls::cuda {

BatchRun::BatchRun(const OwnPlan& plan, KeptMemory* kept, uint64_t most_bytes,
                   const device::SampleWork& work, device::Stream stream, device::GpuError* error)
    : plan_(plan),
      kept_(kept),
      most_bytes_(most_bytes),
      work_(work),
      stream_(stream),
      cuda_stream_(static_cast<cudaStream_t>(stream)),
      error_(error),
      counters_(kept->gpu, stream),
      all_(kept->gpu, stream),
      seed_locals_(kept->gpu, stream),
      tree_keys_(kept->gpu, stream),
      rows_(kept->gpu, stream),
      picks_(kept->gpu, stream),
      walk_(kept->gpu, stream),
      walk_edges_(kept->gpu, stream),
      importance_ids_(kept->gpu, stream),
      importance_seeds_(kept->gpu, stream),
      importance_nodes_(kept->gpu, stream),
      importance_scores_(kept->gpu, stream),
      met_{DeviceBlock(kept->gpu, stream), DeviceBlock(kept->gpu, stream),
           DeviceBlock(kept->gpu, stream)},
      scores_(kept->gpu, stream),
      taken_(kept->gpu, stream),
      shares_(kept->gpu, stream),
      candidates_(kept->gpu, stream),
      importance_of_(plan.node_counts.size()),
      bounds_(plan) {
  const auto block = [&] { return DeviceBlock(kept->gpu, stream); };
  nodes_.reserve(plan.node_counts.size());
  for (size_t t = 0; t < plan.node_counts.size(); ++t) {
    nodes_.push_back({block(), block(), block()});
  }
  edges_.reserve(plan.edges.size());
  for (size_t t = 0; t < plan.edges.size(); ++t) {
    edges_.push_back({block(), block(), block(), kNone, {}});
  }
}

BatchRun::~BatchRun() {
  if (!finished_) {
    // Queued work may still read the host's memory, which the next batch reuses.
    device::GpuError ignored;
    kept_->gpu.finish(stream_, &ignored);
  }
}

bool BatchRun::run(device::SampleAnswer* answer) {
  if (!count_seeds() || !place_counters() || !copy_in() || !add_seeds()) {
    return false;
  }
  const bool considers = plan_.draws_hgt() && !plan_.induced;
  if (run_hops() && (!plan_.induced || induce()) &&
      (plan_.mirrors.empty() || join_bidirectional()) && (!considers || consider())) {
    return finish(answer);
  }
  return tell_negatives_first(answer);
}

bool BatchRun::place_counters() {
  const size_t types = plan_.node_counts.size();
  const size_t steps = (plan_.num_hops + (plan_.edges_last() ? 1 : 0)) * plan_.edges.size();
  size_t end = 0;
  const auto next = [&end](size_t count) { return std::exchange(end, end + count); };
  places_.zero = next(1);
  places_.nodes_after = next((plan_.num_hops + 1) * types);
  places_.picks = next(steps);
  places_.edges_before = next(steps);
  places_.faults = next(3 * steps);
  places_.values = next(5);
  places_.walk_fault = next(1);
  places_.walk_nodes = next(1);
  places_.walked = next(1);
  places_.virtual_nodes = next(1);
  places_.importance_found = next(1);
  places_.importance_of_hop = next(1);
  places_.importance_begins = next(types);
  places_.virtual_counts = next(types);
  places_.push_fault = next(1);
  places_.push_staged = next(1);
  places_.push_round = next(kNumOfRound);
  places_.negative_fault = next(1);
  places_.no_negative = next(1);
  places_.joined = next(1);
  places_.range = next(2);
  places_.met = next(1);
  places_.shares = next(2);
  places_.candidates = next(types);
  places_.lists = next(work_.num_seeds);
  places_.size = end;
  places_.seeds = next(static_cast<size_t>(num_seeds_));
  places_.trees = next(plan_.disjoint ? static_cast<size_t>(num_seeds_) : 0);
  places_.times = next(plan_.in_time ? static_cast<size_t>(num_seeds_) : 0);
  places_.places = end;
  for (size_t l = 0; l < work_.num_places; ++l) {
    next(static_cast<size_t>(work_.places[l].count));
  }
  places_.excluded = end;
  for (size_t t = 0; work_.excluded != nullptr && t < edges_.size(); ++t) {
    const device::ExclusionFilter& edges = work_.excluded[t];
    next(static_cast<size_t>(edges.count));
    next(edges.count == 0 ? 0 : filter_words(edges.shift));
  }
  places_.walks = next(walk_words());
  places_.pushes = next(push_words().size);
  places_.copied = end;
  return true;
}

// ---- seeds -------------------------------------------------------------------------------------

// The key of a node in a tree is tree * count + node, in 64 bits.
bool BatchRun::count_seeds() {
  for (size_t l = 0; l < work_.num_seeds; ++l) {
    num_seeds_ += work_.seeds[l].count;
  }
  const auto trees = static_cast<uint64_t>(num_seeds_);
  for (const int64_t count : plan_.node_counts) {
    if (plan_.disjoint && trees > 0 && static_cast<uint64_t>(count) > ~uint64_t{0} / trees) {
      error_->code = GLS_ERR_UNSUPPORTED;
      static_cast<void>(std::snprintf(
          error_->text, sizeof error_->text,
          "disjoint trees of %lld seeds over the %lld nodes of a type; use smaller batches",
          static_cast<long long>(num_seeds_), static_cast<long long>(count)));
      return false;
    }
  }
  return true;
}

// Copies numbers, seeds and the data that come with them in one piece.
bool BatchRun::copy_in() {
  const uint64_t bytes = places_.copied * sizeof(int64_t);
  if (!kept_->in.reserve(bytes, error_) || !counters_.reserve(bytes, 0, error_)) {
    return false;
  }
  auto* const in = reinterpret_cast<int64_t*>(kept_->in.data());
  std::fill_n(in, places_.size, 0);
  std::fill_n(in + places_.faults, places_.values - places_.faults,
              static_cast<int64_t>(PickFaults::kNoFault));
  for (const size_t place :
       {places_.walk_fault, places_.push_fault, places_.negative_fault, places_.no_negative}) {
    in[place] = static_cast<int64_t>(PickFaults::kNoFault);
  }
  in[places_.walk_nodes] = num_walks() * (plan_.walks.length + 1);
  int64_t* seeds = in + places_.seeds;
  for (size_t l = 0; l < work_.num_seeds; ++l) {
    in[places_.lists + l] = work_.seeds[l].count;
    seeds = std::copy_n(work_.seeds[l].ids, work_.seeds[l].count, seeds);
  }
  for (int64_t i = 0; plan_.disjoint && i < num_seeds_; ++i) {
    in[places_.trees + static_cast<size_t>(i)] = i;
  }
  if (plan_.in_time) {
    std::copy_n(work_.times, num_seeds_, in + places_.times);
  }
  int64_t* places = in + places_.places;
  for (size_t l = 0; l < work_.num_places; ++l) {
    places = std::copy_n(work_.places[l].places, work_.places[l].count, places);
  }
  size_t at = places_.excluded;
  for (size_t t = 0; work_.excluded != nullptr && t < edges_.size(); ++t) {
    const device::ExclusionFilter& edges = work_.excluded[t];
    if (edges.count == 0) {
      continue;
    }
    const auto count = static_cast<size_t>(edges.count);
    const size_t words = filter_words(edges.shift);
    std::copy_n(edges.positions, count, in + at);
    std::copy_n(edges.filter, words, reinterpret_cast<uint64_t*>(in + at + count));
    edges_[t].excluded = {counter(at), edges.count,
                          reinterpret_cast<const uint64_t*>(counter(at + count)), edges.shift};
    at += count + words;
  }
  copy_walk_plan(in + places_.walks);
  copy_push_plan(in + places_.pushes);
  return kept_->gpu.copy_in(counters_.data(), in, bytes, stream_, error_);
}

bool BatchRun::add_seeds() {
  for (size_t l = 0; l < work_.num_seeds; ++l) {
    bounds_.add_seeds(work_.seeds[l].node_type, work_.seeds[l].count);
  }
  if (bounds_.too_many_nodes() || num_seeds_ > kMostRelabeled) {
    return too_many_nodes();
  }
  if (!look_ahead(0) || !draw_seeds()) {
    return false;
  }
  const auto count = static_cast<uint64_t>(num_seeds_);
  if (num_seeds_ > 0) {
    if (!seed_locals_.reserve(count * static_cast<uint64_t>(id_width(plan_.wide)), 0, error_) ||
        !picks_.reserve(relabel_bytes(num_seeds_), 0, error_)) {
      return false;
    }
    if (plan_.disjoint &&
        (!tree_keys_.reserve(count * sizeof(uint64_t), 0, error_) ||
         !good(make_tree_keys(work_.key, num_seeds_, reinterpret_cast<uint64_t*>(tree_keys_.data()),
                              cuda_stream_),
               "keys of trees"))) {
      return false;
    }
  }
  int64_t at = 0;
  for (size_t l = 0; l < work_.num_seeds; ++l) {
    const device::SeedsOfType& list = work_.seeds[l];
    if (list.count == 0) {
      continue;
    }
    if (!reserve_nodes(list.node_type, bounds_.nodes(list.node_type))) {
      return false;
    }
    NodeState& type = nodes_[list.node_type];
    const auto number = static_cast<size_t>(at);
    char* const local = seed_locals_.data() + at * id_width(plan_.wide);
    const RelabelWork work = {{counter(places_.seeds + number), true},
                              {plan_.disjoint ? counter(places_.trees + number) : nullptr, true},
                              counter(places_.lists + l),
                              list.count,
                              {local, plan_.wide},
                              counter(places_.zero),
                              picks_.data()};
    if (!good(relabel(type.slots, numbered(list.node_type), work, cuda_stream_),
              "numbering seeds")) {
      return false;
    }
    type.seed = local;
    type.num_seeds = list.count;
    at += list.count;
  }
  return true;
}

// ---- hops --------------------------------------------------------------------------------------

bool BatchRun::run_hops() {
  for (size_t hop = 0; hop < plan_.num_hops; ++hop) {
    if ((hop > 0 && waits_ && !look_ahead(hop)) || !run_hop(hop)) {
      return false;
    }
  }
  return true;
}

bool BatchRun::run_hop(size_t hop) {
  adding_ = hop + 1;
  if (plan_.finds_virtual_neighbors() ? !run_importance(hop)
                                      : plan_.walks.length > 0 && !run_walks()) {
    return false;
  }
  if (plan_.draws_hgt() && !run_hgt(hop)) {
    return false;
  }
  if (plan_.pushes() && !run_pushes()) {
    return false;
  }
  for (size_t t = 0; t < edges_.size(); ++t) {
    const size_t anchor = plan_.edges[t].rows.anchor_type;
    if (plan_.edges[t].fanouts[hop] != 0 && bounds_.frontier(anchor) > 0 && !run_step(hop, t)) {
      return false;
    }
  }
  bounds_.end_hop();
  if (waits_) {
    if (!read_counters()) {
      return false;
    }
    know_sizes(hop + 1);
  }
  return true;
}

PickStep BatchRun::pick_step(size_t hop, size_t edge_type) const {
  const OwnPlan::EdgeType& type = plan_.edges[edge_type];
  const size_t anchor = type.rows.anchor_type;
  const size_t number = step_number(hop, edge_type);
  const size_t last = edges_[edge_type].last_step;
  PickStep step = {};
  static_cast<StoredRows&>(step) = stored_rows(type.rows);
  step.fanout = hop < plan_.num_hops ? type.fanouts[hop] : -1;
  step.replace = plan_.replace;
  step.excluded_always = type.rows.excluded;
  step.excluded_now = edges_[edge_type].excluded;
  step.times = type.rows.times;
  step.weights = hop < plan_.num_hops ? weights_of(edge_type) : device::WeightsOfType{};
  step.by_labor = plan_.by_labor;
  step.numbers = work_.numbers;
  step.neighbor_type = type.rows.neighbor_type;
  step.number_word = row_word(plan_.layer_dependent ? kMaxHops : static_cast<uint32_t>(hop),
                              type.rows.neighbor_type);
  step.tree_times = counter(places_.times);
  step.time_window = plan_.time_window;
  step.times_strict = plan_.times_strict;
  step.times_last = plan_.times_last;
  step.first_node = counter(hop == 0 ? places_.zero : nodes_after(hop - 1, anchor));
  step.end_node = counter(nodes_after(hop, anchor));
  step.most_nodes = bounds_.frontier(anchor);
  step.nodes = {nodes_[anchor].ids.data(), plan_.wide};
  step.trees = {plan_.disjoint ? nodes_[anchor].trees.data() : nullptr, plan_.wide};
  step.tree_keys = reinterpret_cast<const uint64_t*>(tree_keys_.data());
  step.key = work_.key;
  step.row_word = row_word(static_cast<uint32_t>(hop), static_cast<uint32_t>(edge_type));
  step.num_picks = counter(places_.picks + number);
  step.last_edges_before = last == kNone ? nullptr : counter(places_.edges_before + last);
  step.last_num_picks = last == kNone ? nullptr : counter(places_.picks + last);
  step.edges_before = counter(places_.edges_before + number);
  step.faults = reinterpret_cast<PickFaults*>(counter(places_.faults + 3 * number));
  return step;
}

bool BatchRun::run_step(size_t hop, size_t edge_type) {
  const OwnPlan::EdgeType& type = plan_.edges[edge_type];
  EdgeState& edges = edges_[edge_type];
  PickStep step = pick_step(hop, edge_type);
  if (!rows_.reserve(rows_bytes_of(edge_type, step.most_nodes), 0, error_)) {
    return false;
  }
  place_rows(rows_.data(), &step);
  if (!good(count_picks(step, cuda_stream_), "counting picks")) {
    return false;
  }
  step.most_picks = bounds_.picks(hop, edge_type);
  const size_t neighbor = type.rows.neighbor_type;
  if (waits_) {
    if (!read_counters()) {
      return false;
    }
    step.most_picks = read(places_.picks + step_number(hop, edge_type));
  }
  bounds_.add_picks(edge_type, step.most_picks);
  if (step.most_picks > kMostRelabeled || bounds_.nodes(neighbor) > BatchBounds::kMostLocal) {
    return too_many_nodes();
  }
  edges.last_step = step_number(hop, edge_type);
  if (step.most_picks == 0) {
    return true;
  }
  if (!picks_.reserve(picks_bytes(hop, edge_type, step.most_nodes, step.most_picks), 0, error_) ||
      !reserve_nodes(neighbor, bounds_.nodes(neighbor)) ||
      !reserve_edges(edge_type, bounds_.edges(edge_type))) {
    return false;
  }
  step.nodes.data = nodes_[type.rows.anchor_type].ids.data();  // which may have moved
  step.trees.data = plan_.disjoint ? nodes_[type.rows.anchor_type].trees.data() : nullptr;
  const auto bytes = static_cast<uint64_t>(step.most_picks * id_width(plan_.wide));
  Places places(picks_.data());
  step.neighbors = {places.next(bytes), plan_.wide};
  step.edge_trees = {plan_.disjoint ? places.next(bytes) : nullptr, plan_.wide};
  const uint64_t ranks = ranks_bytes(edge_type, step.most_picks);
  step.ranks = ranks > 0 ? places.next<int64_t>(ranks) : nullptr;
  step.scratch = places.next(0);
  step.anchors = {edges.anchors.data(), plan_.wide};
  step.edge_ids = {plan_.edge_ids ? edges.edge_ids.data() : nullptr, type.wide_out};
  const RelabelWork work = {{step.neighbors.data, plan_.wide},
                            {step.edge_trees.data, plan_.wide},
                            step.num_picks,
                            step.most_picks,
                            {edges.neighbors.data(), plan_.wide},
                            step.edges_before,
                            step.scratch};
  const RelabelTable& table = nodes_[neighbor].slots;
  const NumberedNodes nodes = numbered(neighbor);
  if (!meets_picks(step)) {
    return good(pick_rows(step, cuda_stream_), "picking") &&
           good(relabel(table, nodes, work, cuda_stream_), "numbering");
  }
  return good(begin_meetings(table, nodes, work, &step.meetings, cuda_stream_), "numbering") &&
         good(pick_rows(step, cuda_stream_), "picking") &&
         good(number_met(step.meetings, nodes, work, cuda_stream_), "numbering");
}

bool BatchRun::too_many_nodes() {
  error_->code = GLS_ERR_UNSUPPORTED;
  static_cast<void>(std::snprintf(error_->text, sizeof error_->text,
                                  "a batch of more than %lld nodes of one type; use smaller "
                                  "batches or fanouts",
                                  static_cast<long long>(BatchBounds::kMostLocal)));
  return false;
}

// ---- known numbers -----------------------------------------------------------------------------

bool BatchRun::read_counters() {
  const uint64_t bytes = places_.size * sizeof(int64_t);
  return kept_->out.reserve(bytes, error_) &&
         kept_->gpu.copy_out(kept_->out.data(), counters_.data(), bytes, stream_, error_) &&
         kept_->gpu.finish(stream_, error_);
}

void BatchRun::know_sizes(size_t hop) {
  for (size_t t = 0; t < nodes_.size(); ++t) {
    bounds_.set_nodes(t, read(nodes_after(hop - 1, t)), read(nodes_after(hop, t)));
  }
}

}  // namespace gls::cuda
