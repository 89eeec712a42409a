#include "ingest/formats/export.h"

#include "capi/support/support.h"
#include "ingest/formats/formats_plugin.h"

namespace gls {
namespace {

gls_status_t check_files(const gls_dataset_t* dataset, gls_error_t** err) {
  return capi::guard(err, [&] { return dataset->impl->check_files(); });
}

constexpr DatasetCalls kDatasetCalls = {gls_dataset_num_node_types,
                                        gls_dataset_num_edge_types,
                                        gls_dataset_get_node_type_info,
                                        gls_dataset_get_edge_type_info,
                                        gls_dataset_get_node_column_info,
                                        gls_dataset_get_edge_column_info,
                                        gls_dataset_get_id_set_info,
                                        gls_dataset_tensor,
                                        gls_dataset_nodes_to_arrow,
                                        gls_dataset_edges_to_arrow,
                                        gls_error_message,
                                        gls_error_detail,
                                        gls_error_release,
                                        check_files};

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_dataset_export(const gls_dataset_t* dataset, const char* format, const char* path,
                                const gls_export_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(format);
    GLS_REQUIRE(path);
    gls_export_options_t given;
    GLS_TRY(gls::capi::read_options(options, "options", &given));
    GLS_TRY(gls::capi::check_reserved(given.reserved));
    GLS_TRY(dataset->impl->need_arrays("export"));
    gls::Export asked;
    asked.format = format;
    asked.path = path;
    GLS_TRY(gls::capi::read_texts(given.choices, given.num_choices, "choices", &asked.choices));
    asked.overwrite = given.overwrite != 0;
    asked.progress = given.progress;
    asked.progress_user_data = given.progress_user_data;
    return gls::export_dataset(asked, gls::kDatasetCalls, dataset);
  });
}

}  // extern "C"
