// gls import numpy: arrays in `.npy` files.

#include <CLI/CLI.hpp>

#include "import/import.h"
#include "session/arguments.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

using Words = std::vector<std::string>;

struct ImportNumpyOptions {
  OutputOptions output;
  EdgeFlags edge_flags;
  std::vector<Words> edges;
  std::vector<Words> csc;
  std::vector<Words> csr;
  Words nodes;
  Words node_columns;
  Words edge_columns;
  Words id_sets;
};

void add_edge_files(const ImportNumpyOptions& options, ImportPlan& plan) {
  for (const Words& words : options.edges) {
    if (words.empty() || words.size() > 2) {
      throw UsageError(
          formatted("--edges: {} files, expected one of shape [2, edges], or sources and targets",
                    words.size()));
    }
    const TypedFile first = split_edge_file(words[0], options.edge_flags.type);
    if (plan.find_edge(first.type) != nullptr) {
      throw UsageError(formatted("--edges: edge type \"{}\" is given twice", first.type));
    }
    EdgeImport edge;
    edge.type = first.type;
    edge.undirected = options.edge_flags.undirected;
    edge.arrays.push_back(first.file);
    edge.arrays.insert(edge.arrays.end(), words.begin() + 1, words.end());
    plan.edges.push_back(std::move(edge));
  }
}

void add_topologies(const ImportNumpyOptions& options, const std::string& option,
                    gls_layout_t layout, const std::vector<Words>& groups, ImportPlan& plan) {
  for (const Words& words : groups) {
    if (words.size() < 2 || words.size() > 3) {
      throw UsageError(
          formatted("{}: {} files, expected INDPTR INDICES [EDGE_IDS]", option, words.size()));
    }
    if (options.edge_flags.undirected) {
      throw UsageError(formatted("{}: a ready topology cannot be made --undirected", option));
    }
    const TypedFile first = split_edge_file(words[0], options.edge_flags.type);
    EdgeImport* edge = plan.find_edge(first.type);
    if (edge == nullptr) {
      plan.edges.push_back({});
      edge = &plan.edges.back();
      edge->type = first.type;
    } else if (edge->topologies.size() != 1 || edge->topologies.front().layout == layout) {
      throw UsageError(formatted("{}: edge type \"{}\" is given twice", option, first.type));
    }
    edge->topologies.push_back(
        {layout, first.file, words[1], words.size() == 3 ? words[2] : std::string()});
  }
}

// "[type=]count"
void add_node_counts(const ImportNumpyOptions& options, ImportPlan& plan) {
  Words untyped;
  for (const std::string& text : options.nodes) {
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos) {
      untyped.push_back(text);
      continue;
    }
    NodeImport node;
    node.type = text.substr(0, equals);
    node.count = parse_integer("--nodes", text.substr(equals + 1));
    if (plan.find_node(node.type) != nullptr) {
      throw UsageError(formatted("--nodes: node type \"{}\" is given twice", node.type));
    }
    plan.nodes.push_back(std::move(node));
  }
  plan.declare_ends("--nodes");
  for (const std::string& text : untyped) {
    node_meant(plan, "--nodes", "").count = parse_integer("--nodes", text);
  }
}

// "[type:]name[=role]=file"
struct ColumnArgument {
  std::string type;
  ArrayFile array;
};
ColumnArgument parse_column(const std::string& option, const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw UsageError(formatted("{} {}: expected [TYPE:]NAME[=ROLE]=FILE", option, text));
  }
  const Typed typed = split_typed(text.substr(0, equals));
  ColumnArgument out;
  out.type = typed.type;
  out.array.name = typed.rest;
  out.array.file = text.substr(equals + 1);
  const size_t second = out.array.file.find('=');
  if (second != std::string::npos && is_role(out.array.file.substr(0, second))) {
    out.array.role = parse_role(option, out.array.file.substr(0, second));
    out.array.file.erase(0, second + 1);
  }
  return out;
}

ImportPlan make_plan(const ImportNumpyOptions& options) {
  ImportPlan plan;
  add_edge_files(options, plan);
  add_topologies(options, "--csc", GLS_LAYOUT_CSC, options.csc, plan);
  add_topologies(options, "--csr", GLS_LAYOUT_CSR, options.csr, plan);
  if (plan.edges.empty()) {
    throw UsageError("import numpy: give --edges, --csc or --csr");
  }
  add_node_counts(options, plan);
  for (const std::string& text : options.node_columns) {
    const ColumnArgument column = parse_column("--node-column", text);
    node_meant(plan, "--node-column", column.type).columns.push_back(column.array);
  }
  for (const std::string& text : options.edge_columns) {
    const ColumnArgument column = parse_column("--edge-column", text);
    edge_meant(plan, "--edge-column", column.type).columns.push_back(column.array);
  }
  for (const std::string& text : options.id_sets) {
    const ColumnArgument set = parse_column("--id-set", text);
    node_meant(plan, "--id-set", set.type).id_sets.push_back(set.array);
  }
  return plan;
}

}  // namespace

void add_import_numpy(CLI::App& parent, Session& session) {
  CLI::App& command = add_command(parent, "numpy", "Import arrays from .npy files");
  const auto options = std::make_shared<ImportNumpyOptions>();
  command
      .add_option("--edges", options->edges,
                  "[TYPE=]FILE of shape [2, edges], or [TYPE=]SOURCES TARGETS; once per edge type")
      ->type_name("FILE [FILE]");
  command
      .add_option("--csc", options->csc,
                  "[TYPE=]INDPTR INDICES [EDGE_IDS]: a ready topology over targets")
      ->type_name("FILE FILE [FILE]");
  command
      .add_option("--csr", options->csr,
                  "[TYPE=]INDPTR INDICES [EDGE_IDS]: a ready topology over sources")
      ->type_name("FILE FILE [FILE]");
  add_edge_flags(command, options->edge_flags);
  command
      .add_option("--nodes,--num-nodes", options->nodes,
                  "[TYPE=]COUNT: number of nodes, where the arrays do not tell; sets the order of "
                  "types")
      ->type_name("[TYPE=]COUNT")
      ->allow_extra_args(false);
  command
      .add_option("--node-column", options->node_columns,
                  "[TYPE:]NAME[=ROLE]=FILE, one row per node; ROLE: feature (default), label, "
                  "weight, time, other")
      ->type_name("COLUMN")
      ->allow_extra_args(false);
  command
      .add_option("--edge-column", options->edge_columns,
                  "[TYPE:]NAME[=ROLE]=FILE, one row per edge")
      ->type_name("COLUMN")
      ->allow_extra_args(false);
  command.add_option("--id-set", options->id_sets, "[TYPE:]NAME=FILE: a named list of node ids")
      ->type_name("SET")
      ->allow_extra_args(false);
  run_import(command, session, options->output, [options] { return make_plan(*options); });
}

}  // namespace gls::tool
