// What a builder was given so far. Of tensors only shapes and dtypes were looked at, of files
// nothing.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "graph/dataset/dataset.h"
#include "ingest/build/builder.h"

namespace gls {

struct TextPart {
  std::string path;
  TextOptions options;
};

struct NodePart {
  std::string name;
  NodeTypeOptions options;
  std::optional<TextPart> text;
  std::vector<Column> columns;
  std::vector<IdSet> id_sets;

  Status check_new_column(const std::string& column) const;
  const std::string& label() const { return name; }
};

// One layout, ready; undefined tensors: it was not given.
struct GivenTopology {
  Tensor indptr;
  Tensor indices;
  Tensor edge_ids;
  bool given() const { return indptr.defined(); }
};

// Given in one of four ways: as two arrays, as text, as ready topologies, or as another edge type
// turned round.
struct EdgePart {
  EdgeTypeName name;
  std::string joined;
  size_t source = 0;  // node types
  size_t target = 0;
  Tensor source_ids;
  Tensor target_ids;
  std::optional<TextPart> text;
  std::array<GivenTopology, 2> topologies;  // by Layout
  std::optional<size_t> reverse_of;
  bool doubled = false;  // each edge is there a second time, turned round
  std::vector<Column> columns;

  bool has_topology() const { return topologies[0].given() || topologies[1].given(); }
  Status check_new_column(const std::string& column) const;
  const std::string& label() const { return joined; }
};

struct BuilderParts {
  std::vector<NodePart> nodes;
  std::vector<EdgePart> edges;

  // An error: a mapped file that was given was cut short, so that what was read of it is zeros.
  Status check_files() const;

  // NULL: there is none.
  NodePart* find_node_type(const std::string& name);
  EdgePart* find_edge_type(const std::string& joined);
  // An empty name stands for the only one.
  Result<NodePart*> node_type(const std::string& name);
  Result<EdgePart*> edge_type(const std::string& joined);
  // The index of the type, which is declared with defaults if it is new.
  size_t declare(const std::string& name);

  // Everything that can be wrong with the name of new edges.
  Result<EdgeTypeName> check_new_edges(const std::string& edge_type, bool add_reverse);
  // Adds edges whose name was checked, and their reverse if it is to be a type of its own.
  EdgePart& add_edges(EdgeTypeName name, bool add_reverse);
};

// The name a text column gets.
inline const std::string& column_name(const TextColumn& column) {
  return column.name.empty() ? column.field : column.name;
}

}  // namespace gls
