#include "sample/batch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/memory.h"

namespace gls {
namespace {

struct alignas(kCacheLine) CountLine {
  std::array<int64_t, kCacheLine / sizeof(int64_t)> counts;
};

}  // namespace

// Aligned as everything that is handed out; too small for a block of the pool.
Tensor counts_tensor(const std::vector<int64_t>& counts) {
  const size_t per_line = CountLine().counts.size();
  auto owner = std::make_shared<std::vector<CountLine>>((counts.size() + per_line - 1) / per_line);
  if (!counts.empty()) {  // else neither has memory to name
    std::memcpy(owner->data(), counts.data(), counts.size() * sizeof(int64_t));
  }
  const CountLine* const data = owner->data();
  return Tensor(std::move(owner), data, kInt64, {static_cast<int64_t>(counts.size())}, false);
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
  if (padding != Padding::kFits) {
    return input.rows();
  }
  const auto* const begin = input.as<int64_t>();
  return std::count_if(begin, begin + input.rows(), [](int64_t position) { return position >= 0; });
}

uint64_t Batch::bytes() const {
  uint64_t sum = input.span_bytes();
  for (const SampledNodes& type : nodes) {
    sum += type.node.span_bytes() + type.tree.span_bytes() + type.seed.span_bytes() +
           type.seed_time.span_bytes() + type.mask.span_bytes() + type.seed_mask.span_bytes() +
           type.anchor_mask.span_bytes();
  }
  for (const SampledEdges& type : edges) {
    sum += type.row.span_bytes() + type.col.span_bytes() + type.edge.span_bytes() +
           type.mask.span_bytes();
  }
  if (links.has_value()) {
    sum += links->source.span_bytes() + links->target.span_bytes() + links->negative.span_bytes() +
           links->label.span_bytes() + links->mask.span_bytes() + links->negative_mask.span_bytes();
  }
  if (walks.has_value()) {
    sum += walks->walk.span_bytes() + walks->edge.span_bytes() + walks->mask.span_bytes();
  }
  for (const SampledLabels& labels_of : labels) {
    sum += labels_of.label.span_bytes();
  }
  for (const SampledNear& type : near) {
    sum += type.seed.span_bytes() + type.node.span_bytes() + type.score.span_bytes() +
           type.mask.span_bytes();
  }
  for (const GatheredColumn& column : columns) {
    sum += column.data.span_bytes();
  }
  for (const AttachedArray& array : attached) {
    sum += array.data.span_bytes();
  }
  return sum;
}

}  // namespace gls
