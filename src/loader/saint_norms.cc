#include "loader/saint_norms.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "base/float_mode.h"
#include "context/parallel.h"
#include "query/graph_query.h"

namespace gls {
namespace {

constexpr uint64_t kMostCounted = ~uint32_t{0};  // counts are 32 bits wide
constexpr double kNeverMet = 0.1;                // replaces a count of 0, as in PyG
constexpr uint64_t kFarOff = uint64_t{1} << 63;  // epochs that no trainer uses
constexpr double kMostEdgeNorm = 10000;

void count_ids(const IdSpan& ids, std::vector<uint32_t>* counts) {
  for (int64_t i = 0; i < ids.size(); ++i) {
    ++(*counts)[static_cast<size_t>(ids[i])];
  }
}

class Counting {
 public:
  Counting(const Loader& loader, const NormOptions& options)
      : loader_(loader),
        options_(options),
        dataset_(*loader.sampler()->dataset()),
        per_epoch_(EpochPlan::num_batches(loader.plan_options())) {}

  Result<SaintNorms> run() {
    GLS_TRY(check());
    const EdgeType& type = dataset_.edge_types()[options_.edge_type];
    const auto nodes_of = [&](size_t node_type) {
      return static_cast<size_t>(dataset_.node_types()[node_type].count);
    };
    counted_ = options_.nodes || options_.coverage > 0 ? options_.node_type : type.target;
    nodes_.resize(nodes_of(counted_));
    if (options_.edges) {
      edges_.resize(static_cast<size_t>(type.count));
      if (type.target != counted_) {
        targets_.resize(nodes_of(type.target));
      }
    }
    GLS_TRY(count());
    SaintNorms out;
    const DefaultFloatMode float_mode;
    if (options_.nodes) {
      out.node = node_norms();
    }
    if (options_.edges) {
      GLS_ASSIGN(out.edge, edge_norms());
    }
    return out;
  }

 private:
  Status check() {
    if (options_.edges && !loader_.sampler()->options().edge_ids) {
      return invalid("edge_norm is asked for, but the sampler does not report edge ids")
          .with("argument", "edge_norm");
    }
    if (per_epoch_ == 0) {
      return invalid("an epoch of the loader has no batches").with("argument", "loader");
    }
    if (!(options_.coverage >= 0)) {
      return invalid("coverage is {}, expected a number not below 0", options_.coverage)
          .with("argument", "coverage");
    }
    most_ = options_.batches != 0   ? options_.batches
            : options_.coverage > 0 ? kMostCounted
                                    : per_epoch_;
    if (most_ > kMostCounted) {
      return invalid("batches is {}, expected at most {}", most_, kMostCounted)
          .with("argument", "batches");
    }
    return {};
  }

  // Counts in the order of the batches, so that the result does not depend on the threads.
  Status count() {
    const auto nodes = static_cast<double>(nodes_.size());
    const double wanted = options_.coverage * nodes;
    std::vector<std::shared_ptr<Batch>> slots(4 * dataset_.context()->pool().size() + 4);
    std::vector<uint64_t> numbers(slots.size());
    uint64_t fed = 0;
    bool enough = false;
    uint64_t met_before = 0;  // the epoch
    const auto feed = [&](size_t slot) -> Result<bool> {
      if (enough || fed == most_) {
        return false;
      }
      numbers[slot] = fed++;
      return true;
    };
    const auto work = [&](size_t slot) -> Status {
      const uint64_t number = numbers[slot];
      GLS_ASSIGN(slots[slot], loader_.sample_only(kFarOff + options_.epoch + number / per_epoch_,
                                                  number % per_epoch_));
      return {};
    };
    const auto drain = [&](size_t slot) -> Status {
      const std::shared_ptr<Batch> batch = std::move(slots[slot]);
      if (enough) {
        return {};
      }
      add(*batch);
      if (options_.coverage > 0) {
        enough = static_cast<double>(met_) >= wanted;
        if (batches_ % per_epoch_ == 0) {
          if (met_ == met_before && !enough) {
            return invalid("an epoch of the loader has no nodes of type \"{}\"",
                           dataset_.node_types()[counted_].name)
                .with("argument", "node_type");
          }
          met_before = met_;
        }
      }
      if (options_.coverage > 0) {
        return report(options_.progress, "count", met_, static_cast<uint64_t>(wanted), "nodes");
      }
      return report(options_.progress, "count", batches_, most_, "batches");
    };
    return run_pipeline(dataset_.context()->pool(), slots.size(), {feed, work, drain});
  }

  void add(const Batch& batch) {
    ++batches_;
    met_ += static_cast<uint64_t>(batch.nodes[counted_].node.rows());
    count_ids(span_of(batch.nodes[counted_].node), &nodes_);
    if (options_.edges) {
      count_ids(span_of(batch.edges[options_.edge_type].edge), &edges_);
    }
    if (!targets_.empty()) {
      const size_t target = dataset_.edge_types()[options_.edge_type].target;
      count_ids(span_of(batch.nodes[target].node), &targets_);
    }
  }

  std::vector<float> node_norms() const {
    std::vector<float> out(nodes_.size());
    const auto batches = static_cast<double>(batches_);
    const auto nodes = static_cast<double>(nodes_.size());
    for (size_t v = 0; v < out.size(); ++v) {
      const double count = nodes_[v] == 0 ? kNeverMet : static_cast<double>(nodes_[v]);
      out[v] = static_cast<float>(batches / count / nodes);
    }
    return out;
  }

  Result<std::vector<float>> edge_norms() const {
    std::vector<float> out(edges_.size());
    const std::vector<uint32_t>& counts = targets_.empty() ? nodes_ : targets_;
    constexpr size_t kGrain = 1 << 16;
    // Builds the index of ids before threads need it.
    std::vector<int64_t> none;
    GLS_TRY(find_edge_ends(dataset_, options_.edge_type, IdSpan(), "edges", &none, &none));
    GLS_TRY(
        parallel_try(dataset_.context()->pool(), out.size(), kGrain, [&](size_t begin, size_t end) {
          return edge_norms_of(counts, begin, std::span(out).subspan(begin, end - begin));
        }));
    return out;
  }

  // Writes the norms of the edges from `begin` on.
  Status edge_norms_of(const std::vector<uint32_t>& counts, size_t begin,
                       std::span<float> out) const {
    const DefaultFloatMode float_mode;
    std::vector<int64_t> ids(out.size());
    std::iota(ids.begin(), ids.end(), static_cast<int64_t>(begin));
    std::vector<int64_t> sources;
    std::vector<int64_t> targets;
    GLS_TRY(find_edge_ends(dataset_, options_.edge_type, IdSpan(ids.data(), true, std::ssize(ids)),
                           "edges", &sources, &targets));
    for (size_t i = 0; i < out.size(); ++i) {
      const uint32_t at_target = counts[static_cast<size_t>(targets[i])];
      out[i] = static_cast<float>(edge_norm(at_target, edges_[begin + i]));
    }
    return {};
  }

  static double edge_norm(uint32_t at_target, uint32_t at_edge) {
    if (at_edge == 0) {
      return at_target == 0 ? kNeverMet : kMostEdgeNorm;
    }
    return std::min(static_cast<double>(at_target) / static_cast<double>(at_edge), kMostEdgeNorm);
  }

  const Loader& loader_;
  const NormOptions& options_;
  const Dataset& dataset_;
  const uint64_t per_epoch_;
  uint64_t most_ = 0;
  size_t counted_ = 0;  // node type of nodes_
  std::vector<uint32_t> nodes_;
  std::vector<uint32_t> targets_;  // of the edges, if they have another type
  std::vector<uint32_t> edges_;
  uint64_t batches_ = 0;
  uint64_t met_ = 0;
};

}  // namespace

Result<SaintNorms> saint_norms(const Loader& loader, const NormOptions& options) {
  return Counting(loader, options).run();
}

}  // namespace gls
