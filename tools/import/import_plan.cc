#include "import/import_plan.h"

#include <memory>
#include <set>
#include <utility>

#include "base/nearest_name.h"
#include "session/arguments.h"
#include "session/tensor_io.h"
#include "terminal/progress.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

// gls_text_options_t and the data that it points to.
class TextOptions {
 public:
  TextOptions(const TextFile& file, bool undirected) {
    for (const TextField& column : file.columns) {
      columns_.push_back({column.field.c_str(), detail::or_null(column.name), column.dtype.c_str(),
                          column.role, 0});
    }
    options_.delimiter = file.delimiter;
    options_.comment = file.comment;
    options_.header = file.header;
    options_.source_field = detail::or_null(file.source_field);
    options_.target_field = detail::or_null(file.target_field);
    options_.columns = columns_.data();
    options_.num_columns = columns_.size();
    options_.flags = (undirected ? uint32_t{GLS_EDGES_ADD_REVERSE} : 0u) |
                     (file.ragged ? uint32_t{GLS_TEXT_RAGGED} : 0u);
    options_.encoding = file.encoding;
  }
  const gls_text_options_t& get() const { return options_; }

 private:
  std::vector<gls_text_column_t> columns_;
  gls_text_options_t options_ = GLS_TEXT_OPTIONS_INIT;
};

// gls_arrow_options_t and the data that it points to.
class ArrowOptions {
 public:
  ArrowOptions(const TableSource& table, bool undirected) {
    for (const TableField& field : table.fields) {
      columns_.push_back({field.field.c_str(), detail::or_null(field.name), nullptr, nullptr,
                          nullptr, field.role, field.use});
    }
    options_.source_field = detail::or_null(table.source_field);
    options_.target_field = detail::or_null(table.target_field);
    options_.columns = columns_.data();
    options_.num_columns = columns_.size();
    options_.flags = (undirected ? uint32_t{GLS_EDGES_ADD_REVERSE} : 0u) |
                     (table.all_fields ? uint32_t{GLS_ARROW_ALL_FIELDS} : 0u);
    options_.label = table.path.c_str();
  }
  const gls_arrow_options_t& get() const { return options_; }

 private:
  std::vector<gls_arrow_column_t> columns_;
  gls_arrow_options_t options_ = GLS_ARROW_OPTIONS_INIT;
};

// Only the fields that are needed are read.
ArrowStream open_table(const Context& context, const TableSource& table) {
  std::set<std::string> fields;
  if (!table.all_fields) {
    for (const std::string& end : {table.source_field, table.target_field}) {
      if (!end.empty()) {
        fields.insert(end);
      }
    }
    for (const TableField& field : table.fields) {
      fields.insert(field.field);
    }
  }
  return ArrowStream(context, {table.path}, {fields.begin(), fields.end()});
}

void add_edge_arrays(const EdgeImport& edge, Builder& builder) {
  const uint32_t flags = edge.undirected ? GLS_EDGES_ADD_REVERSE : 0;
  if (edge.arrays.size() == 2) {
    builder.add_edges(edge.type, Tensor::map_npy(edge.arrays[0]), Tensor::map_npy(edge.arrays[1]),
                      flags);
    return;
  }
  const std::string& file = edge.arrays.front();
  const auto matrix = std::make_shared<Tensor>(Tensor::map_npy(file));
  const DLTensor& view = matrix->view();
  if (view.ndim != 2 || view.shape[0] != 2) {
    throw Failure(formatted("{}: the shape is [{}], expected [2, edges]: sources, then targets",
                            file, shape_text(view.shape, view.ndim)),
                  file);
  }
  builder.add_edges(edge.type, row_of(*matrix, 0, matrix), row_of(*matrix, 1, matrix), flags);
}

void add_edge_type(const Context& context, const EdgeImport& edge, Builder& builder) {
  if (!edge.arrays.empty()) {
    add_edge_arrays(edge, builder);
  } else if (edge.text) {
    builder.add_edges_text(edge.type, edge.text->file,
                           TextOptions(*edge.text, edge.undirected).get());
  } else if (edge.table) {
    ArrowStream stream = open_table(context, *edge.table);
    builder.add_edges_arrow(edge.type, stream.get(),
                            ArrowOptions(*edge.table, edge.undirected).get());
  }
  for (const TopologyFiles& files : edge.topologies) {
    builder.add_topology(edge.type, files.layout, Tensor::map_npy(files.indptr),
                         Tensor::map_npy(files.indices),
                         files.edge_ids.empty() ? Tensor() : Tensor::map_npy(files.edge_ids));
  }
  for (const ArrayFile& column : edge.columns) {
    builder.add_edge_column(edge.type, column.name, column.role, Tensor::map_npy(column.file));
  }
}

void warn(const std::string& text) { print_stderr_line("gls: warning: " + printable(text)); }

}  // namespace

std::vector<std::string> node_names(const std::vector<NodeImport>& nodes) {
  std::vector<std::string> out;
  for (const NodeImport& node : nodes) {
    out.push_back(node.type);
  }
  return out;
}

NodeImport* ImportPlan::find_node(const std::string& type) {
  for (NodeImport& node : nodes) {
    if (node.type == type) {
      return &node;
    }
  }
  return nullptr;
}

EdgeImport* ImportPlan::find_edge(const std::string& type) {
  for (EdgeImport& edge : edges) {
    if (edge.type == type) {
      return &edge;
    }
  }
  return nullptr;
}

void ImportPlan::declare_ends(const std::string& declared_by) {
  const std::vector<std::string> declared = node_names(nodes);
  std::set<std::string> used;
  for (const EdgeImport& edge : edges) {
    const EdgeTypeParts parts = split_edge_type("edge type", edge.type);
    for (const std::string& end : {parts.source, parts.target}) {
      used.insert(end);
      if (find_node(end) != nullptr) {
        continue;
      }
      const std::string nearest = nearest_name(end, declared);
      if (!nearest.empty()) {
        throw UsageError(
            formatted("edge type \"{}\" names the node type \"{}\"; did you mean \"{}\"? If not, "
                      "declare \"{}\" by {}, too",
                      edge.type, end, nearest, end, declared_by));
      }
      const std::string similar = nearest_name(end, node_names(nodes));
      if (!similar.empty()) {
        warn(formatted("edge type \"{}\" names the node type \"{}\", and others name \"{}\"",
                       edge.type, end, similar));
      }
      nodes.push_back({});
      nodes.back().type = end;
    }
  }
  for (const std::string& type : declared) {
    if (!used.contains(type)) {
      warn(formatted("no edge type names the node type \"{}\"", type));
    }
  }
}

void add_to_builder(const Context& context, const ImportPlan& plan, Builder& builder) {
  for (const NodeImport& node : plan.nodes) {
    if (node.ids != kFoundIds) {
      builder.add_node_type(node.type, node.count, node.ids);
    } else if (node.count > 0) {
      builder.add_node_type(node.type, node.count);
    }
    if (node.table) {
      ArrowStream stream = open_table(context, *node.table);
      builder.add_nodes_arrow(node.type, stream.get(), ArrowOptions(*node.table, false).get());
    }
    if (node.text) {
      builder.add_nodes_text(node.type, node.text->file, TextOptions(*node.text, false).get());
    }
  }
  for (const EdgeImport& edge : plan.edges) {
    add_edge_type(context, edge, builder);
  }
  for (const NodeImport& node : plan.nodes) {
    for (const ArrayFile& column : node.columns) {
      builder.add_node_column(node.type, column.name, column.role, Tensor::map_npy(column.file));
    }
    for (const ArrayFile& id_set : node.id_sets) {
      builder.add_id_set(node.type, id_set.name, Tensor::map_npy(id_set.file));
    }
  }
}

}  // namespace gls::tool
