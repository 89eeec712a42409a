#include "sample/answer_hop.h"

#include <algorithm>
#include <utility>

#include "base/philox.h"
#include "sample/neighbor/hop_worker.h"

namespace gls {

namespace {

class HopAnswer final : private HopWorker, private PickSink {
 public:
  HopAnswer(const SamplerPlan& plan, SamplerScratch& scratch, const HopQuestion& question)
      : HopWorker(plan, scratch, question.epoch, question.batch), in_(question) {
    whole_ids_ = in_.whole_neighbors;
  }

  Result<HopPicks> run() {
    GLS_TRY(check());
    GLS_ASSIGN(excluded_, find_excluded(dataset_, plan_.options(), in_.exclude));
    exclusions_.emplace(plan_.excluded(), excluded_);
    const int64_t nodes = in_.nodes.size();
    const int64_t fanout = plan_.options().fanouts[in_.edge_type][in_.hop];
    edges_.anchors = IdArray(pool_, wide_, nodes);
    neighbors_ = IdArray(pool_, wide_, nodes);
    if (plan_.options().edge_ids) {
      const int64_t most =
          in_.whole_edges != nullptr ? in_.whole_edges->whole_count() : type().count;
      edges_.edge_ids = IdArray(pool_, wide_ || most > Relabel::kMaxLocal, nodes);
    }
    if (fanout != 0 && nodes > 0) {
      const IdArray rows = copy(in_.rows);
      const IdArray ids = copy(in_.nodes);
      const IdArray trees = disjoint_ ? number_trees() : IdArray();
      const uint32_t word =
          row_word(static_cast<uint32_t>(in_.hop), static_cast<uint32_t>(in_.edge_type));
      GLS_TRY(expand({in_.edge_type,
                      &topology(),
                      {&rows, &ids, &trees, 0, nodes},
                      &edges_,
                      this,
                      fanout,
                      word,
                      can_vectorise(in_.edge_type, fanout)}));
    }
    return finish();
  }

 private:
  const EdgeType& type() const { return dataset_.edge_types()[in_.edge_type]; }
  const Topology& topology() const { return *type().topology(plan_.layout()); }

  Status check() const {
    if (in_.edge_type >= dataset_.edge_types().size() || in_.hop >= plan_.options().num_hops ||
        plan_.options().fanouts.empty()) {
      return invalid("hop: edge type number {} in hop {}, of {} types and {} hops", in_.edge_type,
                     in_.hop, dataset_.edge_types().size(), plan_.options().num_hops);
    }
    if (!type().topology(plan_.layout())) {
      return invalid("hop: no fanout follows edge type \"{}\"", type().joined);
    }
    const auto fit = [&](const char* what, const IdSpan& values, bool wanted,
                         int64_t limit) -> Status {
      if (values.size() != (wanted ? in_.nodes.size() : 0)) {
        return invalid("hop: {} {} for {} nodes", values.size(), what, in_.nodes.size());
      }
      if (const int64_t bad = values.find_outside(limit); bad >= 0) {
        return invalid("hop: {} at index {} of {} is outside 0 .. {}", values[bad], bad, what,
                       limit - 1);
      }
      return {};
    };
    constexpr int64_t kAny = int64_t{1} << 62;
    GLS_TRY(fit("rows", in_.rows, true, topology().num_rows));
    GLS_TRY(fit("nodes", in_.nodes, true, wide_ ? kAny : int64_t{1} << 31));
    GLS_TRY(fit("trees", in_.trees, disjoint_, Relabel::kMaxLocal));
    if (in_.times.size() != (plan_.options().temporal() ? in_.nodes.size() : 0)) {
      return invalid("hop: {} times for {} nodes", in_.times.size(), in_.nodes.size());
    }
    return {};
  }

  IdArray copy(const IdSpan& ids) const {
    IdArray out(pool_, wide_, ids.size());
    for (int64_t i = 0; i < ids.size(); ++i) {
      out.set(i, ids[i]);
    }
    for (int64_t i = ids.size(); i < ids.size() + kernels::kSlack; ++i) {
      out.set(i, 0);  // kernels read a little beyond the end
    }
    return out;
  }

  // Gives each node a tree of its own, with the key and time of its tree in the batch.
  IdArray number_trees() {
    IdArray out(pool_, wide_, in_.trees.size());
    for (int64_t i = 0; i < in_.trees.size(); ++i) {
      out.set(i, i);
      tree_keys_.push_back(tree_key(key_, static_cast<uint64_t>(in_.trees[i])));
      if (in_.times.size() > 0) {
        tree_times_.push_back(in_.times[i]);
      }
    }
    return out;
  }

  bool wide_neighbors() const override { return wide_; }

  Status take(int64_t count) override {
    if (edges_.count + count > Relabel::kMaxLocal) {
      return error(GLS_ERR_UNSUPPORTED,
                   "more than {} edges of one type in one hop; use smaller batches or fanouts",
                   Relabel::kMaxLocal);
    }
    neighbors_.reserve(edges_.count + count, edges_.count);
    const size_t width = wide_ ? sizeof(int64_t) : sizeof(int32_t);
    std::copy_n(static_cast<const std::byte*>(scratch_.neighbors),
                static_cast<size_t>(count) * width,
                static_cast<std::byte*>(neighbors_.at(edges_.count)));
    return {};
  }

  HopPicks finish() {
    HopPicks out;
    IdArray counts(pool_, false, in_.nodes.size());
    for (int64_t i = 0; i < in_.nodes.size(); ++i) {
      counts.set(i, 0);
    }
    auto* const of = static_cast<int32_t*>(counts.data());
    for (int64_t i = 0; i < edges_.count; ++i) {
      ++of[edges_.anchors[i]];
    }
    out.counts = counts.finish(in_.nodes.size());
    out.neighbors = neighbors_.finish(edges_.count);
    if (plan_.options().edge_ids) {
      out.edge_ids = edges_.edge_ids.finish(edges_.count);
    }
    return out;
  }

  const HopQuestion& in_;
  PickedEdges edges_;
  IdArray neighbors_;
};

}  // namespace

SamplerOptions hop_options(const SamplerOptions& options) {
  SamplerOptions out;
  out.seed = options.seed;
  out.num_hops = options.num_hops;
  out.fanouts = options.fanouts;
  out.direction = options.direction;
  out.replace = options.replace;
  out.edge_ids = options.edge_ids;
  out.disjoint = options.disjoint;
  out.int32 = options.int32;
  out.weight = options.weight;
  out.node_time = options.node_time;
  out.edge_time = options.edge_time;
  out.time_strict = options.time_strict;
  out.time_window = options.time_window;
  out.time_strategy = options.time_strategy;
  out.pick = options.pick;
  out.batch_dependency = options.batch_dependency;
  out.layer_dependent = options.layer_dependent;
  return out;
}

Result<HopPicks> answer_hop(const Sampler& sampler, const HopQuestion& question) {
  std::unique_ptr<SamplerScratch> scratch = sampler.scratch().borrow();
  Result<HopPicks> picks = HopAnswer(sampler.plan(), *scratch, question).run();
  sampler.scratch().give_back(std::move(scratch));
  return picks;
}

}  // namespace gls
