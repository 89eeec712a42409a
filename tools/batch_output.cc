#include "batch_output.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "format.h"
#include "interrupt.h"
#include "table.h"
#include "text.h"

namespace gls::tool {
namespace {

namespace fs = std::filesystem;
using Align = Table::Align;

struct ArrayName {
  int32_t array;
  const char* name;
};
constexpr ArrayName kArrays[] = {{GLS_BATCH_NODE, "node"}, {GLS_BATCH_TREE, "tree"},
                                 {GLS_BATCH_SEED, "seed"}, {GLS_BATCH_NUM_NODES, "num_nodes"},
                                 {GLS_BATCH_ROW, "row"},   {GLS_BATCH_COL, "col"},
                                 {GLS_BATCH_EDGE, "edge"}, {GLS_BATCH_NUM_EDGES, "num_edges"}};

std::string array_name(int32_t array) {
  for (const ArrayName& known : kArrays) {
    if (known.array == array) {
      return known.name;
    }
  }
  return formatted("array{}", array);
}

bool of_edges(int32_t array) {
  return array == GLS_BATCH_ROW || array == GLS_BATCH_COL || array == GLS_BATCH_EDGE ||
         array == GLS_BATCH_NUM_EDGES;
}

bool has_array(const Batch& batch, int32_t array, const std::string& type) {
  for (const gls_array_info_t& info : batch.arrays()) {
    if (info.array == array && info.type == type) {
      return true;
    }
  }
  return false;
}

Json batch_head(const Batch& batch) {
  const gls_batch_info_t info = batch.info();
  return {{"epoch", info.epoch}, {"batch", info.batch}, {"num_hops", info.num_hops}};
}

// Finds the group of an item by its position, where `counts` are the sizes of groups.
class HopFinder {
 public:
  explicit HopFinder(const Tensor& counts) : counts_(counts), end_(integer_at(counts, 0)) {}
  // Positions must not decrease from call to call.
  int64_t hop(int64_t position) {
    while (position >= end_ && hop_ + 1 < counts_.size(0)) {
      end_ += integer_at(counts_, ++hop_);
    }
    return hop_;
  }

 private:
  const Tensor& counts_;
  int64_t hop_ = 0;
  int64_t end_;
};

int64_t shown(int64_t count, int64_t limit) { return limit == 0 ? count : std::min(count, limit); }

std::string rest_line(int64_t count, int64_t limit) {
  const int64_t left = count - shown(count, limit);
  return left > 0 ? formatted("... {} more\n", format_count(left)) : "";
}

std::string node_table(const Batch& batch, const Dataset& dataset, const gls_node_type_info_t& type,
                       int64_t limit) {
  const Tensor nodes = batch.tensor(GLS_BATCH_NODE, type.name);
  const Tensor counts = batch.tensor(GLS_BATCH_NUM_NODES, type.name);
  const bool trees = has_array(batch, GLS_BATCH_TREE, type.name);
  const Tensor tree = trees ? batch.tensor(GLS_BATCH_TREE, type.name) : Tensor();
  std::vector<Table::Heading> headings = {
      {type.name, Align::kRight}, {"node", Align::kRight}, {"hop", Align::kRight}};
  if (trees) {
    headings.push_back({"tree", Align::kRight});
  }
  if (type.has_keys != 0) {
    headings.push_back({"key"});
  }
  Table table(headings);
  HopFinder hops(counts);
  for (int64_t i = 0; i < shown(nodes.size(0), limit); ++i) {
    const int64_t node = integer_at(nodes, i);
    std::vector<std::string> row = {formatted("{}", i), formatted("{}", node),
                                    formatted("{}", hops.hop(i))};
    if (trees) {
      row.push_back(formatted("{}", integer_at(tree, i)));
    }
    if (type.has_keys != 0) {
      row.push_back(dataset.node_key(type.name, node));
    }
    table.add(row);
  }
  return nodes.size(0) == 0 ? "" : "\n" + table.text() + rest_line(nodes.size(0), limit);
}

std::string edge_table(const Batch& batch, const gls_edge_type_info_t& type, int64_t limit) {
  const Tensor row = batch.tensor(GLS_BATCH_ROW, type.name);
  const Tensor col = batch.tensor(GLS_BATCH_COL, type.name);
  const Tensor counts = batch.tensor(GLS_BATCH_NUM_EDGES, type.name);
  const bool ids = has_array(batch, GLS_BATCH_EDGE, type.name);
  const Tensor edge = ids ? batch.tensor(GLS_BATCH_EDGE, type.name) : Tensor();
  std::vector<Table::Heading> headings = {{type.name, Align::kRight},
                                          {"row", Align::kRight},
                                          {"col", Align::kRight},
                                          {"hop", Align::kRight}};
  if (ids) {
    headings.push_back({"edge", Align::kRight});
  }
  Table table(headings);
  HopFinder hops(counts);
  for (int64_t i = 0; i < shown(row.size(0), limit); ++i) {
    // Edges of hop h lead to nodes of hop h + 1.
    std::vector<std::string> cells = {formatted("{}", i), formatted("{}", integer_at(row, i)),
                                      formatted("{}", integer_at(col, i)),
                                      formatted("{}", hops.hop(i) + 1)};
    if (ids) {
      cells.push_back(formatted("{}", integer_at(edge, i)));
    }
    table.add(cells);
  }
  return row.size(0) == 0 ? "" : "\n" + table.text() + rest_line(row.size(0), limit);
}

std::string counts_text(const Tensor& counts) {
  std::string out;
  for (int64_t i = 0; i < counts.size(0); ++i) {
    out += formatted("{}{}", i > 0 ? " + " : "", format_count(integer_at(counts, i)));
  }
  return out;
}

// A name that every file system accepts, different from the ones before.
std::string file_name(const std::string& array, const std::string& type,
                      std::set<std::string>& used) {
  std::string base = array + "-";
  for (const char c : type) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '_' || c == '.';
    base += plain ? c : '~';
  }
  std::string name = base;
  for (int i = 2; !used.insert(name).second; ++i) {
    name = formatted("{}~{}", base, i);
  }
  return name + ".npy";
}

}  // namespace

Json batch_summary(const Batch& batch, const Dataset& dataset) {
  Json out = batch_head(batch);
  for (const gls_node_type_info_t& type : dataset.node_types()) {
    out["nodes"][type.name] = {
        {"num_nodes", integers_json(batch.tensor(GLS_BATCH_NUM_NODES, type.name))}};
  }
  for (const gls_edge_type_info_t& type : dataset.edge_types()) {
    out["edges"][type.name] = {
        {"num_edges", integers_json(batch.tensor(GLS_BATCH_NUM_EDGES, type.name))}};
  }
  return out;
}

Json batch_json(const Batch& batch, const Dataset& dataset) {
  Json out = batch_summary(batch, dataset);
  for (const gls_array_info_t& info : batch.arrays()) {
    throw_if_interrupted();
    const Tensor tensor = batch.tensor(info.array, info.type);
    out[of_edges(info.array) ? "edges" : "nodes"][info.type][array_name(info.array)] =
        integers_json(tensor);
  }
  return out;
}

std::string batch_summary_table(const Batch& batch, const Dataset& dataset) {
  Table table({{"type"}, {"sampled", Align::kRight}, {"seeds, then per hop"}});
  for (const gls_node_type_info_t& type : dataset.node_types()) {
    const Tensor counts = batch.tensor(GLS_BATCH_NUM_NODES, type.name);
    table.add({type.name, format_count(batch.tensor(GLS_BATCH_NODE, type.name).size(0)),
               counts_text(counts)});
  }
  for (const gls_edge_type_info_t& type : dataset.edge_types()) {
    const Tensor counts = batch.tensor(GLS_BATCH_NUM_EDGES, type.name);
    table.add({type.name, format_count(batch.tensor(GLS_BATCH_ROW, type.name).size(0)),
               "0 + " + counts_text(counts)});
  }
  return table.text();
}

std::string batch_tables(const Batch& batch, const Dataset& dataset, int64_t limit) {
  std::string out = batch_summary_table(batch, dataset);
  for (const gls_node_type_info_t& type : dataset.node_types()) {
    out += node_table(batch, dataset, type, limit);
  }
  for (const gls_edge_type_info_t& type : dataset.edge_types()) {
    out += edge_table(batch, type, limit);
  }
  return out;
}

static void write_files(const Batch& batch, const Dataset& dataset, const std::string& folder) {
  Json document = batch_summary(batch, dataset);
  document["arrays"] = Json::array();
  std::set<std::string> used;
  for (const gls_array_info_t& info : batch.arrays()) {
    throw_if_interrupted();
    const std::string name = array_name(info.array);
    const std::string file = file_name(name, info.type, used);
    write_npy(fs::path(folder) / file, batch.tensor(info.array, info.type));
    document["arrays"].push_back({{"array", name}, {"type", info.type}, {"file", file}});
  }
  const fs::path list = fs::path(folder) / "batch.json";
  std::ofstream stream(list);
  stream << document.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
  if (!stream.flush()) {
    throw system_failure("cannot write", list.string(), errno);
  }
}

void write_batch(const Batch& batch, const Dataset& dataset, const std::string& folder) {
  std::error_code ec;
  if (!fs::create_directory(folder, ec)) {
    throw system_failure("cannot create folder", folder, ec ? ec.value() : EEXIST);
  }
  try {
    write_files(batch, dataset, folder);
  } catch (...) {
    fs::remove_all(folder, ec);
    throw;
  }
}

}  // namespace gls::tool
