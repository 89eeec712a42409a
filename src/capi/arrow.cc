#include "capi/support/support.h"
#include "feature/arrow_tables.h"
#include "ingest/formats/table_files.h"
#include "tensor/arrow_export.h"

namespace gls {
namespace {

// The schema and array of a whole tensor.
Status export_tensor(const Tensor& tensor, ArrowSchema* schema, ArrowArray* array) {
  GLS_ASSIGN(const ArrowFieldSpec field, arrow_field_of("", tensor.dtype(), tensor.shape()));
  auto owners = std::make_shared<std::vector<std::shared_ptr<const void>>>();
  const ArrowArraySpec rows = arrow_rows_of(tensor, 0, tensor.rows(), owners.get());
  ArrowOwned<ArrowSchema> made;
  make_arrow_schema(field, &made);
  make_arrow_array(rows, owners, array);
  made.move_to(schema);
  return {};
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_tensor_to_arrow(gls_tensor_t* tensor, ArrowSchema* schema, ArrowArray* array,
                                 gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(schema);
    GLS_REQUIRE(array);
    gls::Tensor data;
    gls::capi::Taken taken;
    GLS_TRY(taken.add(tensor, "tensor", &data));
    return taken.keep_if(gls::export_tensor(data, schema, array));
  });
}

gls_status_t gls_arrow_open_files(gls_context_t* ctx, const char* const* paths, size_t num_paths,
                                  const gls_arrow_files_options_t* options, ArrowArrayStream* out,
                                  gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(out);
    gls_arrow_files_options_t given;
    GLS_TRY(gls::capi::read_options(options, "options", &given));
    GLS_TRY(gls::capi::check_reserved(given.reserved));
    gls::TableFiles files;
    files.threads = given.num_threads != 0 ? given.num_threads : ctx->impl->pool().size();
    GLS_TRY(gls::capi::read_texts(paths, num_paths, "paths", &files.paths));
    GLS_TRY(gls::capi::read_texts(given.fields, given.num_fields, "fields", &files.fields));
    return gls::open_table_files(files, out);
  });
}

gls_status_t gls_dataset_nodes_to_arrow(const gls_dataset_t* dataset, const char* type,
                                        ArrowArrayStream* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const size_t index, dataset->impl->node_type_index(type));
    return gls::nodes_to_arrow(dataset->impl, index, out);
  });
}

gls_status_t gls_dataset_edges_to_arrow(const gls_dataset_t* dataset, const char* edge_type,
                                        ArrowArrayStream* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const size_t index, dataset->impl->edge_type_index(edge_type));
    return gls::edges_to_arrow(dataset->impl, index, out);
  });
}

}  // extern "C"
