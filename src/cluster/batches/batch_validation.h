// Whether a batch that another process made is one of those that were asked for: everything that
// the library itself relies on, and that ids are in range.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

#include "loader/batch_producer.h"

namespace gls {

// What batches of a recipe have.
struct BatchShape {
  std::shared_ptr<const Sampler> sampler;
  bool links = false;
  size_t seed_type = 0;
  std::vector<GatheredColumn> columns;  // without rows
  std::vector<DLDataType> dtypes;       // of the columns
  std::vector<int64_t> label_widths;    // by supervision; -1: any
  int64_t num_seeds = std::numeric_limits<int64_t>::max();
  std::function<int64_t(uint64_t epoch, uint64_t number)> inputs;  // how many; empty: any

  static BatchShape of(const BatchRecipe& recipe);
};

// `batch` came out of read_batch().
Status check_made_batch(const Batch& batch, const BatchShape& shape, uint64_t epoch,
                        uint64_t number);

}  // namespace gls
