// Questions about the graph: edges by id, pairs of nodes, degrees, rows of columns, owners, shares.
#include "capi/support/arrays.h"
#include "capi/support/support.h"
#include "graph/dataset/unknown_name.h"
#include "loader/columns/column_rows.h"
#include "query/graph_query.h"

namespace gls {
namespace {

using capi::Ids;
using capi::read_ids;
using capi::tensor_of;

Status find_ends(const Dataset& dataset, const char* edge_type, const DLTensor& edges,
                 gls_tensor_t** source, gls_tensor_t** target) {
  GLS_ASSIGN(const size_t type, dataset.edge_type_index(edge_type));
  GLS_ASSIGN(const Ids ids, read_ids(edges, "edges"));
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  GLS_TRY(find_edge_ends(dataset, type, ids.span, "edges", &sources, &targets));
  GLS_TRY(dataset.check_files());
  capi::export_two(tensor_of(std::move(sources), kInt64), tensor_of(std::move(targets), kInt64),
                   source, target);
  return {};
}

Status find_pairs(const Dataset& dataset, const char* edge_type, const DLTensor& source,
                  const DLTensor& target, gls_tensor_t** out) {
  GLS_ASSIGN(const size_t type, dataset.edge_type_index(edge_type));
  GLS_ASSIGN(const Ids sources, read_ids(source, "source"));
  GLS_ASSIGN(const Ids targets, read_ids(target, "target"));
  GLS_ASSIGN(std::vector<uint8_t> found,
             find_edges_between(dataset, type, sources.span, targets.span));
  GLS_TRY(dataset.check_files());
  *out = tensor_of(std::move(found), kBool).export_dlpack();
  return {};
}

Status count_edges(const Dataset& dataset, const char* edge_type, gls_direction_t direction,
                   const DLTensor* nodes, gls_tensor_t** out) {
  GLS_ASSIGN(const size_t type, dataset.edge_type_index(edge_type));
  GLS_TRY(capi::check_enum(direction, GLS_DIRECTION_OUT, "direction"));
  const Layout layout = direction == GLS_DIRECTION_IN ? Layout::kCsc : Layout::kCsr;
  std::vector<int64_t> found;
  if (nodes == nullptr) {
    GLS_ASSIGN(found, find_all_degrees(dataset, type, layout));
  } else {
    GLS_ASSIGN(const Ids ids, read_ids(*nodes, "nodes"));
    GLS_ASSIGN(found, find_degrees(dataset, type, layout, ids.span));
  }
  GLS_TRY(dataset.check_files());
  *out = tensor_of(std::move(found), kInt64).export_dlpack();
  return {};
}

Status find_column_rows(const gls_dataset_t& handle, const char* type, const char* name,
                        const DLTensor& given, gls_tensor_t** out) {
  const Dataset& dataset = *handle.impl;
  GLS_ASSIGN(const Dataset::TypeIndex at, dataset.type_index(type));
  const Column* const column = at.of_nodes ? dataset.node_types()[at.index].find_column(name)
                                           : dataset.edge_types()[at.index].find_column(name);
  if (column == nullptr) {
    return at.of_nodes ? no_column("column", dataset.node_types()[at.index], name)
                       : no_column("column", dataset.edge_types()[at.index], name);
  }
  GLS_ASSIGN(const Ids ids, read_ids(given, "ids"));
  const ColumnToGather wanted = {at.of_nodes, at.index, column, false, column->dtype()};
  GLS_ASSIGN(const Tensor rows, handle.there != nullptr
                                    ? handle.there->find_rows(wanted, ids.span, "ids", "column")
                                    : find_rows(dataset, wanted, ids.span, "ids", "column"));
  GLS_TRY(dataset.check_files());
  *out = rows.export_dlpack();
  return {};
}

Status find_parts(const Dataset& dataset, const char* type, const DLTensor& given,
                  gls_tensor_t** out) {
  GLS_ASSIGN(const Dataset::TypeIndex at, dataset.type_index(type));
  GLS_ASSIGN(const Ids ids, read_ids(given, "ids"));
  GLS_ASSIGN(std::vector<int32_t> owners, find_owners(dataset, at, ids.span, "ids"));
  GLS_TRY(dataset.check_files());
  *out = tensor_of(std::move(owners), kInt32).export_dlpack();
  return {};
}

Status find_rank_share(const Dataset& dataset, const char* type, const DLTensor* given,
                       uint32_t rank, uint32_t world_size, const DLTensor* rank_parts,
                       gls_tensor_t** out) {
  GLS_ASSIGN(const Dataset::TypeIndex at, dataset.type_index(type));
  ShareOptions options = {rank, world_size};
  Ids ids;
  Ids parts;
  if (given != nullptr) {
    GLS_ASSIGN(ids, read_ids(*given, "ids"));
  }
  if (rank_parts != nullptr) {
    GLS_ASSIGN(parts, read_ids(*rank_parts, "rank_parts"));
    options.rank_parts = parts.span;
  }
  GLS_ASSIGN(std::vector<int64_t> share,
             find_share(dataset, at, given != nullptr ? &ids.span : nullptr, options, "ids"));
  GLS_TRY(dataset.check_files());
  *out = tensor_of(std::move(share), kInt64).export_dlpack();
  return {};
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_dataset_find_edges(const gls_dataset_t* dataset, const char* edge_type,
                                    const DLTensor* edges, gls_tensor_t** source,
                                    gls_tensor_t** target, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(edges);
    GLS_REQUIRE(source);
    GLS_REQUIRE(target);
    return gls::find_ends(*dataset->impl, edge_type, *edges, source, target);
  });
}

gls_status_t gls_dataset_has_edges(const gls_dataset_t* dataset, const char* edge_type,
                                   const DLTensor* source, const DLTensor* target,
                                   gls_tensor_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(source);
    GLS_REQUIRE(target);
    GLS_REQUIRE(out);
    return gls::find_pairs(*dataset->impl, edge_type, *source, *target, out);
  });
}

gls_status_t gls_dataset_degrees(const gls_dataset_t* dataset, const char* edge_type,
                                 gls_direction_t direction, const DLTensor* nodes,
                                 gls_tensor_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    return gls::count_edges(*dataset->impl, edge_type, direction, nodes, out);
  });
}

gls_status_t gls_dataset_rows(const gls_dataset_t* dataset, const char* type, const char* column,
                              const DLTensor* ids, gls_tensor_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(column);
    GLS_REQUIRE(ids);
    GLS_REQUIRE(out);
    return gls::find_column_rows(*dataset, type, column, *ids, out);
  });
}

gls_status_t gls_dataset_owners(const gls_dataset_t* dataset, const char* type, const DLTensor* ids,
                                gls_tensor_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(ids);
    GLS_REQUIRE(out);
    return gls::find_parts(*dataset->impl, type, *ids, out);
  });
}

gls_status_t gls_dataset_share_ids(const gls_dataset_t* dataset, const char* type,
                                   const DLTensor* ids, uint32_t rank, uint32_t world_size,
                                   const DLTensor* rank_parts, gls_tensor_t** out,
                                   gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    return gls::find_rank_share(*dataset->impl, type, ids, rank, world_size, rank_parts, out);
  });
}

}  // extern "C"
