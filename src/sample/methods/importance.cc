#include "sample/methods/importance.h"

#include <algorithm>

#include "base/philox.h"

namespace gls {
namespace {

constexpr uint64_t kMostNeighbors = ~uint32_t{0};    // the most that gls.h can express
constexpr size_t kMostTraversals = size_t{1} << 20;  // of all walks of a node
constexpr int64_t kBlockNodes = int64_t{1} << 16;    // in the walks that are stored together

Status check_numbers(const ImportanceOptions& options) {
  if (options.neighbors == 0 || options.neighbors > kMostNeighbors) {
    return invalid("neighbors is {}, expected 1 to {}", options.neighbors, kMostNeighbors)
        .with("argument", "neighbors");
  }
  if (options.walks == 0 || options.walks > kMostTraversals) {
    return invalid("walks is {}, expected 1 to {}", options.walks, kMostTraversals)
        .with("argument", "walks");
  }
  if (options.traversals == 0 || options.traversals > kMostTraversals / options.walks) {
    return invalid("traversals is {}, of {} walks; expected 1 to {} of all together",
                   options.traversals, options.walks, kMostTraversals)
        .with("argument", "traversals");
  }
  if (options.hops == 0 || options.hops > kMaxHops) {
    return invalid("hops is {}, expected 1 to {}", options.hops, kMaxHops).with("argument", "hops");
  }
  return {};
}

}  // namespace

Result<WalkPlan> plan_importance(const Dataset& dataset, const SamplerOptions& options) {
  const ImportanceOptions& given = *options.importance;
  GLS_TRY(check_numbers(given));
  WalkOptions walk;
  walk.path = given.path;
  walk.length = std::max<size_t>(given.path.size(), 1);  // one traversal, until its end is checked
  walk.walks = given.walks;
  walk.stop = given.stop;
  GLS_ASSIGN(WalkPlan plan, plan_walks(dataset, options, walk));
  if (plan.path.back().to != plan.node_type()) {
    const std::vector<NodeType>& types = dataset.node_types();
    return invalid("path: it begins at \"{}\" and ends at \"{}\", expected at the same type",
                   types[plan.node_type()].name, types[plan.path.back().to].name)
        .with("argument", "path");
  }
  if (plan.path.size() > kMostTraversals / given.traversals) {
    return invalid("traversals is {}, of a path of {} steps; expected at most {} steps",
                   given.traversals, plan.path.size(), kMostTraversals)
        .with("argument", "traversals");
  }
  plan.traversal = plan.path.size();
  plan.length = plan.path.size() * given.traversals;
  return plan;
}

int64_t nodes_that_walk_together(const WalkPlan& plan) {
  const auto of_a_node = static_cast<int64_t>(plan.walks * (plan.length + 1));
  return std::max<int64_t>(1, kBlockNodes / of_a_node);
}

MostVisited::MostVisited(const WalkPlan& plan, const ImportanceOptions& options,
                         const Walker::Input& input, BufferPool& pool)
    : plan_(plan),
      options_(options),
      batch_key_(input.batch_key),
      walker_(std::make_unique<Walker>(input)) {
  block_ = nodes_that_walk_together(plan);
  walks_ = IdArray(pool, true, block_ * static_cast<int64_t>(plan.walks * (plan.length + 1)));
}

Status MostVisited::find(std::span<const int64_t> nodes, int64_t local, uint32_t hop,
                         ImportanceRows* out) {
  const auto count = static_cast<int64_t>(nodes.size());
  for (int64_t begin = 0; begin < count; begin += block_) {
    const int64_t size = std::min(block_, count - begin);
    keys_.clear();
    for (int64_t i = begin; i < begin + size; ++i) {
      const auto node = static_cast<uint64_t>(nodes[static_cast<size_t>(i)]);
      keys_.push_back(importance_key(batch_key_, node, hop));
    }
    GLS_TRY(walker_->run(IdSpan(nodes.data() + begin, true, size), walks_, nullptr, keys_.data()));
    for (int64_t i = 0; i < size; ++i) {
      GLS_TRY(rank(i * static_cast<int64_t>(plan_.walks), local + begin + i, out));
    }
  }
  return {};
}

Status MostVisited::rank(int64_t first_walk, int64_t local, ImportanceRows* out) {
  const auto length = static_cast<int64_t>(plan_.length);
  const auto traversal = static_cast<int64_t>(plan_.traversal);
  visits_.clear();
  for (int64_t walk = first_walk; walk < first_walk + static_cast<int64_t>(plan_.walks); ++walk) {
    for (int64_t step = traversal; step <= length; step += traversal) {
      const int64_t node = walks_[walk * (length + 1) + step];
      if (node < 0) {
        break;
      }
      visits_.push_back(node);
    }
  }
  std::sort(visits_.begin(), visits_.end());
  counts_.clear();
  for (size_t begin = 0; begin < visits_.size();) {
    const auto last = std::upper_bound(visits_.begin() + static_cast<std::ptrdiff_t>(begin),
                                       visits_.end(), visits_[begin]);
    const auto end = static_cast<size_t>(last - visits_.begin());
    counts_.emplace_back(static_cast<int64_t>(end - begin), visits_[begin]);
    begin = end;
  }
  const auto before = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  const size_t kept = std::min(options_.neighbors, counts_.size());
  std::partial_sort(counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(kept),
                    counts_.end(), before);
  const auto total = static_cast<double>(visits_.size());
  for (size_t i = 0; i < kept; ++i) {
    const auto visits = static_cast<double>(counts_[i].first);
    out->add(local, counts_[i].second, visits / total, visits);
  }
  return {};
}

}  // namespace gls
