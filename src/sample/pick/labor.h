// LABOR sampling (docs/contract.md section 2): all rows share one random number per neighbour, and
// each row picks the neighbours with the smallest numbers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "query/sampler_options.h"
#include "sample/kernels/kernels.h"

namespace gls {

// The keys of one batch.
class LaborKeys {
 public:
  LaborKeys(const SamplerOptions& options, uint64_t epoch, uint64_t batch);
  // The keys for the numbers of a type's nodes, in one hop.
  kernels::NumberArgs args(size_t node_type, uint64_t num_nodes, uint32_t hop) const;
  const device::NumberKeys& keys() const { return args_; }

 private:
  kernels::NumberArgs args_;
  bool layer_dependent_;
};

// Positions and numbers of the entries that may be among the smallest of a row. The memory is
// reused for the next row.
class LaborEntries {
 public:
  void clear() { count_ = 0; }
  int64_t size() const { return count_; }
  // Adds the numbers that are at most `bound`, with positions counted from `first`.
  void add_below(const kernels::Table& kernels, const uint64_t* numbers, int64_t count,
                 uint64_t bound, int64_t first);
  // Appends the positions of the `k` smallest by (number, position), ascending; k < size().
  void take_smallest(const kernels::Table& kernels, int64_t k, std::vector<int64_t>* out);

 private:
  int64_t count_ = 0;
  std::vector<uint64_t> numbers_;
  std::vector<int64_t> places_;
  std::vector<std::pair<uint64_t, int64_t>> order_;
};

struct LaborScratch {
  static constexpr int64_t kRows = 32;     // rows handled before their picks are passed on
  static constexpr int64_t kChunk = 1024;  // numbers computed at a time
  LaborEntries entries;
  std::vector<uint64_t> numbers;
  // For rows that are not used as they are stored.
  std::vector<int64_t> positions;
  std::vector<int64_t> neighbors;
  std::vector<double> weights;
};

}  // namespace gls
