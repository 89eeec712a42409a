#include "describe.h"

#include <filesystem>
#include <utility>

#include "arguments.h"
#include "format.h"
#include "table.h"
#include "tensor_io.h"
#include "text.h"

namespace gls::tool {
namespace {

namespace fs = std::filesystem;
using Align = Table::Align;

struct LayoutArrays {
  const char* name;
  uint32_t bit;
  int32_t indptr;
  int32_t indices;
  int32_t edge_ids;
};
constexpr LayoutArrays kLayouts[] = {
    {"csc", GLS_LAYOUT_CSC, GLS_ARRAY_CSC_INDPTR, GLS_ARRAY_CSC_INDICES, GLS_ARRAY_CSC_EDGE_IDS},
    {"csr", GLS_LAYOUT_CSR, GLS_ARRAY_CSR_INDPTR, GLS_ARRAY_CSR_INDICES, GLS_ARRAY_CSR_EDGE_IDS}};

Json describe_column(const gls_column_info_t& column) {
  Json shape = Json::array();
  for (int32_t i = 0; i < column.ndim; ++i) {
    shape.push_back(column.shape[i]);
  }
  Json out = {{"name", column.name},
              {"role", role_name(column.role)},
              {"dtype", dtype_name(column.dtype)},
              {"shape", std::move(shape)},
              {"row_stride", column.row_stride},
              {"bytes", column.shape[0] * column.row_stride}};
  if (column.bits != 0) {
    out["bits"] = column.bits;  // for stored codes
  }
  return out;
}

Json describe_node_type(const Dataset& dataset, const gls_node_type_info_t& type) {
  Json columns = Json::array();
  for (size_t i = 0; i < type.num_columns; ++i) {
    columns.push_back(describe_column(dataset.node_column(type.name, i)));
  }
  Json id_sets = Json::array();
  for (size_t i = 0; i < type.num_id_sets; ++i) {
    const gls_id_set_info_t set = dataset.id_set(type.name, i);
    id_sets.push_back({{"name", set.name}, {"num_ids", set.num_ids}});
  }
  Json out = {{"name", type.name},
              {"num_nodes", type.num_nodes},
              {"has_keys", type.has_keys != 0},
              {"columns", std::move(columns)},
              {"id_sets", std::move(id_sets)}};
  if (type.has_keys != 0 && type.num_nodes > 0) {
    out["first_key"] = dataset.node_key(type.name, 0);
    out["last_key"] = dataset.node_key(type.name, type.num_nodes - 1);
  }
  return out;
}

// The arrays of a served graph are on the servers.
bool is_served(const std::string& path) { return path.starts_with("gls://"); }

Json describe_layout(const Dataset& dataset, const char* type, const LayoutArrays& layout) {
  uint64_t bytes = tensor_bytes(dataset.tensor(layout.indptr, type, "")) +
                   tensor_bytes(dataset.tensor(layout.indices, type, ""));
  bool has_edge_ids = true;
  try {
    bytes += tensor_bytes(dataset.tensor(layout.edge_ids, type, ""));
  } catch (const Error& error) {
    if (error.status() != GLS_ERR_NOT_FOUND) {
      throw;
    }
    has_edge_ids = false;
  }
  return {{"layout", layout.name}, {"edge_ids", has_edge_ids}, {"bytes", bytes}};
}

Json describe_edge_type(const Dataset& dataset, const gls_edge_type_info_t& type, bool here) {
  Json layouts = Json::array();
  for (const LayoutArrays& layout : kLayouts) {
    if ((type.layouts & layout.bit) != 0) {
      layouts.push_back(here ? describe_layout(dataset, type.name, layout)
                             : Json{{"layout", layout.name}});
    }
  }
  Json columns = Json::array();
  for (size_t i = 0; i < type.num_columns; ++i) {
    columns.push_back(describe_column(dataset.edge_column(type.name, i)));
  }
  return {{"name", type.name},
          {"source", type.source},
          {"relation", type.relation},
          {"target", type.target},
          {"num_edges", type.num_edges},
          {"index_bits", type.index_bits},
          {"layouts", std::move(layouts)},
          {"columns", std::move(columns)}};
}

std::pair<uint64_t, uint64_t> files_and_bytes(const std::string& folder) {
  uint64_t files = 0;
  uint64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      ++files;
      bytes += entry.file_size();
    }
  }
  return {files, bytes};
}

std::string count_cell(const Json& value) { return format_count(value.get<int64_t>()); }
std::string bytes_cell(const Json& value) { return format_bytes(value.get<uint64_t>()); }

std::string keys_cell(const Json& type) {
  if (!type.at("has_keys").get<bool>()) {
    return "-";
  }
  return type.contains("first_key") ? formatted("{} .. {}", type.at("first_key").get<std::string>(),
                                                type.at("last_key").get<std::string>())
                                    : "yes";
}

std::string node_table(const Json& description) {
  Table table({{"node type", Align::kLeft}, {"nodes", Align::kRight}, {"keys", Align::kLeft}});
  for (const Json& type : description.at("node_types")) {
    table.add({type.at("name"), count_cell(type.at("num_nodes")), keys_cell(type)});
  }
  return table.text();
}

std::string edge_table(const Json& description) {
  Table table({{"edge type", Align::kLeft},
               {"edges", Align::kRight},
               {"layout", Align::kLeft},
               {"indices", Align::kLeft},
               {"edge ids", Align::kLeft},
               {"size", Align::kRight}});
  for (const Json& type : description.at("edge_types")) {
    std::string name = type.at("name");
    std::string count = count_cell(type.at("num_edges"));
    for (const Json& layout : type.at("layouts")) {
      table.add({std::exchange(name, ""), std::exchange(count, ""), layout.at("layout"),
                 formatted("int{}", type.at("index_bits").get<int>()),
                 !layout.contains("edge_ids")        ? "-"
                 : layout.at("edge_ids").get<bool>() ? "stored"
                                                     : "positions",
                 layout.contains("bytes") ? bytes_cell(layout.at("bytes")) : "-"});
    }
  }
  return table.text();
}

void add_column_rows(const Json& types, Table& table) {
  for (const Json& type : types) {
    for (const Json& column : type.at("columns")) {
      std::vector<int64_t> shape = column.at("shape");
      table.add({type.at("name"), column.at("name"), column.at("role"), column.at("dtype"),
                 shape_text(shape.data(), static_cast<int32_t>(shape.size())),
                 format_count(column.at("row_stride")), bytes_cell(column.at("bytes"))});
    }
  }
}

std::string column_table(const Json& description) {
  Table table({{"type", Align::kLeft},
               {"column", Align::kLeft},
               {"role", Align::kLeft},
               {"dtype", Align::kLeft},
               {"shape", Align::kLeft},
               {"bytes per row", Align::kRight},
               {"size", Align::kRight}});
  add_column_rows(description.at("node_types"), table);
  add_column_rows(description.at("edge_types"), table);
  return table.empty() ? std::string() : "\n" + table.text();
}

std::string set_table(const Json& description) {
  Table table({{"node type", Align::kLeft}, {"id set", Align::kLeft}, {"ids", Align::kRight}});
  for (const Json& type : description.at("node_types")) {
    for (const Json& set : type.at("id_sets")) {
      table.add({type.at("name"), set.at("name"), count_cell(set.at("num_ids"))});
    }
  }
  return table.empty() ? std::string() : "\n" + table.text();
}

}  // namespace

Json describe_dataset(const Dataset& dataset, const std::string& place) {
  Json node_types = Json::array();
  for (const gls_node_type_info_t& type : dataset.node_types()) {
    node_types.push_back(describe_node_type(dataset, type));
  }
  Json edge_types = Json::array();
  for (const gls_edge_type_info_t& type : dataset.edge_types()) {
    edge_types.push_back(describe_edge_type(dataset, type, !is_served(place)));
  }
  Json out = {{"path", place}};
  if (!is_served(place)) {
    const auto [files, bytes] = files_and_bytes(place);
    out["files"] = files;
    out["bytes"] = bytes;
  }
  out["node_types"] = std::move(node_types);
  out["edge_types"] = std::move(edge_types);
  return out;
}

std::string describe_in_tables(const Json& description) {
  return describe_briefly(description) + "\n\n" + node_table(description) + "\n" +
         edge_table(description) + column_table(description) + set_table(description);
}

std::string describe_briefly(const Json& description) {
  int64_t nodes = 0;
  for (const Json& type : description.at("node_types")) {
    nodes += type.at("num_nodes").get<int64_t>();
  }
  int64_t edges = 0;
  for (const Json& type : description.at("edge_types")) {
    edges += type.at("num_edges").get<int64_t>();
  }
  const std::string counts =
      formatted("{}: {} nodes, {} edges", printable(description.at("path").get<std::string>()),
                format_count(nodes), format_count(edges));
  return !description.contains("files")
             ? counts
             : formatted("{}, {} in {} files", counts, bytes_cell(description.at("bytes")),
                         description.at("files").get<uint64_t>());
}

}  // namespace gls::tool
