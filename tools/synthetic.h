// Columns and id sets of a generated graph, each a function of the random seed.
#pragma once

#include <cstdint>
#include <gls.hpp>
#include <string>
#include <vector>

#include "progress.h"

namespace gls::tool {

struct SyntheticColumns {
  int64_t nodes = 0;
  int64_t features = 0;
  bool half = false;  // float16 instead of float32
  int64_t classes = 0;
  uint64_t seed = 0;
  size_t threads = 1;
  std::string scratch_folder;
};

// int64 [nodes]: uniform classes.
Tensor make_labels(const SyntheticColumns& columns);
// [nodes, features]: the mean of the node's class plus noise, so that a model can learn from it.
Tensor make_features(const SyntheticColumns& columns, Progress& progress);
// Disjoint sets of these sizes, each ascending.
std::vector<std::vector<int64_t>> make_split(int64_t nodes, const std::vector<int64_t>& sizes,
                                             uint64_t seed);

// Rounded to the nearest float16, halves to even.
uint16_t to_half(float value);

}  // namespace gls::tool
