#include "ingest/common/topology_sink.h"

#include <utility>

#include "system/memory.h"

namespace gls {

Status MemorySink::begin(const TopologyShape& shape) {
  shape_ = shape;
  const auto rows = static_cast<uint64_t>(shape.num_rows);
  const auto edges = static_cast<uint64_t>(shape.num_edges);
  GLS_TRY(lease_.add((rows + 1) * 8 + edges * shape.edge_bytes(), "the topology itself"));
  const bool huge = workspace_.context().huge_pages();
  const auto make = [&](DLDataType dtype, int64_t size) {
    auto block = std::make_shared<PageBlock>(static_cast<size_t>(size) * dtype_bytes(dtype), huge);
    const void* const data = block->data();
    return Tensor(std::move(block), data, dtype, {size});
  };
  indptr_ = make(kInt64, shape.num_rows + 1);
  indices_ = make(shape.wide_indices ? kInt64 : kInt32, shape.num_edges);
  if (shape.has_edge_ids) {
    edge_ids_ = make(shape.wide_edge_ids ? kInt64 : kInt32, shape.num_edges);
  }
  return {};
}

TopologyPart MemorySink::place(int64_t row, int64_t edge) {
  TopologyPart part;
  part.row_ends = reinterpret_cast<int64_t*>(indptr_.mutable_data()) + 1 + row;
  part.indices = indices_.mutable_data() + edge * static_cast<int64_t>(shape_.index_bytes());
  if (shape_.has_edge_ids) {
    part.edge_ids = edge_ids_.mutable_data() + edge * static_cast<int64_t>(shape_.id_bytes());
  }
  return part;
}

Status MemorySink::append(const TopologyPart&, int64_t, int64_t) { return {}; }

Result<Topology> MemorySink::finish(const std::string& what) {
  return Topology::make(std::move(indptr_), std::move(indices_), std::move(edge_ids_),
                        shape_.num_rows, shape_.num_edges, shape_.num_neighbors, what);
}

// ---- FileSink ----------------------------------------------------------------------------------

Result<FileSink::File> FileSink::create(const char* name, DLDataType dtype) {
  const std::string file =
      writer_.file_name({"edges", edge_type_, layout_ == Layout::kCsc ? "csc" : "csr", name});
  GLS_ASSIGN(NpyWriter array, writer_.create_array(file, dtype, {}));
  return File{file, std::move(array)};
}

Status FileSink::begin(const TopologyShape& shape) {
  shape_ = shape;
  GLS_ASSIGN(indptr_, create("indptr", kInt64));
  GLS_ASSIGN(indices_, create("indices", shape.wide_indices ? kInt64 : kInt32));
  if (shape.has_edge_ids) {
    GLS_ASSIGN(edge_ids_, create("edge_ids", shape.wide_edge_ids ? kInt64 : kInt32));
  }
  const int64_t zero = 0;
  return indptr_->array.append(std::as_bytes(std::span(&zero, 1)), 1);
}

Status FileSink::append(const TopologyPart& part, int64_t rows, int64_t edges) {
  const auto bytes = [&](size_t width) { return static_cast<size_t>(edges) * width; };
  GLS_TRY(indptr_->array.append(std::as_bytes(std::span(part.row_ends, static_cast<size_t>(rows))),
                                rows));
  GLS_TRY(indices_->array.append({part.indices, bytes(shape_.index_bytes())}, edges));
  if (shape_.has_edge_ids) {
    GLS_TRY(edge_ids_->array.append({part.edge_ids, bytes(shape_.id_bytes())}, edges));
  }
  return {};
}

Result<std::unique_ptr<format::TopologyT>> FileSink::finish() {
  auto out = std::make_unique<format::TopologyT>();
  GLS_ASSIGN(out->indptr, writer_.finish_array(indptr_->name, indptr_->array));
  GLS_ASSIGN(out->indices, writer_.finish_array(indices_->name, indices_->array));
  if (edge_ids_) {
    GLS_ASSIGN(out->edge_ids, writer_.finish_array(edge_ids_->name, edge_ids_->array));
  }
  return out;
}

}  // namespace gls
