// The inputs that a builder has received so far. Shapes and dtypes of tensors were checked; files
// were not read.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "graph/dataset/dataset.h"
#include "ingest/arrow/arrow_import.h"
#include "ingest/build/builder.h"

namespace gls {

struct TextInput {
  std::string path;
  TextOptions options;
};

struct NodeInput {
  std::string name;
  NodeTypeOptions options;
  bool declared = false;  // by add_node_type()
  std::optional<TextInput> text;
  std::optional<ArrowInput> arrow;
  std::vector<Column> columns;
  std::vector<IdSet> id_sets;

  Status check_new_column(const std::string& column) const;
  Status check_new_id_set(const std::string& set) const;
  // An error if a file or stream lists the nodes already.
  Status check_not_listed() const;
  // Whether a file or stream gives the key of each node.
  bool lists_keys() const { return text || (arrow && !arrow->plan.ids.empty()); }
  const std::string& label() const { return name; }
};

// One ready layout; undefined tensors: not given.
struct GivenTopology {
  Tensor indptr;
  Tensor indices;
  Tensor edge_ids;
  bool given() const { return indptr.defined(); }
};

// Edges given in one of five ways: as two arrays, as text, as an Arrow stream, as ready topologies,
// or as the reverse of another edge type.
struct EdgeInput {
  EdgeTypeName name;
  std::string joined;
  size_t source = 0;  // node types
  size_t target = 0;
  Tensor source_ids;
  Tensor target_ids;
  std::optional<TextInput> text;
  std::optional<ArrowInput> arrow;
  std::array<GivenTopology, 2> topologies;  // by Layout
  std::optional<size_t> reverse_of;
  bool doubled = false;  // each edge occurs a second time, reversed
  std::vector<Column> columns;

  // By a file or stream, whose ids are names.
  bool is_named() const { return text || arrow; }
  bool has_topology() const { return topologies[0].given() || topologies[1].given(); }
  Status check_new_column(const std::string& column) const;
  const std::string& label() const { return joined; }
};

struct BuilderInputs {
  std::vector<NodeInput> nodes;
  std::vector<EdgeInput> edges;

  // An error: a given mapped file was truncated, so its missing pages read as zeros.
  Status check_files() const;

  // NULL: not found.
  NodeInput* find_node_type(const std::string& name);
  EdgeInput* find_edge_type(const std::string& joined);
  // The empty string means the only type.
  Result<NodeInput*> node_type(const std::string& name);
  Result<EdgeInput*> edge_type(const std::string& joined);
  // The index of the type; a new type is declared with defaults.
  size_t declare(const std::string& name);

  // Checks the name of new edges for every possible error.
  Result<EdgeTypeName> check_new_edges(const std::string& edge_type, bool add_reverse);
  // Adds edges whose name was checked, and their reverse if it is a type of its own.
  EdgeInput& add_edges(EdgeTypeName name, bool add_reverse);
};

// The name of the column made from a text column.
inline const std::string& column_name(const TextColumn& column) {
  return column.name.empty() ? column.field : column.name;
}

}  // namespace gls
