// The destination of a sorted topology: memory, or the files of a dataset folder.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "format/dataset_writer.h"
#include "graph/topology/topology.h"
#include "ingest/common/workspace.h"

namespace gls {

struct TopologyShape {
  int64_t num_rows = 0;
  int64_t num_edges = 0;
  int64_t num_neighbors = 0;
  bool wide_indices = false;
  bool wide_edge_ids = false;
  bool has_edge_ids = false;  // false: ids are positions
  size_t index_bytes() const { return wide_indices ? 8 : 4; }
  size_t id_bytes() const { return wide_edge_ids ? 8 : 4; }
  size_t edge_bytes() const { return index_bytes() + (has_edge_ids ? id_bytes() : 0); }
};

// Some consecutive rows: the end of each (counted from the topology's first edge), and their edges.
struct TopologyPart {
  int64_t* row_ends = nullptr;
  std::byte* indices = nullptr;
  std::byte* edge_ids = nullptr;
};

// Receives the rows of a topology.
class TopologySink {
 public:
  virtual ~TopologySink() = default;
  virtual Status begin(const TopologyShape& shape) = 0;
  // True: returns memory to fill in place, in any order, for the range that begins at this row and
  // edge. False: the sink receives ranges in order through append().
  virtual bool in_place() const = 0;
  virtual TopologyPart place(int64_t row, int64_t edge) = 0;
  virtual Status append(const TopologyPart& part, int64_t rows, int64_t edges) = 0;
};

// Stores a topology in memory.
class MemorySink : public TopologySink {
 public:
  explicit MemorySink(Workspace& workspace) : workspace_(workspace), lease_(workspace.budget()) {}
  Status begin(const TopologyShape& shape) override;
  bool in_place() const override { return true; }
  TopologyPart place(int64_t row, int64_t edge) override;
  Status append(const TopologyPart& part, int64_t rows, int64_t edges) override;
  // The finished topology. Its memory counts until the sink is destroyed.
  Result<Topology> finish(const std::string& what);

 private:
  Workspace& workspace_;
  MemoryLease lease_;
  TopologyShape shape_;
  Tensor indptr_;
  Tensor indices_;
  Tensor edge_ids_;
};

// Writes a topology to files.
class FileSink : public TopologySink {
 public:
  FileSink(DatasetWriter& writer, std::string edge_type, Layout layout)
      : writer_(writer), edge_type_(std::move(edge_type)), layout_(layout) {}
  Status begin(const TopologyShape& shape) override;
  bool in_place() const override { return false; }
  TopologyPart place(int64_t, int64_t) override { return {}; }
  Status append(const TopologyPart& part, int64_t rows, int64_t edges) override;
  Result<std::unique_ptr<format::TopologyT>> finish();

 private:
  struct File {
    std::string name;
    NpyWriter array;
  };
  Result<File> create(const char* name, DLDataType dtype);

  DatasetWriter& writer_;
  std::string edge_type_;
  Layout layout_;
  TopologyShape shape_;
  std::optional<File> indptr_;
  std::optional<File> indices_;
  std::optional<File> edge_ids_;
};

}  // namespace gls
