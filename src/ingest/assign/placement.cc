#include "ingest/assign/placement.h"

#include <algorithm>

namespace gls {

Placement::Placement(const Balance& balance)
    : balance_(balance),
      load_(balance.classes() * balance.parts()),
      edges_(balance.edges() ? balance.parts() : 0),
      near_(balance.parts()) {}

void Placement::clear() {
  std::fill(load_.begin(), load_.end(), 0);
  std::fill(edges_.begin(), edges_.end(), 0.0);
}

void Placement::put(PlacedNode node, uint32_t part) {
  ++load_[at(node, part)];
  if (!edges_.empty()) {
    edges_[part] += static_cast<double>(node.edges);
  }
}

void Placement::take(PlacedNode node, uint32_t part) {
  --load_[at(node, part)];
  if (!edges_.empty()) {
    edges_[part] -= static_cast<double>(node.edges);
  }
}

double Placement::room(PlacedNode node, uint32_t part) const {
  const auto most = static_cast<double>(balance_.most(node.node_class, part));
  const auto load = static_cast<double>(load_[at(node, part)]);
  if (load >= most) {
    return 0;
  }
  const double left = 1 - load / most;
  if (edges_.empty() || balance_.most_edges() == 0) {
    return left;
  }
  const double after = edges_[part] + static_cast<double>(node.edges);
  return after > balance_.most_edges() ? 0
                                       : std::min(left, 1 - edges_[part] / balance_.most_edges());
}

uint32_t Placement::choose(PlacedNode node, uint32_t start) {
  double best = 0;
  double best_room = 0;
  uint32_t out = balance_.parts();
  for (const uint32_t part : met_) {
    const double left = room(node, part);
    const double score = near_[part] * left;
    if (score > best || (score == best && left > best_room)) {
      best = score;
      best_room = left;
      out = part;
    }
  }
  return out < balance_.parts() ? out : next_with_room(node, start);
}

void Placement::forget() {
  for (const uint32_t part : met_) {
    near_[part] = 0;
  }
  met_.clear();
}

uint32_t Placement::next_with_room(PlacedNode node, uint32_t start) const {
  const uint32_t parts = balance_.parts();
  uint32_t out = parts;
  for (uint32_t i = 0; i < parts; ++i) {
    const uint32_t part = start < parts - i ? start + i : start - (parts - i);
    if (room(node, part) > 0) {
      return part;
    }
    // The limits of nodes are kept, for any edges.
    const bool fits = load_[at(node, part)] < balance_.most(node.node_class, part);
    if (fits && (out == parts || edges_[part] < edges_[out])) {
      out = part;
    }
  }
  return out;
}

}  // namespace gls
