#include "graph/dataset/dataset_output.h"

#include <utility>

namespace gls {

Result<std::unique_ptr<format::ArrayT>> DatasetOutput::write(
    std::initializer_list<std::string_view> name, const Tensor& tensor, const char* stage) {
  return writer_.write_array(writer_.file_name(name), tensor, false, progress_, stage);
}

Result<std::unique_ptr<format::ColumnT>> DatasetOutput::write_column(const char* kind,
                                                                     const std::string& owner,
                                                                     const Column& column,
                                                                     int copies) {
  auto out = std::make_unique<format::ColumnT>();
  out->name = column.name;
  out->role = static_cast<format::Role>(column.role);
  out->row_shape.assign(column.shape().begin() + 1, column.shape().end());
  out->logical_type = column.logical_type;
  if (column.codebook != nullptr) {
    out->quantized = std::make_unique<format::QuantizedT>();
    out->quantized->bits = static_cast<uint32_t>(column.codebook->bits());
    out->quantized->codebook = column.codebook->values();
  }
  const std::string file = writer_.file_name({kind, owner, "columns", column.name});
  GLS_ASSIGN(out->array, writer_.write_array(file, column.data, pad_rows_, progress_,
                                             "writing columns", copies));
  return out;
}

Result<std::unique_ptr<format::NodeKeysT>> DatasetOutput::write_keys(const std::string& owner,
                                                                     const NodeKeys& keys) {
  constexpr const char* kStage = "writing original ids";
  auto out = std::make_unique<format::NodeKeysT>();
  out->kind = keys.strings ? format::KeyKind::string : format::KeyKind::integer;
  GLS_ASSIGN(out->values, write({"nodes", owner, "keys", "values"}, keys.values, kStage));
  if (keys.strings) {
    GLS_ASSIGN(out->offsets, write({"nodes", owner, "keys", "offsets"}, keys.offsets, kStage));
  }
  if (keys.order.defined()) {
    GLS_ASSIGN(out->order, write({"nodes", owner, "keys", "order"}, keys.order, kStage));
  }
  return out;
}

void DatasetOutput::set_part(const PartNumber& part) {
  manifest_.part = std::make_unique<format::PartT>();
  manifest_.part->number = part.number;
  manifest_.part->parts = part.parts;
  manifest_.part->graph = part.graph;
}

Result<std::unique_ptr<format::WholeT>> DatasetOutput::write_whole(const char* kind,
                                                                   const std::string& owner,
                                                                   const GlobalIds& whole) {
  constexpr const char* kStage = "writing ids of the whole";
  auto out = std::make_unique<format::WholeT>();
  out->count = whole.whole_count();
  out->owned = whole.owned();
  GLS_ASSIGN(out->ids, write({kind, owner, "whole", "ids"}, whole.ids(), kStage));
  GLS_ASSIGN(out->index, write({kind, owner, "whole", "index"}, whole.index(), kStage));
  return out;
}

Status DatasetOutput::add_node_type(const NodeType& type) {
  auto out = std::make_unique<format::NodeTypeT>();
  out->name = type.name;
  out->count = type.count;
  for (const Column& column : type.columns) {
    GLS_ASSIGN(auto written, write_column("nodes", type.name, column, 1));
    out->columns.push_back(std::move(written));
  }
  for (const IdSet& set : type.id_sets) {
    auto written = std::make_unique<format::IdSetT>();
    written->name = set.name;
    GLS_ASSIGN(written->array,
               write({"nodes", type.name, "sets", set.name}, set.ids, "writing id sets"));
    out->id_sets.push_back(std::move(written));
  }
  if (type.keys) {
    GLS_ASSIGN(out->keys, write_keys(type.name, *type.keys));
  }
  if (type.whole) {
    GLS_ASSIGN(out->whole, write_whole("nodes", type.name, *type.whole));
  }
  manifest_.node_types.push_back(std::move(out));
  return {};
}

Result<std::unique_ptr<format::TopologyT>> DatasetOutput::write_topology(
    const Topology& topology, const std::string& edge_type, Layout layout) {
  constexpr const char* kStage = "writing edges";
  const char* const folder = layout == Layout::kCsc ? "csc" : "csr";
  auto out = std::make_unique<format::TopologyT>();
  GLS_ASSIGN(out->indptr,
             write({"edges", edge_type, folder, "indptr"}, topology.indptr_tensor, kStage));
  GLS_ASSIGN(out->indices,
             write({"edges", edge_type, folder, "indices"}, topology.indices_tensor, kStage));
  if (topology.edge_ids != nullptr) {
    GLS_ASSIGN(out->edge_ids,
               write({"edges", edge_type, folder, "edge_ids"}, topology.edge_ids_tensor, kStage));
  }
  return out;
}

format::EdgeTypeT& DatasetOutput::append_edge_type(const EdgeTypeName& name, int64_t count,
                                                   std::unique_ptr<format::TopologyT> csc,
                                                   std::unique_ptr<format::TopologyT> csr) {
  auto out = std::make_unique<format::EdgeTypeT>();
  out->source = name.source;
  out->relation = name.relation;
  out->target = name.target;
  out->count = count;
  out->csc = std::move(csc);
  out->csr = std::move(csr);
  manifest_.edge_types.push_back(std::move(out));
  return *manifest_.edge_types.back();
}

Status DatasetOutput::add_edge_type(const EdgeTypeName& name, int64_t count,
                                    std::unique_ptr<format::TopologyT> csc,
                                    std::unique_ptr<format::TopologyT> csr,
                                    const std::vector<Column>& columns, int column_copies,
                                    const std::optional<GlobalIds>& whole) {
  format::EdgeTypeT& out = append_edge_type(name, count, std::move(csc), std::move(csr));
  for (const Column& column : columns) {
    GLS_ASSIGN(auto written, write_column("edges", name.joined(), column, column_copies));
    out.columns.push_back(std::move(written));
  }
  if (whole) {
    GLS_ASSIGN(out.whole, write_whole("edges", name.joined(), *whole));
  }
  return {};
}

Status DatasetOutput::add_edge_type(const EdgeTypeName& name, int64_t count,
                                    std::unique_ptr<format::TopologyT> csc,
                                    std::unique_ptr<format::TopologyT> csr, size_t columns_of) {
  format::EdgeTypeT& out = append_edge_type(name, count, std::move(csc), std::move(csr));
  for (const auto& column : manifest_.edge_types[columns_of]->columns) {
    out.columns.push_back(std::make_unique<format::ColumnT>(*column));
  }
  return {};
}

format::ManifestT DatasetOutput::take_manifest() {
  DatasetWriter::stamp(&manifest_);
  return std::move(manifest_);
}

Status DatasetOutput::commit() { return writer_.commit(std::move(manifest_)); }

}  // namespace gls
