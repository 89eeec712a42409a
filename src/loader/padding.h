// Batches of one shape: arrays are filled up to a size for each type, for programs that are
// compiled for fixed shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "graph/dataset.h"
#include "sample/batch.h"

namespace gls {

struct PadOptions {
  std::vector<std::pair<std::string, int64_t>> sizes;  // by node or edge type
  uint32_t batches = 16;                               // for estimates of the other types
  uint32_t multiple = 64;
  double sigma = 3;
};

// Rows by type.
struct PadSizes {
  std::vector<int64_t> nodes;
  std::vector<int64_t> edges;
};

// The sizes given, and for the other types the mean plus sigma standard deviations of some of an
// epoch's `num_batches`, evenly spread, which `sample` makes by number.
Result<PadSizes> pad_sizes(const Dataset& dataset, const PadOptions& options, uint64_t num_batches,
                           const std::function<Result<std::shared_ptr<Batch>>(uint64_t)>& sample);

// Fills up the arrays of a batch, not of columns, or only marks it where it does not fit: every
// node type needs a row to spare, to which what is added refers. `toward_seeds`: edges are reported
// against their direction.
void pad_batch(const PadSizes& sizes, int64_t batch_size, bool toward_seeds, BufferPool& pool,
               Batch* batch);

}  // namespace gls
