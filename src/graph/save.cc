#include "graph/dataset_output.h"
#include "graph/verify.h"

namespace gls {

Status save_dataset(const Dataset& dataset, const std::string& path, const SaveOptions& options) {
  for (const EdgeType& type : dataset.edge_types()) {
    if (!(options.csc && type.csc) && !(options.csr && type.csr)) {
      return error(GLS_ERR_UNSUPPORTED,
                   "edge type \"{}\" has only the {} layout; saving writes layouts that exist",
                   type.joined, type.csc ? "CSC" : "CSR")
          .with("type", type.joined);
    }
  }
  GLS_ASSIGN(DatasetWriter writer, DatasetWriter::create(path, options.overwrite));
  DatasetOutput output(std::move(writer), options.pad_rows, options.progress);
  for (const NodeType& type : dataset.node_types()) {
    GLS_TRY(output.add_node_type(type));
  }
  for (const EdgeType& type : dataset.edge_types()) {
    std::unique_ptr<format::TopologyT> csc;
    std::unique_ptr<format::TopologyT> csr;
    if (options.csc && type.csc) {
      GLS_ASSIGN(csc, output.write_topology(*type.csc, type.joined, Layout::kCsc));
    }
    if (options.csr && type.csr) {
      GLS_ASSIGN(csr, output.write_topology(*type.csr, type.joined, Layout::kCsr));
    }
    GLS_TRY(output.add_edge_type(type.name, type.count, std::move(csc), std::move(csr),
                                 type.columns, 1));
  }
  return output.commit();
}

}  // namespace gls
