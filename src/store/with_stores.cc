#include "store/with_stores.h"

#include <limits>
#include <string>
#include <utility>

#include "store/store_source.h"

namespace gls {
namespace {

Status taken(std::string what) {
  return error(GLS_ERR_ALREADY_EXISTS, "stores: the dataset has {} already", what)
      .with("argument", "stores");
}

// The types of a dataset, while stores are added.
class Adding {
 public:
  explicit Adding(const Dataset& base)
      : base_(base), nodes_(base.node_types()), edges_(base.edge_types()) {
    stores_.node_columns.resize(nodes_.size());
    stores_.edge_columns.resize(edges_.size());
  }

  Status add(const std::shared_ptr<NeighborStore>& store);
  Status add(const std::shared_ptr<ColumnStore>& store);

  Result<std::shared_ptr<const Dataset>> make(std::shared_ptr<const Dataset> base) && {
    const std::shared_ptr<Context> context = base->context();
    std::vector<ArrayFile> files = base->files();
    auto source = std::make_shared<StoreSource>(std::move(base), std::move(stores_));
    return Dataset::create(context, std::move(nodes_), std::move(edges_), std::move(files), {},
                           std::move(source));
  }

 private:
  Result<size_t> node_type(const std::string& name) const {
    return base_.node_type_index(name.empty() ? nullptr : name.c_str());
  }
  size_t find_edge_type(const std::string& name) const {
    size_t t = 0;
    while (t < edges_.size() && edges_[t].joined != name) {
      ++t;
    }
    return t;
  }

  const Dataset& base_;
  std::vector<NodeType> nodes_;
  std::vector<EdgeType> edges_;
  StoreSource::Stores stores_;
};

Status Adding::add(const std::shared_ptr<NeighborStore>& store) {
  const NeighborStore::Spec& spec = store->spec();
  if (base_.source() != nullptr) {
    return error(GLS_ERR_UNSUPPORTED,
                 "stores: {} needs a dataset whose arrays are here, and this one is in parts, on "
                 "servers, or has stores",
                 store->name())
        .with("argument", "stores");
  }
  const std::string joined = spec.type.joined();
  const size_t at = find_edge_type(joined);
  if (at < base_.edge_types().size()) {
    return taken(formatted("the neighbours of \"{}\"", joined));
  }
  if (at == edges_.size()) {
    EdgeType type;
    type.name = spec.type;
    type.joined = joined;
    GLS_ASSIGN(type.source, node_type(spec.type.source));
    GLS_ASSIGN(type.target, node_type(spec.type.target));
    type.count = spec.num_edges;
    type.remote.emplace().ends = false;
    edges_.push_back(std::move(type));
    stores_.edge_columns.emplace_back();
    stores_.neighbors.push_back({nullptr, nullptr, edges_.back().source, edges_.back().target});
  }
  EdgeType& type = edges_[at];
  if (type.count != spec.num_edges) {
    return invalid("stores: \"{}\" has {} edges in one store and {} in another", joined, type.count,
                   spec.num_edges)
        .with("argument", "stores");
  }
  StoreSource::Stores::Neighbors& of = stores_.neighbors[at - base_.edge_types().size()];
  const bool csc = spec.layout == Layout::kCsc;
  std::shared_ptr<NeighborStore>& place = csc ? of.csc : of.csr;
  if (place != nullptr) {
    return taken(formatted("the layout {} of \"{}\"", csc ? "csc" : "csr", joined));
  }
  place = store;
  (csc ? type.remote->csc : type.remote->csr) = true;
  type.remote->edge_ids = type.remote->edge_ids && spec.edge_ids;
  type.remote->wide_indices =
      type.remote->wide_indices ||
      nodes_[csc ? type.source : type.target].count > std::numeric_limits<int32_t>::max();
  return {};
}

Status Adding::add(const std::shared_ptr<ColumnStore>& store) {
  const ColumnStore::Spec& spec = store->spec();
  const bool of_edges = spec.type.find("__") != std::string::npos;
  size_t at = 0;
  if (of_edges) {
    at = find_edge_type(spec.type);
    if (at == edges_.size()) {
      GLS_ASSIGN(at, base_.edge_type_index(spec.type.c_str()));  // an error
    }
  } else {
    GLS_ASSIGN(at, node_type(spec.type));
  }
  const std::string& type = of_edges ? edges_[at].joined : nodes_[at].name;
  std::vector<Column>& columns = of_edges ? edges_[at].columns : nodes_[at].columns;
  for (const Column& column : columns) {
    if (column.name == spec.name) {
      return taken(formatted("the column \"{}\" of \"{}\"", spec.name, type));
    }
  }
  std::vector<int64_t> shape = spec.row_shape;
  shape.insert(shape.begin(), of_edges ? edges_[at].count : nodes_[at].count);
  columns.push_back({spec.name, spec.role, Tensor(nullptr, nullptr, spec.dtype, std::move(shape))});
  (of_edges ? stores_.edge_columns : stores_.node_columns)[at].push_back(store);
  return {};
}

}  // namespace

Result<std::shared_ptr<const Dataset>> with_stores(
    const std::shared_ptr<const Dataset>& base, const std::vector<std::shared_ptr<Store>>& stores) {
  if (base->part()) {
    return error(GLS_ERR_UNSUPPORTED,
                 "stores: the dataset is a part of a graph; open the folder of all parts")
        .with("argument", "dataset");
  }
  Adding adding(*base);
  // Edge types come first, because columns may belong to them.
  for (const auto& store : stores) {
    if (auto neighbors = std::dynamic_pointer_cast<NeighborStore>(store)) {
      GLS_TRY(adding.add(neighbors));
    }
  }
  for (const auto& store : stores) {
    if (auto column = std::dynamic_pointer_cast<ColumnStore>(store)) {
      GLS_TRY(adding.add(column));
    }
  }
  return std::move(adding).make(base);
}

}  // namespace gls
