#include "feed/handshake.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "format/manifest.h"
#include "loader/batch_layout.h"
#include "loader/pipeline/loader_state.h"

namespace gls {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostTypes = 1 << 20;

Json columns_text(const std::vector<Column>& columns) {
  Json out = Json::array();
  for (const Column& column : columns) {
    const DLDataType dtype = column.dtype();  // the dtype after delivery
    std::vector<int64_t> shape = column.shape();
    shape[0] = 0;
    out.push_back({{"name", column.name},
                   {"role", column.role},
                   {"code", dtype.code},
                   {"bits", dtype.bits},
                   {"shape", std::move(shape)}});
  }
  return out;
}

Status damaged_greeting(const char* what) {
  return corrupt("the greeting of a feed is damaged: {}", what);
}

// Reads a text member; fails if it is missing.
Result<std::string> get_text(const Json& from, const char* key) {
  const auto it = from.is_object() ? from.find(key) : from.end();
  if (!from.is_object() || it == from.end() || !it->is_string()) {
    return damaged_greeting(key);
  }
  return it->get<std::string>();
}

Result<int64_t> get_number(const Json& from, const char* key, int64_t least, int64_t most) {
  const auto it = from.is_object() ? from.find(key) : from.end();
  if (!from.is_object() || it == from.end() || !it->is_number_integer()) {
    return damaged_greeting(key);
  }
  const auto value = it->get<int64_t>();
  if (value < least || value > most ||
      (it->is_number_unsigned() && it->get<uint64_t>() > static_cast<uint64_t>(most))) {
    return damaged_greeting(key);
  }
  return value;
}

Result<const Json*> get_list(const Json& from, const char* key) {
  const auto it = from.is_object() ? from.find(key) : from.end();
  if (!from.is_object() || it == from.end() || !it->is_array() || it->size() > kMostTypes) {
    return damaged_greeting(key);
  }
  return &*it;
}

Result<std::vector<Column>> read_columns(const Json& type) {
  std::vector<Column> out;
  GLS_ASSIGN(const Json* list, get_list(type, "columns"));
  for (const Json& given : *list) {
    Column column;
    GLS_ASSIGN(column.name, get_text(given, "name"));
    GLS_TRY(check_name(column.name, "column"));
    constexpr int64_t kMostRole = 255;
    GLS_ASSIGN(const int64_t role, get_number(given, "role", 0, kMostRole));
    GLS_ASSIGN(const int64_t code, get_number(given, "code", 0, 255));
    GLS_ASSIGN(const int64_t bits, get_number(given, "bits", 0, 255));
    const DLDataType dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1};
    GLS_ASSIGN(const Json* dims, get_list(given, "shape"));
    std::vector<int64_t> shape;
    int64_t elements = 1;
    constexpr int64_t kMostElements = int64_t{1} << 40;
    for (const Json& dim : *dims) {
      if (!dim.is_number_integer() || dim.get<int64_t>() < 0 || shape.size() == kMostTensorDims ||
          __builtin_mul_overflow(elements, std::max<int64_t>(dim.get<int64_t>(), 1), &elements) ||
          elements > kMostElements) {
        return damaged_greeting("shape");
      }
      shape.push_back(dim.get<int64_t>());
    }
    if (!dtype_supported(dtype) || shape.empty() || shape[0] != 0) {
      return damaged_greeting("dtype or shape");
    }
    column.role = static_cast<int32_t>(role);
    static const uint64_t nothing = 0;  // an address for arrays without rows
    column.data = Tensor(nullptr, &nothing, dtype, std::move(shape));
    out.push_back(std::move(column));
  }
  return out;
}

Result<std::shared_ptr<const Dataset>> read_names(const Json& from,
                                                  const std::shared_ptr<Context>& context) {
  std::vector<NodeType> node_types;
  GLS_ASSIGN(const Json* nodes, get_list(from, "node_types"));
  for (const Json& given : *nodes) {
    NodeType type;
    GLS_ASSIGN(type.name, get_text(given, "name"));
    GLS_TRY(check_name(type.name, "node type"));
    GLS_ASSIGN(type.columns, read_columns(given));
    node_types.push_back(std::move(type));
  }
  std::vector<EdgeType> edge_types;
  GLS_ASSIGN(const Json* edges, get_list(from, "edge_types"));
  for (const Json& given : *edges) {
    EdgeType type;
    GLS_ASSIGN(type.joined, get_text(given, "name"));
    GLS_ASSIGN(type.name, parse_edge_type(type.joined));
    const auto most = static_cast<int64_t>(node_types.size()) - 1;
    GLS_ASSIGN(const int64_t source, get_number(given, "source", 0, most));
    GLS_ASSIGN(const int64_t target, get_number(given, "target", 0, most));
    type.source = static_cast<size_t>(source);
    type.target = static_cast<size_t>(target);
    GLS_ASSIGN(type.columns, read_columns(given));
    edge_types.push_back(std::move(type));
  }
  return Dataset::create(context, std::move(node_types), std::move(edge_types));
}

Result<std::vector<int64_t>> read_sizes(const Json& from, const char* key, size_t count) {
  GLS_ASSIGN(const Json* list, get_list(from, key));
  std::vector<int64_t> out;
  for (const Json& size : *list) {
    if (!size.is_number_integer() || size.get<int64_t>() < 0) {
      return damaged_greeting(key);
    }
    out.push_back(size.get<int64_t>());
  }
  if (out.size() != count) {
    return damaged_greeting(key);
  }
  return out;
}

}  // namespace

std::string greeting_text(const Loader& loader) {
  const Dataset& dataset = *loader.dataset();
  Json out;
  Json& nodes = out["node_types"] = Json::array();
  for (const NodeType& type : dataset.node_types()) {
    nodes.push_back({{"name", type.name}, {"columns", columns_text(type.columns)}});
  }
  Json& edges = out["edge_types"] = Json::array();
  for (const EdgeType& type : dataset.edge_types()) {
    edges.push_back({{"name", type.joined},
                     {"source", type.source},
                     {"target", type.target},
                     {"columns", columns_text(type.columns)}});
  }
  const PlanOptions& plan = loader.plan_options();
  out["num_planned"] = plan.num_seeds;
  out["batch_size"] = plan.batch_size;
  out["drop_last"] = plan.drop_last ? 1 : 0;
  out["even"] = static_cast<int>(plan.even);
  out["num_seeds"] = loader.counts().seeds;
  if (const std::optional<PadSizes>& pad = loader.pad_sizes(); pad.has_value()) {
    out["pad_nodes"] = pad->nodes;
    out["pad_edges"] = pad->edges;
  }
  // The position does not matter; feeds of equal loaders send equal greetings.
  out["state"] = state_at(loader.save(), {0, 0});
  return out.dump();
}

Result<Handshake> read_handshake(std::string_view text, const std::shared_ptr<Context>& context) {
  const Json from = Json::parse(text, nullptr, false);
  Handshake out;
  GLS_ASSIGN(out.names, read_names(from, context));
  constexpr int64_t kMostSeeds = int64_t{1} << 62;
  constexpr int64_t kMostBatchSize = int64_t{1} << 30;
  GLS_ASSIGN(const int64_t planned, get_number(from, "num_planned", 0, kMostSeeds));
  GLS_ASSIGN(const int64_t batch_size, get_number(from, "batch_size", 1, kMostBatchSize));
  GLS_ASSIGN(const int64_t drop_last, get_number(from, "drop_last", 0, 1));
  GLS_ASSIGN(const int64_t even, get_number(from, "even", 0, static_cast<int>(Even::kRepeat)));
  GLS_ASSIGN(const int64_t seeds, get_number(from, "num_seeds", 0, kMostSeeds));
  out.plan.num_seeds = static_cast<uint64_t>(planned);
  out.plan.batch_size = static_cast<uint64_t>(batch_size);
  out.plan.drop_last = drop_last != 0;
  out.plan.even = static_cast<Even>(even);
  out.num_seeds = static_cast<uint64_t>(seeds);
  if (from.contains("pad_nodes")) {
    PadSizes sizes;
    GLS_ASSIGN(sizes.nodes, read_sizes(from, "pad_nodes", out.names->node_types().size()));
    GLS_ASSIGN(sizes.edges, read_sizes(from, "pad_edges", out.names->edge_types().size()));
    out.pad_sizes = std::move(sizes);
  }
  GLS_ASSIGN(out.state, get_text(from, "state"));
  if (Result<SavedPosition> own = read_state(out.state, out.state); !own.ok()) {
    return damaged_greeting("state");
  }
  return out;
}

}  // namespace gls
