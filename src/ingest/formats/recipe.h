// Recipes: which files make a dataset. The plugin "formats" reads them.
#pragma once

#include <gls.h>

#include <string>
#include <vector>

#include "base/status.h"

namespace gls {

struct BuilderCalls;

struct Recipe {
  std::string text;
  std::string folder;  // of relative names; empty: the working folder
};

// Checks a recipe without opening its files; the same in YAML.
Result<Recipe> check_recipe(const Recipe& recipe);

struct ForeignDataset {
  std::string format;
  std::string path;
  std::vector<std::string> choices;  // "name=value"
};
// The recipe for a dataset of another system.
Result<Recipe> make_recipe(const ForeignDataset& dataset);

// Adds everything that a recipe names, by calls of the C ABI. `threads` decode tables.
Status run_recipe(const Recipe& recipe, uint32_t threads, const BuilderCalls& calls,
                  gls_builder_t* builder);

}  // namespace gls
