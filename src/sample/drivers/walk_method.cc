#include "sample/drivers/walk_method.h"

#include <algorithm>
#include <utility>

#include "base/float_mode.h"
#include "base/philox.h"
#include "sample/drivers/node_numbering.h"
#include "sample/kernels/id_array.h"
#include "sample/methods/walker.h"
#include "sample/neighbor/batch_worker.h"

namespace gls {
namespace {

Tensor no_ids(bool wide) { return Tensor(nullptr, nullptr, wide ? kInt64 : kInt32, {0}, false); }

Tensor reshaped(const Tensor& flat, int64_t rows, int64_t columns) {
  return Tensor(flat.owner(), flat.data(), flat.dtype(), {rows, columns}, false);
}

// First makes the walks, then the local ids.
class WalkBatch {
 public:
  WalkBatch(const SamplerPlan& plan, SamplerScratch& scratch, const SampleRequest& request);
  Result<std::shared_ptr<Batch>> run();

 private:
  // Replaces the dataset ids in the columns of a type by local ids.
  void number_walks(size_t node_type, const IdArray& walks, int64_t rows);
  // The ids of the visited nodes, by type; the scratch memory is free afterwards.
  std::vector<Tensor> take_nodes();
  std::shared_ptr<Batch> with_no_edges(const std::vector<Tensor>& nodes) const;
  // All edges between the nodes, as a batch with these nodes as seeds.
  Result<std::shared_ptr<Batch>> induced(const std::vector<Tensor>& nodes);
  Result<std::shared_ptr<Batch>> finish(Tensor seed, int64_t num_seeds, Tensor walks, Tensor edges);

  const SamplerPlan& plan_;
  const WalkPlan& walk_;
  SamplerScratch& scratch_;
  const SampleRequest& request_;
  const Dataset& dataset_;
  BufferPool& pool_;
  const bool wide_;
  std::optional<NodeNumbering> nodes_;
};

WalkBatch::WalkBatch(const SamplerPlan& plan, SamplerScratch& scratch, const SampleRequest& request)
    : plan_(plan),
      walk_(*plan.walk_plan()),
      scratch_(scratch),
      request_(request),
      dataset_(*plan.dataset()),
      pool_(*dataset_.context()->buffers()),
      wide_(!plan.options().int32),
      nodes_(std::in_place,
             NodeNumbering::Input{dataset_, scratch, plan.kernels(), plan.direct_limit(), wide_}) {}

// Checks a request for walks, and returns its seeds.
Result<IdSpan> seeds_of_walks(const SamplerPlan& sampler, const SampleRequest& request) {
  const Dataset& dataset = *sampler.dataset();
  const WalkPlan& plan = *sampler.walk_plan();
  if (!request.links.empty()) {
    return invalid("links are given, but the sampler walks, which begins at nodes")
        .with("argument", "links");
  }
  const NodeType& type = dataset.node_types()[plan.node_type()];
  for (const SeedSet& set : request.seeds) {
    if (set.node_type != plan.node_type()) {
      return invalid("seeds: of type \"{}\", but walks begin at type \"{}\"",
                     dataset.node_types()[set.node_type].name, type.name)
          .with("argument", "seeds");
    }
    if (set.times.data() != nullptr) {
      return invalid("times are given, but walks do not go by times").with("argument", "times");
    }
  }
  if (request.seeds.empty()) {
    return IdSpan();
  }
  const IdSpan given = request.seeds[0].ids;
  GLS_TRY(check_seed_ids(type, given));
  const auto columns = static_cast<int64_t>(plan.length) + 1;
  const auto walks = static_cast<int64_t>(plan.walks);
  const int64_t most = std::min(sampler.options().most.nodes, Relabel::kMaxLocal);
  if (given.size() > most / walks / columns) {
    return error(GLS_ERR_UNSUPPORTED,
                 "{} walks of {} steps from each of {} seeds are more than {} nodes; use smaller "
                 "batches",
                 walks, plan.length, given.size(), most)
        .with("argument", "seeds");
  }
  return given;
}

Result<std::shared_ptr<Batch>> WalkBatch::run() {
  GLS_ASSIGN(const IdSpan given, seeds_of_walks(plan_, request_));
  const auto columns = static_cast<int64_t>(walk_.length) + 1;
  const auto walks = static_cast<int64_t>(walk_.walks);
  std::vector<ExcludedEdges> excluded;
  if (!request_.exclude.empty()) {
    GLS_ASSIGN(excluded, find_excluded(dataset_, plan_.options(), request_.exclude));
  }
  const int64_t rows = given.size() * walks;
  IdArray nodes(pool_, wide_, rows * columns);
  IdArray edges;
  if (plan_.options().edge_ids) {
    const auto is_large = [&](const WalkStep& step) {
      return dataset_.edge_types()[step.edge_type].count > Relabel::kMaxLocal;
    };
    edges = IdArray(pool_, wide_ || std::any_of(walk_.path.begin(), walk_.path.end(), is_large),
                    rows * (columns - 1));
  }
  const auto walker = std::make_unique<Walker>(Walker::Input{
      dataset_, walk_, plan_.options().direction, plan_.weights(), plan_.excluded(), excluded,
      plan_.kernels(), batch_key(plan_.options().seed, request_.epoch, request_.batch)});
  GLS_TRY(walker->run(given, nodes, plan_.options().edge_ids ? &edges : nullptr));
  Tensor seed = nodes_->number(walk_.node_type(), given);
  const int64_t num_seeds = nodes_->count(walk_.node_type());
  std::vector<bool> done(dataset_.node_types().size());
  for (size_t column = 0; column <= walk_.length && column <= walk_.path.size(); ++column) {
    const size_t type = walk_.type_of_column(column);
    if (!done[type]) {
      done[type] = true;
      number_walks(type, nodes, rows);
    }
  }
  Tensor edge_tensor;
  if (plan_.options().edge_ids) {
    edge_tensor = reshaped(edges.finish(rows * (columns - 1)), rows, columns - 1);
  }
  return finish(std::move(seed), num_seeds, reshaped(nodes.finish(rows * columns), rows, columns),
                std::move(edge_tensor));
}

void WalkBatch::number_walks(size_t node_type, const IdArray& walks, int64_t rows) {
  std::vector<int64_t> columns;
  const auto width = static_cast<int64_t>(walk_.length) + 1;
  for (int64_t column = 0; column < width; ++column) {
    if (walk_.type_of_column(static_cast<size_t>(column)) == node_type) {
      columns.push_back(column);
    }
  }
  constexpr int64_t kSome = kernels::kChunkPicks;
  std::vector<int64_t> ids;
  std::vector<int64_t> places;
  const auto flush = [&] {
    const auto count = static_cast<int64_t>(ids.size());
    const Tensor numbered = nodes_->number(node_type, IdSpan(ids.data(), true, count));
    const IdSpan local(numbered.data(), wide_, count);
    for (int64_t i = 0; i < count; ++i) {
      walks.set(places[static_cast<size_t>(i)], local[i]);
    }
    ids.clear();
    places.clear();
  };
  for (int64_t row = 0; row < rows; ++row) {
    for (const int64_t column : columns) {
      const int64_t at = row * width + column;
      const int64_t id = walks[at];
      if (id < 0) {
        break;  // the rest of the walk is -1, too
      }
      ids.push_back(id);
      places.push_back(at);
    }
    if (static_cast<int64_t>(ids.size()) >= kSome) {
      flush();
    }
  }
  flush();
}

std::vector<Tensor> WalkBatch::take_nodes() {
  std::vector<Tensor> out;
  out.reserve(dataset_.node_types().size());
  for (size_t t = 0; t < dataset_.node_types().size(); ++t) {
    out.push_back(nodes_->finish(t));
  }
  nodes_.reset();
  return out;
}

std::shared_ptr<Batch> WalkBatch::with_no_edges(const std::vector<Tensor>& nodes) const {
  auto batch = std::make_shared<Batch>();
  batch->dataset = plan_.dataset();
  batch->epoch = request_.epoch;
  batch->number = request_.batch;
  for (const Tensor& ids : nodes) {
    batch->nodes.emplace_back().node = ids;
  }
  // The array of walks has the walked edges.
  for (const EdgeType& type : dataset_.edge_types()) {
    const bool wide_ids = wide_ || type.count > Relabel::kMaxLocal;
    SampledEdges out;
    out.index = no_edges(wide_);
    out.edge = plan_.options().edge_ids ? no_ids(wide_ids) : Tensor();
    out.num_edges = counts_tensor({0});
    batch->edges.push_back(std::move(out));
  }
  return batch;
}

Result<std::shared_ptr<Batch>> WalkBatch::induced(const std::vector<Tensor>& nodes) {
  SampleRequest request;
  request.epoch = request_.epoch;
  request.batch = request_.batch;
  request.exclude = request_.exclude;
  for (size_t t = 0; t < nodes.size(); ++t) {
    request.seeds.push_back({t, IdSpan(nodes[t].data(), wide_, nodes[t].rows())});
  }
  // They are unique, so this gives them the same numbers.
  return BatchWorker(plan_, scratch_, request).run_induced(-1);
}

Result<std::shared_ptr<Batch>> WalkBatch::finish(Tensor seed, int64_t num_seeds, Tensor walks,
                                                 Tensor edges) {
  const std::vector<Tensor> nodes = take_nodes();
  std::shared_ptr<Batch> batch;
  if (plan_.options().subgraph == Subgraph::kInduced) {
    GLS_ASSIGN(batch, induced(nodes));
  } else {
    batch = with_no_edges(nodes);
  }
  batch->num_hops = plan_.num_hops();
  batch->walks = SampledWalks{walk_.node_type(), std::move(walks), std::move(edges), {}};
  for (size_t t = 0; t < nodes.size(); ++t) {
    const int64_t own_seeds = t == walk_.node_type() ? num_seeds : 0;
    batch->nodes[t].seed = no_ids(wide_);
    batch->nodes[t].num_nodes = counts_tensor({own_seeds, nodes[t].rows() - own_seeds});
  }
  batch->nodes[walk_.node_type()].seed = std::move(seed);
  return batch;
}

}  // namespace

Result<std::shared_ptr<Batch>> WalkMethod::sample(const SampleRequest& request,
                                                  SamplerScratch& scratch) const {
  const DefaultFloatMode float_mode;
  return WalkBatch(plan(), scratch, request).run();
}

Result<std::optional<std::vector<SeedSet>>> WalkMethod::node_seeds(
    const SampleRequest& request, std::vector<std::vector<int64_t>>* memory) const {
  static_cast<void>(memory);
  GLS_ASSIGN(const IdSpan ids, seeds_of_walks(plan(), request));
  return std::optional(std::vector{SeedSet{plan().walk_plan()->node_type(), ids, {}}});
}

}  // namespace gls
