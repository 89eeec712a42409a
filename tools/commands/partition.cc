// gls partition and merge: divides a graph into parts, and merges them again.
#include "commands/partition.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "commands/commands.h"
#include "session/arguments.h"
#include "terminal/format.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace gls::tool {
namespace {

using Align = Table::Align;

struct PartitionOptions {
  std::string folder;
  std::string output;
  std::string method = "stream";
  uint32_t parts = 0;
  uint64_t seed = 0;
  std::vector<std::string> balance;
  bool balance_edges = false;
  double imbalance = 0;
  uint32_t halo_hops = 0;
  int64_t hot_rows = 0;
  double hot_fraction = 0;
  std::string hot_id_set;
  std::string hot_fanouts;
  int64_t hot_max_seeds = 0;
  std::string owners;
  std::string owners_column;
  bool overwrite = false;
  bool no_padding = false;
};

const std::map<std::string, int32_t>& methods() {
  static const std::map<std::string, int32_t> names = {{"metis", GLS_PARTITION_METIS},
                                                       {"stream", GLS_PARTITION_STREAM},
                                                       {"random", GLS_PARTITION_RANDOM},
                                                       {"hash", GLS_PARTITION_HASH},
                                                       {"given", GLS_PARTITION_GIVEN}};
  return names;
}

void say_written(const Session& session, Json report) {
  if (session.json) {
    print_json(report);
  } else {
    print("{}: written in {}\n", printable(report.at("path").get<std::string>()),
          format_seconds(report.at("seconds").get<double>()));
  }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The column of each node type that says which part owns a node.
std::vector<Tensor> owners_in_columns(const Dataset& dataset, const std::string& column) {
  std::vector<Tensor> owners;
  for (const gls_node_type_info_t& type : dataset.node_types()) {
    owners.push_back(dataset.tensor(GLS_ARRAY_NODE_COLUMN, type.name, column));
  }
  return owners;
}

int partition(const Session& session, const PartitionOptions& given) {
  const auto start = std::chrono::steady_clock::now();
  const Context context = make_context(session);
  const Dataset dataset = Dataset::open(context, given.folder);
  Progress progress(session.progress_mode());
  std::vector<const char*> sets;
  for (const std::string& set : given.balance) {
    sets.push_back(set.c_str());
  }
  const std::vector<int64_t> hot_fanouts = given.hot_fanouts.empty()
                                               ? std::vector<int64_t>()
                                               : parse_integers("--hot-fanout", given.hot_fanouts);
  std::vector<Tensor> columns;
  std::vector<const DLTensor*> owners;
  if (!given.owners_column.empty()) {
    columns = owners_in_columns(dataset, given.owners_column);
    for (const Tensor& column : columns) {
      owners.push_back(&column.view());
    }
  }
  gls_partition_options_t options = GLS_PARTITION_OPTIONS_INIT;
  const bool are_given = !given.owners.empty() || !given.owners_column.empty();
  options.method = are_given ? GLS_PARTITION_GIVEN : methods().at(given.method);
  options.parts = given.parts;
  options.seed = given.seed;
  options.balance_sets = sets.data();
  options.num_balance_sets = sets.size();
  options.balance_edges = given.balance_edges ? 1 : 0;
  options.imbalance = given.imbalance;
  options.halo_hops = given.halo_hops;
  options.hot_rows = given.hot_rows;
  options.hot_fraction = given.hot_fraction;
  options.hot_id_set = given.hot_id_set.empty() ? nullptr : given.hot_id_set.c_str();
  options.hot_fanouts = hot_fanouts.data();
  options.num_hot_fanouts = hot_fanouts.size();
  options.hot_max_seeds = given.hot_max_seeds;
  options.owners_file = given.owners.empty() ? nullptr : given.owners.c_str();
  options.owners = owners.data();
  options.num_owners = owners.size();
  options.overwrite = given.overwrite ? 1 : 0;
  options.compact_rows = given.no_padding ? 1 : 0;
  options.progress = Progress::callback;
  options.progress_user_data = &progress;
  dataset.partition(given.output, options);
  progress.finish();
  Json report = describe_partition(context, given.output);
  report["seconds"] = seconds_since(start);
  if (session.json) {
    print_json(report);
  } else {
    print("{}", partition_in_tables(report));
  }
  return kSuccess;
}

int merge(const Session& session, const PartitionOptions& given) {
  const auto start = std::chrono::steady_clock::now();
  const Context context = make_context(session);
  Progress progress(session.progress_mode());
  gls_write_options_t options = GLS_WRITE_OPTIONS_INIT;
  options.overwrite = given.overwrite ? 1 : 0;
  options.progress = Progress::callback;
  options.progress_user_data = &progress;
  Partition::open(context, given.folder).merge(given.output, options);
  progress.finish();
  say_written(session, {{"path", given.output}, {"seconds", seconds_since(start)}});
  return kSuccess;
}

Json type_of_part(const Dataset& part, const std::string& type, int64_t count) {
  return {{"name", type}, {"owned", part.global_ids(type).second}, {"known", count}};
}

}  // namespace

bool is_partition(const std::string& folder) {
  std::error_code ec;
  return std::filesystem::exists(std::filesystem::path(folder) / "partition.json", ec);
}

Json describe_partition(const Context& context, const std::string& folder) {
  const Partition partition = Partition::open(context, folder);
  const gls_partition_info_t info = partition.info();
  Json out = {{"path", folder},
              {"parts", info.parts},
              {"graph", info.graph},
              {"method", info.method},
              {"options", info.options},
              {"node_types", Json::array()},
              {"edge_types", Json::array()},
              {"part", Json::array()}};
  for (size_t t = 0; t < info.num_node_types; ++t) {
    const gls_partition_type_info_t type = partition.node_type(t);
    out["node_types"].push_back({{"name", type.name}, {"num_nodes", type.count}});
  }
  for (size_t t = 0; t < info.num_edge_types; ++t) {
    const gls_partition_type_info_t type = partition.edge_type(t);
    out["edge_types"].push_back(
        {{"name", formatted("{}__{}__{}", type.source, type.name, type.target)},
         {"num_edges", type.count}});
  }
  for (uint32_t p = 0; p < info.parts; ++p) {
    const Dataset part = Dataset::open(context, formatted("{}/part-{}", folder, p));
    Json of_part = {{"number", p}, {"node_types", Json::array()}, {"edge_types", Json::array()}};
    for (const Json& type : out["node_types"]) {
      const std::string name = type.at("name");
      of_part["node_types"].push_back(type_of_part(part, name, part.num_nodes(name)));
    }
    for (const Json& type : out["edge_types"]) {
      const std::string name = type.at("name");
      of_part["edge_types"].push_back(type_of_part(part, name, part.num_edges(name)));
    }
    out["part"].push_back(std::move(of_part));
  }
  return out;
}

std::string partition_in_tables(const Json& partition) {
  Table table({{"part", Align::kRight},
               {"type", Align::kLeft},
               {"owned", Align::kRight},
               {"known", Align::kRight},
               {"of", Align::kRight}});
  for (const Json& part : partition.at("part")) {
    for (const auto& [kind, count] :
         {std::pair("node_types", "num_nodes"), {"edge_types", "num_edges"}}) {
      for (size_t t = 0; t < part.at(kind).size(); ++t) {
        const Json& type = part.at(kind).at(t);
        table.add({std::to_string(part.at("number").get<uint32_t>()), type.at("name"),
                   format_count(type.at("owned").get<int64_t>()),
                   format_count(type.at("known").get<int64_t>()),
                   format_count(partition.at(kind).at(t).at(count).get<int64_t>())});
      }
    }
  }
  return formatted(
      "{}: {} parts by {} ({})\n\n{}", printable(partition.at("path").get<std::string>()),
      partition.at("parts").get<uint32_t>(), printable(partition.at("method").get<std::string>()),
      printable(partition.at("options").get<std::string>()), table.text());
}

void add_partition(CLI::App& app, Session& session) {
  CLI::App& command = add_command(app, "partition", "Cut a graph into parts, for several machines");
  const auto given = std::make_shared<PartitionOptions>();
  command.add_option("FOLDER", given->folder, "The dataset")->required();
  command.add_option("OUTPUT", given->output, "The new folder of parts")->required();
  command.add_option("--parts", given->parts, "How many")->required();
  command
      .add_option("--method", given->method,
                  "stream (default), metis (fewer edges between parts; needs its plugin and more "
                  "memory), random or hash")
      ->check(CLI::IsMember({"stream", "metis", "random", "hash"}));
  command.add_option("--owners", given->owners,
                     "A file with the owner of every node, one type after another: .npy or text");
  command
      .add_option("--owners-column", given->owners_column,
                  "The node column with the owner of every node, such as \"part\" of an import")
      ->excludes("--owners");
  command.add_option("--seed", given->seed, "Of the method");
  command.add_option("--balance", given->balance, "Name of an id set to share out evenly, too");
  command.add_flag("--balance-edges", given->balance_edges, "Share out in-degrees evenly, too");
  command.add_option("--imbalance", given->imbalance,
                     "How much more than the mean a part may have (0.05)");
  command.add_option("--halo-hops", given->halo_hops,
                     "Keep rows of nodes so many hops away complete, too");
  command.add_option("--hot-rows", given->hot_rows,
                     "Keep features of so many nodes of others that are asked for most");
  command.add_option("--hot-fraction", given->hot_fraction, "The same, as a fraction of the owned");
  command.add_option("--hot-id-set", given->hot_id_set,
                     "Asked for by batches of this id set, as measured by sampling; without this "
                     "and --hot-fanout: at the ends of the most edges");
  command.add_option(
      "--hot-fanout", given->hot_fanouts,
      "Neighbours of each hop of these batches, as 15,10,5 (15,10); -1: all. Without "
      "--hot-id-set: of all nodes");
  command.add_option("--hot-max-seeds", given->hot_max_seeds,
                     "Sample from so many nodes of each type and part (all of the id set, or "
                     "1048576)");
  command.add_flag("--overwrite", given->overwrite, "Replace a folder of parts");
  command.add_flag("--no-padding", given->no_padding, "Do not pad rows to cache lines");
  add_context_options(command, session);
  add_report_options(command, session);
  CLI::App* const self = &command;
  command.callback([given, self, &session] {
    const bool are_given = !given->owners.empty() || !given->owners_column.empty();
    if (are_given && self->count("--method") > 0) {
      throw CLI::ValidationError("--method", "has no meaning with given owners");
    }
    session.command = [given, &session] { return partition(session, *given); };
  });
}

void add_merge(CLI::App& app, Session& session) {
  CLI::App& command = add_command(app, "merge", "Put parts together to the graph that was cut");
  const auto given = std::make_shared<PartitionOptions>();
  command.add_option("FOLDER", given->folder, "The folder of parts")->required();
  command.add_option("OUTPUT", given->output, "The new dataset")->required();
  command.add_flag("--overwrite", given->overwrite, "Replace a dataset");
  add_context_options(command, session);
  add_report_options(command, session);
  command.callback([given, &session] {
    session.command = [given, &session] { return merge(session, *given); };
  });
}

}  // namespace gls::tool
