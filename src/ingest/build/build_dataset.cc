#include <cstring>
#include <utility>

#include "context/parallel.h"
#include "ingest/build/assembly.h"
#include "ingest/build/make_dataset.h"
#include "ingest/common/topology_sink.h"
#include "ingest/sort/csc_sort.h"
#include "system/memory.h"

namespace gls {
namespace {

// The rows twice, for edges that are repeated in reverse.
Result<Column> doubled(Workspace& workspace, const Column& column) {
  const Tensor& data = column.data;
  const auto row_bytes = static_cast<size_t>(data.row_bytes());
  const auto rows = static_cast<size_t>(data.rows());
  MemoryLease lease(workspace.budget());
  GLS_TRY(lease.add(2 * rows * row_bytes, formatted("column \"{}\"", column.name)));
  struct Held {
    PageBlock block;
    MemoryLease lease;
  };
  auto held = std::make_shared<Held>(
      Held{PageBlock(2 * rows * row_bytes, workspace.context().huge_pages()), std::move(lease)});
  std::byte* const target = held->block.data();
  const auto copy = [&](size_t begin, size_t end) -> Status {
    for (size_t row = begin; row < end; ++row) {
      std::memcpy(target + row * row_bytes,
                  data.data() + static_cast<int64_t>(row % rows) * data.row_stride(), row_bytes);
    }
    return {};
  };
  GLS_TRY(parallel_try(workspace.pool(), 2 * rows, size_t{1} << 16, copy));
  std::vector<int64_t> shape = data.shape();
  shape[0] *= 2;
  return column.with(Tensor(std::move(held), target, data.dtype(), std::move(shape)));
}

class DatasetBuild {
 public:
  DatasetBuild(Workspace& workspace, const Assembly& assembly, const BuildOptions& options)
      : workspace_(workspace), assembly_(assembly), options_(options) {}

  Result<EdgeType> edge_type(const AssembledEdges& edges) {
    EdgeType out;
    out.name = edges.part->name;
    out.joined = edges.part->joined;
    out.source = edges.part->source;
    out.target = edges.part->target;
    out.count = edges.count;
    GLS_ASSIGN(out.csc, topology(edges, Layout::kCsc, options_.csc));
    GLS_ASSIGN(out.csr, topology(edges, Layout::kCsr, options_.csr));
    out.columns = edges.columns;
    if (edges.part->doubled) {
      for (Column& column : out.columns) {
        GLS_ASSIGN(column, doubled(workspace_, column));
      }
    }
    return out;
  }

 private:
  Result<std::optional<Topology>> topology(const AssembledEdges& edges, Layout layout,
                                           bool wanted) {
    const std::optional<Topology>& ready = edges.ready[static_cast<size_t>(layout)];
    if (ready || !wanted) {
      return ready;
    }
    const bool csc = layout == Layout::kCsc;
    SortRequest request;
    request.edges = edges.edges.get();
    request.layout = layout;
    request.num_rows = count(csc ? edges.part->target : edges.part->source);
    request.num_neighbors = count(csc ? edges.part->source : edges.part->target);
    request.what = formatted("the {} of \"{}\"", csc ? "CSC" : "CSR", edges.part->joined);
    sinks_.push_back(std::make_unique<MemorySink>(workspace_));
    GLS_TRY(sort_edges(workspace_, request, *sinks_.back()));
    GLS_ASSIGN(Topology made, sinks_.back()->finish(request.what));
    return std::optional<Topology>(std::move(made));
  }
  int64_t count(size_t node_type) const { return assembly_.node_types[node_type].count; }

  Workspace& workspace_;
  const Assembly& assembly_;
  const BuildOptions& options_;
  std::vector<std::unique_ptr<MemorySink>> sinks_;  // their memory counts until everything is made
};

}  // namespace

Status check_build(const BuilderInputs& parts, const BuildOptions& options) {
  if (parts.nodes.empty()) {
    return invalid("the builder is empty: add node types or edges first");
  }
  if (!options.csc && !options.csr) {
    return invalid("layouts asks for neither CSC nor CSR").with("argument", "layouts");
  }
  return {};
}

Result<std::shared_ptr<const Dataset>> build_dataset(std::shared_ptr<Context> context,
                                                     const BuilderInputs& parts,
                                                     const BuildOptions& options) {
  GLS_TRY(check_build(parts, options));
  GLS_ASSIGN(Workspace workspace,
             Workspace::create(*context, options.memory, "", options.progress));
  GLS_ASSIGN(Assembly assembly, assemble(workspace, parts));
  DatasetBuild build(workspace, assembly, options);
  std::vector<EdgeType> edge_types;
  for (const AssembledEdges& edges : assembly.edges) {
    GLS_ASSIGN(EdgeType type, build.edge_type(edges));
    edge_types.push_back(std::move(type));
  }
  return Dataset::create(std::move(context), std::move(assembly.node_types), std::move(edge_types));
}

}  // namespace gls
