// Writes the arrays of a dataset to a folder under construction, and keeps its manifest.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "format/dataset_writer.h"
#include "graph/dataset/dataset.h"

namespace gls {

class DatasetOutput {
 public:
  DatasetOutput(DatasetWriter writer, bool pad_rows, const Progress& progress)
      : writer_(std::move(writer)), pad_rows_(pad_rows), progress_(progress) {}

  DatasetWriter& writer() { return writer_; }

  void set_part(const PartNumber& part);
  Status add_node_type(const NodeType& type);
  Result<std::unique_ptr<format::TopologyT>> write_topology(const Topology& topology,
                                                            const std::string& edge_type,
                                                            Layout layout);
  // Columns are written `column_copies` times in a row; either layout may be NULL.
  Status add_edge_type(const EdgeTypeName& name, int64_t count,
                       std::unique_ptr<format::TopologyT> csc,
                       std::unique_ptr<format::TopologyT> csr, const std::vector<Column>& columns,
                       int column_copies, const std::optional<GlobalIds>& whole = {});
  // Reuses the column files of edge type number `columns_of`, which was added before.
  Status add_edge_type(const EdgeTypeName& name, int64_t count,
                       std::unique_ptr<format::TopologyT> csc,
                       std::unique_ptr<format::TopologyT> csr, size_t columns_of);
  // The manifest that commit() writes.
  format::ManifestT take_manifest();
  // Completes the folder and renames it to its final name.
  Status commit();

 private:
  format::EdgeTypeT& append_edge_type(const EdgeTypeName& name, int64_t count,
                                      std::unique_ptr<format::TopologyT> csc,
                                      std::unique_ptr<format::TopologyT> csr);
  Result<std::unique_ptr<format::ArrayT>> write(std::initializer_list<std::string_view> name,
                                                const Tensor& tensor, const char* stage);
  Result<std::unique_ptr<format::ColumnT>> write_column(const char* kind, const std::string& owner,
                                                        const Column& column, int copies);
  Result<std::unique_ptr<format::WholeT>> write_whole(const char* kind, const std::string& owner,
                                                      const GlobalIds& whole);
  Result<std::unique_ptr<format::NodeKeysT>> write_keys(const std::string& owner,
                                                        const NodeKeys& keys);

  DatasetWriter writer_;
  bool pad_rows_;
  const Progress& progress_;
  format::ManifestT manifest_;
};

}  // namespace gls
