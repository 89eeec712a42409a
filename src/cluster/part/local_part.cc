#include "cluster/part/local_part.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/float_mode.h"
#include "cluster/wire/messages.h"
#include "feature/gather.h"
#include "graph/dataset/unknown_name.h"
#include "sample/answer_hop.h"
#include "sample/part_hops.h"
#include "sample/sampler.h"
#include "tensor/vector_tensor.h"

namespace gls {
namespace {

Layout layout_of(const Sampler& sampler) {
  return sampler.options().direction == Direction::kIn ? Layout::kCsc : Layout::kCsr;
}

class LocalSampler final : public PartSampler {
 public:
  LocalSampler(std::shared_ptr<const LocalPart> part, std::shared_ptr<const Sampler> sampler)
      : part_(std::move(part)), sampler_(std::move(sampler)) {}

  Deferred<HopPicks> ask(const HopQuestion& question) const override {
    return [part = part_, sampler = sampler_, question]() -> Result<HopPicks> {
      const DefaultFloatMode float_mode;
      HopQuestion local = question;
      GLS_ASSIGN(local.exclude, part->translate(question.exclude));
      return answer_hop_of_part(*sampler, local,
                                part->made_halo(local.edge_type, layout_of(*sampler)));
    };
  }
  Status check_size(const HopQuestion& question, uint64_t most_bytes) const override;

 private:
  const std::shared_ptr<const LocalPart> part_;
  const std::shared_ptr<const Sampler> sampler_;
};

// Few picks need no look at the graph. With a negative fanout or LABOR, every neighbour counts.
Status LocalSampler::check_size(const HopQuestion& question, uint64_t most_bytes) const {
  const SamplerOptions& options = sampler_->options();
  const Dataset& dataset = part_->dataset();
  const int64_t nodes = question.nodes.size();
  if (nodes == 0 || question.edge_type >= options.fanouts.size() ||
      question.hop >= options.num_hops) {
    return {};
  }
  const EdgeType& type = dataset.edge_types()[question.edge_type];
  const Layout layout = layout_of(*sampler_);
  const auto& topology = type.topology(layout);
  if (!topology) {
    return {};
  }
  const uint64_t width = cluster::pick_bytes(options, type.whole->whole_count());
  const uint64_t most = nodes > 1 ? most_bytes : std::max(most_bytes, cluster::kMostBytesOfANode);
  const int64_t fanout = options.fanouts[question.edge_type][question.hop];
  const bool all = fanout < 0 || options.pick == Pick::kLayer;
  const auto bytes_of = [&](uint64_t picks) {
    return picks * width + static_cast<uint64_t>(nodes) * sizeof(int32_t);
  };
  if (!all && bytes_of(static_cast<uint64_t>(nodes) * static_cast<uint64_t>(fanout)) <= most) {
    return {};
  }
  uint64_t picks = 0;
  for (int64_t i = 0; i < nodes; ++i) {
    const int64_t row = part_->row_of(question.edge_type, layout, question.nodes[i]);
    if (row < 0 || row >= topology->num_rows) {
      return {};
    }
    const int64_t degree = std::max<int64_t>(topology->indptr[row + 1] - topology->indptr[row], 0);
    const bool repeats = options.replace != Replace::kNever && degree > 0;
    picks += static_cast<uint64_t>(all ? degree : repeats ? fanout : std::min(fanout, degree));
    if (bytes_of(picks) > most) {
      return cluster::too_long(nodes, most);
    }
  }
  return {};
}

}  // namespace

LocalPart::LocalPart(std::shared_ptr<const Dataset> dataset)
    : dataset_(std::move(dataset)),
      node_lookups_(std::make_unique<Lookup[]>(dataset_->node_types().size())),
      edge_lookups_(std::make_unique<Lookup[]>(dataset_->edge_types().size())) {}

Result<std::shared_ptr<const LocalPart>> LocalPart::create(std::shared_ptr<const Dataset> dataset) {
  if (!dataset->part()) {
    return invalid("the dataset is no part of a graph").with("argument", "dataset");
  }
  return std::shared_ptr<const LocalPart>(new LocalPart(std::move(dataset)));
}

// ---- hops ----

Result<std::shared_ptr<const PartSampler>> LocalPart::open_sampler(
    const SamplerOptions& options) const {
  const DefaultFloatMode float_mode;  // sets the rounding mode for sums of weights
  SamplerOptions local = hop_options(options);
  if (local.fanouts.size() != dataset_->edge_types().size()) {
    return invalid("fanouts: for {} edge types, expected {}", local.fanouts.size(),
                   dataset_->edge_types().size())
        .with("argument", "fanouts");
  }
  for (const NodeType& type : dataset_->node_types()) {
    const int64_t count = type.whole->whole_count();
    if (local.int32 && count > std::numeric_limits<int32_t>::max()) {
      return invalid("GLS_SAMPLE_INT32 is set, but node type \"{}\" has {} nodes", type.name, count)
          .with("argument", "flags");
    }
  }
  GLS_ASSIGN(local.exclude, translate(options.exclude));
  GLS_ASSIGN(auto sampler, Sampler::create(dataset_, std::move(local)));
  return std::shared_ptr<const PartSampler>(
      std::make_shared<LocalSampler>(shared_from_this(), std::move(sampler)));
}

int64_t LocalPart::row_of(size_t edge_type, Layout layout, int64_t node) const {
  const EdgeType& type = dataset_->edge_types()[edge_type];
  const GlobalIds& nodes =
      *dataset_->node_types()[layout == Layout::kCsc ? type.target : type.source].whole;
  if (node < 0 || node >= nodes.whole_count()) {
    return -1;
  }
  if (const int64_t owned = nodes.local_of_owned(node); owned >= 0) {
    return owned;
  }
  const HaloRows* const halo = made_halo(edge_type, layout);
  return halo != nullptr ? halo->row_of(node) : -1;
}

const HaloRows* LocalPart::find_halo(size_t edge_type, Layout layout) const {
  if (edge_type >= dataset_->edge_types().size()) {
    return nullptr;
  }
  const EdgeType& type = dataset_->edge_types()[edge_type];
  const size_t anchors = layout == Layout::kCsc ? type.target : type.source;
  const GlobalIds& nodes = *dataset_->node_types()[anchors].whole;
  if (!HaloRows::any(type, layout, nodes)) {
    return nullptr;
  }
  Lookup& entry = edge_lookups_[edge_type];
  std::call_once(entry.once_halo, [&] {
    entry.halo.emplace(*type.topology(layout), nodes);
    entry.made_halo = &*entry.halo;
  });
  return &*entry.halo;
}

const HaloRows* LocalPart::made_halo(size_t edge_type, Layout layout) const {
  const bool known = edge_type < dataset_->edge_types().size() &&
                     dataset_->edge_types()[edge_type].topology(layout).has_value();
  return known ? edge_lookups_[edge_type].made_halo.load() : nullptr;
}

std::function<bool(int64_t node)> LocalPart::halo(size_t edge_type, Layout layout) const {
  const HaloRows* const rows = find_halo(edge_type, layout);
  if (rows == nullptr) {
    return {};
  }
  return [self = shared_from_this(), rows](int64_t node) { return rows->has(node); };
}

const GlobalToLocal& LocalPart::lookup(bool of_nodes, size_t type) const {
  Lookup& entry = of_nodes ? node_lookups_[type] : edge_lookups_[type];
  std::call_once(entry.once, [&] {
    entry.lookup.emplace(of_nodes ? *dataset_->node_types()[type].whole
                                  : *dataset_->edge_types()[type].whole);
  });
  return *entry.lookup;
}

const ReplicatedRows& LocalPart::row_copies(bool of_nodes, size_t type) const {
  Lookup& entry = of_nodes ? node_lookups_[type] : edge_lookups_[type];
  std::call_once(entry.once_copies, [&] {
    entry.copies.emplace(of_nodes ? *dataset_->node_types()[type].whole
                                  : *dataset_->edge_types()[type].whole);
  });
  return *entry.copies;
}

std::function<bool(int64_t id)> LocalPart::copies(const RowQuestion& question) const {
  auto type = find_type(question.of_nodes, question.type);
  if (!type.ok() || question.column >= type->columns.size()) {
    return {};
  }
  const int64_t rows = type->columns[question.column].data.rows();
  if (rows <= type->whole.owned()) {
    return {};
  }
  const ReplicatedRows& known = row_copies(question.of_nodes, question.type);
  return
      [self = shared_from_this(), &known, rows](int64_t id) { return known.row_of(id, rows) >= 0; };
}

Result<std::vector<EdgeSet>> LocalPart::translate(const std::vector<EdgeSet>& exclude) const {
  std::vector<EdgeSet> out;
  for (const EdgeSet& set : exclude) {
    if (set.edge_type >= dataset_->edge_types().size()) {
      return invalid("exclude: edge type number {}, of {}", set.edge_type,
                     dataset_->edge_types().size())
          .with("argument", "exclude");
    }
    const bool pairs = set.edges.shape().size() == 2;
    GLS_ASSIGN(EdgeSet local, pairs ? translate_pairs(set) : translate_ids(set));
    if (local.edges.shape().back() > 0) {
      out.push_back(std::move(local));
    }
  }
  return out;
}

Result<EdgeSet> LocalPart::translate_ids(const EdgeSet& set) const {
  const EdgeType& type = dataset_->edge_types()[set.edge_type];
  GLS_ASSIGN(const IdSpan ids, IdSpan::of(set.edges, "exclude"));
  const int64_t count = type.whole->whole_count();
  if (const int64_t bad = ids.find_outside(count); bad >= 0) {
    return invalid("exclude: edge id {} at index {} is outside 0 .. {} of type \"{}\"", ids[bad],
                   bad, count - 1, type.joined)
        .with("argument", "exclude");
  }
  const GlobalToLocal& known = lookup(false, set.edge_type);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < ids.size(); ++i) {
    if (const int64_t local = known.local_of(ids[i]); local >= 0) {
      out.push_back(local);
    }
  }
  return EdgeSet{set.edge_type, vector_tensor(std::move(out), kInt64)};
}

Result<EdgeSet> LocalPart::translate_pairs(const EdgeSet& set) const {
  const EdgeType& type = dataset_->edge_types()[set.edge_type];
  const Tensor& edges = set.edges;
  if (edges.rows() != 2) {
    return invalid("exclude: edges of type \"{}\" have shape {}, expected [n] ids or [2, n] pairs",
                   type.joined, shape_text(edges.shape()))
        .with("argument", "exclude");
  }
  IdSpan ends[2];
  const GlobalToLocal* known[2];
  for (const size_t end : {size_t{0}, size_t{1}}) {
    const size_t node_type = end == 0 ? type.source : type.target;
    const Tensor half(nullptr, edges.data() + static_cast<int64_t>(end) * edges.row_stride(),
                      edges.dtype(), {edges.shape()[1]});
    GLS_ASSIGN(ends[end], IdSpan::of(half, "exclude"));
    const int64_t count = dataset_->node_types()[node_type].whole->whole_count();
    if (const int64_t bad = ends[end].find_outside(count); bad >= 0) {
      return invalid("exclude: node {} at index {} is outside 0 .. {} of edge type \"{}\"",
                     ends[end][bad], bad, count - 1, type.joined)
          .with("argument", "exclude");
    }
    known[end] = &lookup(true, node_type);
  }
  std::vector<int64_t> out;
  std::vector<int64_t> targets;
  for (int64_t i = 0; i < ends[0].size(); ++i) {
    const int64_t source = known[0]->local_of(ends[0][i]);
    const int64_t target = source >= 0 ? known[1]->local_of(ends[1][i]) : -1;
    if (target >= 0) {
      out.push_back(source);
      targets.push_back(target);
    }
  }
  const auto found = static_cast<int64_t>(out.size());
  out.insert(out.end(), targets.begin(), targets.end());
  return EdgeSet{set.edge_type, vector_tensor(std::move(out), kInt64, {2, found})};
}

// ---- rows ----

int64_t LocalPart::FoundRows::row_bytes() const {
  const int64_t elements =
      column->codebook != nullptr ? column->codebook->width() : column->data.row_elements();
  return elements * static_cast<int64_t>(dtype_bytes(dtype));
}

Result<LocalPart::TypeView> LocalPart::find_type(bool of_nodes, size_t type) const {
  const size_t types = of_nodes ? dataset_->node_types().size() : dataset_->edge_types().size();
  if (type >= types) {
    return invalid("rows: {} type number {}, of {}", of_nodes ? "node" : "edge", type, types);
  }
  if (of_nodes) {
    const NodeType& found = dataset_->node_types()[type];
    return TypeView{found.name, found.columns, *found.whole};
  }
  const EdgeType& found = dataset_->edge_types()[type];
  return TypeView{found.joined, found.columns, *found.whole};
}

Result<size_t> LocalPart::find_column(bool of_nodes, size_t type, std::string_view name) const {
  GLS_ASSIGN(const TypeView found, find_type(of_nodes, type));
  for (size_t c = 0; c < found.columns.size(); ++c) {
    if (found.columns[c].name == name) {
      return c;
    }
  }
  return of_nodes ? no_column("rows", dataset_->node_types()[type], name)
                  : no_column("rows", dataset_->edge_types()[type], name);
}

Result<LocalPart::FoundRows> LocalPart::find_rows(const RowQuestion& question) const {
  GLS_ASSIGN(const TypeView type, find_type(question.of_nodes, question.type));
  if (question.column >= type.columns.size()) {
    return invalid("rows: column number {} of \"{}\", of {}", question.column, type.name,
                   type.columns.size());
  }
  const Column& column = type.columns[question.column];
  if (!can_gather_as(column.dtype(), question.dtype)) {
    return invalid("rows: \"{}\" of \"{}\" is {} and cannot be gathered as {}", column.name,
                   type.name, dtype_name(column.dtype()), dtype_name(question.dtype))
        .with("column", column.name);
  }
  const char* const kind = question.of_nodes ? "node" : "edge";
  const IdSpan& ids = question.ids;
  if (const int64_t bad = ids.find_outside(type.whole.whole_count()); bad >= 0) {
    return invalid("rows: {} {} at index {} is outside 0 .. {} of type \"{}\"", kind, ids[bad], bad,
                   type.whole.whole_count() - 1, type.name)
        .with("argument", "ids");
  }
  FoundRows out{&column, question.dtype, std::vector<int64_t>(static_cast<size_t>(ids.size()))};
  type.whole.locals_of_owned(ids, out.ids.data());
  for (int64_t i = 0; i < ids.size(); ++i) {
    int64_t& row = out.ids[static_cast<size_t>(i)];
    if (row < 0 && column.data.rows() > type.whole.owned()) {
      row = row_copies(question.of_nodes, question.type).row_of(ids[i], column.data.rows());
    }
    if (row < 0 || row >= column.data.rows()) {
      return invalid("rows: {} {} of type \"{}\" is not owned by part {} of {}", kind, ids[i],
                     type.name, number(), dataset_->part()->parts)
          .with("argument", "ids");
    }
  }
  return out;
}

void LocalPart::gather_to(std::byte* out, const FoundRows& rows, const int64_t* places) const {
  const IdSpan ids(rows.ids.data(), true, static_cast<int64_t>(rows.ids.size()));
  const Column& column = *rows.column;
  const GatherOptions options = GatherOptions::from(*dataset_->context());
  if (column.codebook != nullptr) {
    gather_decoded_to(out, column.data, *column.codebook, ids, options, places);
  } else {
    gls::gather_to(out, column.data, ids, rows.dtype, options, places);
  }
}

Status LocalPart::gather_rows_to(const RowQuestion& question, const RowTarget& target) const {
  GLS_ASSIGN(const FoundRows found, find_rows(question));
  if (found.row_bytes() != target.row_bytes) {
    return error(GLS_ERR_INTERNAL, "rows have {} bytes, expected {}", found.row_bytes(),
                 target.row_bytes);
  }
  gather_to(target.out, found, target.places);
  return {};
}

Result<Tensor> LocalPart::gather_rows(const RowQuestion& question) const {
  GLS_ASSIGN(const FoundRows found, find_rows(question));
  std::vector<int64_t> shape = found.column->shape();
  shape[0] = question.ids.size();
  const auto bytes = static_cast<size_t>(question.ids.size() * found.row_bytes());
  auto buffer = std::make_shared<Buffer>(dataset_->context()->buffers()->acquire(bytes));
  auto* const out = buffer->as<>();
  gather_to(out, found);
  return Tensor(std::move(buffer), out, found.dtype, std::move(shape), false);
}

Deferred<Tensor> LocalPart::ask_rows(const RowQuestion& question) const {
  return [self = shared_from_this(), question] { return self->gather_rows(question); };
}

Deferred<Done> LocalPart::ask_rows_to(const RowQuestion& question, const RowTarget& target) const {
  return [self = shared_from_this(), question, target]() -> Result<Done> {
    GLS_TRY(self->gather_rows_to(question, target));
    return Done{};
  };
}

}  // namespace gls
