#include "sample/methods/walker.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/philox.h"
#include "graph/dataset/topology_query.h"
#include "host_device/walk_rule.h"
#include "sample/pick/weight_table.h"

namespace gls {
namespace {

// Prefetches to the L2 cache: a prefetch to L1 holds one of its few miss slots until memory
// answers.
void prefetch(const void* address) { __builtin_prefetch(address, 0, 2); }

RowPick row_pick(int64_t node, int64_t begin, int64_t degree) {
  return {static_cast<uint64_t>(node), 0, 0, begin, degree, 1, Replace::kAlways, {}};
}

}  // namespace

Walker::Walker(const Input& input)
    : in_(input), plan_(input.plan), excluded_(input.excluded, input.excluded_now) {
  active_.reserve(kGroup);
  pending_.reserve(kGroup);
}

Status Walker::run(const IdSpan& seeds, const IdArray& nodes, const IdArray* edges,
                   const uint64_t* keys) {
  nodes_ = &nodes;
  edges_ = edges;
  seeds_ = seeds;
  seed_keys_ = keys;
  const int64_t total = seeds.size() * static_cast<int64_t>(plan_.walks);
  for (int64_t first = 0; first < total; first += kGroup) {
    start(seeds, first, static_cast<size_t>(std::min<int64_t>(kGroup, total - first)));
    for (size_t step = 0; step < plan_.length && !active_.empty(); ++step) {
      GLS_TRY(take_step(step));
    }
  }
  return {};
}

void Walker::start(const IdSpan& seeds, int64_t first, size_t count) {
  active_.clear();
  const auto columns = static_cast<int64_t>(plan_.length) + 1;
  for (size_t i = 0; i < count; ++i) {
    Walk& walk = walks_[i];
    walk.number = first + static_cast<int64_t>(i);
    const int64_t seed = walk.number / static_cast<int64_t>(plan_.walks);
    walk.key = seed_keys_ == nullptr
                   ? walk_key(in_.batch_key, static_cast<uint64_t>(walk.number))
                   : walk_key(seed_keys_[seed], static_cast<uint64_t>(walk.number) -
                                                    static_cast<uint64_t>(seed) * plan_.walks);
    walk.node = seeds[seed];
    walk.previous = -1;
    walk.path_at = 0;
    nodes_->set(walk.number * columns, walk.node);
    prefetch_row(walk);
    active_.push_back(&walk);
  }
}

void Walker::prefetch_row(const Walk& walk) const {
  const Topology& topology = *plan_.path[walk.path_at].topology;
  if (const WeightTable* const table = table_of(walk)) {
    prefetch(table->rows() + walk.node);
  } else if (topology.index == nullptr) {
    prefetch(topology.indptr + walk.node);
  }
}

const WeightTable* Walker::table_of(const Walk& walk) const {
  return in_.weights[plan_.path[walk.path_at].edge_type].table.get();
}

void Walker::prefetch_pick(const Walk& walk) const {
  const Topology& topology = *plan_.path[walk.path_at].topology;
  prefetch(static_cast<const std::byte*>(topology.indices) +
           walk.position * (topology.wide_indices ? 8 : 4));
  if (edges_ != nullptr && topology.edge_ids != nullptr) {
    prefetch(static_cast<const std::byte*>(topology.edge_ids) +
             walk.position * (topology.wide_edge_ids ? 8 : 4));
  }
}

void Walker::write(const Walk& walk, size_t step, int64_t node, int64_t edge) const {
  const auto length = static_cast<int64_t>(plan_.length);
  const auto column = static_cast<int64_t>(step);
  nodes_->set(walk.number * (length + 1) + column + 1, node);
  if (edges_ != nullptr) {
    edges_->set(walk.number * length + column, edge);
  }
}

void Walker::end(Walk& walk, size_t step) const {
  walk.node = -1;
  for (size_t rest = step; rest < plan_.length; ++rest) {
    write(walk, rest, -1, -1);
  }
}

// Makes the same pair of draws for all walks of a list.
void Walker::draw(const std::vector<Walk*>& walks, size_t step, uint32_t pair) {
  for (size_t i = 0; i < walks.size(); ++i) {
    keys_[i] = walks[i]->key;
  }
  in_.kernels.walk_draws(keys_.data(), static_cast<int64_t>(walks.size()), pair,
                         static_cast<uint32_t>(step), first_.data(), second_.data());
}

Status Walker::take_step(size_t step) {
  const bool may_stop = plan_.may_stop(step);
  const bool may_leave = may_stop || plan_.restart > 0;
  if (may_leave) {
    draw(active_, step, 0);
  }
  pending_.clear();
  size_t left = 0;
  for (size_t i = 0; i < active_.size(); ++i) {
    Walk& walk = *active_[i];
    const WalkTurn turn =
        may_leave ? walk_turn({first_[i], second_[i]}, may_stop ? plan_.stop : 0, plan_.restart)
                  : WalkTurn::kGo;
    if (turn == WalkTurn::kEnd) {
      end(walk, step);
    } else if (turn == WalkTurn::kRestart) {
      restart(walk, step);
    } else {
      GLS_TRY(read_row(walk, step));
    }
    if (walk.node >= 0) {
      active_[left++] = &walk;
    }
  }
  active_.resize(left);
  return try_picks(step);
}

void Walker::restart(Walk& walk, size_t step) {
  walk.node = seeds_[walk.number / static_cast<int64_t>(plan_.walks)];
  walk.previous = -1;
  walk.path_at = 0;
  write(walk, step, walk.node, -1);
  prefetch_row(walk);
}

// The walk becomes pending or ends. A walk that needs the careful path moves at once.
Status Walker::read_row(Walk& walk, size_t step) {
  const WalkStep& at = plan_.path[walk.path_at];
  const int64_t row = at.topology->row_of(walk.node);
  const bool touched = excluded_.touches(at.edge_type, walk.node);
  const WeightTable* const table = table_of(walk);
  if (table != nullptr && !touched) {
    const WeightTable::Row& known = table->rows()[row];
    if (known.positive == 0) {
      end(walk, step);
      return {};
    }
    if (known.positive != WeightTable::kUnknown) {
      walk.begin = known.begin;
      walk.degree = known.degree;
      walk.slots = table->slots() + known.begin;
      pending_.push_back(&walk);
      return {};
    }
  }
  walk.begin = at.topology->indptr[row];
  const int64_t row_end = at.topology->indptr[row + 1];
  if (walk.begin < 0 || walk.begin > row_end || row_end > at.topology->num_edges) [[unlikely]] {
    return bad_row(at, walk.node);
  }
  walk.degree = row_end - walk.begin;
  if (walk.degree == 0) {
    end(walk, step);
  } else if (touched || in_.weights[at.edge_type].column.defined()) {
    return step_carefully(walk, step);
  } else {
    walk.slots = nullptr;
    pending_.push_back(&walk);
  }
  return {};
}

// All pending walks try an edge; rejected walks try again.
Status Walker::try_picks(size_t step) {
  for (uint32_t tried = 0; !pending_.empty(); ++tried) {
    draw(pending_, step, 1 + tried);
    if (tried == kWalkTries) {
      for (size_t i = 0; i < pending_.size(); ++i) {
        Walk& walk = *pending_[i];
        const RowPick row = row_pick(walk.node, walk.begin, walk.degree);
        GLS_ASSIGN(walk.position, pick_exactly(walk, row, first_[i]));
        GLS_TRY(go_or_end(walk, step));
      }
      std::erase_if(active_, [](const Walk* walk) { return walk->node < 0; });
      return {};
    }
    pick_all();
    size_t left = 0;
    for (size_t i = 0; i < pending_.size(); ++i) {
      Walk& walk = *pending_[i];
      if (plan_.second_order && walk.previous >= 0) {
        const WalkStep& at = plan_.path[walk.path_at];
        GLS_ASSIGN(const int64_t candidate, neighbor_at(at, walk.position));
        GLS_ASSIGN(const bool accepted,
                   accepts(walk, at, candidate, RowDraws::unit_of(second_[i])));
        if (!accepted) {
          pending_[left++] = &walk;
          continue;
        }
      }
      GLS_TRY(go(walk, step));
    }
    pending_.resize(left);
  }
  return {};
}

// Picks a position for each pending walk. The memory of one walk is prefetched while others work.
void Walker::pick_all() {
  bool weighted = false;
  for (size_t i = 0; i < pending_.size(); ++i) {
    Walk& walk = *pending_[i];
    const auto picked =
        static_cast<int64_t>(walk_entry(first_[i], static_cast<uint64_t>(walk.degree)));
    walk.position = walk.begin + picked;
    if (walk.slots == nullptr) {
      prefetch_pick(walk);
    } else {
      prefetch(walk.slots + picked);
      weighted = true;
    }
  }
  for (size_t i = 0; weighted && i < pending_.size(); ++i) {
    Walk& walk = *pending_[i];
    if (walk.slots != nullptr) {
      const auto degree = static_cast<uint64_t>(walk.degree);
      walk.position = walk.begin + alias_pick_wide(walk.slots, degree, first_[i]);
      prefetch_pick(walk);
    }
  }
}

// Looks for an edge only if the result depends on it.
Result<bool> Walker::accepts(const Walk& walk, const WalkStep& at, int64_t candidate, double unit) {
  const WalkTry turn = judge_walk(plan_.bias, candidate == walk.previous, unit);
  if (turn != WalkTry::kAskLink) {
    return turn == WalkTry::kTake;
  }
  GLS_ASSIGN(const bool is_linked, linked(at, walk.previous, candidate));
  return accepts_walk(plan_.bias, is_linked, unit);
}

Status Walker::step_carefully(Walk& walk, size_t step) {
  const WalkStep& at = plan_.path[walk.path_at];
  RowPick row = row_pick(walk.node, walk.begin, walk.degree);
  excluded_.find_within(at.edge_type, walk.begin, walk.begin + walk.degree, &row_excluded_);
  row.excluded = row_excluded_;
  const bool weighted = in_.weights[at.edge_type].column.defined();
  if (weighted) {
    GLS_TRY(load_weights(at, row));
  }
  walk.position = -1;
  const bool any = weighted ? picker_.any() : row.size() > 0;
  bool accepted = false;
  for (uint32_t tried = 0; any && !accepted && tried < kWalkTries; ++tried) {
    const WalkDraws draws = walk_draws(walk.key, static_cast<uint32_t>(step), 1 + tried);
    walk.position = weighted
                        ? picker_.draw(draws.first)
                        : entry_position(row, static_cast<int64_t>(walk_entry(
                                                  draws.first, static_cast<uint64_t>(row.size()))));
    accepted = !plan_.second_order || walk.previous < 0;
    if (!accepted) {
      GLS_ASSIGN(const int64_t candidate, neighbor_at(at, walk.position));
      GLS_ASSIGN(accepted, accepts(walk, at, candidate, RowDraws::unit_of(draws.second)));
    }
  }
  if (any && !accepted) {
    const uint64_t draw = walk_draws(walk.key, static_cast<uint32_t>(step), 1 + kWalkTries).first;
    GLS_ASSIGN(walk.position, pick_exactly(walk, row, draw));
  }
  return go_or_end(walk, step);
}

Status Walker::load_weights(const WalkStep& at, const RowPick& row) {
  Status status = picker_.load(row, *at.topology, in_.weights[at.edge_type]);
  if (status.ok()) {
    return {};
  }
  const std::string& name = in_.dataset.edge_types()[at.edge_type].joined;
  return std::move(status).prefixed(formatted("edge type \"{}\": ", name)).with("type", name);
}

Result<int64_t> Walker::pick_exactly(const Walk& walk, const RowPick& row, uint64_t draw) {
  const WalkStep& at = plan_.path[walk.path_at];
  const bool weighted = in_.weights[at.edge_type].column.defined();
  if (weighted) {
    GLS_TRY(load_weights(at, row));
  }
  entries_.clear();
  append_entries(row, &entries_);
  biased_.clear();
  for (size_t i = 0; i < entries_.size(); ++i) {
    GLS_ASSIGN(const int64_t candidate, neighbor_at(at, entries_[i]));
    bool is_linked = false;
    if (candidate != walk.previous && plan_.bias.asks_links()) {
      GLS_ASSIGN(is_linked, linked(at, walk.previous, candidate));
    }
    biased_.add((weighted ? picker_.loaded_weights()[i] : 1.0) *
                plan_.bias.of(candidate == walk.previous, is_linked));
  }
  if (biased_.num_positive() == 0) {
    return -1;
  }
  if (!biased_.divide()) {
    const std::string& name = in_.dataset.edge_types()[at.edge_type].joined;
    return corrupt("edge type \"{}\": the weights of the edges of node {} add up to infinity", name,
                   walk.node)
        .with("type", name);
  }
  return entries_[static_cast<size_t>(biased_.select(part_of_wide(draw)))];
}

Status Walker::go_or_end(Walk& walk, size_t step) {
  if (walk.position < 0) {
    end(walk, step);
    return {};
  }
  return go(walk, step);
}

// Moves along the edge at walk.position.
Status Walker::go(Walk& walk, size_t step) {
  const WalkStep& at = plan_.path[walk.path_at];
  const Topology& topology = *at.topology;
  const int64_t neighbor = topology.neighbor(walk.position);
  if (static_cast<uint64_t>(neighbor) >= static_cast<uint64_t>(topology.num_neighbors))
      [[unlikely]] {
    return bad_id(at, "index", walk.position, neighbor, topology.num_neighbors);
  }
  const int64_t edge = edges_ != nullptr ? topology.edge_id(walk.position) : 0;
  if (static_cast<uint64_t>(edge) >= static_cast<uint64_t>(topology.num_edges)) [[unlikely]] {
    return bad_id(at, "edge id", walk.position, edge, topology.num_edges);
  }
  write(walk, step, neighbor, edge);
  walk.previous = walk.node;
  walk.node = neighbor;
  walk.path_at = walk.path_at + 1 == plan_.path.size() ? 0 : walk.path_at + 1;
  if (step + 1 < plan_.length) {
    // Otherwise the node may have another type than the first of the path.
    prefetch_row(walk);
  }
  return {};
}

Result<bool> Walker::linked(const WalkStep& at, int64_t from, int64_t to) {
  const EdgeType& type = in_.dataset.edge_types()[at.edge_type];
  if (excluded_.touches(at.edge_type, from)) {
    GLS_ASSIGN(const RowRange row, row_range(type, *at.topology, from));
    excluded_.find_within(at.edge_type, row.begin, row.end, &linked_excluded_);
    for (int64_t position = row.begin; position < row.end; ++position) {
      if (at.topology->neighbor(position) == to &&
          !std::binary_search(linked_excluded_.begin(), linked_excluded_.end(), position)) {
        return true;
      }
    }
    return false;
  }
  if (plan_.ascending) {
    GLS_ASSIGN(const RowRange row, row_range(type, *at.topology, from));
    return ascending_row_has(*at.topology, row, to);
  }
  return in_.direction == Direction::kIn ? has_edge(type, to, from) : has_edge(type, from, to);
}

Result<int64_t> Walker::neighbor_at(const WalkStep& at, int64_t position) const {
  const int64_t neighbor = at.topology->neighbor(position);
  if (neighbor < 0 || neighbor >= at.topology->num_neighbors) {
    return bad_id(at, "index", position, neighbor, at.topology->num_neighbors);
  }
  return neighbor;
}

Status Walker::bad_id(const WalkStep& at, const char* what, int64_t position, int64_t id,
                      int64_t limit) const {
  return bad_stored_id(in_.dataset.edge_types()[at.edge_type], what, position, id, limit);
}

Status Walker::bad_row(const WalkStep& at, int64_t node) const {
  Result<RowRange> row = row_range(in_.dataset.edge_types()[at.edge_type], *at.topology, node);
  if (row.ok()) {
    return error(GLS_ERR_INTERNAL, "indptr of node {} changed while it was read", node);
  }
  return std::move(row.status());
}

}  // namespace gls
