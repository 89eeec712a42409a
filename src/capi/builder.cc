#include <array>
#include <initializer_list>
#include <optional>

#include "capi/support/support.h"

namespace gls {
namespace {

using capi::check_enum;
using capi::check_flags;
using capi::check_reserved;
using capi::read_options;
using capi::Taken;

// The builder names the only type by an empty string.
const char* only_if_null(const char* type) { return type != nullptr ? type : ""; }

Result<TextOptions> read_text_options(const gls_text_options_t* options) {
  gls_text_options_t given;
  GLS_TRY(read_options(options, "options", &given));
  GLS_TRY(check_enum(given.header, GLS_HEADER_NO, "header"));
  GLS_TRY(check_flags(given.flags, uint32_t{GLS_EDGES_ADD_REVERSE} | uint32_t{GLS_TEXT_RAGGED},
                      "flags"));
  GLS_TRY(check_enum(given.encoding, GLS_ENCODING_UTF16, "encoding"));
  GLS_TRY(check_reserved(given.reserved0));
  TextOptions out;
  out.delimiter = given.delimiter;
  out.comment = given.comment;
  out.header = static_cast<Header>(given.header);
  out.source_field = given.source_field != nullptr ? given.source_field : "#0";
  out.target_field = given.target_field != nullptr ? given.target_field : "#1";
  out.add_reverse = (given.flags & GLS_EDGES_ADD_REVERSE) != 0;
  out.ragged = (given.flags & GLS_TEXT_RAGGED) != 0;
  out.encoding = static_cast<Encoding>(given.encoding);
  if (given.num_columns > 0 && given.columns == nullptr) {
    return capi::null_argument("columns");
  }
  for (size_t i = 0; i < given.num_columns; ++i) {
    const gls_text_column_t& column = given.columns[i];
    GLS_REQUIRE(column.field);
    GLS_REQUIRE(column.dtype);
    GLS_TRY(check_enum(column.role, GLS_ROLE_OTHER, "role"));
    GLS_TRY(check_reserved(column.reserved));
    GLS_ASSIGN(const DLDataType dtype, parse_dtype(column.dtype));
    out.columns.push_back(
        {column.field, column.name != nullptr ? column.name : "", dtype, column.role});
  }
  return out;
}

std::optional<std::string> text_or_none(const char* text) {
  return text != nullptr ? std::optional<std::string>(text) : std::nullopt;
}

Result<ArrowOptions> read_arrow_options(const gls_arrow_options_t* options, bool edges) {
  gls_arrow_options_t given;
  GLS_TRY(read_options(options, "options", &given));
  GLS_TRY(check_flags(
      given.flags, (edges ? uint32_t{GLS_EDGES_ADD_REVERSE} : 0u) | uint32_t{GLS_ARROW_ALL_FIELDS},
      "flags"));
  GLS_TRY(check_reserved(given.reserved));
  if (!edges && given.target_field != nullptr) {
    return invalid("target_field is \"{}\", but nodes have no targets", given.target_field)
        .with("argument", "target_field");
  }
  ArrowOptions out;
  out.source_field = text_or_none(given.source_field);
  out.target_field = text_or_none(given.target_field);
  out.all_fields = (given.flags & GLS_ARROW_ALL_FIELDS) != 0;
  out.add_reverse = (given.flags & GLS_EDGES_ADD_REVERSE) != 0;
  out.label = given.label != nullptr ? given.label : "";
  if (given.num_columns > 0 && given.columns == nullptr) {
    return capi::null_argument("columns");
  }
  for (size_t i = 0; i < given.num_columns; ++i) {
    const gls_arrow_column_t& column = given.columns[i];
    GLS_REQUIRE(column.field);
    GLS_TRY(check_enum(column.role, GLS_ROLE_OTHER, "role"));
    GLS_TRY(check_enum(column.use, GLS_ARROW_SPLIT, "use"));
    ArrowColumnOptions& read = out.columns.emplace_back();
    read.field = column.field;
    read.name = column.name != nullptr ? column.name : "";
    if (column.dtype != nullptr) {
      GLS_ASSIGN(read.dtype, parse_dtype(column.dtype));
    }
    read.fill = text_or_none(column.fill);
    read.mask = column.mask != nullptr ? column.mask : "";
    read.role = column.role;
    read.use = static_cast<ArrowUse>(column.use);
  }
  return out;
}

// Refuses fields that have no meaning in a file of nodes.
Status refuse_edge_fields(const gls_text_options_t* options) {
  gls_text_options_t given;
  GLS_TRY(read_options(options, "options", &given));
  if (given.target_field != nullptr) {
    return invalid("target_field is \"{}\", but a file of nodes has no targets", given.target_field)
        .with("argument", "target_field");
  }
  return {};
}

Result<BuildOptions> read_build_options(const gls_write_options_t* options) {
  gls_write_options_t given;
  GLS_TRY(read_options(options, "options", &given));
  GLS_TRY(check_flags(given.layouts, GLS_LAYOUT_CSC | GLS_LAYOUT_CSR, "layouts"));
  GLS_TRY(check_reserved(given.reserved));
  BuildOptions out;
  out.memory = given.memory;
  if (given.layouts != 0) {
    out.csc = (given.layouts & GLS_LAYOUT_CSC) != 0;
    out.csr = (given.layouts & GLS_LAYOUT_CSR) != 0;
  }
  out.overwrite = given.overwrite != 0;
  out.pad_rows = given.compact_rows == 0;
  out.progress = capi::make_progress(given.progress, given.progress_user_data);
  return out;
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::Tensor;
using gls::capi::guard;

extern "C" {

gls_status_t gls_builder_create(gls_context_t* ctx, gls_builder_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(out);
    *out = new gls_builder{ctx->impl, gls::Builder(ctx->impl)};
    return {};
  });
}

void gls_builder_release(gls_builder_t* builder) {
  if (builder != nullptr) {
    const std::shared_ptr<gls::Context> context = builder->context;
    gls::capi::release(builder, *context);
  }
}

gls_status_t gls_builder_add_node_type(gls_builder_t* builder, const char* type,
                                       const gls_node_type_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(type);
    gls_node_type_options_t given;
    GLS_TRY(gls::read_options(options, "options", &given));
    GLS_TRY(gls::check_enum(given.ids, GLS_IDS_STRING, "ids"));
    GLS_TRY(gls::check_reserved(given.reserved));
    return builder->impl.add_node_type(type,
                                       {given.num_nodes, static_cast<gls::NodeIds>(given.ids)});
  });
}

gls_status_t gls_builder_add_edges(gls_builder_t* builder, const char* edge_type,
                                   gls_tensor_t* source, gls_tensor_t* target,
                                   const gls_edge_type_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(edge_type);
    gls_edge_type_options_t given;
    GLS_TRY(gls::read_options(options, "options", &given));
    GLS_TRY(gls::check_flags(given.flags, GLS_EDGES_ADD_REVERSE, "flags"));
    GLS_TRY(gls::check_reserved(given.reserved));
    Tensor sources;
    Tensor targets;
    gls::Taken taken;
    GLS_TRY(taken.add(source, "source", &sources));
    GLS_TRY(taken.add(target, "target", &targets));
    return taken.keep_if(builder->impl.add_edges(edge_type, sources, targets,
                                                 (given.flags & GLS_EDGES_ADD_REVERSE) != 0));
  });
}

gls_status_t gls_builder_add_topology(gls_builder_t* builder, const char* edge_type,
                                      gls_layout_t layout, gls_tensor_t* indptr,
                                      gls_tensor_t* indices, gls_tensor_t* edge_ids,
                                      gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(edge_type);
    if (layout != GLS_LAYOUT_CSC && layout != GLS_LAYOUT_CSR) {
      return gls::invalid("layout is {}, expected GLS_LAYOUT_CSC or GLS_LAYOUT_CSR", layout)
          .with("argument", "layout");
    }
    Tensor pointers;
    Tensor neighbors;
    Tensor ids;
    gls::Taken taken;
    GLS_TRY(taken.add(indptr, "indptr", &pointers));
    GLS_TRY(taken.add(indices, "indices", &neighbors));
    if (edge_ids != nullptr) {
      GLS_TRY(taken.add(edge_ids, "edge_ids", &ids));
    }
    return taken.keep_if(builder->impl.add_topology(
        edge_type, layout == GLS_LAYOUT_CSC ? gls::Layout::kCsc : gls::Layout::kCsr, pointers,
        neighbors, ids));
  });
}

gls_status_t gls_builder_add_edges_text(gls_builder_t* builder, const char* edge_type,
                                        const char* path, const gls_text_options_t* options,
                                        gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(edge_type);
    GLS_REQUIRE(path);
    GLS_ASSIGN(const gls::TextOptions text, gls::read_text_options(options));
    return builder->impl.add_edges_text(edge_type, path, text);
  });
}

gls_status_t gls_builder_add_nodes_text(gls_builder_t* builder, const char* type, const char* path,
                                        const gls_text_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(type);
    GLS_REQUIRE(path);
    GLS_TRY(gls::refuse_edge_fields(options));
    GLS_ASSIGN(const gls::TextOptions text, gls::read_text_options(options));
    return builder->impl.add_nodes_text(type, path, text);
  });
}

gls_status_t gls_builder_add_nodes_arrow(gls_builder_t* builder, const char* type,
                                         ArrowArrayStream* stream,
                                         const gls_arrow_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(type);
    GLS_REQUIRE(stream);
    GLS_ASSIGN(const gls::ArrowOptions arrow, gls::read_arrow_options(options, false));
    return builder->impl.add_nodes_arrow(type, stream, arrow);
  });
}

gls_status_t gls_builder_add_edges_arrow(gls_builder_t* builder, const char* edge_type,
                                         ArrowArrayStream* stream,
                                         const gls_arrow_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(edge_type);
    GLS_REQUIRE(stream);
    GLS_ASSIGN(const gls::ArrowOptions arrow, gls::read_arrow_options(options, true));
    return builder->impl.add_edges_arrow(edge_type, stream, arrow);
  });
}

gls_status_t gls_builder_add_node_column(gls_builder_t* builder, const char* type, const char* name,
                                         gls_role_t role, gls_tensor_t* tensor, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(name);
    GLS_TRY(gls::check_enum(role, GLS_ROLE_OTHER, "role"));
    Tensor data;
    gls::Taken taken;
    GLS_TRY(taken.add(tensor, "tensor", &data));
    return taken.keep_if(builder->impl.add_node_column(gls::only_if_null(type), name, role, data));
  });
}

gls_status_t gls_builder_add_edge_column(gls_builder_t* builder, const char* edge_type,
                                         const char* name, gls_role_t role, gls_tensor_t* tensor,
                                         gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(name);
    GLS_TRY(gls::check_enum(role, GLS_ROLE_OTHER, "role"));
    Tensor data;
    gls::Taken taken;
    GLS_TRY(taken.add(tensor, "tensor", &data));
    return taken.keep_if(
        builder->impl.add_edge_column(gls::only_if_null(edge_type), name, role, data));
  });
}

gls_status_t gls_builder_add_id_set(gls_builder_t* builder, const char* type, const char* name,
                                    gls_tensor_t* ids, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(name);
    Tensor data;
    gls::Taken taken;
    GLS_TRY(taken.add(ids, "ids", &data));
    return taken.keep_if(builder->impl.add_id_set(gls::only_if_null(type), name, data));
  });
}

gls_status_t gls_builder_build(gls_builder_t* builder, const gls_write_options_t* options,
                               gls_dataset_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::BuildOptions build, gls::read_build_options(options));
    GLS_ASSIGN(auto dataset, builder->impl.build(build));
    *out = new gls_dataset{std::move(dataset)};
    return {};
  });
}

gls_status_t gls_builder_write(gls_builder_t* builder, const char* path,
                               const gls_write_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(builder);
    GLS_REQUIRE(path);
    GLS_ASSIGN(const gls::BuildOptions build, gls::read_build_options(options));
    return builder->impl.write(path, build);
  });
}

}  // extern "C"
