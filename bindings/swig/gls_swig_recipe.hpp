/** @file gls_swig_recipe.hpp
 *  Part of gls_swig.hpp: recipes.
 */
#ifndef GLS_SWIG_RECIPE_HPP
#define GLS_SWIG_RECIPE_HPP

#include <string>
#include <utility>
#include <vector>

#include "gls_swig_dataset.hpp"

namespace gls::facade {

class Recipe {
 public:
  /** @param path  of the folder */
  static Recipe* read(const Context* context, const char* text, const char* path) {
    return new Recipe(gls::Recipe(context->impl(), text_or_empty(text), text_or_empty(path)));
  }
  static Recipe* of_format(const Context* context, const char* format, const char* path,
                           const Choices* choices) {
    return new Recipe(gls::Recipe::of_format(context->impl(), text_or_empty(format),
                                             text_or_empty(path), choices->all()));
  }
  std::string text() const { return recipe_.text(); }
  Builder* builder() const { return new Builder(gls::Builder(recipe_)); }

#ifndef SWIG
  explicit Recipe(gls::Recipe recipe) : recipe_(std::move(recipe)) {}
#endif

 private:
  gls::Recipe recipe_;
};

}  // namespace gls::facade

#endif  // GLS_SWIG_RECIPE_HPP
