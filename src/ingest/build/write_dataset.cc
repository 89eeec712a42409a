#include <utility>

#include "graph/dataset/dataset_output.h"
#include "ingest/build/assembly.h"
#include "ingest/build/make_dataset.h"
#include "ingest/common/topology_sink.h"
#include "ingest/sort/csc_sort.h"
#include "system/file.h"

namespace gls {
namespace {

double column_bytes(const std::vector<Column>& columns) {
  double bytes = 0;
  for (const Column& column : columns) {
    bytes += static_cast<double>(column.data.rows()) * static_cast<double>(column.data.row_bytes());
  }
  return bytes;
}

// The least bytes to write, without edge ids, keys and padding. A double, because a wrong count may
// have any value.
double least_bytes(const Assembly& assembly, const BuildOptions& options) {
  constexpr int64_t kNarrow = int64_t{1} << 31;
  double bytes = 0;
  for (const NodeType& type : assembly.node_types) {
    bytes += column_bytes(type.columns);
  }
  for (const AssembledEdges& edges : assembly.edges) {
    const int64_t sources = assembly.node_types[edges.part->source].count;
    const int64_t targets = assembly.node_types[edges.part->target].count;
    const auto layout = [&](int64_t rows, int64_t neighbors) {
      return 8.0 * static_cast<double>(rows) +
             (neighbors >= kNarrow ? 8.0 : 4.0) * static_cast<double>(edges.count);
    };
    bytes += options.csc ? layout(targets, sources) : 0;
    bytes += options.csr ? layout(sources, targets) : 0;
    bytes += edges.part->reverse_of ? 0 : column_bytes(edges.columns);
  }
  return bytes;
}

using WrittenTopology = std::unique_ptr<format::TopologyT>;

// NULL if the layout is neither wanted nor ready.
Result<WrittenTopology> write_layout(Workspace& workspace, const Assembly& assembly,
                                     const AssembledEdges& edges, Layout layout, bool wanted,
                                     DatasetOutput* output) {
  const EdgeInput& part = *edges.part;
  if (const std::optional<Topology>& ready = edges.ready[static_cast<size_t>(layout)]) {
    return output->write_topology(*ready, part.joined, layout);
  }
  if (!wanted) {
    return WrittenTopology();
  }
  const bool csc = layout == Layout::kCsc;
  SortRequest request;
  request.edges = edges.edges.get();
  request.layout = layout;
  request.num_rows = assembly.node_types[csc ? part.target : part.source].count;
  request.num_neighbors = assembly.node_types[csc ? part.source : part.target].count;
  request.what = formatted("the {} of \"{}\"", csc ? "CSC" : "CSR", part.joined);
  FileSink sink(output->writer(), part.joined, layout);
  GLS_TRY(sort_edges(workspace, request, sink));
  return sink.finish();
}

}  // namespace

Status write_dataset(Context& context, const BuilderInputs& parts, const std::string& path,
                     const BuildOptions& options) {
  GLS_TRY(check_build(parts, options));
  GLS_ASSIGN(DatasetWriter writer, DatasetWriter::create(path, options.overwrite));
  GLS_ASSIGN(Workspace workspace,
             Workspace::create(context, options.memory, writer.scratch_path(""), options.progress));
  DatasetOutput output(std::move(writer), options.pad_rows, options.progress);
  GLS_ASSIGN(const Assembly assembly, assemble(workspace, parts));
  // One mistyped id may create a huge number of nodes. Reporting it now is better than when the
  // disk is full.
  GLS_TRY(output.writer().check_space(least_bytes(assembly, options)));
  for (const NodeType& type : assembly.node_types) {
    GLS_TRY(output.add_node_type(type));
  }
  for (const AssembledEdges& edges : assembly.edges) {
    GLS_ASSIGN(WrittenTopology csc,
               write_layout(workspace, assembly, edges, Layout::kCsc, options.csc, &output));
    GLS_ASSIGN(WrittenTopology csr,
               write_layout(workspace, assembly, edges, Layout::kCsr, options.csr, &output));
    const EdgeInput& part = *edges.part;
    if (part.reverse_of) {
      GLS_TRY(output.add_edge_type(part.name, edges.count, std::move(csc), std::move(csr),
                                   *part.reverse_of));
    } else {
      GLS_TRY(output.add_edge_type(part.name, edges.count, std::move(csc), std::move(csr),
                                   edges.columns, part.doubled ? 2 : 1));
    }
  }
  GLS_TRY(parts.check_files());
  return output.commit();
}

}  // namespace gls
