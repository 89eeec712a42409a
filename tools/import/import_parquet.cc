// gls import parquet: tables of Parquet or Arrow files, one for each node or edge type.

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/nearest_name.h"
#include "import/import.h"
#include "session/arguments.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

using Words = std::vector<std::string>;

struct ImportParquetOptions {
  OutputOptions output;
  Words nodes;
  Words edges;
  Words ids;
  Words counts;
  bool undirected = false;
};

constexpr const char* kExample =
    "expected TYPE=PATH[:WHAT=FIELD,...], for example "
    "\"user=users/*.parquet:key=user_id,label=churned\"";

// "FIELD" or "FIELD->NAME".
TableField named_field(const std::string& text) {
  TableField out;
  const size_t arrow = text.find("->");
  out.field = text.substr(0, arrow);
  out.name = arrow == std::string::npos ? std::string() : text.substr(arrow + 2);
  return out;
}

// One "WHAT=FIELD" of a table.
void add_word(const std::string& option, const std::string& word, bool edges, TableSource* table) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals + 1 == word.size()) {
    throw UsageError(formatted("{}: \"{}\": {}", option, word, kExample));
  }
  const std::string what = word.substr(0, equals);
  const std::string field = word.substr(equals + 1);
  if (what == (edges ? "src" : "key")) {
    table->source_field = field;
  } else if (edges && what == "dst") {
    table->target_field = field;
  } else if (is_role(what)) {
    table->fields.push_back(named_field(field));
    table->fields.back().role = parse_role(option, what);
  } else if (!edges && (what == "split" || what == "set")) {
    table->fields.push_back(named_field(field));
    table->fields.back().use = what == "set" ? GLS_ARROW_ID_SET : GLS_ARROW_SPLIT;
  } else {
    Words known = {"feature", "label", "weight", "time", "other"};
    const Words more = edges ? Words{"src", "dst"} : Words{"key", "split", "set"};
    known.insert(known.end(), more.begin(), more.end());
    std::string all;
    for (const std::string& name : known) {
      all += (all.empty() ? "" : ", ") + name;
    }
    throw UsageError(
        formatted("{}: \"{}\" is none of {}{}", option, what, all, did_you_mean(what, known)));
  }
}

// "TYPE=PATH[:WHAT=FIELD,...]"
struct TypedTable {
  std::string type;
  TableSource table;
};
TypedTable parse_table(const std::string& option, const std::string& text, bool edges) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw UsageError(formatted("{}: \"{}\": {}", option, text, kExample));
  }
  TypedTable out;
  out.type = text.substr(0, equals);
  std::string path = text.substr(equals + 1);
  // Folders may be named "day=2024-01-01", and paths may hold ':'.
  const size_t colon = path.rfind(':');
  if (colon != std::string::npos && path.find('/', colon) == std::string::npos) {
    for (const std::string& word : split(path.substr(colon + 1), ',')) {
      add_word(option, word, edges, &out.table);
    }
    path.resize(colon);
  }
  if (path.empty()) {
    throw UsageError(formatted("{}: \"{}\" names no files; {}", option, text, kExample));
  }
  out.table.path = path;
  const auto is_column = [](const TableField& field) { return field.use == GLS_ARROW_COLUMN; };
  out.table.all_fields = std::none_of(out.table.fields.begin(), out.table.fields.end(), is_column);
  return out;
}

void add_nodes(const ImportParquetOptions& options, ImportPlan& plan) {
  for (const std::string& text : options.nodes) {
    TypedTable parsed = parse_table("--nodes", text, false);
    if (plan.find_node(parsed.type) != nullptr) {
      throw UsageError(formatted("--nodes: node type \"{}\" is given twice", parsed.type));
    }
    NodeImport& node = plan.nodes.emplace_back();
    node.type = parsed.type;
    node.table = std::move(parsed.table);
  }
}

void add_edges(const ImportParquetOptions& options, ImportPlan& plan) {
  for (const std::string& text : options.edges) {
    TypedTable parsed = parse_table("--edges", text, true);
    if (!is_edge_type(parsed.type)) {
      throw UsageError(
          formatted("--edges: \"{}\" is not of the form source__relation__target", parsed.type));
    }
    if (plan.find_edge(parsed.type) != nullptr) {
      throw UsageError(formatted("--edges: edge type \"{}\" is given twice", parsed.type));
    }
    if (parsed.table.source_field.empty() || parsed.table.target_field.empty()) {
      throw UsageError(formatted(
          "--edges: \"{}\": name the fields of both ends, as in src=user_id,dst=item_id", text));
    }
    EdgeImport& edge = plan.edges.emplace_back();
    edge.type = parsed.type;
    edge.table = std::move(parsed.table);
    edge.undirected = options.undirected;
  }
}

ImportPlan make_plan(const ImportParquetOptions& options) {
  ImportPlan plan;
  add_nodes(options, plan);
  add_edges(options, plan);
  plan.declare_ends("--nodes");
  for (NodeImport& node : plan.nodes) {
    node.ids = kFoundIds;
  }
  add_id_kinds(options.ids, plan);
  add_counts(options.counts, plan);
  return plan;
}

}  // namespace

void add_import_parquet(CLI::App& parent, Session& session) {
  CLI::App& command = add_command(
      parent, "parquet", "Import tables of Parquet or Arrow files, one for each node or edge type");
  const auto options = std::make_shared<ImportParquetOptions>();
  const auto repeated = [&](const char* name, Words& values, const char* help) {
    return command.add_option(name, values, help)->allow_extra_args(false);
  };
  repeated(
      "--nodes", options->nodes,
      "TYPE=PATH[:WHAT=FIELD,...]: the nodes of a type, one a row. PATH is a file, a folder or "
      "a pattern such as \"users/*.parquet\". WHAT is key (what edges call the node), split "
      "(a text that becomes id sets), set (a bool that becomes an id set), or the role of a "
      "column: feature, label, weight, time, other. FIELD may be FIELD->NAME. Without columns "
      "all other fields are features")
      ->type_name("TABLE");
  repeated(
      "--edges", options->edges,
      "TYPE=PATH:src=FIELD,dst=FIELD[,WHAT=FIELD,...]: the edges of a type, one a row; WHAT is "
      "the role of a column")
      ->type_name("TABLE")
      ->required();
  command.add_flag("--undirected", options->undirected, "Store each edge in both directions");
  repeated(
      "--ids", options->ids,
      "[TYPE=]KIND: what the tables call nodes: dense (0, 1, ...), integer or string; default: "
      "string for text, else dense")
      ->type_name("KIND");
  repeated("--num-nodes", options->counts,
           "[TYPE=]COUNT: number of nodes of a type with dense ids; default: by the largest id")
      ->type_name("[TYPE=]COUNT");
  run_import(command, session, options->output, [options] { return make_plan(*options); });
}

}  // namespace gls::tool
