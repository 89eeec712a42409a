// gls import text: delimited files with one edge or node per line.

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "import/import.h"
#include "session/arguments.h"
#include "session/tensor_io.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

using Words = std::vector<std::string>;

bool exists(const std::string& file) {
  std::error_code ec;
  return std::filesystem::exists(file, ec);
}

struct ImportTextOptions {
  OutputOptions output;
  EdgeFlags edge_flags;
  Words edges;
  Words nodes;
  Words ids;
  Words counts;
  std::string source_field;
  std::string target_field;
  std::string key_field;
  std::string delimiter;
  std::string comment;
  std::string header = "detect";
  std::string encoding = "detect";
  bool ragged = false;
  Words columns;
  Words node_columns;
};

// "field[:name]:dtype[:role]"
TextField parse_field(const std::string& option, const std::string& text) {
  Words parts = split(text, ':');
  TextField out;
  if (parts.size() >= 3 && is_role(parts.back()) && is_dtype_name(parts[parts.size() - 2])) {
    out.role = parse_role(option, parts.back());
    parts.pop_back();
  }
  if ((parts.size() != 2 && parts.size() != 3) || !is_dtype_name(parts.back())) {
    throw UsageError(formatted(
        "{} {}: expected FIELD[:NAME]:DTYPE[:ROLE], for example \"#2:weight:float32:weight\"",
        option, text));
  }
  out.field = parts.front();
  out.dtype = parts.back();
  out.name = parts.size() == 3 ? parts[1] : std::string();
  return out;
}

TextFile text_file(const ImportTextOptions& options, const std::string& file) {
  TextFile out;
  out.file = file;
  out.delimiter =
      options.delimiter.empty() ? '\0' : parse_character("--delimiter", options.delimiter);
  out.comment = options.comment.empty() ? '\0' : parse_comment("--comment", options.comment);
  out.header = parse_header("--header", options.header);
  out.encoding = parse_encoding("--encoding", options.encoding);
  out.ragged = options.ragged;
  return out;
}

void add_edge_files(const ImportTextOptions& options, ImportPlan& plan) {
  for (const std::string& text : options.edges) {
    const TypedFile typed = split_edge_file(text, options.edge_flags.type);
    if (plan.find_edge(typed.type) != nullptr) {
      throw UsageError(formatted("--edges: edge type \"{}\" is given twice", typed.type));
    }
    EdgeImport edge;
    edge.type = typed.type;
    edge.undirected = options.edge_flags.undirected;
    edge.text = text_file(options, typed.file);
    edge.text->source_field = options.source_field;
    edge.text->target_field = options.target_field;
    for (const std::string& column : options.columns) {
      edge.text->columns.push_back(parse_field("--column", column));
    }
    plan.edges.push_back(std::move(edge));
  }
}

// "[type=]file", where type is a node type of the edges.
void add_node_files(const ImportTextOptions& options, ImportPlan& plan) {
  for (const std::string& text : options.nodes) {
    const size_t equals = text.find('=');
    const bool typed =
        equals != std::string::npos && plan.find_node(text.substr(0, equals)) != nullptr;
    if (equals != std::string::npos && !typed && !exists(text)) {
      // A file name may contain '='. If the file does not exist, the text before '=' is an unknown
      // type.
      node_meant(plan, "--nodes", text.substr(0, equals));
    }
    NodeImport& node = node_meant(plan, "--nodes", typed ? text.substr(0, equals) : std::string());
    if (node.text) {
      throw UsageError(formatted("--nodes: the nodes of type \"{}\" are listed twice", node.type));
    }
    node.text = text_file(options, typed ? text.substr(equals + 1) : text);
    node.text->source_field = options.key_field;
    for (const std::string& column : options.node_columns) {
      node.text->columns.push_back(parse_field("--node-column", column));
    }
  }
}

ImportPlan make_plan(const ImportTextOptions& options) {
  ImportPlan plan;
  add_edge_files(options, plan);
  plan.declare_ends("");
  add_node_files(options, plan);
  add_id_kinds(options.ids, plan);
  add_counts(options.counts, plan);
  return plan;
}

}  // namespace

void add_import_text(CLI::App& parent, Session& session) {
  CLI::App& command =
      add_command(parent, "text", "Import delimited text, plain or compressed, one edge a line");
  const auto options = std::make_shared<ImportTextOptions>();
  const auto repeated = [&](const char* name, Words& values, const char* help) {
    return command.add_option(name, values, help)->allow_extra_args(false);
  };
  repeated("--edges", options->edges, "[TYPE=]FILE; once per edge type")
      ->type_name("FILE")
      ->required();
  repeated("--nodes", options->nodes,
           "[TYPE=]FILE listing the nodes of a type: their order becomes their numbering")
      ->type_name("FILE");
  add_edge_flags(command, options->edge_flags);
  repeated("--ids", options->ids,
           "[TYPE=]KIND: what files call nodes: dense (0, 1, ...; default), integer or string")
      ->type_name("KIND");
  repeated("--num-nodes", options->counts,
           "[TYPE=]COUNT: number of nodes of a type with dense ids; default: by the largest id")
      ->type_name("[TYPE=]COUNT");
  const char* const field = "FIELD";
  command
      .add_option("--source-field", options->source_field,
                  "Field of the source: its name in the header, or \"#0\", \"#1\", ...; default #0")
      ->type_name(field);
  command.add_option("--target-field", options->target_field, "Field of the target; default #1")
      ->type_name(field);
  command
      .add_option("--key-field", options->key_field,
                  "Field of the node in --nodes files; default #0")
      ->type_name(field);
  command
      .add_option("--delimiter", options->delimiter,
                  "One character, or tab, comma, space; default: found from the first line")
      ->type_name("CHAR");
  command.add_option("--header", options->header, "Whether the first line holds names of fields")
      ->check(CLI::IsMember({"detect", "yes", "no"}))
      ->capture_default_str();
  command
      .add_option("--encoding", options->encoding,
                  "Of the files: utf-8, latin-1 or utf-16; detect: utf-8, or utf-16 by its mark")
      ->check(CLI::IsMember({"detect", "utf-8", "latin-1", "utf-16"}))
      ->capture_default_str();
  command.add_flag(
      "--ragged", options->ragged,
      "Lines may have more or fewer fields than the first; those that are read must be "
      "there");
  command
      .add_option("--comment", options->comment,
                  "Lines beginning with it are skipped, or none; default: # and %")
      ->type_name("CHAR");
  repeated("--column", options->columns,
           "FIELD[:NAME]:DTYPE[:ROLE]: a field of every edge file that becomes a column")
      ->type_name("COLUMN");
  repeated("--node-column", options->node_columns,
           "FIELD[:NAME]:DTYPE[:ROLE]: a field of every --nodes file that becomes a column")
      ->type_name("COLUMN");
  run_import(command, session, options->output, [options] { return make_plan(*options); });
}

}  // namespace gls::tool
