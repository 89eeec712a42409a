#include "ingest/formats/recipe.h"

#include "capi/support/support.h"
#include "ingest/formats/formats_plugin.h"

struct gls_recipe {
  std::shared_ptr<gls::Context> context;
  gls::Recipe impl;
};

namespace gls {
namespace {

const Context& context_of(const gls_recipe& handle) { return *handle.context; }

constexpr BuilderCalls kBuilderCalls = {gls_builder_add_node_type,
                                        gls_builder_add_edges,
                                        gls_builder_add_topology,
                                        gls_builder_add_nodes_text,
                                        gls_builder_add_edges_text,
                                        gls_builder_add_nodes_arrow,
                                        gls_builder_add_edges_arrow,
                                        gls_builder_add_node_column,
                                        gls_builder_add_edge_column,
                                        gls_builder_add_node_codes,
                                        gls_builder_add_edge_codes,
                                        gls_builder_add_id_set,
                                        gls_error_message,
                                        gls_error_detail,
                                        gls_error_release};

struct ReleaseBuilder {
  void operator()(gls_builder_t* builder) const { gls_builder_release(builder); }
};

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_recipe_create(gls_context_t* ctx, const char* text, const char* folder,
                               gls_recipe_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(text);
    GLS_REQUIRE(out);
    gls::Result<gls::Recipe> read = gls::check_recipe({text, folder != nullptr ? folder : ""});
    if (!read.ok()) {
      return std::move(read.status()).with("argument", "text");
    }
    *out = new gls_recipe{ctx->impl, read.take()};
    return {};
  });
}

gls_status_t gls_recipe_of_format(gls_context_t* ctx, const char* format, const char* path,
                                  const gls_recipe_options_t* options, gls_recipe_t** out,
                                  gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(format);
    GLS_REQUIRE(path);
    GLS_REQUIRE(out);
    gls_recipe_options_t given;
    GLS_TRY(gls::capi::read_options(options, "options", &given));
    gls::ForeignDataset asked = {format, path, {}};
    GLS_TRY(gls::capi::read_texts(given.choices, given.num_choices, "choices", &asked.choices));
    GLS_ASSIGN(gls::Recipe recipe, gls::make_recipe(asked));
    *out = new gls_recipe{ctx->impl, std::move(recipe)};
    return {};
  });
}

const char* gls_recipe_text(const gls_recipe_t* recipe) {
  return recipe != nullptr ? recipe->impl.text.c_str() : "";
}

void gls_recipe_release(gls_recipe_t* recipe) {
  if (recipe != nullptr) {
    const std::shared_ptr<gls::Context> context = recipe->context;
    gls::capi::release(recipe, *context);
  }
}

gls_status_t gls_recipe_to_builder(const gls_recipe_t* recipe, gls_builder_t** out,
                                   gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(recipe);
    GLS_TRY(gls::context_of(*recipe).check_process());
    GLS_REQUIRE(out);
    std::unique_ptr<gls_builder_t, gls::ReleaseBuilder> builder(
        new gls_builder{recipe->context, gls::Builder(recipe->context)});
    GLS_TRY(gls::run_recipe(recipe->impl, recipe->context->pool().size(), gls::kBuilderCalls,
                            builder.get()));
    *out = builder.release();
    return {};
  });
}

}  // extern "C"
