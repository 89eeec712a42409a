// Edges that a text file becomes, or the error it is.
#pragma once

#include "ingest_support.h"

namespace gls::test {

struct Read {
  std::vector<int64_t> source;
  std::vector<int64_t> target;
  std::vector<Column> columns;
  int64_t nodes = 0;
};

// The edges of a file of dense ids, in the order of their ids.
inline Result<Read> read_edges(const std::string& text, const TextOptions& options = {},
                               int64_t num_nodes = 0, unsigned threads = 2) {
  const TempFolder folder;
  Builder builder(context_of(threads));
  NodeTypeOptions nodes;
  nodes.num_nodes = num_nodes;
  GLS_TRY(builder.add_node_type("n", nodes));
  GLS_TRY(builder.add_edges_text("n__e__n", folder.write("edges", text), options));
  GLS_ASSIGN(const auto dataset, builder.build({}));
  const EdgeType& type = dataset->edge_types()[0];
  Read out;
  out.nodes = dataset->node_types()[0].count;
  out.source.resize(static_cast<size_t>(type.count));
  out.target.resize(static_cast<size_t>(type.count));
  for (int64_t row = 0; row < out.nodes; ++row) {
    for (int64_t at = type.csc->indptr[row]; at < type.csc->indptr[row + 1]; ++at) {
      const auto id = static_cast<size_t>(type.csc->edge_id(at));
      out.source[id] = type.csc->neighbor(at);
      out.target[id] = row;
    }
  }
  out.columns = type.columns;
  return out;
}

inline void expect_edges(const std::string& text, const std::vector<int64_t>& source,
                         const std::vector<int64_t>& target, const TextOptions& options = {}) {
  auto read = read_edges(text, options);
  ASSERT_TRUE(read.ok()) << read.status().message() << "\nin\n" << text;
  EXPECT_EQ(read->source, source) << text;
  EXPECT_EQ(read->target, target) << text;
}

inline void expect_failure(const std::string& text, const std::string& part,
                           const TextOptions& options = {}, int64_t num_nodes = 0) {
  auto read = read_edges(text, options, num_nodes);
  ASSERT_FALSE(read.ok()) << text;
  EXPECT_EQ(read.status().code(), GLS_ERR_CORRUPT_DATA) << read.status().message();
  EXPECT_MESSAGE(read.status(), part);
  ASSERT_NE(read.status().detail("file"), nullptr);
  EXPECT_NE(read.status().detail("line"), nullptr);
}

}  // namespace gls::test
