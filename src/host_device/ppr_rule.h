// The contract's rules for personalised PageRank (docs/contract.md section 9), for CPUs and GPUs:
// the arithmetic of a push, and the choice of neighbours.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"

namespace gls {

// Limit of nodes that a seed reaches, which are counted in 32 bits.
inline constexpr int64_t kMostMet = (int64_t{1} << 31) - 1;
inline constexpr size_t kMostChannels = 64;

// The state of a node that a push has reached.
struct PushState {
  double score = 0;
  double residual = 0;
  double limit = 0;  // the node is pushed above it
  int32_t hop = 0;
  bool queued = false;
  bool pushed = false;
};

// Of a degree.
GLS_HOST_DEVICE constexpr double push_factor(double alpha, double epsilon) {
  return alpha * epsilon;
}
GLS_HOST_DEVICE constexpr double push_limit(double factor, int64_t degree) {
  return factor * static_cast<double>(degree);
}

// The state of a seed when it joins the queue.
GLS_HOST_DEVICE constexpr PushState seed_state(double alpha, double limit) {
  return {0, alpha, limit, 0, true, false};
}
GLS_HOST_DEVICE constexpr PushState met_state(double limit, int32_t hop) {
  return {0, 0, limit, hop, false, false};
}

// The node leaves the queue; returns the amount to push.
GLS_HOST_DEVICE constexpr double start_push(PushState* node) {
  const double residual = node->residual;
  node->score += residual;
  node->residual = 0;
  node->pushed = true;
  node->queued = false;
  return residual;
}
// The share of each used edge; there is at least one.
GLS_HOST_DEVICE constexpr double push_share(double alpha, double residual, int64_t taken) {
  return (1.0 - alpha) * residual / static_cast<double>(taken);
}
// Whether the seed may then reach too many nodes.
GLS_HOST_DEVICE constexpr bool meets_too_many(int64_t met, int64_t taken) {
  return taken > kMostMet - met;
}
// The node receives a share along an edge; returns whether it joins the queue.
GLS_HOST_DEVICE constexpr bool receive_share(PushState* node, double share, int32_t hop) {
  node->residual += share;
  node->hop = hop < node->hop ? hop : node->hop;
  const bool joins = !node->queued && node->residual > node->limit;
  node->queued = node->queued || joins;
  return joins;
}

// Pushed nodes are chosen first, and others if places are left.
enum class PushChoice : uint8_t { kNever, kFirst, kLeft };
GLS_HOST_DEVICE constexpr PushChoice push_choice(const PushState& node, bool top_up) {
  if (node.pushed) {
    return PushChoice::kFirst;
  }
  return top_up && node.residual > 0 ? PushChoice::kLeft : PushChoice::kNever;
}
// The value to rank by, and the value to report.
GLS_HOST_DEVICE constexpr double push_rank(const PushState& node) {
  return node.pushed ? node.score : node.residual;
}
GLS_HOST_DEVICE constexpr double push_value(const PushState& node, bool top_up) {
  return top_up ? node.score + node.residual : node.score;
}
GLS_HOST_DEVICE constexpr double push_proximity(int32_t hop) {
  return 1.0 / (1.0 + static_cast<double>(hop));
}

// By descending value, ties by ascending id.
GLS_HOST_DEVICE constexpr bool comes_first(double number, int64_t node, double other_number,
                                           int64_t other_node) {
  return number != other_number ? number > other_number : node < other_node;
}
// Whether a node belongs to this channel rather than to another one that found it, too.
GLS_HOST_DEVICE constexpr bool owns_first(double value, uint64_t channel, double other_value,
                                          uint64_t other_channel) {
  return value != other_value ? value > other_value : channel < other_channel;
}

}  // namespace gls
