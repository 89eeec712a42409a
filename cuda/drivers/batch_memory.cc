// Memory of a batch: its largest possible size in one block. If that is unknown or too much, memory
// is allocated block by block, and grows.
#include <algorithm>

#include "cuda/drivers/batch_run.h"

namespace gls::cuda {

NumberedNodes BatchRun::numbered(size_t node_type) const {
  const NodeState& type = nodes_[node_type];
  return {counter(nodes_now(node_type)),
          {type.ids.data(), plan_.wide},
          {plan_.disjoint ? type.trees.data() : nullptr, plan_.wide},
          static_cast<uint64_t>(plan_.node_counts[node_type]),
          counter(nodes_after(adding_, node_type)),
          static_cast<int64_t>(plan_.num_hops - adding_),
          static_cast<int64_t>(nodes_.size())};
}

// Room for at least one, because an invalid id counts as 0.
bool BatchRun::reserve_nodes(size_t node_type, int64_t count) {
  NodeState& type = nodes_[node_type];
  const auto width = static_cast<uint64_t>(id_width(plan_.wide));
  const uint64_t bytes = static_cast<uint64_t>(std::max<int64_t>(count, 1)) * width;
  const uint64_t used = type.ids.bytes();
  if (!type.ids.reserve(bytes, used, error_) ||
      (plan_.disjoint && !type.trees.reserve(bytes, used, error_))) {
    return false;
  }
  return reserve_table(&type, numbered(node_type), num_keys(node_type),
                       static_cast<int64_t>(used / width), count);
}

bool BatchRun::reserve_table(NodeState* nodes, const NumberedNodes& numbered, uint64_t num_keys,
                             int64_t used, int64_t count) {
  const uint64_t slots = table_slots(count);
  if (slots <= nodes->slots.size) {
    return true;
  }
  const bool packed = fits_packed(num_keys);
  const uint64_t bytes = table_bytes(slots, packed);
  const bool moves = nodes->slots.size > 0;
  DeviceBlock table(kept_->gpu, stream_);
  if (!(moves ? table : nodes->table).reserve(bytes, 0, error_)) {
    return false;
  }
  if (moves) {
    nodes->table.swap(&table);
  }
  nodes->slots = {nodes->table.data(), slots, packed};
  return good(clear_table(nodes->slots, cuda_stream_), "clearing a table") &&
         (!moves ||
          good(enter_nodes(nodes->slots, numbered, used, cuda_stream_), "moving a table"));
}

bool BatchRun::reserve_edges(size_t edge_type, int64_t count) {
  EdgeState& edges = edges_[edge_type];
  const auto grow = [&](DeviceBlock* block, bool wide) {
    return block->reserve(static_cast<uint64_t>(count * id_width(wide)), block->bytes(), error_);
  };
  return grow(&edges.anchors, plan_.wide) && grow(&edges.neighbors, plan_.wide) &&
         (!plan_.edge_ids || grow(&edges.edge_ids, plan_.edges[edge_type].wide_out));
}

uint64_t BatchRun::picks_bytes(size_t hop, size_t edge_type, int64_t nodes, int64_t picks) const {
  const OwnPlan::EdgeType& type = plan_.edges[edge_type];
  Places places;
  const auto ids = static_cast<uint64_t>(picks * id_width(plan_.wide));
  places.next(ids);
  places.next(plan_.disjoint ? ids : 0);
  places.next(ranks_bytes(edge_type, picks));
  places.next(std::max(
      relabel_bytes(picks),
      plan_.by_labor ? 0
                     : pick_scratch_bytes(type.fanouts[hop], plan_.replace, type.rows.num_edges,
                                          nodes, weights_of(edge_type))));
  return places.size();
}

// Advances `bounds` to the end of the batch.
BatchRun::Need BatchRun::need_from(size_t hop, BatchBounds* bounds) const {
  Need need;
  for (; hop < plan_.num_hops; ++hop) {
    for (size_t t = 0; t < edges_.size(); ++t) {
      const int64_t nodes = bounds->frontier(plan_.edges[t].rows.anchor_type);
      const int64_t picks = bounds->picks(hop, t);
      bounds->add_picks(t, picks);
      need.most_picks = std::max(need.most_picks, picks);
      need.rows = std::max(need.rows, rows_bytes_of(t, nodes));
      need.picks = std::max(need.picks, picks_bytes(hop, t, nodes, picks));
    }
    bounds->end_hop();
  }
  need.bytes = need.rows + need.picks;
  const auto width = static_cast<uint64_t>(id_width(plan_.wide));
  for (size_t t = 0; t < nodes_.size(); ++t) {
    const auto count = static_cast<uint64_t>(bounds->nodes(t));
    need.bytes += count * width * (plan_.disjoint ? 2 : 1) +
                  table_bytes(table_slots(bounds->nodes(t)), fits_packed(num_keys(t)));
  }
  for (size_t t = 0; t < edges_.size(); ++t) {
    const uint64_t ids =
        plan_.edge_ids ? static_cast<uint64_t>(id_width(plan_.edges[t].wide_out)) : 0;
    need.bytes += static_cast<uint64_t>(bounds->edges(t)) * (2 * width + ids);
  }
  return need;
}

// Whether to wait for sizes from this hop on. If not, there is room for everything.
bool BatchRun::look_ahead(size_t hop) {
  BatchBounds end = bounds_;
  const Need need = need_from(hop, &end);
  waits_ = need.bytes > most_bytes_ || need.most_picks > kMostRelabeled || end.too_many_nodes();
  if (waits_) {
    return true;
  }
  // Arrays of earlier hops stay in place.
  bool room = (hop > 0 || reserve_all(need, end)) && rows_.reserve(need.rows, 0, error_) &&
              picks_.reserve(need.picks, 0, error_);
  for (size_t t = 0; room && t < nodes_.size(); ++t) {
    room = end.nodes(t) == 0 || reserve_nodes(t, end.nodes(t));
  }
  for (size_t t = 0; room && t < edges_.size(); ++t) {
    room = reserve_edges(t, end.edges(t));
  }
  return room;
}

bool BatchRun::reserve_all(const Need& need, const BatchBounds& end) {
  const auto seeds = static_cast<uint64_t>(num_seeds_);
  const auto width = static_cast<uint64_t>(id_width(plan_.wide));
  const auto place = [&](char* memory) {
    Places places(memory);
    const auto next = [&](DeviceBlock* block, uint64_t bytes) {
      if (void* const at = places.next(bytes); at != nullptr && bytes > 0) {
        block->borrow(at, bytes);
      }
    };
    next(&seed_locals_, seeds * width);
    next(&tree_keys_, plan_.disjoint ? seeds * sizeof(uint64_t) : 0);
    next(&rows_, need.rows);
    next(&picks_, std::max(need.picks, seeds > 0 ? relabel_bytes(num_seeds_) : 0));
    for (size_t t = 0; t < nodes_.size(); ++t) {
      if (const auto count = static_cast<uint64_t>(end.nodes(t)); count > 0) {
        next(&nodes_[t].ids, count * width);
        next(&nodes_[t].trees, plan_.disjoint ? count * width : 0);
        next(&nodes_[t].table, table_bytes(table_slots(end.nodes(t)), fits_packed(num_keys(t))));
      }
    }
    for (size_t t = 0; t < edges_.size(); ++t) {
      const auto count = static_cast<uint64_t>(end.edges(t));
      next(&edges_[t].anchors, count * width);
      next(&edges_[t].neighbors, count * width);
      next(&edges_[t].edge_ids,
           plan_.edge_ids ? count * static_cast<uint64_t>(id_width(plan_.edges[t].wide_out)) : 0);
    }
    return places.size();
  };
  if (!all_.reserve(place(nullptr), 0, error_)) {
    return false;
  }
  place(all_.data());
  return true;
}

}  // namespace gls::cuda
