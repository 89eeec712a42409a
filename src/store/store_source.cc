#include "store/store_source.h"

#include <algorithm>
#include <string>
#include <utility>

#include "feature/gather_column.h"
#include "query/answer_edges.h"
#include "query/unique_ids.h"
#include "tensor/vector_tensor.h"

namespace gls {

StoreSource::StoreSource(std::shared_ptr<const Dataset> base, Stores stores)
    : base_(std::move(base)),
      stores_(std::move(stores)),
      pool_(base_->context()->buffers()),
      gather_(GatherOptions::from(*base_->context())) {}

// ---- rows --------------------------------------------------------------------------------------

const std::vector<Column>& StoreSource::base_columns(bool of_nodes, size_t type) const {
  static const std::vector<Column> kNone;
  if (of_nodes) {
    return base_->node_types()[type].columns;
  }
  return type < base_->edge_types().size() ? base_->edge_types()[type].columns : kNone;
}

// NULL: the dataset below has the column.
ColumnStore* StoreSource::store_of(const RowQuestion& question) const {
  const size_t below = base_columns(question.of_nodes, question.type).size();
  const auto& columns = question.of_nodes ? stores_.node_columns : stores_.edge_columns;
  return question.column < below ? nullptr : columns[question.type][question.column - below].get();
}

Deferred<Tensor> StoreSource::ask_rows(const RowQuestion& question, int64_t rows,
                                       SharedBytes memory) const {
  if (ColumnStore* const store = store_of(question); store != nullptr) {
    return store->ask(*pool_, question, rows, std::move(memory), gather_);
  }
  if (below() != nullptr) {
    return below()->ask_rows(question, rows, std::move(memory));
  }
  return [this, question, rows, memory = std::move(memory)]() -> Result<Tensor> {
    const Column& column = base_columns(question.of_nodes, question.type)[question.column];
    return gather_column(*pool_, column, question.ids, question.dtype, gather_, rows, memory);
  };
}

// ---- hops and edges ----------------------------------------------------------------------------

RowsOfType StoreSource::rows_of(size_t edge_type, Layout layout) const {
  const bool csc = layout == Layout::kCsc;
  const auto& types = base_->edge_types();
  const auto make = [&](size_t source, size_t target) {
    const auto& nodes = base_->node_types();
    return RowsOfType{nodes[csc ? target : source].count, nodes[csc ? source : target].count};
  };
  if (edge_type < types.size()) {
    const EdgeType& type = types[edge_type];
    const auto& topology = type.topology(layout);
    RowsOfType out = make(type.source, type.target);
    out.topology = topology ? &*topology : nullptr;
    return out;
  }
  const Stores::Neighbors& of = stores_.neighbors[edge_type - types.size()];
  RowsOfType out = make(of.source, of.target);
  out.store = csc ? of.csc : of.csr;
  return out;
}

bool StoreSource::picks(const SamplerOptions& options) const {
  if (below() == nullptr || !below()->picks(options)) {
    return false;
  }
  const auto is_in_store = [](const auto& types, const std::string& name) {
    return !name.empty() && std::any_of(types.begin(), types.end(), [&](const auto& columns) {
      return std::any_of(columns.begin(), columns.end(),
                         [&](const auto& store) { return store->spec().name == name; });
    });
  };
  return !is_in_store(stores_.edge_columns, options.weight) &&
         !is_in_store(stores_.edge_columns, options.edge_time) &&
         !is_in_store(stores_.node_columns, options.node_time);
}

Result<std::shared_ptr<const HopSource>> StoreSource::open_hops(
    const SamplerOptions& options) const {
  if (below() != nullptr) {
    return below()->open_hops(options);
  }
  const Layout layout = options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr;
  std::vector<RowsOfType> types(base_->edge_types().size() + stores_.neighbors.size());
  for (size_t t = 0; t < types.size(); ++t) {
    types[t] = rows_of(t, layout);
  }
  return WholeRows::open(base_, std::move(types), options);
}

Deferred<Tensor> StoreSource::ask_edges(const EdgeQuestion& question) const {
  if (below() != nullptr) {
    return below()->ask_edges(question);
  }
  return [this, question]() -> Result<Tensor> {
    if (question.edge_type < base_->edge_types().size()) {
      return answer_edges(*base_, question);
    }
    switch (question.what) {
      case EdgeQuestion::What::kDegrees:
        return degrees_of(question);
      case EdgeQuestion::What::kPairs:
        return pairs_of(question);
      case EdgeQuestion::What::kEnds:
        break;
    }
    const auto& of = stores_.neighbors[question.edge_type - base_->edge_types().size()];
    return error(GLS_ERR_UNSUPPORTED,
                 "{}: it answers neighbours of nodes, and not the ends of edges by their ids; give "
                 "pairs of nodes",
                 (of.csc != nullptr ? of.csc : of.csr)->name());
  };
}

Result<Tensor> StoreSource::degrees_of(const EdgeQuestion& question) const {
  const RowsOfType rows = rows_of(question.edge_type, question.layout);
  if (rows.store == nullptr) {
    const bool csc = question.layout == Layout::kCsc;
    return error(GLS_ERR_UNSUPPORTED,
                 "{}-degrees need a store of neighbours with the layout {}, and there is none",
                 csc ? "in" : "out", csc ? "csc" : "csr");
  }
  GLS_ASSIGN(NeighborLists lists, ask_lists(rows, question.ids)());
  return vector_tensor(std::move(lists.counts), kInt64);
}

Result<Tensor> StoreSource::pairs_of(const EdgeQuestion& question) const {
  const auto& of = stores_.neighbors[question.edge_type - base_->edge_types().size()];
  const bool csc = of.csc != nullptr;
  const IdSpan& nodes = csc ? question.others : question.ids;
  const IdSpan& neighbors = csc ? question.ids : question.others;
  const UniqueIds unique(nodes);
  const RowsOfType rows = rows_of(question.edge_type, csc ? Layout::kCsc : Layout::kCsr);
  GLS_ASSIGN(const NeighborLists lists, ask_lists(rows, unique.span())());
  // Pairs by node: sorts the neighbours of each asked node once.
  std::vector<std::vector<int64_t>> sorted(lists.counts.size());
  auto begin = lists.neighbors.begin();
  for (size_t i = 0; i < sorted.size(); ++i) {
    const auto end = begin + lists.counts[i];
    sorted[i].assign(begin, end);
    std::sort(sorted[i].begin(), sorted[i].end());
    begin = end;
  }
  std::vector<int64_t> out = unique.numbers();
  for (size_t i = 0; i < out.size(); ++i) {
    const std::vector<int64_t>& list = sorted[static_cast<size_t>(out[i])];
    out[i] = std::binary_search(list.begin(), list.end(), neighbors[static_cast<int64_t>(i)]);
  }
  return vector_tensor(std::move(out), kInt64);
}

// ---- what lies below ---------------------------------------------------------------------------

const PartitionBook* StoreSource::book(bool of_nodes, size_t type) const {
  return below() != nullptr ? below()->book(of_nodes, type) : nullptr;
}

uint32_t StoreSource::parts() const { return below() != nullptr ? below()->parts() : 1; }

std::vector<uint32_t> StoreSource::local_parts() const {
  return below() != nullptr ? below()->local_parts() : std::vector<uint32_t>{0};
}

const SourceServices& StoreSource::services() const {
  return below() != nullptr ? below()->services() : GraphSource::services();
}

// An error of the setting that requires it; rows of stores never do.
Result<bool> StoreSource::lands(bool on_gpu) const {
  if (below() != nullptr) {
    GLS_ASSIGN([[maybe_unused]] const bool lands, below()->lands(on_gpu));
  }
  return false;
}

uint32_t StoreSource::questions_at_once() const {
  uint32_t most = below() != nullptr ? below()->questions_at_once() : 0;
  const auto add = [&most](const std::shared_ptr<Store>& store) {
    most = store != nullptr ? std::max(most, store->options().max_fetches) : most;
  };
  for (const auto* types : {&stores_.node_columns, &stores_.edge_columns}) {
    for (const auto& columns : *types) {
      std::for_each(columns.begin(), columns.end(), add);
    }
  }
  for (const Stores::Neighbors& of : stores_.neighbors) {
    add(of.csc);
    add(of.csr);
  }
  return most;
}

}  // namespace gls
