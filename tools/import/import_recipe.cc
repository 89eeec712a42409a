// gls import recipe, and the datasets of other systems.

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "import/import.h"
#include "session/arguments.h"
#include "session/tensor_io.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

struct Foreign {
  const char* name;
  const char* help;
};

constexpr std::array<Foreign, 17> kForeign = {{
    {"dgl", "Import a graph of DGL: a saved graph, a partitioned or a chunked one"},
    {"gigl", "Import what GiGL preprocessed"},
    {"glt", "Import the partitions of graphlearn-torch"},
    {"graphbolt", "Import an OnDiskDataset of GraphBolt"},
    {"igb", "Import a folder of IGB or IGBH"},
    {"ldbc", "Import a folder of LDBC's data generator"},
    {"mag240m", "Import the folder of MAG240M"},
    {"mtx", "Import a graph of MatrixMarket"},
    {"neo4j", "Import a folder of files for neo4j-admin import"},
    {"ntriples", "Import a graph of N-Triples or N-Quads"},
    {"ogb", "Import a dataset of the Open Graph Benchmark"},
    {"pyg", "Import a Data or HeteroData of PyG, or its partitions"},
    {"relbench", "Import a database of RelBench"},
    {"snap", "Import an edge list of SNAP"},
    {"tfgnn", "Import a graph of TF-GNN: a schema and its tables"},
    {"tgb", "Import a dataset that py-tgb has loaded once"},
    {"tgl", "Import a folder of TGL"},
}};

Recipe read_recipe(const Context& context, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (!in.is_open() || in.bad()) {
    throw system_failure("cannot read", path, errno);
  }
  try {
    return Recipe(context, text, std::filesystem::path(path).parent_path().string());
  } catch (const Error& error) {
    throw Failure(formatted("{}: {}", path, error.what()), path, error.status());
  }
}

}  // namespace

void add_import_recipe(CLI::App& parent, Session& session) {
  CLI::App& command = add_command(
      parent, "recipe", "Import what a recipe in YAML names: types, files, columns, sets");
  struct Options {
    OutputOptions output;
    std::string path;
  };
  const auto options = std::make_shared<Options>();
  command
      .add_option("FILE", options->path, "The recipe; names of files are relative to its folder")
      ->required();
  command.footer(
      "--dry-run prints the recipe of any import. docs/formats/index.md lists all keys.");
  run_recipe_import(command, session, options->output, [options](const Context& context) {
    return read_recipe(context, options->path);
  });
}

void add_import_foreign(CLI::App& parent, Session& session) {
  for (const Foreign& foreign : kForeign) {
    CLI::App& command = add_command(parent, foreign.name, foreign.help);
    struct Options {
      OutputOptions output;
      std::string path;
      std::vector<std::string> choices;
    };
    const auto options = std::make_shared<Options>();
    command.add_option("PATH", options->path, "Its file or folder")->required();
    command
        .add_option("--choose", options->choices,
                    "NAME=VALUE: which of several, such as task=0; may be repeated")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false);
    command.footer("A page in docs/formats says what is kept, renamed and dropped.");
    const std::string name = foreign.name;
    run_recipe_import(command, session, options->output, [options, name](const Context& context) {
      return Recipe::of_format(context, name, options->path, options->choices);
    });
  }
}

}  // namespace gls::tool
