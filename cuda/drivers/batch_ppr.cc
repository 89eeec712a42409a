// Neighbours by personalised PageRank: all seeds at once, then in further rounds the seeds for
// which memory was too small.
#include <algorithm>
#include <cstdio>
#include <type_traits>
#include <utility>

#include "cuda/drivers/batch_run.h"

namespace gls::cuda {
namespace {

// Limit of warps that process seeds: more than a GPU can hold.
constexpr int64_t kMostWarps = 1 << 13;
// Nodes added to a table between two checks of its size.
constexpr uint64_t kAtOnce = 32;
// This many nodes always fit.
constexpr uint64_t kFewNodes = 512;
constexpr uint64_t kMostSlots = uint64_t{1} << 32;  // their numbers have 32 bits

uint64_t slots_for(uint64_t count, uint64_t least) {
  uint64_t slots = least;
  while (slots < 2 * count && slots < kMostSlots) {
    slots *= 2;
  }
  return slots;
}

int64_t product(int64_t a, int64_t b) {
  constexpr int64_t kVeryMany = int64_t{1} << 44;
  return a != 0 && b > kVeryMany / a ? kVeryMany : a * b;
}

// Places the arrays of this many warps at `memory`; returns their bytes.
uint64_t place_push_memory(char* memory, int64_t warps, bool channels, PushMemory* out) {
  Places places(memory);
  const auto next = [&](auto** array, uint64_t each) {
    using Item = std::remove_reference_t<decltype(**array)>;
    *array = places.next<Item>(static_cast<uint64_t>(warps) * each * sizeof(Item));
  };
  next(&out->keys, out->slots);
  next(&out->states, out->slots);
  next(&out->met, out->slots / 2);
  next(&out->queue, out->slots / 2);
  next(&out->picked, out->picked_slots);
  next(&out->found, out->found_room);
  next(&out->candidates, channels ? out->found_room : 0);
  return places.size();
}

constexpr size_t kRowsWords = sizeof(WalkRows) / sizeof(int64_t);
static_assert(kRowsWords * sizeof(int64_t) == sizeof(WalkRows));

}  // namespace

// ---- plan --------------------------------------------------------------------------------------

BatchRun::PushWords BatchRun::push_words() const {
  PushWords out = {};
  if (!plan_.pushes()) {
    return out;
  }
  const auto next = [&](size_t count) { return std::exchange(out.size, out.size + count); };
  out.rows = next(edges_.size() * kRowsWords);
  out.neighbor_types = next(edges_.size());
  out.step_begins = next(plan_.ppr.step_begins.size());
  out.steps = next(plan_.ppr.steps.size());
  out.type_begins = next(nodes_.size() + 1);
  out.places = next(plan_.ppr.places.size());
  return out;
}

void BatchRun::copy_push_plan(int64_t* to) const {
  if (!plan_.pushes()) {
    return;
  }
  const PushWords words = push_words();
  for (size_t t = 0; t < edges_.size(); ++t) {
    const device::EdgePlan& plan = plan_.edges[t].rows;
    reinterpret_cast<WalkRows*>(to + words.rows)[t] = {
        stored_rows(plan), plan.excluded, edges_[t].excluded, {}};
    to[words.neighbor_types + t] = plan.neighbor_type;
  }
  std::copy(plan_.ppr.step_begins.begin(), plan_.ppr.step_begins.end(), to + words.step_begins);
  std::copy(plan_.ppr.steps.begin(), plan_.ppr.steps.end(), to + words.steps);
  std::copy(plan_.ppr.places.begin(), plan_.ppr.places.end(), to + words.places);
  int64_t begin = 0;
  for (size_t t = 0; t <= nodes_.size(); ++t) {
    to[words.type_begins + t] = begin;
    begin += t < nodes_.size() ? plan_.node_counts[t] : 0;
  }
}

PprWork BatchRun::ppr_work(size_t seed_type, int64_t num_seeds) const {
  const device::PprPlan& options = plan_.ppr.options;
  const PushWords words = push_words();
  const auto at = [&](size_t word) { return counter(places_.pushes + word); };
  PprWork work = {};
  work.rows = reinterpret_cast<const WalkRows*>(at(words.rows));
  work.neighbor_types = at(words.neighbor_types);
  work.step_begins = at(words.step_begins);
  work.steps = at(words.steps);
  work.type_begins = at(words.type_begins);
  work.places = plan_.ppr.places.empty() ? nullptr : at(words.places);
  work.num_types = static_cast<int64_t>(nodes_.size());
  work.num_pushes = static_cast<int64_t>(options.num_pushes);
  work.neighbors = options.neighbors;
  work.alpha = options.alpha;
  work.factor = push_factor(options.alpha, options.epsilon);
  work.top_up = options.top_up;
  work.max_edges = options.max_edges;
  work.row_limit = options.row_limit;
  work.columns = plan_.ppr.columns;
  work.key = work_.key;
  work.seeds = {nodes_[seed_type].ids.data(), plan_.wide};
  work.seed_type = static_cast<int64_t>(seed_type);
  work.num_seeds = num_seeds;
  work.next = counter(places_.push_round + kNext);
  work.not_staged = counter(places_.push_round + kNotStaged);
  work.num_undone = counter(places_.push_round + kUndone);
  work.staged = counter(places_.push_staged);
  work.fault = reinterpret_cast<unsigned long long*>(counter(places_.push_fault));
  for (const int64_t edge_type : plan_.ppr.steps) {
    const auto longest =
        static_cast<int64_t>(plan_.edges[static_cast<size_t>(edge_type)].rows.num_edges);
    if (options.row_limit > 0 && longest > options.row_limit) {
      work.memory.picked_slots = slots_for(static_cast<uint64_t>(options.row_limit), 2 * kAtOnce);
    }
  }
  return work;
}

// ---- rounds ------------------------------------------------------------------------------------

// Nodes of all types that a seed may reach, at most this many of each type.
int64_t BatchRun::nodes_in_reach(size_t seed_type, int64_t most_of_type) const {
  std::vector<bool> reached(nodes_.size());
  reached[seed_type] = true;
  for (const int64_t edge_type : plan_.ppr.steps) {
    reached[plan_.edges[static_cast<size_t>(edge_type)].rows.neighbor_type] = true;
  }
  int64_t nodes = 0;
  for (size_t t = 0; t < nodes_.size(); ++t) {
    nodes += reached[t] ? std::min(plan_.node_counts[t], most_of_type) : 0;
  }
  return nodes;
}

bool BatchRun::run_pushes() {
  if (!read_counters()) {
    return false;
  }
  const size_t type = work_.num_seeds == 0 ? 0 : work_.seeds[0].node_type;
  const int64_t seeds = read(nodes_now(type));
  bounds_.set_nodes(type, 0, seeds);
  if (seeds == 0) {
    return true;
  }
  PprWork work = ppr_work(type, seeds);
  const auto block = [&] { return DeviceBlock(kept_->gpu, stream_); };
  PushBlocks blocks = {block(), block(), block()};
  PprRows rows = {};
  uint32_t* pending = nullptr;
  const auto all = static_cast<uint64_t>(seeds * work.num_types) * sizeof(int64_t);
  const auto place = [&](char* memory) {
    Places places(memory);
    pending = places.next<uint32_t>(static_cast<uint64_t>(seeds) * sizeof(uint32_t));
    work.undone = places.next<uint32_t>(static_cast<uint64_t>(seeds) * sizeof(uint32_t));
    work.counts = places.next<int64_t>(all);
    work.begins = places.next<int64_t>(all);
    rows.begins = places.next<int64_t>(all);
    work.faults = places.next<int64_t>(static_cast<uint64_t>(seeds * kPushFaultWords) * 8);
    rows.sums = places.next(importance_scan_bytes());
    return places.size();
  };
  if (!blocks.seeds.reserve(place(nullptr), 0, error_)) {
    return false;
  }
  place(blocks.seeds.data());
  work.pending = pending;
  work.num_pending = seeds;
  rows.counts = work.counts;
  rows.staged_begins = work.begins;
  rows.all = counter(places_.virtual_nodes);
  rows.num_types = work.num_types;
  rows.num_seeds = seeds;
  rows.type_begins = counter(places_.importance_begins);
  rows.type_counts = counter(places_.virtual_counts);
  return good(cudaMemsetAsync(work.counts, 0, all, cuda_stream_), "clearing counts") &&
         good(list_seeds(pending, seeds, work.num_types, counter(places_.virtual_nodes),
                         cuda_stream_),
              "listing seeds") &&
         push_in_rounds(&work, &blocks) &&
         good(count_pushed(rows, counter(places_.importance_found), cuda_stream_),
              "counting neighbours") &&
         number_pushed(rows, work);
}

// Bytes for this many warps, with room for this many nodes in their tables.
uint64_t BatchRun::push_memory_bytes(PprWork* work, uint64_t nodes, int64_t warps) const {
  PushMemory& memory = work->memory;
  memory.slots = slots_for(nodes + kAtOnce, 4 * kAtOnce);
  const int64_t found =
      std::min(product(work->neighbors, work->num_types), static_cast<int64_t>(memory.slots / 2));
  memory.found_room = static_cast<uint64_t>(work->num_pushes * found);
  return place_push_memory(nullptr, warps, work->places != nullptr, &memory);
}

bool BatchRun::make_room(PprWork* work, uint64_t nodes) {
  const uint64_t warps = most_bytes_ / 2 / push_memory_bytes(work, nodes, 1);
  work->num_warps =
      std::clamp<int64_t>(static_cast<int64_t>(warps), 1, std::min(work->num_pending, kMostWarps));
  if (!walk_.reserve(push_memory_bytes(work, nodes, work->num_warps), 0, error_)) {
    return false;
  }
  place_push_memory(walk_.data(), work->num_warps, work->places != nullptr, &work->memory);
  return true;
}

bool BatchRun::reserve_staged(int64_t rows, int64_t used, PprWork* work, PushBlocks* blocks) {
  const auto bytes = [](int64_t count, int64_t each) {
    return static_cast<uint64_t>(count * each);
  };
  const int64_t score = work->columns * int64_t{sizeof(float)};
  if (!blocks->ids.reserve(bytes(rows, sizeof(int64_t)), bytes(used, sizeof(int64_t)), error_) ||
      !blocks->scores.reserve(bytes(rows, score), bytes(used, score), error_)) {
    return false;
  }
  work->staged_ids = reinterpret_cast<int64_t*>(blocks->ids.data());
  work->staged_scores = reinterpret_cast<float*>(blocks->scores.data());
  work->staged_room = rows;
  return true;
}

// Tables have room for as many nodes as seeds usually reach, or for fewer if memory lacks for all
// warps. Seeds that reached more are processed again with larger tables; the last tables have room
// for all nodes in reach.
bool BatchRun::push_in_rounds(PprWork* work, PushBlocks* blocks) {
  const auto seed_type = static_cast<size_t>(work->seed_type);
  const auto reach = static_cast<uint64_t>(nodes_in_reach(seed_type, INT64_MAX));
  // All pushes but the first use fewer edges than half of this.
  const double usual = 2.0 / work->factor;
  uint64_t nodes = usual < static_cast<double>(reach) ? static_cast<uint64_t>(usual) : reach;
  const auto seeds = static_cast<uint64_t>(std::min(work->num_pending, kMostWarps));
  while (nodes > kFewNodes && push_memory_bytes(work, nodes, 1) > most_bytes_ / 2 / seeds) {
    nodes /= 2;
  }
  const auto row_bytes = sizeof(int64_t) + static_cast<uint64_t>(work->columns) * sizeof(float);
  const int64_t rows =
      std::min(product(work->num_seeds, nodes_in_reach(seed_type, work->neighbors)),
               static_cast<int64_t>(most_bytes_ / 4 / row_bytes) + 1);
  if (!reserve_staged(rows, 0, work, blocks)) {
    return false;
  }
  while (work->num_pending > 0) {
    if (!make_room(work, nodes) ||
        !good(cudaMemsetAsync(counter(places_.push_round), 0, kNumOfRound * sizeof(int64_t),
                              cuda_stream_),
              "clearing numbers") ||
        !good(find_pushed(*work, cuda_stream_), "pushing") || !read_counters()) {
      return false;
    }
    const int64_t staged = read(places_.push_staged);
    const int64_t not_staged = read(places_.push_round + kNotStaged);
    work->num_pending = read(places_.push_round + kUndone);
    if (work->num_pending > 0 && not_staged == 0 && nodes >= reach) {
      return say_met_too_many();  // no more slots can be numbered
    }
    if (not_staged > 0 && !reserve_staged(staged + not_staged, staged, work, blocks)) {
      return false;
    }
    std::swap(work->pending, work->undone);
    nodes = std::min(nodes * 4, reach);
  }
  const auto fault = static_cast<unsigned long long>(read(places_.push_fault));
  return fault == PickFaults::kNoFault || tell_push_fault(*work, fault);
}

bool BatchRun::tell_push_fault(const PprWork& work, unsigned long long fault) {
  if (!good(cudaMemcpyAsync(counter(places_.values), work.faults + fault * kPushFaultWords,
                            kPushFaultWords * sizeof(int64_t), cudaMemcpyDeviceToDevice,
                            cuda_stream_),
            "reading what is at fault") ||
      !read_counters()) {
    return false;
  }
  return read(places_.values) == kMetTooMany
             ? say_met_too_many()
             : say_fault_of_kind(static_cast<size_t>(read(places_.values + 1)));
}

bool BatchRun::say_met_too_many() {
  error_->code = GLS_ERR_UNSUPPORTED;
  static_cast<void>(std::snprintf(error_->text, sizeof error_->text,
                                  "a seed meets more than %lld nodes; lower max_edges",
                                  static_cast<long long>(kMostMet)));
  return false;
}

// ---- rows --------------------------------------------------------------------------------------

bool BatchRun::number_pushed(const PprRows& rows, const PprWork& work) {
  if (!read_counters()) {
    return false;
  }
  const auto width = static_cast<uint64_t>(id_width(plan_.wide));
  const auto all = static_cast<uint64_t>(read(places_.importance_found));
  for (size_t t = 0; t < nodes_.size(); ++t) {
    importance_of_[t] = {read(places_.importance_begins + t), read(places_.virtual_counts + t)};
    if (importance_of_[t].count + read(nodes_now(t)) > BatchBounds::kMostLocal) {
      return too_many_nodes();
    }
  }
  if (!importance_seeds_.reserve(all * width, 0, error_) ||
      !importance_ids_.reserve(all * width, 0, error_) ||
      !importance_nodes_.reserve(all * width, 0, error_) ||
      !importance_scores_.reserve(all * static_cast<uint64_t>(work.columns) * sizeof(float), 0,
                                  error_)) {
    return false;
  }
  const PprRowsOut out = {work.staged_ids,
                          work.staged_scores,
                          work.columns,
                          {importance_seeds_.data(), plan_.wide},
                          {importance_ids_.data(), plan_.wide},
                          reinterpret_cast<float*>(importance_scores_.data())};
  if (!good(write_pushed(rows, out, cuda_stream_), "writing neighbours")) {
    return false;
  }
  for (size_t t = 0; t < nodes_.size(); ++t) {
    const auto [first, count] = importance_of_[t];
    if (count == 0) {
      continue;
    }
    bounds_.add_nodes(t, count);
    if (!picks_.reserve(relabel_bytes(count), 0, error_) || !reserve_nodes(t, bounds_.nodes(t))) {
      return false;
    }
    const uint64_t at = static_cast<uint64_t>(first) * width;
    const RelabelWork numbering = {{importance_ids_.data() + at, plan_.wide},
                                   {},
                                   counter(places_.virtual_counts + t),
                                   count,
                                   {importance_nodes_.data() + at, plan_.wide},
                                   counter(places_.zero),
                                   picks_.data()};
    if (!good(relabel(nodes_[t].slots, numbered(t), numbering, cuda_stream_), "numbering")) {
      return false;
    }
  }
  return true;
}

}  // namespace gls::cuda
