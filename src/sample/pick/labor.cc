#include "sample/pick/labor.h"

#include <algorithm>

#include "base/philox.h"

namespace gls {

// The phase of u is (u * m) / 2^64, where m is the dependency. Batch b is in period b / m for nodes
// with a phase below m - b mod m. For other nodes, it is in the next period: those with u at least
// the quotient below, rounded up. This needs no multiplication.
LaborKeys::LaborKeys(const SamplerOptions& options, uint64_t epoch, uint64_t batch)
    : args_(), layer_dependent_(options.layer_dependent) {
  const uint64_t dependency = std::max<uint32_t>(options.batch_dependency, 1);
  const uint64_t period = batch / dependency;
  const uint64_t into = batch % dependency;
  args_.key = layer_key(options.seed, epoch, period);
  if (into > 0) {
    const auto first_late = static_cast<unsigned __int128>(dependency - into) << 64;
    args_.late_from = static_cast<uint64_t>((first_late + dependency - 1) / dependency);
    args_.late_key = layer_key(options.seed, epoch, period + 1);
    args_.phase_key = epoch_key(options.seed, epoch, KeyDomain::kSample);
  }
}

kernels::NumberArgs LaborKeys::args(size_t node_type, uint64_t num_nodes, uint32_t hop) const {
  kernels::NumberArgs args = args_;
  args.limit = num_nodes;
  args.node_type = static_cast<uint32_t>(node_type);
  args.word = row_word(layer_dependent_ ? kMaxHops : hop, args.node_type);
  return args;
}

void LaborEntries::add_below(const kernels::Table& kernels, const uint64_t* numbers, int64_t count,
                             uint64_t bound, int64_t first) {
  const auto room = static_cast<size_t>(count_ + count + kernels::kDrawLanes);
  if (numbers_.size() < room) {
    numbers_.resize(2 * room);
    places_.resize(2 * room);
  }
  count_ += kernels.numbers_below(numbers, count, bound, first, numbers_.data() + count_,
                                  places_.data() + count_);
}

void LaborEntries::take_smallest(const kernels::Table& kernels, int64_t k,
                                 std::vector<int64_t>* out) {
  const size_t before = out->size();
  if (count_ <= kernels::kMaxRanked) {
    out->resize(before + static_cast<size_t>(count_ + kernels::kDrawLanes));
    const int64_t taken =
        kernels.smallest(numbers_.data(), places_.data(), count_, k, out->data() + before);
    if (taken == k) {
      out->resize(before + static_cast<size_t>(k));
      return;
    }
    out->resize(before);  // equal numbers: parallel edges
  }
  order_.clear();
  for (int64_t i = 0; i < count_; ++i) {
    order_.emplace_back(numbers_[static_cast<size_t>(i)], places_[static_cast<size_t>(i)]);
  }
  std::nth_element(order_.begin(), order_.begin() + k, order_.end());
  for (int64_t i = 0; i < k; ++i) {
    out->push_back(order_[static_cast<size_t>(i)].second);
  }
  std::sort(out->begin() + static_cast<int64_t>(before), out->end());
}

}  // namespace gls
