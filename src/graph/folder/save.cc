#include "graph/dataset/dataset_output.h"
#include "graph/dataset/saved_manifest.h"
#include "graph/folder/verify.h"

namespace gls {
namespace {

Status check_layouts(const EdgeType& type, const SaveOptions& options) {
  const auto missing = [&](const char* layout) {
    return error(GLS_ERR_UNSUPPORTED,
                 "edge type \"{}\" has no {} layout; saving writes layouts that exist", type.joined,
                 layout)
        .with("argument", "layouts")
        .with("type", type.joined);
  };
  const bool csc = options.csc.value_or(type.csc.has_value());
  const bool csr = options.csr.value_or(type.csr.has_value());
  if (csc && !type.csc) {
    return missing("CSC");
  }
  if (csr && !type.csr) {
    return missing("CSR");
  }
  return csc || csr ? Status() : missing(type.csc ? "CSR" : "CSC");
}

// Bytes of columns and topology, without padding and small arrays. A double, so that the sum cannot
// overflow.
double least_bytes(const Dataset& dataset, const SaveOptions& options) {
  double bytes = 0;
  const auto add = [&](const Tensor& tensor) {
    bytes += static_cast<double>(tensor.rows()) * static_cast<double>(tensor.row_bytes());
  };
  for (const NodeType& type : dataset.node_types()) {
    for (const Column& column : type.columns) {
      add(column.data);
    }
  }
  for (const EdgeType& type : dataset.edge_types()) {
    for (const Column& column : type.columns) {
      add(column.data);
    }
    for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
      const std::optional<bool>& wanted = layout == Layout::kCsc ? options.csc : options.csr;
      if (const std::optional<Topology>& topology = type.topology(layout);
          topology && wanted.value_or(true)) {
        add(topology->indptr_tensor);
        add(topology->indices_tensor);
      }
    }
  }
  return bytes;
}

Status write_all(const Dataset& dataset, const SaveOptions& options, DatasetOutput* output) {
  for (const NodeType& type : dataset.node_types()) {
    GLS_TRY(output->add_node_type(type));
  }
  for (const EdgeType& type : dataset.edge_types()) {
    std::unique_ptr<format::TopologyT> csc;
    std::unique_ptr<format::TopologyT> csr;
    if (type.csc && options.csc.value_or(true)) {
      GLS_ASSIGN(csc, output->write_topology(*type.csc, type.joined, Layout::kCsc));
    }
    if (type.csr && options.csr.value_or(true)) {
      GLS_ASSIGN(csr, output->write_topology(*type.csr, type.joined, Layout::kCsr));
    }
    GLS_TRY(output->add_edge_type(type.name, type.count, std::move(csc), std::move(csr),
                                  type.columns, 1, type.whole));
  }
  if (dataset.part()) {
    output->set_part(*dataset.part());
  }
  return {};
}

}  // namespace

Status save_dataset(const Dataset& dataset, const std::string& path, const SaveOptions& options) {
  for (const EdgeType& type : dataset.edge_types()) {
    GLS_TRY(check_layouts(type, options));
  }
  GLS_ASSIGN(DatasetWriter writer, DatasetWriter::create(path, options.overwrite));
  GLS_TRY(writer.check_space(least_bytes(dataset, options)));
  DatasetOutput output(std::move(writer), options.pad_rows, options.progress);
  GLS_TRY(write_all(dataset, options, &output));
  GLS_TRY(dataset.check_files());
  return output.commit();
}

Result<format::ManifestT> describe_saved(const Dataset& dataset, bool pad_rows,
                                         const Progress& progress) {
  SaveOptions options;
  options.pad_rows = pad_rows;
  DatasetOutput output(DatasetWriter::measuring(), pad_rows, progress);
  GLS_TRY(write_all(dataset, options, &output));
  return output.take_manifest();
}

}  // namespace gls
