// The struct that the plugin "formats" exports as `gls_plugin`. C types only;
// plugins/formats/src/boundary declares the same structs.
#pragma once

#include <gls.h>

#include <cstddef>
#include <cstdint>

#include "system/plugin.h"

namespace gls {

inline constexpr uint32_t kFormatsInterface = 4;

// The files to read, and how. All text is UTF-8 with a NUL.
struct TableRequest {
  const char* const* paths;  // files, folders, or patterns with *, ? and [...]
  size_t num_paths;
  const char* const* fields;  // those to read, in this order; none: all
  size_t num_fields;
  uint32_t threads;  // that decode, at least 1
  uint32_t reserved;
};

// The calls of the C ABI by which the plugin fills a builder.
struct BuilderCalls {
  decltype(&gls_builder_add_node_type) add_node_type;
  decltype(&gls_builder_add_edges) add_edges;
  decltype(&gls_builder_add_topology) add_topology;
  decltype(&gls_builder_add_nodes_text) add_nodes_text;
  decltype(&gls_builder_add_edges_text) add_edges_text;
  decltype(&gls_builder_add_nodes_arrow) add_nodes_arrow;
  decltype(&gls_builder_add_edges_arrow) add_edges_arrow;
  decltype(&gls_builder_add_node_column) add_node_column;
  decltype(&gls_builder_add_edge_column) add_edge_column;
  decltype(&gls_builder_add_node_codes) add_node_codes;
  decltype(&gls_builder_add_edge_codes) add_edge_codes;
  decltype(&gls_builder_add_id_set) add_id_set;
  decltype(&gls_error_message) error_message;
  decltype(&gls_error_detail) error_detail;
  decltype(&gls_error_release) error_release;
};

// A dataset of another system.
struct RecipeRequest {
  const char* format;
  const char* path;
  const char* const* choices;  // "name=value"
  size_t num_choices;
};

// The calls of the C ABI by which the plugin reads a dataset.
struct DatasetCalls {
  decltype(&gls_dataset_num_node_types) num_node_types;
  decltype(&gls_dataset_num_edge_types) num_edge_types;
  decltype(&gls_dataset_get_node_type_info) get_node_type_info;
  decltype(&gls_dataset_get_edge_type_info) get_edge_type_info;
  decltype(&gls_dataset_get_node_column_info) get_node_column_info;
  decltype(&gls_dataset_get_edge_column_info) get_edge_column_info;
  decltype(&gls_dataset_get_id_set_info) get_id_set_info;
  decltype(&gls_dataset_tensor) tensor;
  decltype(&gls_dataset_nodes_to_arrow) nodes_to_arrow;
  decltype(&gls_dataset_edges_to_arrow) edges_to_arrow;
  decltype(&gls_error_message) error_message;
  decltype(&gls_error_detail) error_detail;
  decltype(&gls_error_release) error_release;
  // An error: a file was cut while it was mapped, so what was read of it may be zeros.
  gls_status_t (*check_files)(const gls_dataset_t* dataset, gls_error_t** err);
};

// Where and how to write a dataset.
struct ExportRequest {
  const char* format;
  const char* path;
  const char* const* choices;  // "name=value"
  size_t num_choices;
  int32_t overwrite;  // non-zero: replace what an export of this format wrote
  int32_t reserved;
  gls_progress_fn progress;  // of bytes; may be NULL. Only the calling thread may call it
  void* progress_user_data;
};

// What a failed call says, and the file that it says it of, or nothing. Both are cut to `capacity`
// bytes with the NUL.
struct PluginMessage {
  char* text;
  char* file;
  size_t capacity;
};

// Copies a text with a NUL.
using TakeText = void (*)(void* self, const char* text);

// All functions return GLS_OK or an error, may be called from any thread, and throw nothing.
struct FormatsPlugin {
  PluginHeader header;
  // Opens the files and reads their schemas.
  gls_status_t (*open_tables)(const TableRequest* request, ArrowArrayStream* out,
                              PluginMessage message);
  // Reads a recipe without opening its files, and hands it to `take` as this plugin writes it.
  gls_status_t (*check_recipe)(const char* text, TakeText take, void* self, PluginMessage message);
  // Hands the recipe's text to `take`.
  gls_status_t (*make_recipe)(const RecipeRequest* request, TakeText take, void* self,
                              PluginMessage message);
  // `folder`: of relative names; may be empty.
  gls_status_t (*run_recipe)(const char* text, const char* folder, uint32_t threads,
                             const BuilderCalls* calls, gls_builder_t* builder,
                             PluginMessage message);
  gls_status_t (*export_dataset)(const ExportRequest* request, const DatasetCalls* calls,
                                 const gls_dataset_t* dataset, PluginMessage message);
};

}  // namespace gls
