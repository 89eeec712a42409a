#include "graph/dataset/dataset.h"

#include <algorithm>
#include <span>

#include "base/checksum.h"
#include "base/philox.h"
#include "graph/dataset/unknown_name.h"
#include "system/file_guard.h"
#include "system/memory.h"

namespace gls {
namespace {

const Column* find(const std::vector<Column>& columns, std::string_view name) {
  for (const Column& column : columns) {
    if (column.name == name) {
      return &column;
    }
  }
  return nullptr;
}

Status check_columns(const std::vector<Column>& columns, int64_t rows,
                     const std::optional<GlobalIds>& whole, const std::string& owner) {
  for (const Column& column : columns) {
    const bool beginning =
        whole && column.data.rows() >= whole->owned() && column.data.rows() <= rows;
    if (column.data.rows() != rows && !beginning) {
      return invalid("column \"{}\" of \"{}\" has {} rows, expected {}{}", column.name, owner,
                     column.data.rows(), whole ? formatted("{} to ", whole->owned()) : "", rows)
          .with("column", column.name);
    }
  }
  return {};
}

Status check_keys(const NodeType& type) {
  const NodeKeys& keys = *type.keys;
  const auto bad = [&](const char* what) {
    return corrupt("keys of node type \"{}\": {}", type.name, what).with("type", type.name);
  };
  const auto is_int64 = [](const Tensor& tensor, int64_t rows) {
    return same_dtype(tensor.dtype(), kInt64) && tensor.shape().size() == 1 &&
           tensor.rows() == rows && tensor.contiguous();
  };
  if (keys.order.defined() && !is_int64(keys.order, type.count)) {
    return bad("order is not int64 with one entry per node");
  }
  if (!keys.strings) {
    return is_int64(keys.values, type.count) ? Status()
                                             : bad("values are not int64 with one per node");
  }
  if (!same_dtype(keys.values.dtype(), kUint8) || keys.values.shape().size() != 1) {
    return bad("values are not uint8");
  }
  if (!keys.offsets.defined() || !is_int64(keys.offsets, type.count + 1)) {
    return bad("offsets are not int64 with one entry more than nodes");
  }
  const auto* offsets = keys.offsets.as<int64_t>();
  if (offsets[0] != 0 || offsets[type.count] != keys.values.rows()) {
    return bad("offsets do not cover the values");
  }
  return {};
}

// `name_of(type)` returns the name of a type.
template <typename Type, typename NameOf>
Result<size_t> index_of(const char* name,
                        const std::unordered_map<std::string_view, size_t>& indices,
                        const std::vector<Type>& types, const NameOf& name_of, const char* what) {
  const auto known = [&] {
    std::vector<std::string> out(types.size());
    std::transform(types.begin(), types.end(), out.begin(), name_of);
    return out;
  };
  if (name == nullptr) {
    if (types.size() == 1) {
      return size_t{0};
    }
    return invalid("no {} type was named, and the dataset has {}: {}", what, types.size(),
                   known_names(known()))
        .with("argument", "type");
  }
  const auto found = indices.find(name);
  if (found == indices.end()) {
    return not_found("there is no {} type \"{}\"; the dataset has: {}", what, name,
                     known_names(known(), name))
        .with("type", name);
  }
  return found->second;
}

}  // namespace

Column Column::of_codes(std::string name, int32_t role, Tensor codes,
                        std::shared_ptr<const Codebook> codebook) {
  std::vector<int64_t> shape = {codes.rows(), codebook->width()};
  return {std::move(name), role, std::move(codes), std::move(codebook), std::move(shape)};
}

Column Column::with(Tensor rows) const {
  Column out = *this;
  out.data = std::move(rows);
  if (codebook != nullptr) {
    out.decoded_shape[0] = out.data.rows();
  }
  return out;
}

const Column* NodeType::find_column(std::string_view column) const { return find(columns, column); }
const Column* EdgeType::find_column(std::string_view column) const { return find(columns, column); }

Result<std::shared_ptr<const Dataset>> Dataset::create(std::shared_ptr<Context> context,
                                                       std::vector<NodeType> node_types,
                                                       std::vector<EdgeType> edge_types,
                                                       std::vector<ArrayFile> files,
                                                       std::optional<PartNumber> part,
                                                       std::shared_ptr<const GraphSource> source) {
  if (edge_types.size() >= kMaxEdgeTypes) {
    return error(GLS_ERR_UNSUPPORTED, "{} edge types, the limit is {}", edge_types.size(),
                 kMaxEdgeTypes - 1);
  }
  for (const NodeType& type : node_types) {
    GLS_TRY(check_columns(type.columns, type.count, type.whole, type.name));
    for (const IdSet& set : type.id_sets) {
      Result<IdSpan> ids = IdSpan::of(set.ids, formatted("id set \"{}\"", set.name));
      if (!ids.ok()) {
        return std::move(ids.status());
      }
    }
    if (type.keys) {
      GLS_TRY(check_keys(type));
    }
  }
  for (const EdgeType& type : edge_types) {
    GLS_TRY(check_columns(type.columns, type.count, type.whole, type.joined));
  }
  return std::shared_ptr<const Dataset>(new Dataset(std::move(context), std::move(node_types),
                                                    std::move(edge_types), std::move(files),
                                                    std::move(part), std::move(source)));
}

Status Dataset::check_files() const {
  if (!any_file_damaged()) {
    return {};
  }
  std::vector<Tensor> tensors;
  tensors.reserve(files_.size());
  for (const ArrayFile& file : files_) {
    tensors.push_back(file.data);
  }
  // Columns of a built dataset may be files that the caller mapped.
  const auto add = [&](const std::vector<Column>& columns) {
    for (const Column& column : columns) {
      tensors.push_back(column.data);
    }
  };
  for (const NodeType& type : node_types_) {
    add(type.columns);
    for (const IdSet& set : type.id_sets) {
      tensors.push_back(set.ids);
    }
    if (type.keys) {
      tensors.insert(tensors.end(), {type.keys->values, type.keys->offsets, type.keys->order});
    }
  }
  for (const EdgeType& type : edge_types_) {
    add(type.columns);
    for (const auto* topology : {&type.csc, &type.csr}) {
      if (*topology) {
        const Topology& of = **topology;
        tensors.insert(tensors.end(), {of.indptr_tensor, of.indices_tensor, of.edge_ids_tensor});
      }
    }
  }
  for (const Tensor& tensor : tensors) {
    GLS_TRY(tensor.on_host() ? check_mapped_file(tensor.data()) : Status());
  }
  return {};
}

Status Dataset::need_arrays(const char* what) const {
  if (source_ == nullptr) {
    return {};
  }
  return error(
      GLS_ERR_UNSUPPORTED,
      "{}: arrays of this dataset are in its parts or in stores, not here; open a part, or "
      "merge the parts, to read them",
      what);
}

Status need_ends(const EdgeType& type, const char* argument) {
  if (!type.remote || type.remote->ends) {
    return {};
  }
  return error(GLS_ERR_UNSUPPORTED,
               "{}: the neighbours of \"{}\" are in a store, which does not tell the ends of edges "
               "by their ids; give pairs of nodes",
               argument, type.joined)
      .with("argument", argument)
      .with("type", type.joined);
}

Status need_topology(const EdgeType& type, const char* argument) {
  const auto fetched = [](const std::optional<Topology>& topology) {
    return topology && topology->index != nullptr;
  };
  if (!type.remote && !fetched(type.csc) && !fetched(type.csr)) {
    return {};
  }
  return error(
             GLS_ERR_UNSUPPORTED,
             "{}: the edges of \"{}\" are in parts of the graph or in a store, not here, and this "
             "reads them one by one",
             argument, type.joined)
      .with("argument", argument)
      .with("type", type.joined);
}

Status need_all_rows(const Column& column, int64_t count, std::string_view type,
                     const char* argument) {
  if (!column.is_local()) {
    return error(
               GLS_ERR_UNSUPPORTED,
               "{}: column \"{}\" of \"{}\" is in parts of the graph or in a store, not here, and "
               "this reads it row by row",
               argument, column.name, type)
        .with("argument", argument)
        .with("column", column.name);
  }
  if (column.data.rows() == count) {
    return {};
  }
  return error(
             GLS_ERR_UNSUPPORTED,
             "{}: column \"{}\" of \"{}\" has rows for {} of {} ids, as this is a part of a graph "
             "and the others are kept elsewhere; expected a row for every id",
             argument, column.name, type, column.data.rows(), count)
      .with("argument", argument)
      .with("column", column.name);
}

Result<Tensor> find_id_set(const NodeType& type, std::string_view name, const char* argument) {
  std::vector<std::string> known;
  for (const IdSet& set : type.id_sets) {
    if (set.name == name) {
      return set.ids;
    }
    known.push_back(set.name);
  }
  return not_found("{}: node type \"{}\" has no id set \"{}\"; it has: {}", argument, type.name,
                   name, known_names(known, name))
      .with("argument", argument)
      .with("type", type.name);
}

Result<size_t> Dataset::node_type_index(const char* name) const {
  return index_of(
      name, node_type_of_name_, node_types_, [](const NodeType& type) { return type.name; },
      "node");
}

Result<size_t> Dataset::edge_type_index(const char* name) const {
  return index_of(
      name, edge_type_of_name_, edge_types_, [](const EdgeType& type) { return type.joined; },
      "edge");
}

Result<Dataset::TypeIndex> Dataset::type_index(const char* name) const {
  const bool of_nodes = name == nullptr || std::string_view(name).find("__") == std::string::npos;
  GLS_ASSIGN(const size_t index, of_nodes ? node_type_index(name) : edge_type_index(name));
  return TypeIndex{of_nodes, index};
}

Result<Tensor> Dataset::edge_positions(size_t edge_type, Layout layout) const {
  const EdgeType& type = edge_types_[edge_type];
  GLS_TRY(need_topology(type, "edge ids"));
  const Topology& topology = *type.topology(layout);
  if (topology.edge_ids == nullptr) {
    return Tensor();
  }
  const std::lock_guard lock(positions_mutex_);
  Tensor& slot = positions_[2 * edge_type + static_cast<size_t>(layout)];
  if (slot.defined()) {
    return slot;
  }
  auto block = std::make_shared<PageBlock>(static_cast<size_t>(topology.num_edges) * 8,
                                           context_->huge_pages());
  auto* positions = reinterpret_cast<int64_t*>(block->data());
  // As many ids as edges, in range and without repeats; so no id is missing.
  std::fill_n(positions, topology.num_edges, int64_t{-1});
  for (int64_t at = 0; at < topology.num_edges; ++at) {
    const int64_t id = topology.edge_id(at);
    const bool inside = id >= 0 && id < topology.num_edges;
    if (!inside || positions[id] != -1) {
      const std::string wrong = inside ? formatted("which is at position {} too", positions[id])
                                       : formatted("expected 0 .. {}", topology.num_edges - 1);
      return corrupt("edge type \"{}\": edge id at position {} is {}, {}", type.joined, at, id,
                     wrong)
          .with("type", type.joined)
          .with("offset", std::to_string(at));
    }
    positions[id] = at;
  }
  slot = Tensor(std::move(block), positions, kInt64, {topology.num_edges});
  return slot;
}

Result<std::shared_ptr<const void>> Dataset::keep(
    const std::string& key, uint64_t bytes, uint64_t most_bytes,
    const std::function<Result<std::shared_ptr<const void>>()>& make) const {
  const std::lock_guard lock(kept_mutex_);
  if (const auto found = kept_.find(key); found != kept_.end()) {
    return found->second;
  }
  if (bytes > most_bytes || kept_bytes_ > most_bytes - bytes) {
    return std::shared_ptr<const void>();
  }
  GLS_ASSIGN(std::shared_ptr<const void> made, make());
  if (made != nullptr) {
    kept_.emplace(key, made);
    kept_bytes_ += bytes;
  }
  return made;
}

namespace {

// For fingerprints, which have not changed for columns without codes.
std::string describe(const Column& column) {
  std::string out =
      formatted("c {} {} {}", column.name, dtype_name(column.dtype()), shape_text(column.shape()));
  if (column.codebook != nullptr) {
    const std::span values(column.codebook->values());
    out += formatted(" {} {}", column.codebook->bits(), hash64(std::as_bytes(values)));
  }
  return out + "\n";
}

}  // namespace

uint64_t Dataset::fingerprint() const {
  std::string text;
  for (const NodeType& type : node_types_) {
    text += formatted("n {} {}\n", type.name, type.count);
    for (const Column& column : type.columns) {
      text += describe(column);
    }
  }
  for (const EdgeType& type : edge_types_) {
    text += formatted("e {} {}\n", type.joined, type.count);
    for (const Column& column : type.columns) {
      text += describe(column);
    }
  }
  if (part_) {
    text += formatted("p {} {} {}\n", part_->number, part_->parts, part_->graph);
  }
  return hash64(std::as_bytes(std::span(text)));
}

}  // namespace gls
