// How large the arrays of padded batches are.
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
#include "sample/neighbor/sampler.h"

namespace gls {

struct PadOptions {
  std::vector<std::pair<std::string, int64_t>> sizes;  // by node or edge type
  uint32_t batches = 16;                               // for estimates of all other sizes
  uint32_t multiple = 64;
  double sigma = 3;
};

// Rows of arrays. Loaders that get their batches from other processes know the first two alone.
struct PadSizes {
  std::vector<int64_t> nodes;  // by type
  std::vector<int64_t> edges;  // by type
  std::vector<int64_t> near;   // neighbours that edges do not say, by node type
  std::vector<int64_t> seeds;  // by node type
  std::vector<bool> seeded;    // by node type: whether there may be seeds
  int64_t inputs = 0;          // nodes or links that a batch is made for
  int64_t negatives = 0;       // pairs drawn for links
  int64_t walks = 0;
};

// What batches are made for.
struct PadSubject {
  const Sampler& sampler;
  size_t input_type = 0;  // of nodes; of edges where the seeds are links
  bool links = false;
  bool clusters = false;  // a batch has as many seeds as its clusters have
  int64_t batch_size = 0;
  std::vector<int64_t> label_widths;  // of labels that are given, by supervision
  uint64_t num_batches = 0;           // of an epoch
  std::function<Result<std::shared_ptr<Batch>>(uint64_t)> sample;  // one of them, by number
};

// What follows from the batch size; for nodes and edges the sizes given, else, and for neighbours,
// the mean plus sigma standard deviations of some batches, evenly spread.
Result<PadSizes> pad_sizes(const PadSubject& subject, const PadOptions& options);

}  // namespace gls
