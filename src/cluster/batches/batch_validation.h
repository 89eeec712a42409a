// Checks a batch that another process made against the recipe. It checks everything that the
// library relies on, including the range of ids.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "loader/produce/batch_servers.h"

namespace gls {

// What the recipe says about its batches.
struct BatchShape {
  std::shared_ptr<const Sampler> sampler;
  bool links = false;
  size_t seed_type = 0;
  std::vector<GatheredColumn> columns;  // without rows
  std::vector<DLDataType> dtypes;       // of the columns
  std::vector<int64_t> label_widths;    // one for each kind of supervision; -1: any
  int64_t num_seeds = std::numeric_limits<int64_t>::max();
  // The number of inputs; empty: any.
  std::function<int64_t(uint64_t epoch, uint64_t number)> inputs;

  static BatchShape of(const BatchRecipe& recipe);
};

// `batch` is the result of read_batch().
Status check_made_batch(const Batch& batch, const BatchShape& shape, uint64_t epoch,
                        uint64_t number);

}  // namespace gls
