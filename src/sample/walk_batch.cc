#include "sample/walk_batch.h"

#include <algorithm>

#include "base/philox.h"
#include "sample/walker.h"

namespace gls {
namespace {

using kernels::kChunkPicks;
using kernels::kSlack;

// Into memory of either width.
void put(void* ids, bool wide, int64_t index, int64_t id) {
  if (wide) {
    static_cast<uint64_t*>(ids)[index] = static_cast<uint64_t>(id);
  } else {
    static_cast<uint32_t*>(ids)[index] = static_cast<uint32_t>(id);
  }
}

Tensor no_ids(bool wide) { return Tensor(nullptr, nullptr, wide ? kInt64 : kInt32, {0}, false); }

Tensor reshaped(const Tensor& flat, int64_t rows, int64_t columns) {
  return Tensor(flat.owner(), flat.data(), flat.dtype(), {rows, columns}, false);
}

}  // namespace

WalkBatch::WalkBatch(const Sampler& sampler, SamplerScratch& scratch, const SampleRequest& request)
    : sampler_(sampler),
      plan_(*sampler.walk_plan_),
      scratch_(scratch),
      request_(request),
      dataset_(*sampler.dataset_),
      pool_(*dataset_.context()->buffers()),
      wide_(!sampler.options_.int32),
      nodes_(dataset_.node_types().size()) {}

WalkBatch::~WalkBatch() {
  // Also after a failure: what was entered must be old for the next batch.
  forget_nodes();
}

void WalkBatch::forget_nodes() {
  for (Nodes& type : nodes_) {
    if (type.table != nullptr) {
      type.table->end_batch(type.count);
      type.table = nullptr;
    }
  }
}

Result<IdSpan> WalkBatch::seeds() const {
  if (request_.links.has_value()) {
    return invalid("links are given, but the sampler walks, which begins at nodes")
        .with("argument", "links");
  }
  const NodeType& type = dataset_.node_types()[plan_.node_type()];
  for (const SeedSet& set : request_.seeds) {
    if (set.node_type != plan_.node_type()) {
      return invalid("seeds: of type \"{}\", but walks begin at type \"{}\"",
                     dataset_.node_types()[set.node_type].name, type.name)
          .with("argument", "seeds");
    }
    if (set.times.data() != nullptr) {
      return invalid("times are given, but walks do not go by times").with("argument", "times");
    }
  }
  if (request_.seeds.empty()) {
    return IdSpan();
  }
  GLS_TRY(check_seed_ids(type, request_.seeds[0].ids));
  return request_.seeds[0].ids;
}

Result<std::shared_ptr<Batch>> WalkBatch::run() {
  GLS_ASSIGN(const IdSpan given, seeds());
  const auto columns = static_cast<int64_t>(plan_.length) + 1;
  const auto walks = static_cast<int64_t>(plan_.walks);
  if (given.size() > Relabel::kMaxLocal / walks / columns) {
    return error(GLS_ERR_UNSUPPORTED,
                 "{} walks of {} steps from each of {} seeds are more than {} nodes; use smaller "
                 "batches",
                 walks, plan_.length, given.size(), Relabel::kMaxLocal)
        .with("argument", "seeds");
  }
  std::vector<ExcludedEdges> excluded;
  if (!request_.exclude.empty()) {
    GLS_ASSIGN(excluded, find_excluded(dataset_, sampler_.options_, request_.exclude));
  }
  const int64_t rows = given.size() * walks;
  IdArray nodes(pool_, wide_, rows * columns);
  IdArray edges;
  if (sampler_.options_.edge_ids) {
    const auto is_large = [&](const WalkStep& step) {
      return dataset_.edge_types()[step.edge_type].count > Relabel::kMaxLocal;
    };
    edges = IdArray(pool_, wide_ || std::any_of(plan_.path.begin(), plan_.path.end(), is_large),
                    rows * (columns - 1));
  }
  const auto walker = std::make_unique<Walker>(Walker::Input{
      dataset_, plan_, sampler_.options_.direction, sampler_.weights_, sampler_.excluded_, excluded,
      *sampler_.kernels_, batch_key(sampler_.options_.seed, request_.epoch, request_.batch)});
  GLS_TRY(walker->run(given, nodes, sampler_.options_.edge_ids ? &edges : nullptr));
  GLS_ASSIGN(Tensor seed, number_seeds(given));
  const int64_t num_seeds = nodes_[plan_.node_type()].count;
  std::vector<bool> done(nodes_.size());
  for (size_t column = 0; column <= plan_.length && column <= plan_.path.size(); ++column) {
    const size_t type = plan_.type_of_column(column);
    if (!done[type]) {
      done[type] = true;
      number_walks(type, nodes, rows);
    }
  }
  Tensor edge_tensor;
  if (sampler_.options_.edge_ids) {
    edge_tensor = reshaped(edges.finish(rows * (columns - 1)), rows, columns - 1);
  }
  return finish(std::move(seed), num_seeds, reshaped(nodes.finish(rows * columns), rows, columns),
                std::move(edge_tensor));
}

void WalkBatch::reach(size_t node_type) {
  Nodes& type = nodes_[node_type];
  if (type.table != nullptr) {
    return;
  }
  std::unique_ptr<Relabel>& table = scratch_.tables[node_type];
  if (table == nullptr) {
    table =
        std::make_unique<Relabel>(static_cast<uint64_t>(dataset_.node_types()[node_type].count),
                                  false, sampler_.direct_limit_, dataset_.context()->huge_pages());
  }
  table->begin_batch();
  type.table = table.get();
  type.ids = IdArray(pool_, wide_, scratch_.expected_nodes[node_type]);
}

Result<Tensor> WalkBatch::number_seeds(const IdSpan& seeds) {
  if (seeds.size() == 0) {
    return no_ids(wide_);
  }
  reach(plan_.node_type());
  Nodes& type = nodes_[plan_.node_type()];
  IdArray local(pool_, wide_, seeds.size());
  for (int64_t begin = 0; begin < seeds.size(); begin += kChunkPicks) {
    const int64_t count = std::min(kChunkPicks, seeds.size() - begin);
    for (int64_t i = 0; i < count; ++i) {
      put(scratch_.neighbors, type.table->wide_neighbors(), i, seeds[begin + i]);
    }
    number(type, count, local.at(begin));
  }
  return local.finish(seeds.size());
}

void WalkBatch::number_walks(size_t node_type, const IdArray& walks, int64_t rows) {
  if (rows == 0) {
    return;
  }
  reach(node_type);
  Nodes& type = nodes_[node_type];
  const bool wide = type.table->wide_neighbors();
  std::vector<int64_t> columns;
  const auto width = static_cast<int64_t>(plan_.length) + 1;
  for (int64_t column = 0; column < width; ++column) {
    if (plan_.type_of_column(static_cast<size_t>(column)) == node_type) {
      columns.push_back(column);
    }
  }
  IdArray local(pool_, wide_, kChunkPicks);
  int64_t count = 0;
  int64_t* const places = scratch_.positions;
  const auto flush = [&] {
    if (count > 0) {
      number(type, count, local.data());
    }
    for (int64_t i = 0; i < count; ++i) {
      walks.set(places[i], local[i]);
    }
    count = 0;
  };
  for (int64_t row = 0; row < rows; ++row) {
    for (const int64_t column : columns) {
      const int64_t at = row * width + column;
      const int64_t id = walks[at];
      if (id < 0) {
        break;  // so is the rest of the walk
      }
      put(scratch_.neighbors, wide, count, id);
      places[count++] = at;
      if (count == kChunkPicks) {
        flush();
      }
    }
  }
  flush();
}

void WalkBatch::number(Nodes& type, int64_t count, void* out) {
  type.ids.reserve(type.count + count, type.count);
  if (type.table->kind() == Relabel::Kind::kDirect) {
    // The vector kernel reads ahead; let it find something harmless.
    auto* const neighbors = static_cast<uint32_t*>(scratch_.neighbors);
    std::fill_n(neighbors + count, kSlack, neighbors[count - 1]);
  }
  type.count = type.table->run(sampler_.kernels_->relabel[wide_ ? 1 : 0], wide_, scratch_.neighbors,
                               count, static_cast<uint32_t>(type.count), type.ids.data(), out);
}

std::vector<Tensor> WalkBatch::take_nodes() {
  std::vector<Tensor> out;
  for (size_t t = 0; t < nodes_.size(); ++t) {
    Nodes& type = nodes_[t];
    if (type.table != nullptr) {
      scratch_.expected_nodes[t] = type.count + type.count / 16;
    }
    out.push_back(type.table != nullptr ? type.ids.finish(type.count) : no_ids(wide_));
  }
  forget_nodes();
  return out;
}

std::shared_ptr<Batch> WalkBatch::with_no_edges(const std::vector<Tensor>& nodes) const {
  auto batch = std::make_shared<Batch>();
  batch->dataset = sampler_.dataset_;
  batch->epoch = request_.epoch;
  batch->number = request_.batch;
  for (const Tensor& ids : nodes) {
    batch->nodes.emplace_back().node = ids;
  }
  // What was walked is in the array of walks.
  for (const EdgeType& type : dataset_.edge_types()) {
    const bool wide_ids = wide_ || type.count > Relabel::kMaxLocal;
    SampledEdges out;
    out.row = no_ids(wide_);
    out.col = no_ids(wide_);
    out.edge = sampler_.options_.edge_ids ? no_ids(wide_ids) : Tensor();
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
  // They are distinct, so this numbers them as they are numbered here.
  return BatchWorker(sampler_, scratch_, request).run();
}

Result<std::shared_ptr<Batch>> WalkBatch::finish(Tensor seed, int64_t num_seeds, Tensor walks,
                                                 Tensor edges) {
  const std::vector<Tensor> nodes = take_nodes();
  std::shared_ptr<Batch> batch;
  if (sampler_.options_.subgraph == Subgraph::kInduced) {
    GLS_ASSIGN(batch, induced(nodes));
  } else {
    batch = with_no_edges(nodes);
  }
  batch->num_hops = 1;
  batch->walks = SampledWalks{plan_.node_type(), std::move(walks), std::move(edges)};
  for (size_t t = 0; t < nodes.size(); ++t) {
    const int64_t own_seeds = t == plan_.node_type() ? num_seeds : 0;
    batch->nodes[t].seed = no_ids(wide_);
    batch->nodes[t].num_nodes = counts_tensor({own_seeds, nodes[t].rows() - own_seeds});
  }
  batch->nodes[plan_.node_type()].seed = std::move(seed);
  return batch;
}

}  // namespace gls
