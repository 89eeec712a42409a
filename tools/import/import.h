// gls import: one function per kind of source, and their common code.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <memory>
#include <string>

#include "import/import_plan.h"
#include "session/session.h"

namespace gls::tool {

// The place and the format of the written dataset.
struct OutputOptions {
  std::string folder;
  bool dry_run = false;  // of imports
  std::string memory;
  std::string layout = "csc";
  bool overwrite = false;
  bool no_padding = false;
};

// -o, --memory, --layout, --overwrite, --no-padding.
void add_output_options(CLI::App& command, OutputOptions& output);
gls_write_options_t write_options(const OutputOptions& output, Progress& progress);
using MakeBuilder = std::function<Builder(const Context&, Progress&)>;
// Writes what a builder has, then prints a summary. Returns the exit code.
int write_dataset(const Session& session, const OutputOptions& output, const char* command,
                  const MakeBuilder& make);

// Adds the options that all imports share, and makes the command write the recipe's dataset, or
// print the recipe. `output` must live as long as `make_recipe`.
void run_recipe_import(CLI::App& command, Session& session, OutputOptions& output,
                       std::function<Recipe(const Context&)> make_recipe);
// The same for a plan.
void run_import(CLI::App& command, Session& session, OutputOptions& output,
                std::function<ImportPlan()> make_plan);

void add_import_numpy(CLI::App& parent, Session& session);
void add_import_text(CLI::App& parent, Session& session);
void add_import_parquet(CLI::App& parent, Session& session);
// gls import recipe, and one command for each system whose datasets the plugin "formats" reads.
void add_import_recipe(CLI::App& parent, Session& session);
void add_import_foreign(CLI::App& parent, Session& session);

// The plan as a recipe.
Json recipe_of(const ImportPlan& plan);

// "[TYPE=]FILE", where TYPE is an edge type.
struct TypedFile {
  std::string type;
  std::string file;
};
TypedFile split_edge_file(const std::string& text, const std::string& default_type);

// --undirected, and the edge type of files without one.
struct EdgeFlags {
  std::string type = kDefaultEdgeType;
  bool undirected = false;
};
void add_edge_flags(CLI::App& command, EdgeFlags& flags);

// The node or edge type named `type`; if it is empty, the only type.
NodeImport& node_meant(ImportPlan& plan, const std::string& option, const std::string& type);
EdgeImport& edge_meant(ImportPlan& plan, const std::string& option, const std::string& type);

// Values of --ids, "[TYPE=]KIND", and of --num-nodes, "[TYPE=]COUNT".
void add_id_kinds(const std::vector<std::string>& kinds, ImportPlan& plan);
void add_counts(const std::vector<std::string>& counts, ImportPlan& plan);

}  // namespace gls::tool
