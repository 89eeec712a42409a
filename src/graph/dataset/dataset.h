// Dataset: an immutable graph with its columns, whose arrays are local or remote. Made by opening a
// folder (dataset_folder.h) or by a builder (ingest/build/builder.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "context/context.h"
#include "graph/topology/global_ids.h"
#include "graph/topology/schema.h"
#include "graph/topology/topology.h"
#include "tensor/codebook.h"
#include "tensor/tensor.h"

namespace gls {

class GraphSource;  // see query/graph_source.h

struct Column {
  std::string name;
  int32_t role = GLS_ROLE_FEATURE;
  // One row for each id; in a part of a graph, perhaps only for the first ids. If rows are remote,
  // it only has a shape and a dtype.
  Tensor data;
  // Where `data` holds packed codes: their values and their shape as numbers.
  std::shared_ptr<const Codebook> codebook{};
  std::vector<int64_t> decoded_shape{};
  // What the numbers stand for, as Arrow's format string of a timestamp, date, time or duration
  // ("tsu:UTC"); empty: plain numbers.
  std::string logical_type{};

  static Column of_codes(std::string name, int32_t role, Tensor codes,
                         std::shared_ptr<const Codebook> codebook);
  // The same column with other rows.
  Column with(Tensor rows) const;
  bool is_local() const {
    return data.data() != nullptr || data.rows() == 0 || data.row_bytes() == 0;
  }
  // The dtype that users see.
  DLDataType dtype() const { return codebook != nullptr ? kFloat32 : data.dtype(); }
  const std::vector<int64_t>& shape() const {
    return codebook != nullptr ? decoded_shape : data.shape();
  }
};

struct IdSet {
  std::string name;
  Tensor ids;  // int32 or int64
};

// The names of nodes in the imported data.
struct NodeKeys {
  bool strings = false;
  Tensor values;   // int64 [nodes], or uint8 [bytes]
  Tensor offsets;  // strings: int64 [nodes + 1]
  Tensor order;    // int64 [nodes], ids by ascending key; undefined: ids are in that order
};

struct NodeType {
  std::string name;
  int64_t count = 0;
  std::vector<Column> columns;
  std::vector<IdSet> id_sets;
  std::optional<NodeKeys> keys;
  std::optional<GlobalIds> whole;

  const Column* find_column(std::string_view column) const;
};

// For code that reads a column by any id: an error if only some ids have rows, or if the rows are
// remote.
Status need_all_rows(const Column& column, int64_t count, std::string_view type,
                     const char* argument);

// An error lists the valid values of `argument`.
Result<Tensor> find_id_set(const NodeType& type, std::string_view name, const char* argument);

// The layouts of a remote edge type, as its parts or stores have them.
struct RemoteLayouts {
  bool csc = false;
  bool csr = false;
  bool wide_indices = false;
  bool edge_ids = true;  // false: its edges have no ids
  bool ends = true;      // false: nothing tells the ends of edges by their ids
};

struct EdgeType {
  EdgeTypeName name;
  std::string joined;  // source__relation__target
  size_t source = 0;   // number of the node type
  size_t target = 0;
  int64_t count = 0;
  std::optional<Topology> csc;
  std::optional<Topology> csr;
  std::vector<Column> columns;
  std::optional<GlobalIds> whole;
  std::optional<RemoteLayouts> remote;  // set: neither csc nor csr is

  const Column* find_column(std::string_view column) const;
  const std::optional<Topology>& topology(Layout layout) const {
    return layout == Layout::kCsc ? csc : csr;
  }
  // Local or remote.
  bool stores(Layout layout) const {
    return remote ? (layout == Layout::kCsc ? remote->csc : remote->csr)
                  : topology(layout).has_value();
  }
  bool wide_indices() const {
    return remote ? remote->wide_indices : (csc ? *csc : *csr).wide_indices;
  }
};

// For code that reads the ends of edges by their ids.
Status need_ends(const EdgeType& type, const char* argument);

// For code that reads the topology itself.
Status need_topology(const EdgeType& type, const char* argument);

// The number of a part of a graph: docs/decisions/0033-parts.md.
struct PartNumber {
  uint32_t number = 0;
  uint32_t parts = 1;
  std::string graph;  // names the partition
};

// The mapped file of an array, kept for verification.
struct ArrayFile {
  Tensor data;
  std::string xxh3;  // may be empty
};

class Dataset {
 public:
  // Checks that the members fit together, in time independent of the graph's size.
  static Result<std::shared_ptr<const Dataset>> create(
      std::shared_ptr<Context> context, std::vector<NodeType> node_types,
      std::vector<EdgeType> edge_types, std::vector<ArrayFile> files = {},
      std::optional<PartNumber> part = {}, std::shared_ptr<const GraphSource> source = {});

  const std::shared_ptr<Context>& context() const { return context_; }
  const std::vector<NodeType>& node_types() const { return node_types_; }
  const std::vector<EdgeType>& edge_types() const { return edge_types_; }

  const std::vector<ArrayFile>& files() const { return files_; }
  // Set if this is a part of a graph; every type then has a `whole`.
  const std::optional<PartNumber>& part() const { return part_; }
  // Not NULL: arrays are remote, and this object answers questions about all of them
  // (docs/decisions/0037-sources.md).
  const std::shared_ptr<const GraphSource>& source() const { return source_; }
  // The same, if topologies are remote; NULL: only columns are.
  const GraphSource* topology_source() const { return local_topology_ ? nullptr : source_.get(); }
  // An error: a file was truncated while it was mapped, so its missing pages read as zeros. Code
  // that reads arrays calls this before it returns results. For remote arrays, it checks all files.
  Status check_files() const;
  // An error if the arrays are remote; `what` names the reader.
  Status need_arrays(const char* what) const;

  // NULL: the only type; an error lists the types.
  Result<size_t> node_type_index(const char* name) const;
  Result<size_t> edge_type_index(const char* name) const;
  // A node type, or an edge type if the name has three parts; NULL: the only node type.
  struct TypeIndex {
    bool of_nodes;
    size_t index;
  };
  Result<TypeIndex> type_index(const char* name) const;
  const std::string& type_name(TypeIndex type) const {
    return type.of_nodes ? node_types_[type.index].name : edge_types_[type.index].joined;
  }
  int64_t type_count(TypeIndex type) const {
    return type.of_nodes ? node_types_[type.index].count : edge_types_[type.index].count;
  }

  // The position of each edge id of a type in the CSC or CSR, to find edges by id. Computed at
  // first use (8 bytes per edge); undefined where ids are positions.
  Result<Tensor> edge_positions(size_t edge_type, Layout layout) const;

  // Keeps an object made from this dataset, of size `bytes`, as long as the dataset lives. NULL if
  // all kept objects would exceed `most_bytes`, or if `make` returns NULL. One object is made at a
  // time, so `make` must not call keep().
  Result<std::shared_ptr<const void>> keep(
      const std::string& key, uint64_t bytes, uint64_t most_bytes,
      const std::function<Result<std::shared_ptr<const void>>()>& make) const;

  // A hash of types, counts and columns, which identifies the dataset for resumed loaders.
  uint64_t fingerprint() const;

 private:
  Dataset(std::shared_ptr<Context> context, std::vector<NodeType> node_types,
          std::vector<EdgeType> edge_types, std::vector<ArrayFile> files,
          std::optional<PartNumber> part, std::shared_ptr<const GraphSource> source)
      : context_(std::move(context)),
        node_types_(std::move(node_types)),
        edge_types_(std::move(edge_types)),
        files_(std::move(files)),
        part_(std::move(part)),
        source_(std::move(source)),
        local_topology_(source_ == nullptr || has_topologies(edge_types_)),
        positions_(2 * edge_types_.size()) {
    for (size_t t = 0; t < node_types_.size(); ++t) {
      node_type_of_name_.emplace(node_types_[t].name, t);
    }
    for (size_t t = 0; t < edge_types_.size(); ++t) {
      edge_type_of_name_.emplace(edge_types_[t].joined, t);
    }
  }

  static bool has_topologies(const std::vector<EdgeType>& types) {
    return !types.empty() && std::none_of(types.begin(), types.end(), [](const EdgeType& type) {
      return type.remote.has_value();
    });
  }

  std::shared_ptr<Context> context_;
  std::vector<NodeType> node_types_;
  std::vector<EdgeType> edge_types_;
  // Views of the names above: every access to an array of a batch looks up its type.
  std::unordered_map<std::string_view, size_t> node_type_of_name_;
  std::unordered_map<std::string_view, size_t> edge_type_of_name_;
  std::vector<ArrayFile> files_;
  std::optional<PartNumber> part_;
  std::shared_ptr<const GraphSource> source_;
  bool local_topology_;
  mutable std::mutex positions_mutex_;
  mutable std::vector<Tensor> positions_;  // [2 * edge type + layout]
  mutable std::mutex kept_mutex_;
  mutable uint64_t kept_bytes_ = 0;
  mutable std::map<std::string, std::shared_ptr<const void>> kept_;
};

}  // namespace gls
