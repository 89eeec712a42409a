#include "sample/batch/batch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "system/memory.h"

namespace gls {
namespace {

struct alignas(kCacheLine) CountLine {
  std::array<int64_t, kCacheLine / sizeof(int64_t)> counts;
};

}  // namespace

// Aligned like every returned array, and too small for a block of the pool.
Tensor counts_tensor(const std::vector<int64_t>& counts) {
  const size_t per_line = CountLine().counts.size();
  auto owner = std::make_shared<std::vector<CountLine>>((counts.size() + per_line - 1) / per_line);
  if (!counts.empty()) {  // an empty vector has no memory to copy
    std::memcpy(owner->data(), counts.data(), counts.size() * sizeof(int64_t));
  }
  const CountLine* const data = owner->data();
  return Tensor(std::move(owner), data, kInt64, {static_cast<int64_t>(counts.size())}, false);
}

Tensor no_edges(bool wide) {
  return Tensor(nullptr, nullptr, wide ? kInt64 : kInt32, {2, 0}, false);
}

int64_t sum_of_counts(const Tensor& counts) {
  const auto* const begin = counts.as<int64_t>();
  return std::accumulate(begin, begin + counts.rows(), int64_t{0});
}

int64_t Batch::num_nodes() const {
  int64_t sum = 0;
  for (const SampledNodes& type : nodes) {
    sum += sum_of_counts(type.num_nodes);
  }
  return sum;
}

int64_t Batch::num_edges() const {
  int64_t sum = 0;
  for (const SampledEdges& type : edges) {
    sum += sum_of_counts(type.num_edges);
  }
  return sum;
}

int64_t Batch::num_inputs() const {
  if (num_inputs_known.has_value()) {
    return *num_inputs_known;
  }
  if (padding != Padding::kFits) {
    return input.rows();
  }
  const auto* const begin = input.as<int64_t>();
  return std::count_if(begin, begin + input.rows(), [](int64_t position) { return position >= 0; });
}

uint64_t Batch::gathered_rows() const {
  uint64_t sum = 0;
  for (const GatheredColumn& column : columns) {
    sum += static_cast<uint64_t>(column.data.rows());
  }
  return sum;
}

uint64_t Batch::bytes() const {
  uint64_t sum = 0;
  visit_arrays(*this, [&](const Tensor& array) { sum += array.span_bytes(); });
  return sum;
}

}  // namespace gls
