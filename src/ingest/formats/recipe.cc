#include "ingest/formats/recipe.h"

#include "ingest/formats/formats_call.h"

namespace gls {

namespace {

void take_text(void* recipe, const char* text) { static_cast<Recipe*>(recipe)->text = text; }

}  // namespace

Result<Recipe> check_recipe(const Recipe& recipe) {
  Recipe out;
  out.folder = recipe.folder;
  GLS_TRY(call_formats_plugin([&](const FormatsPlugin& plugin, const PluginMessage& message) {
    return plugin.check_recipe(recipe.text.c_str(), take_text, &out, message);
  }));
  return out;
}

Result<Recipe> make_recipe(const ForeignDataset& dataset) {
  const std::vector<const char*> choices = text_pointers(dataset.choices);
  const RecipeRequest request = {dataset.format.c_str(), dataset.path.c_str(), choices.data(),
                                 choices.size()};
  Recipe out;
  GLS_TRY(call_formats_plugin([&](const FormatsPlugin& plugin, const PluginMessage& message) {
    return plugin.make_recipe(&request, take_text, &out, message);
  }));
  return out;
}

Status run_recipe(const Recipe& recipe, uint32_t threads, const BuilderCalls& calls,
                  gls_builder_t* builder) {
  return call_formats_plugin([&](const FormatsPlugin& plugin, const PluginMessage& message) {
    return plugin.run_recipe(recipe.text.c_str(), recipe.folder.c_str(), threads, &calls, builder,
                             message);
  });
}

}  // namespace gls
