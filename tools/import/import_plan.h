// The inputs of an import, from flags or a description file.
#pragma once

#include <cstdint>
#include <gls.hpp>
#include <optional>
#include <string>
#include <vector>

#include "session/session.h"

namespace gls::tool {

inline constexpr const char* kDefaultEdgeType = "node__to__node";

// A column or id set whose rows are in a `.npy` file.
struct ArrayFile {
  std::string name;
  int32_t role = GLS_ROLE_FEATURE;
  std::string file;
};

struct TextField {
  std::string field;
  std::string name;  // empty: same as the field
  std::string dtype;
  int32_t role = GLS_ROLE_FEATURE;
};

struct TextFile {
  std::string file;
  char delimiter = 0;
  char comment = 0;
  int32_t header = GLS_HEADER_DETECT;
  std::string source_field;  // for nodes: the key; empty: the default
  std::string target_field;
  std::vector<TextField> columns;
  bool ragged = false;
  int32_t encoding = GLS_ENCODING_DETECT;
};

struct TableField {
  std::string field;
  std::string name;  // empty: as the field
  int32_t role = GLS_ROLE_FEATURE;
  int32_t use = GLS_ARROW_COLUMN;
};

// Parquet or Arrow files.
struct TableSource {
  std::string path;          // a file, folder or pattern
  std::string source_field;  // for nodes: the key; empty: row i is node i
  std::string target_field;
  std::vector<TableField> fields;
  bool all_fields = false;  // the others are features
};

// Of a type whose tables say it: text makes string ids, numbers dense ones.
inline constexpr int32_t kFoundIds = -1;

struct TopologyFiles {
  gls_layout_t layout = GLS_LAYOUT_CSC;
  std::string indptr;
  std::string indices;
  std::string edge_ids;  // empty: ids are positions
};

struct NodeImport {
  std::string type;
  int64_t count = 0;  // 0: found from the data
  int32_t ids = GLS_IDS_DENSE;
  std::optional<TextFile> text;
  std::optional<TableSource> table;
  std::vector<ArrayFile> columns;
  std::vector<ArrayFile> id_sets;
};

// Exactly one of `arrays`, `text`, `table` and `topologies` is set.
struct EdgeImport {
  std::string type;
  std::vector<std::string> arrays;  // one file [2, edges], or sources and targets
  std::optional<TextFile> text;
  std::optional<TableSource> table;
  std::vector<TopologyFiles> topologies;
  bool undirected = false;
  std::vector<ArrayFile> columns;
};

// The names of these types.
std::vector<std::string> node_names(const std::vector<NodeImport>& nodes);

struct ImportPlan {
  std::vector<NodeImport> nodes;
  std::vector<EdgeImport> edges;

  NodeImport* find_node(const std::string& type);
  EdgeImport* find_edge(const std::string& type);
  // Declares the missing node types of all edge types, in order. A name that looks like a
  // misspelling of a declared type is an error; `declared_by` names how that type was declared.
  void declare_ends(const std::string& declared_by);
};

// Maps the files and adds everything to the builder; text and tables are read when the dataset is
// written.
void add_to_builder(const Context& context, const ImportPlan& plan, Builder& builder);

}  // namespace gls::tool
