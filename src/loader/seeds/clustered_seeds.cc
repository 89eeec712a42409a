// Chooses seeds by clusters of nodes.
#include <algorithm>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "graph/dataset/unknown_name.h"
#include "loader/seeds/seed_weighting.h"
#include "query/graph_query.h"
#include "sample/pick/time_rule.h"

namespace gls {
namespace {

class ClusteredSeeds final : public SeedRule {
 public:
  // Positions of the seeds of cluster c: [begins[c], begins[c + 1]) of `positions`.
  ClusteredSeeds(std::vector<int64_t> begins, std::vector<int64_t> positions)
      : begins_(std::move(begins)), positions_(std::move(positions)) {}

  uint64_t size() const override { return begins_.size() - 1; }
  int64_t count(const EpochPlan& plan, uint64_t batch) const override {
    int64_t sum = 0;
    for (uint64_t i = plan.batch_begin(batch); i < plan.batch_end(batch); ++i) {
      sum += static_cast<int64_t>(of(plan.seed_index(i)).size());
    }
    return sum;
  }
  void fill(const EpochPlan& plan, uint64_t batch, int64_t* positions) const override {
    for (uint64_t i = plan.batch_begin(batch); i < plan.batch_end(batch); ++i) {
      const std::span<const int64_t> seeds = of(plan.seed_index(i));
      positions = std::copy(seeds.begin(), seeds.end(), positions);
    }
  }
  std::string checksum() const override {
    Checksum sum;
    sum.update(std::as_bytes(std::span(begins_)));
    sum.update(std::as_bytes(std::span(positions_)));
    return "clusters " + hex64(sum.digest());
  }

 private:
  std::span<const int64_t> of(uint64_t cluster) const {
    const int64_t begin = begins_[cluster];
    return std::span(positions_)
        .subspan(static_cast<size_t>(begin), static_cast<size_t>(begins_[cluster + 1] - begin));
  }

  std::vector<int64_t> begins_;
  std::vector<int64_t> positions_;
};

// The clusters of a type's nodes, from a column or from the caller.
class Clusters {
 public:
  static Result<Clusters> of(const Dataset& dataset, size_t of_type,
                             const SeedRuleOptions& options) {
    const NodeType& type = dataset.node_types()[of_type];
    Clusters out;
    out.argument_ = options.cluster.empty() ? "clusters" : "cluster";
    if (!options.cluster.empty()) {
      const Column* const column = type.find_column(options.cluster);
      if (column == nullptr) {
        return no_column("cluster", type, options.cluster);
      }
      if (!IntegerColumn::fits(column->data)) {
        return invalid(
                   "cluster: column \"{}\" of \"{}\" is {} {}, expected a whole number per node",
                   column->name, type.name, dtype_name(column->data.dtype()),
                   shape_text(column->data.shape()))
            .with("argument", "cluster")
            .with("column", column->name)
            .with("type", type.name);
      }
      GLS_ASSIGN(Column rows, find_all_rows(dataset, true, of_type, *column, "cluster"));
      out.column_ = IntegerColumn(std::move(rows.data));
    } else {
      GLS_ASSIGN(out.array_, IdSpan::of(options.clusters, "clusters"));
      if (out.array_.size() != type.count) {
        return invalid("clusters: {} for {} nodes of type \"{}\", expected one each",
                       out.array_.size(), type.count, type.name)
            .with("argument", "clusters");
      }
    }
    for (int64_t v = 0; v < type.count; ++v) {
      if (out[v] >= type.count) {
        return invalid("{}: node {} of type \"{}\" is in cluster {}, expected a number below {}",
                       out.argument_, v, type.name, out[v], type.count)
            .with("argument", out.argument_);
      }
      out.count_ = std::max(out.count_, out[v] + 1);
    }
    return out;
  }

  int64_t operator[](int64_t node) const {
    return column_.defined() ? column_[node] : array_[node];
  }
  int64_t count() const { return count_; }

 private:
  const char* argument_ = nullptr;
  IntegerColumn column_;
  IdSpan array_;
  int64_t count_ = 0;
};

}  // namespace

Result<std::unique_ptr<const SeedRule>> make_clustered_seeds(const Sampler& sampler,
                                                             const SeedList& seeds,
                                                             const SeedRuleOptions& options) {
  if (seeds.of_links()) {
    return invalid("seed_rule is GLS_SEEDS_CLUSTER, but the seeds are links")
        .with("argument", "seed_rule");
  }
  GLS_ASSIGN(const Clusters clusters, Clusters::of(*sampler.dataset(), seeds.type(), options));
  std::vector<int64_t> begins(static_cast<size_t>(clusters.count()) + 1);
  for (int64_t i = 0; i < seeds.size(); ++i) {
    if (const int64_t cluster = clusters[seeds.id(i)]; cluster >= 0) {
      ++begins[static_cast<size_t>(cluster) + 1];
    }
  }
  for (size_t c = 1; c < begins.size(); ++c) {
    begins[c] += begins[c - 1];
  }
  std::vector<int64_t> positions(static_cast<size_t>(begins.back()));
  std::vector<int64_t> next(begins.begin(), begins.end() - 1);
  for (int64_t i = 0; i < seeds.size(); ++i) {
    if (const int64_t cluster = clusters[seeds.id(i)]; cluster >= 0) {
      positions[static_cast<size_t>(next[static_cast<size_t>(cluster)]++)] = i;
    }
  }
  return std::unique_ptr<const SeedRule>(
      std::make_unique<ClusteredSeeds>(std::move(begins), std::move(positions)));
}

}  // namespace gls
