#include "sample/methods/ppr_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "host_device/ppr_rule.h"

namespace gls {
namespace {

constexpr double kLeastAlpha = 1e-6;
constexpr double kLeastEpsilon = 1e-12;
constexpr double kShareError = 1e-6;  // of the sum of all shares
// Nodes that a seed reaches are counted in 32 bits.
constexpr uint64_t kMostEdges = uint64_t{1} << 31;
// The most that gls.h can express. share_places() needs that doubles count this far exactly.
constexpr uint64_t kMostCount = ~uint32_t{0};

Status check_numbers(const PprOptions& options) {
  if (options.neighbors == 0 || options.neighbors > kMostCount) {
    return invalid("neighbors is {}, expected 1 to {}", options.neighbors, kMostCount)
        .with("argument", "neighbors");
  }
  if (!(options.alpha >= kLeastAlpha && options.alpha <= 1)) {
    return invalid("alpha is {}, expected {} to 1", options.alpha, kLeastAlpha)
        .with("argument", "alpha");
  }
  if (!(options.epsilon >= kLeastEpsilon && options.epsilon <= 1)) {
    return invalid("epsilon is {}, expected {} to 1", options.epsilon, kLeastEpsilon)
        .with("argument", "epsilon");
  }
  if (options.max_edges == 0 || options.max_edges > kMostEdges) {
    return invalid("max_edges is {}, expected 1 to {}", options.max_edges, kMostEdges)
        .with("argument", "max_edges");
  }
  if (options.row_limit < 0 || static_cast<uint64_t>(options.row_limit) > kMostCount) {
    return invalid("row_limit is {}, expected 0 (none) to {}", options.row_limit, kMostCount)
        .with("argument", "row_limit");
  }
  return {};
}

// By edge type; an error names an edge type that appears twice.
Result<std::vector<bool>> choose(const std::vector<EdgeType>& types,
                                 const std::vector<size_t>& named, const std::string& where,
                                 const char* argument) {
  std::vector<bool> chosen(types.size());
  for (const size_t type : named) {
    if (chosen[type]) {
      return invalid("{}: \"{}\" is named twice", where, types[type].joined)
          .with("argument", argument);
    }
    chosen[type] = true;
  }
  return chosen;
}

Status check_shares(const std::vector<PprChannel>& channels) {
  double total = 0;
  for (size_t c = 0; c < channels.size(); ++c) {
    if (!(channels[c].share > 0 && std::isfinite(channels[c].share))) {
      return invalid("channels: entry {}: share is {}, expected a number above 0", c,
                     channels[c].share)
          .with("argument", "channels");
    }
    total += channels[c].share;
  }
  if (!(std::abs(total - 1) <= kShareError)) {
    return invalid("channels: the shares add up to {}, expected 1", total)
        .with("argument", "channels");
  }
  return {};
}

Status plan_channels(const Dataset& dataset, Direction direction, const std::vector<bool>& allowed,
                     PprPlan* plan) {
  const std::vector<EdgeType>& types = dataset.edge_types();
  const std::vector<PprChannel>& channels = plan->options.channels;
  if (channels.size() > kMostChannels) {
    return invalid("channels are {}, expected at most {}", channels.size(), kMostChannels)
        .with("argument", "channels");
  }
  for (size_t c = 0; c < channels.size(); ++c) {
    const std::string where = formatted("channels: entry {}", c);
    if (channels[c].edge_types.empty()) {
      return invalid("{} has no edge types", where).with("argument", "channels");
    }
    GLS_ASSIGN(const std::vector<bool> chosen,
               choose(types, channels[c].edge_types, where, "channels"));
    for (const size_t type : channels[c].edge_types) {
      if (!allowed[type]) {
        return invalid("{}: \"{}\" is not among edge_types", where, types[type].joined)
            .with("argument", "channels");
      }
    }
    GLS_ASSIGN(RowSteps steps, find_steps(dataset, direction, chosen));
    plan->pushes.push_back(std::move(steps));
  }
  GLS_TRY(check_shares(channels));
  plan->places = share_places(channels, plan->options.neighbors);
  plan->score_columns = 2 + 3 * channels.size();
  return {};
}

}  // namespace

std::vector<size_t> share_places(const std::vector<PprChannel>& channels, size_t neighbors) {
  double total = 0;
  for (const PprChannel& channel : channels) {
    total += channel.share;
  }
  std::vector<size_t> places;
  std::vector<double> remainders;
  size_t left = neighbors;
  for (const PprChannel& channel : channels) {
    const double exact = channel.share / total * static_cast<double>(neighbors);
    places.push_back(static_cast<size_t>(exact));
    remainders.push_back(exact - std::floor(exact));
    left -= places.back();
  }
  std::vector<size_t> order(channels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return remainders[a] > remainders[b]; });
  for (size_t i = 0; i < left; ++i) {
    ++places[order[i]];
  }
  return places;
}

Result<PprPlan> plan_ppr(const Dataset& dataset, const SamplerOptions& options) {
  const PprOptions& given = *options.ppr;
  GLS_TRY(check_numbers(given));
  if (!options.weight.empty()) {
    return invalid("weight is \"{}\", but personalised PageRank is computed without weights",
                   options.weight)
        .with("argument", "weight");
  }
  const std::vector<EdgeType>& types = dataset.edge_types();
  std::vector<bool> chosen(types.size(), true);
  if (!given.edge_types.empty()) {
    GLS_ASSIGN(chosen, choose(types, given.edge_types, "edge_types", "edge_types"));
  }
  PprPlan plan;
  plan.options = given;
  if (!given.channels.empty()) {
    GLS_TRY(plan_channels(dataset, options.direction, chosen, &plan));
    return plan;
  }
  GLS_ASSIGN(RowSteps steps, find_steps(dataset, options.direction, chosen));
  plan.pushes.push_back(std::move(steps));
  return plan;
}

}  // namespace gls
