// A plan as a recipe, for --dry-run.

#include "import/import.h"
#include "session/arguments.h"

namespace gls::tool {
namespace {

void set_text(Json& out, const char* key, const std::string& text) {
  if (!text.empty()) {
    out[key] = text;
  }
}

Json arrays_of(const std::vector<ArrayFile>& files, bool columns) {
  Json out = Json::object();
  for (const ArrayFile& file : files) {
    out[file.name] = {{"file", file.file}};
    if (columns) {
      out[file.name]["role"] = role_name(file.role);
    }
  }
  return out;
}

Json text_of(const TextFile& text, const char* source) {
  Json out = {{"file", text.file}};
  set_text(out, source, text.source_field);
  set_text(out, "target", text.target_field);
  if (text.delimiter != '\0') {
    out["delimiter"] = text.delimiter == '\t' ? std::string("tab") : std::string(1, text.delimiter);
  }
  if (text.comment != '\0') {
    out["comment"] =
        text.comment == GLS_COMMENT_NONE ? std::string("none") : std::string(1, text.comment);
  }
  out["header"] = header_name(text.header);
  out["encoding"] = encoding_name(text.encoding);
  out["ragged"] = text.ragged;
  for (const TextField& field : text.columns) {
    Json column = {{"field", field.field}, {"dtype", field.dtype}, {"role", role_name(field.role)}};
    set_text(column, "name", field.name);
    out["columns"].push_back(column);
  }
  return out;
}

Json table_of(const TableSource& table, const char* source) {
  Json out = {{"files", table.path}};
  set_text(out, source, table.source_field);
  set_text(out, "target", table.target_field);
  Json columns = Json::array();
  for (const TableField& field : table.fields) {
    if (field.use == GLS_ARROW_SPLIT) {
      out["splits"].push_back(field.field);
      continue;
    }
    Json column = {{"field", field.field}};
    set_text(column, "name", field.name);
    if (field.use == GLS_ARROW_ID_SET) {
      out["sets"].push_back(column);
      continue;
    }
    column["role"] = role_name(field.role);
    columns.push_back(column);
  }
  if (!table.all_fields) {
    out["columns"] = columns;
  }
  return out;
}

Json topology_of(const TopologyFiles& files) {
  Json out = {{"indptr", files.indptr}, {"indices", files.indices}};
  set_text(out, "edge_ids", files.edge_ids);
  return out;
}

Json node_of(const NodeImport& node) {
  Json out = Json::object();
  if (node.count > 0) {
    out["count"] = node.count;
  }
  if (node.ids != kFoundIds) {
    out["ids"] = ids_name(node.ids);
  }
  if (node.text) {
    out["text"] = text_of(*node.text, "key");
  }
  if (node.table) {
    out["table"] = table_of(*node.table, "key");
  }
  out["columns"] = arrays_of(node.columns, true);
  out["sets"] = arrays_of(node.id_sets, false);
  return out;
}

Json edge_of(const EdgeImport& edge) {
  Json out = Json::object();
  if (!edge.arrays.empty()) {
    out["arrays"] = edge.arrays;
  }
  if (edge.text) {
    out["text"] = text_of(*edge.text, "source");
  }
  if (edge.table) {
    out["table"] = table_of(*edge.table, "source");
  }
  for (const TopologyFiles& files : edge.topologies) {
    out[files.layout == GLS_LAYOUT_CSC ? "csc" : "csr"] = topology_of(files);
  }
  out["undirected"] = edge.undirected;
  out["columns"] = arrays_of(edge.columns, true);
  return out;
}

}  // namespace

Json recipe_of(const ImportPlan& plan) {
  Json out = {{"nodes", Json::object()}, {"edges", Json::object()}};
  for (const NodeImport& node : plan.nodes) {
    out["nodes"][node.type] = node_of(node);
  }
  for (const EdgeImport& edge : plan.edges) {
    out["edges"][edge.type] = edge_of(edge);
  }
  return out;
}

}  // namespace gls::tool
