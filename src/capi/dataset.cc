#include "capi/options/dataset_options.h"
#include "capi/support/devices.h"
#include "capi/support/support.h"
#include "cluster/client/remote_graph.h"
#include "cluster/part/partitioned_dataset.h"
#include "graph/dataset/node_keys.h"
#include "graph/dataset/unknown_name.h"
#include "graph/folder/dataset_folder.h"
#include "graph/folder/verify.h"
#include "net/connection/settings.h"

namespace gls {
namespace {

using capi::write_info;

Status index_error(const char* what, size_t index, size_t count) {
  return not_found("{} {} does not exist, there are {}", what, index, count)
      .with("argument", "index");
}

Status describe_column(const std::vector<Column>& columns, size_t index, gls_column_info_t* out) {
  if (index >= columns.size()) {
    return index_error("column", index, columns.size());
  }
  const Column& column = columns[index];
  const Codebook* const codebook = column.codebook.get();
  return write_info(
      {0, column.name.c_str(), column.role, column.dtype(),
       static_cast<int32_t>(column.shape().size()), column.shape().data(), column.data.row_stride(),
       codebook != nullptr ? static_cast<uint32_t>(codebook->bits()) : 0u, 0,
       codebook != nullptr ? codebook->values().data() : nullptr,
       column.logical_type.empty() ? nullptr : column.logical_type.c_str()},
      out);
}

template <typename Type>
Result<Tensor> column_tensor(const Type& of, const std::string& type, const char* name) {
  const std::string_view wanted = name == nullptr ? "" : name;
  const Column* const column = of.find_column(wanted);
  if (column == nullptr) {
    return no_column(nullptr, of, wanted);
  }
  if (!column->is_local()) {
    return error(GLS_ERR_UNSUPPORTED,
                 "column \"{}\" of \"{}\" is in parts of the graph or in a store, not here as a "
                 "whole; ask for rows of it by id, or open the folder of a part",
                 column->name, type)
        .with("argument", "column")
        .with("column", column->name);
  }
  return column->data;
}

Result<Tensor> topology_tensor(const EdgeType& type, int32_t array) {
  if (type.remote) {
    return error(
               GLS_ERR_UNSUPPORTED,
               "array: the edges of \"{}\" are in parts of the graph or in a store, not here; ask "
               "for degrees, for ends of edges, or for all neighbours of nodes by a hop of fanout "
               "-1, or open the folder of a part",
               type.joined)
        .with("argument", "array")
        .with("type", type.joined);
  }
  const bool csc = array <= GLS_ARRAY_CSC_EDGE_IDS;
  const std::optional<Topology>& topology = csc ? type.csc : type.csr;
  if (!topology) {
    return not_found("edge type \"{}\" has no {}", type.joined, csc ? "csc" : "csr")
        .with("type", type.joined);
  }
  switch (array) {
    case GLS_ARRAY_CSC_INDPTR:
    case GLS_ARRAY_CSR_INDPTR:
      return topology->indptr_tensor;
    case GLS_ARRAY_CSC_INDICES:
    case GLS_ARRAY_CSR_INDICES:
      return topology->indices_tensor;
    default:
      if (!topology->edge_ids_tensor.defined()) {
        return not_found("edge ids of \"{}\" are the positions, so they are not stored",
                         type.joined)
            .with("type", type.joined);
      }
      return topology->edge_ids_tensor;
  }
}

Result<Tensor> find_array(const Dataset& dataset, int32_t array, const char* type,
                          const char* name) {
  const char* const text = name == nullptr ? "" : name;
  if (array == GLS_ARRAY_NODE_COLUMN || array == GLS_ARRAY_ID_SET) {
    GLS_ASSIGN(const size_t index, dataset.node_type_index(type));
    const NodeType& node_type = dataset.node_types()[index];
    if (array == GLS_ARRAY_NODE_COLUMN) {
      return column_tensor(node_type, node_type.name, name);
    }
    return find_id_set(node_type, text, "name");
  }
  GLS_TRY(capi::check_enum(array, GLS_ARRAY_CSR_EDGE_IDS, "array"));
  GLS_ASSIGN(const size_t index, dataset.edge_type_index(type));
  const EdgeType& edge_type = dataset.edge_types()[index];
  if (array == GLS_ARRAY_EDGE_COLUMN) {
    return column_tensor(edge_type, edge_type.joined, name);
  }
  return topology_tensor(edge_type, array);
}

// A tensor that keeps the dataset alive, which owns the array's memory.
gls_tensor_t* export_from(const std::shared_ptr<const Dataset>& dataset, const Tensor& tensor) {
  return Tensor(dataset, tensor.data(), tensor.dtype(), tensor.shape(), tensor.row_stride(), true)
      .export_dlpack();
}

// Opens a folder, a folder of parts, or a graph on servers.
Result<std::shared_ptr<const Dataset>> open_place(const std::shared_ptr<Context>& context,
                                                  const std::string& path,
                                                  const OpenOptions& options) {
  if (!path.starts_with(kGraphScheme)) {
    return is_partition(path) ? open_whole(context, path, options)
                              : open_dataset(context, path, options);
  }
  if (options.residency != Residency::kMapped || options.verify_checksums) {
    return error(GLS_ERR_UNSUPPORTED, "{} of {} is for its servers to say, which have the files",
                 options.verify_checksums ? "verify_checksums" : "residency", path)
        .with("argument", options.verify_checksums ? "verify_checksums" : "residency");
  }
  const Settings& settings = context->settings();
  const auto timeout = [&](Setting setting) {
    const int64_t ms = settings.integer(setting);
    return ms == 0 ? int64_t{-1} : ms;
  };
  RemoteGraphOptions served;
  GLS_ASSIGN(served.transport, net::transport_options(settings));
  served.limits = net::limits(settings);
  served.progress = options.progress;
  served.timeout_ms = timeout(Setting::kClusterOpenTimeout);
  served.part.timeout_ms = timeout(Setting::kClusterRequestTimeout);
  served.same_host = settings.flag(Setting::kClusterSameHost);
  return open_served(context, path, served);
}

}  // namespace

Result<OpenOptions> capi::read_dataset_options(const gls_dataset_options_t* given,
                                               const char* name) {
  gls_dataset_options_t read;
  GLS_TRY(read_options(given, name, &read));
  GLS_TRY(check_enum(read.residency, Residency::kAll, "residency"));
  return OpenOptions{static_cast<Residency>(read.residency), read.verify_checksums != 0,
                     make_progress(read.progress, read.progress_user_data)};
}

}  // namespace gls

using gls::Status;
using gls::capi::guard;
using gls::capi::read_options;
using gls::capi::write_info;

extern "C" {

gls_status_t gls_dataset_open(gls_context_t* ctx, const char* path,
                              const gls_dataset_options_t* options, gls_dataset_t** out,
                              gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(path);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::OpenOptions open, gls::capi::read_dataset_options(options, "options"));
    GLS_ASSIGN(auto dataset, gls::open_place(ctx->impl, path, open));
    *out = new gls_dataset{std::move(dataset)};
    return {};
  });
}

gls_status_t gls_dataset_on_device(const gls_dataset_t* dataset, DLDevice device,
                                   gls_dataset_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    GLS_ASSIGN(auto opened, gls::capi::open_device(device, dataset->device()));
    std::shared_ptr<const gls::DatasetOnDevice> there = dataset->there;
    if (opened != dataset->device()) {
      there = opened == nullptr ? nullptr
                                : std::make_shared<const gls::DatasetOnDevice>(
                                      dataset->impl, std::move(opened), gls::capi::local_place());
    }
    *out = new gls_dataset{dataset->impl, std::move(there)};
    return {};
  });
}

gls_status_t gls_dataset_device(const gls_dataset_t* dataset, DLDevice* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    *out = gls::capi::name_of(dataset->device());
    return {};
  });
}

void gls_dataset_release(gls_dataset_t* dataset) {
  if (dataset != nullptr) {
    const std::shared_ptr<gls::Context> context = dataset->impl->context();
    gls::capi::release(dataset, *context);
  }
}

size_t gls_dataset_num_node_types(const gls_dataset_t* dataset) {
  return dataset == nullptr ? 0 : dataset->impl->node_types().size();
}

size_t gls_dataset_num_edge_types(const gls_dataset_t* dataset) {
  return dataset == nullptr ? 0 : dataset->impl->edge_types().size();
}

gls_status_t gls_dataset_get_node_type_info(const gls_dataset_t* dataset, size_t index,
                                            gls_node_type_info_t* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    const auto& types = dataset->impl->node_types();
    if (index >= types.size()) {
      return gls::index_error("node type", index, types.size());
    }
    const gls::NodeType& type = types[index];
    return write_info({0, type.name.c_str(), type.count, type.columns.size(), type.id_sets.size(),
                       type.keys ? 1 : 0, 0},
                      out);
  });
}

gls_status_t gls_dataset_get_edge_type_info(const gls_dataset_t* dataset, size_t index,
                                            gls_edge_type_info_t* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    const auto& types = dataset->impl->edge_types();
    if (index >= types.size()) {
      return gls::index_error("edge type", index, types.size());
    }
    const gls::EdgeType& type = types[index];
    const uint32_t layouts = (type.stores(gls::Layout::kCsc) ? uint32_t{GLS_LAYOUT_CSC} : 0u) |
                             (type.stores(gls::Layout::kCsr) ? uint32_t{GLS_LAYOUT_CSR} : 0u);
    return write_info({0, type.joined.c_str(), type.name.source.c_str(), type.name.relation.c_str(),
                       type.name.target.c_str(), type.count, type.columns.size(), layouts,
                       type.wide_indices() ? 64u : 32u},
                      out);
  });
}

int64_t gls_dataset_num_nodes(const gls_dataset_t* dataset, const char* type) {
  int64_t count = -1;
  guard(nullptr, [&]() -> Status {
    GLS_REQUIRE(dataset);
    GLS_ASSIGN(const size_t index, dataset->impl->node_type_index(type));
    count = dataset->impl->node_types()[index].count;
    return {};
  });
  return count;
}

int64_t gls_dataset_num_edges(const gls_dataset_t* dataset, const char* type) {
  int64_t count = -1;
  guard(nullptr, [&]() -> Status {
    GLS_REQUIRE(dataset);
    GLS_ASSIGN(const size_t index, dataset->impl->edge_type_index(type));
    count = dataset->impl->edge_types()[index].count;
    return {};
  });
  return count;
}

gls_status_t gls_dataset_get_node_column_info(const gls_dataset_t* dataset, const char* type,
                                              size_t index, gls_column_info_t* out,
                                              gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const size_t at, dataset->impl->node_type_index(type));
    return gls::describe_column(dataset->impl->node_types()[at].columns, index, out);
  });
}

gls_status_t gls_dataset_get_edge_column_info(const gls_dataset_t* dataset, const char* type,
                                              size_t index, gls_column_info_t* out,
                                              gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const size_t at, dataset->impl->edge_type_index(type));
    return gls::describe_column(dataset->impl->edge_types()[at].columns, index, out);
  });
}

gls_status_t gls_dataset_get_id_set_info(const gls_dataset_t* dataset, const char* type,
                                         size_t index, gls_id_set_info_t* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const size_t at, dataset->impl->node_type_index(type));
    const auto& sets = dataset->impl->node_types()[at].id_sets;
    if (index >= sets.size()) {
      return gls::index_error("id set", index, sets.size());
    }
    return write_info({0, sets[index].name.c_str(), sets[index].ids.rows()}, out);
  });
}

gls_status_t gls_dataset_tensor(const gls_dataset_t* dataset, gls_dataset_array_t array,
                                const char* type, const char* name, gls_tensor_t** out,
                                gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::Tensor tensor, gls::find_array(*dataset->impl, array, type, name));
    *out = gls::export_from(dataset->impl, tensor);
    return {};
  });
}

gls_status_t gls_dataset_find_node(const gls_dataset_t* dataset, const char* type, const char* key,
                                   int64_t* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(key);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const size_t at, dataset->impl->node_type_index(type));
    GLS_ASSIGN(*out, gls::find_node(dataset->impl->node_types()[at], key));
    return dataset->impl->check_files();
  });
}

gls_status_t gls_dataset_node_key(const gls_dataset_t* dataset, const char* type, int64_t node,
                                  char* buffer, size_t capacity, size_t* length,
                                  gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_ASSIGN(const size_t at, dataset->impl->node_type_index(type));
    GLS_ASSIGN(const std::string key, gls::node_key(dataset->impl->node_types()[at], node));
    GLS_TRY(dataset->impl->check_files());
    return gls::capi::copy_text(key, buffer, capacity, length);
  });
}

gls_status_t gls_dataset_verify(const gls_dataset_t* dataset, const gls_verify_options_t* options,
                                gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    gls_verify_options_t given;
    GLS_TRY(read_options(options, "options", &given));
    GLS_TRY(dataset->impl->need_arrays("verify"));
    return gls::verify_dataset(*dataset->impl,
                               gls::capi::make_progress(given.progress, given.progress_user_data));
  });
}

gls_status_t gls_dataset_save(const gls_dataset_t* dataset, const char* path,
                              const gls_write_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(path);
    gls_write_options_t given;
    GLS_TRY(read_options(options, "options", &given));
    GLS_TRY(gls::capi::check_flags(given.layouts, GLS_LAYOUT_CSC | GLS_LAYOUT_CSR, "layouts"));
    GLS_TRY(gls::capi::check_reserved(given.reserved));
    GLS_TRY(dataset->impl->need_arrays("save"));
    gls::SaveOptions save;
    if (given.layouts != 0) {
      save.csc = (given.layouts & GLS_LAYOUT_CSC) != 0;
      save.csr = (given.layouts & GLS_LAYOUT_CSR) != 0;
    }
    save.overwrite = given.overwrite != 0;
    save.pad_rows = given.compact_rows == 0;
    save.progress = gls::capi::make_progress(given.progress, given.progress_user_data);
    return gls::save_dataset(*dataset->impl, path, save);
  });
}

}  // extern "C"
