#include "import/import.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <functional>

#include "base/nearest_name.h"
#include "commands/commands.h"
#include "commands/describe.h"
#include "session/arguments.h"
#include "terminal/format.h"
#include "terminal/interrupt.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

int print_recipe(const Session& session, const Recipe& recipe) {
  if (session.json) {
    print_json({{"command", "import"}, {"recipe", recipe.text()}});
  } else {
    print("{}", recipe.text());
  }
  return kSuccess;
}

// Adds what all imports share; `run` is the command.
void finish_import(CLI::App& command, Session& session, OutputOptions& output,
                   std::function<int()> run) {
  add_output_options(command, output);
  command.get_option("--output")->required(false);
  command.add_flag("--dry-run", output.dry_run,
                   "Print the recipe of this import, and write nothing");
  add_context_options(command, session);
  add_report_options(command, session);
  command.callback([&session, &output, run = std::move(run)] {
    session.command = [&output, run] {
      if (output.folder.empty() && !output.dry_run) {
        throw UsageError("--output is required");
      }
      return run();
    };
  });
}

}  // namespace

void add_output_options(CLI::App& app, OutputOptions& output) {
  app.add_option("-o,--output", output.folder, "Folder to make")->required();
  app.add_option("--memory", output.memory,
                 "Most memory to use, for example 4G; default: a quarter of the machine's")
      ->type_name("SIZE");
  app.add_option("--layout", output.layout,
                 "Neighbours to store: csc (of targets), csr (of sources) or both")
      ->check(CLI::IsMember({"csc", "csr", "both"}))
      ->capture_default_str();
  app.add_flag("--overwrite", output.overwrite, "Replace a dataset that is there already");
  app.add_flag("--no-padding", output.no_padding, "Do not pad rows of columns to cache lines");
}

gls_write_options_t write_options(const OutputOptions& output, Progress& progress) {
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  options.memory = output.memory.empty() ? 0 : parse_size("--memory", output.memory);
  options.layouts = output.layout == "both"  ? GLS_LAYOUT_CSC | GLS_LAYOUT_CSR
                    : output.layout == "csr" ? GLS_LAYOUT_CSR
                                             : GLS_LAYOUT_CSC;
  options.overwrite = output.overwrite ? 1 : 0;
  options.compact_rows = output.no_padding ? 1 : 0;
  options.progress = Progress::callback;
  options.progress_user_data = &progress;
  return options;
}

int write_dataset(const Session& session, const OutputOptions& output, const char* command,
                  const MakeBuilder& make) {
  const auto start = std::chrono::steady_clock::now();
  const Context context = make_context(session);
  {
    Progress progress(session.progress_mode());
    const gls_write_options_t options = write_options(output, progress);
    Builder builder = make(context, progress);
    throw_if_interrupted();
    builder.write(output.folder, options);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const Json dataset = describe_dataset(Dataset::open(context, output.folder), output.folder);
  if (session.json) {
    print_json({{"command", command}, {"seconds", seconds}, {"dataset", dataset}});
  } else {
    print("{}\nwritten in {}\n", describe_briefly(dataset), format_seconds(seconds));
  }
  return kSuccess;
}

void run_recipe_import(CLI::App& command, Session& session, OutputOptions& output,
                       std::function<Recipe(const Context&)> make_recipe) {
  finish_import(
      command, session, output, [&session, &output, make_recipe = std::move(make_recipe)] {
        if (output.dry_run) {
          return print_recipe(session, make_recipe(make_context(session)));
        }
        return write_dataset(session, output, "import", [&](const Context& context, Progress&) {
          return Builder(make_recipe(context));
        });
      });
}

void run_import(CLI::App& command, Session& session, OutputOptions& output,
                std::function<ImportPlan()> make_plan) {
  finish_import(command, session, output, [&session, &output, make_plan = std::move(make_plan)] {
    const ImportPlan plan = make_plan();
    if (output.dry_run) {
      const Context context = make_context(session);
      Json recipe = {{"folder", std::filesystem::current_path().string()}};
      recipe.update(recipe_of(plan));
      return print_recipe(session, Recipe(context, recipe.dump(), ""));
    }
    return write_dataset(session, output, "import", [&](const Context& context, Progress&) {
      Builder builder(context);
      add_to_builder(context, plan, builder);
      return builder;
    });
  });
}

TypedFile split_edge_file(const std::string& text, const std::string& default_type) {
  // A file name may contain '=', so only an edge type counts as a type.
  const size_t equals = text.find('=');
  if (equals != std::string::npos && is_edge_type(text.substr(0, equals))) {
    return {text.substr(0, equals), text.substr(equals + 1)};
  }
  return {default_type, text};
}

void add_edge_flags(CLI::App& app, EdgeFlags& flags) {
  app.add_option("--type", flags.type,
                 formatted("Edge type of files that name none; default {}", kDefaultEdgeType))
      ->type_name("SOURCE__RELATION__TARGET");
  app.add_flag("--undirected", flags.undirected, "Store each edge in both directions");
}

NodeImport& node_meant(ImportPlan& plan, const std::string& option, const std::string& type) {
  if (type.empty()) {
    if (plan.nodes.size() == 1) {
      return plan.nodes.front();
    }
    throw UsageError(formatted("{}: there are {} node types; name one, as in paper:x=x.npy", option,
                               plan.nodes.size()));
  }
  NodeImport* const node = plan.find_node(type);
  if (node == nullptr) {
    throw UsageError(formatted("{}: no edge type and no --nodes has the node type \"{}\"{}", option,
                               type, did_you_mean(type, node_names(plan.nodes))));
  }
  return *node;
}

EdgeImport& edge_meant(ImportPlan& plan, const std::string& option, const std::string& type) {
  if (type.empty()) {
    if (plan.edges.size() == 1) {
      return plan.edges.front();
    }
    throw UsageError(formatted("{}: there are {} edge types; name one", option, plan.edges.size()));
  }
  EdgeImport* const edge = plan.find_edge(type);
  if (edge == nullptr) {
    std::vector<std::string> known;
    for (const EdgeImport& given : plan.edges) {
      known.push_back(given.type);
    }
    throw UsageError(formatted("{}: no edges were given for the type \"{}\"{}", option, type,
                               did_you_mean(type, known)));
  }
  return *edge;
}

void add_id_kinds(const std::vector<std::string>& kinds, ImportPlan& plan) {
  for (const std::string& text : kinds) {
    const size_t equals = text.rfind('=');
    if (equals != std::string::npos) {
      node_meant(plan, "--ids", text.substr(0, equals)).ids =
          parse_ids("--ids", text.substr(equals + 1));
      continue;
    }
    const int32_t ids = parse_ids("--ids", text);
    for (NodeImport& node : plan.nodes) {
      node.ids = ids;
    }
  }
}

void add_counts(const std::vector<std::string>& counts, ImportPlan& plan) {
  for (const std::string& text : counts) {
    const size_t equals = text.rfind('=');
    const bool typed = equals != std::string::npos;
    NodeImport& node =
        node_meant(plan, "--num-nodes", typed ? text.substr(0, equals) : std::string());
    node.count = parse_integer("--num-nodes", typed ? text.substr(equals + 1) : text);
  }
}

void add_import(CLI::App& app, Session& session) {
  CLI::App& command = add_command(
      app, "import", "Make a dataset folder of arrays, text, tables, or another system's dataset");
  command.require_subcommand(1);
  add_import_numpy(command, session);
  add_import_text(command, session);
  add_import_parquet(command, session);
  add_import_recipe(command, session);
  add_import_foreign(command, session);
}

}  // namespace gls::tool
