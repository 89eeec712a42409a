// Computes the sizes of the arrays of padded batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "sample/batch/batch.h"
#include "sample/sampler.h"

namespace gls {

struct PadOptions {
  std::vector<std::pair<std::string, int64_t>> sizes;  // by node or edge type
  uint32_t batches = 16;                               // sampled to estimate all other sizes
  uint32_t multiple = 64;
  double sigma = 3;
};

// Rows of arrays. Loaders that receive batches from other processes know only the first two
// members.
struct PadSizes {
  std::vector<int64_t> nodes;  // by type
  std::vector<int64_t> edges;  // by type
  std::vector<int64_t> near;   // importance neighbours, by node type
  std::vector<int64_t> seeds;  // by node type
  std::vector<bool> seeded;    // by node type: whether it may have seeds
  int64_t inputs = 0;          // nodes or links that a batch is made for
  int64_t negatives = 0;       // negatives of links
  int64_t walks = 0;
};

// The kind of batches that the sizes are for.
struct PadSubject {
  const Sampler& sampler;
  size_t input_type = 0;  // node type, or edge type if the seeds are links
  bool links = false;
  bool clusters = false;  // the number of seeds follows from the clusters of a batch
  int64_t batch_size = 0;
  std::vector<int64_t> label_widths;  // of given labels, by supervision
  uint64_t num_batches = 0;           // of an epoch
  std::function<Result<std::shared_ptr<Batch>>(uint64_t)> sample;  // makes one of them, by number
};

// Sizes that follow from the batch size are exact. Nodes and edges have the given sizes. Other
// sizes are estimated as the mean plus sigma standard deviations over some batches, evenly spread.
Result<PadSizes> pad_sizes(const PadSubject& subject, const PadOptions& options);

}  // namespace gls
