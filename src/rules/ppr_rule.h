// What the contract says of personalised PageRank (docs/contract.md section 9), for processors and
// GPUs alike: the arithmetic of a push, and who is chosen.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/host_device.h"

namespace gls {

// Nodes that a seed meets, at most: they are counted in 32 bits.
inline constexpr int64_t kMostMet = (int64_t{1} << 31) - 1;
inline constexpr size_t kMostChannels = 64;

// Of a node that a push has met.
struct PushState {
  double score = 0;
  double residual = 0;
  double limit = 0;  // above it the node is pushed
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

// A seed, as it joins the queue.
GLS_HOST_DEVICE constexpr PushState seed_state(double alpha, double limit) {
  return {0, alpha, limit, 0, true, false};
}
GLS_HOST_DEVICE constexpr PushState met_state(double limit, int32_t hop) {
  return {0, 0, limit, hop, false, false};
}

// The node leaves the queue; returns what is pushed.
GLS_HOST_DEVICE constexpr double start_push(PushState* node) {
  const double residual = node->residual;
  node->score += residual;
  node->residual = 0;
  node->pushed = true;
  node->queued = false;
  return residual;
}
// Of each edge that is taken; there are some.
GLS_HOST_DEVICE constexpr double push_share(double alpha, double residual, int64_t taken) {
  return (1.0 - alpha) * residual / static_cast<double>(taken);
}
// Whether the seed may meet too many nodes by that.
GLS_HOST_DEVICE constexpr bool meets_too_many(int64_t met, int64_t taken) {
  return taken > kMostMet - met;
}
// A share comes over an edge; returns whether the node joins the queue.
GLS_HOST_DEVICE constexpr bool receive_share(PushState* node, double share, int32_t hop) {
  node->residual += share;
  node->hop = hop < node->hop ? hop : node->hop;
  const bool joins = !node->queued && node->residual > node->limit;
  node->queued = node->queued || joins;
  return joins;
}

// Those that were pushed are chosen first, and others where places are left.
enum class PushChoice : uint8_t { kNever, kFirst, kLeft };
GLS_HOST_DEVICE constexpr PushChoice push_choice(const PushState& node, bool top_up) {
  if (node.pushed) {
    return PushChoice::kFirst;
  }
  return top_up && node.residual > 0 ? PushChoice::kLeft : PushChoice::kNever;
}
// What it is chosen by, and what is reported.
GLS_HOST_DEVICE constexpr double push_rank(const PushState& node) {
  return node.pushed ? node.score : node.residual;
}
GLS_HOST_DEVICE constexpr double push_value(const PushState& node, bool top_up) {
  return top_up ? node.score + node.residual : node.score;
}
GLS_HOST_DEVICE constexpr double push_proximity(int32_t hop) {
  return 1.0 / (1.0 + static_cast<double>(hop));
}

// By descending number, ties by ascending id.
GLS_HOST_DEVICE constexpr bool comes_first(double number, int64_t node, double other_number,
                                           int64_t other_node) {
  return number != other_number ? number > other_number : node < other_node;
}
// Of the channels that found a node, the one that it belongs to comes first.
GLS_HOST_DEVICE constexpr bool owns_first(double value, uint64_t channel, double other_value,
                                          uint64_t other_channel) {
  return value != other_value ? value > other_value : channel < other_channel;
}

}  // namespace gls
