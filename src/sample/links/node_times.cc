#include "sample/links/node_times.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "graph/dataset/unknown_name.h"
#include "query/graph_query.h"
#include "sample/pick/row_times.h"
#include "sample/pick/time_rule.h"

namespace gls {
namespace {

struct TimedNode {
  uint64_t key;  // the time, less the least of all
  int64_t node;
};

// By time; nodes of one time stay in the order of their ids.
void sort_by_time(std::vector<TimedNode>* nodes, uint64_t largest) {
  constexpr uint32_t kDigit = 11;  // bits
  constexpr uint64_t kValues = uint64_t{1} << kDigit;
  constexpr uint32_t kBits = 64;
  std::vector<TimedNode> sorted(nodes->size());
  for (uint32_t shift = 0; shift < kBits && (largest >> shift) != 0; shift += kDigit) {
    std::array<size_t, kValues> next{};
    for (const TimedNode& one : *nodes) {
      ++next[(one.key >> shift) % kValues];
    }
    size_t sum = 0;
    for (size_t& place : next) {
      sum += std::exchange(place, sum);
    }
    for (const TimedNode& one : *nodes) {
      sorted[next[(one.key >> shift) % kValues]++] = one;
    }
    nodes->swap(sorted);
  }
}

constexpr bool fits_int32(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

}  // namespace

NodeTimes::NodeTimes(const Tensor& column) {
  const IntegerColumn times(column);
  const int64_t count = times.rows();
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t most = std::numeric_limits<int64_t>::min();
  in_order_ = true;
  for (int64_t v = 0; v < count; ++v) {
    const int64_t time = times[v];
    in_order_ = in_order_ && time >= most;
    least = std::min(least, time);
    most = std::max(most, time);
  }
  const bool narrow_times = count == 0 || (fits_int32(least) && fits_int32(most));
  const auto add_time = [&](int64_t time) {
    if (narrow_times) {
      narrow_times_.push_back(static_cast<int32_t>(time));
    } else {
      wide_times_.push_back(time);
    }
  };
  narrow_times_.reserve(narrow_times ? static_cast<size_t>(count) : 0);
  wide_times_.reserve(narrow_times ? 0 : static_cast<size_t>(count));
  if (in_order_) {
    for (int64_t v = 0; v < count; ++v) {
      add_time(times[v]);
    }
  } else {
    std::vector<TimedNode> nodes(static_cast<size_t>(count));
    for (int64_t v = 0; v < count; ++v) {
      nodes[static_cast<size_t>(v)] = {
          static_cast<uint64_t>(times[v]) - static_cast<uint64_t>(least), v};
    }
    sort_by_time(&nodes, static_cast<uint64_t>(most) - static_cast<uint64_t>(least));
    const bool narrow_ids = fits_int32(count);
    narrow_order_.reserve(narrow_ids ? nodes.size() : 0);
    wide_order_.reserve(narrow_ids ? 0 : nodes.size());
    for (const TimedNode& one : nodes) {
      add_time(static_cast<int64_t>(one.key + static_cast<uint64_t>(least)));
      if (narrow_ids) {
        narrow_order_.push_back(static_cast<int32_t>(one.node));
      } else {
        wide_order_.push_back(one.node);
      }
    }
    order_ = narrow_ids ? IdSpan(narrow_order_.data(), false, count)
                        : IdSpan(wide_order_.data(), true, count);
  }
  times_ = narrow_times ? IdSpan(narrow_times_.data(), false, count)
                        : IdSpan(wide_times_.data(), true, count);
}

int64_t NodeTimes::count_until(int64_t time, bool strict) const {
  int64_t low = 0;
  int64_t high = count();
  while (low < high) {  // for the first that is too late
    const int64_t middle = low + (high - low) / 2;
    if (strict ? times_[middle] < time : times_[middle] <= time) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

uint64_t NodeTimes::bytes() const {
  return (narrow_order_.size() + narrow_times_.size()) * sizeof(int32_t) +
         (wide_order_.size() + wide_times_.size()) * sizeof(int64_t);
}

Result<std::shared_ptr<const NodeTimes>> NodeTimes::of(const Dataset& dataset, size_t node_type,
                                                       const std::string& column) {
  const NodeType& type = dataset.node_types()[node_type];
  const Column* const found = type.find_column(column);
  if (found == nullptr) {
    return no_column("node_time", type, column);
  }
  const Context& context = *dataset.context();
  const uint64_t most_bytes = context.settings().bytes(Setting::kSampleRowTimes);
  GLS_ASSIGN(const std::shared_ptr<RowTimes::Room> room, RowTimes::room_of(dataset));
  const std::string key = formatted("node times {} {}", node_type, found - type.columns.data());
  std::shared_ptr<const NodeTimes> made;
  // Without an order it only looks for the one that the dataset keeps.
  const auto keep = [&]() -> Result<std::shared_ptr<const void>> {
    return std::shared_ptr<const void>(
        made != nullptr && room->take(made->bytes(), most_bytes) ? made : nullptr);
  };
  GLS_ASSIGN(std::shared_ptr<const void> kept, dataset.keep(key, 0, UINT64_MAX, keep));
  if (kept == nullptr) {
    // Outside of keep(), which holds a lock of the dataset: rows may come from a server.
    if (found->is_local()) {
      GLS_TRY(need_all_rows(*found, type.count, type.name, "node_time"));
      made = std::make_shared<NodeTimes>(found->data);
    } else {
      GLS_ASSIGN(const Column fetched,
                 find_all_rows(dataset, true, node_type, *found, "node_time"));
      made = std::make_shared<NodeTimes>(fetched.data);
    }
    GLS_ASSIGN(kept, dataset.keep(key, 0, UINT64_MAX, keep));
  }
  if (kept != nullptr) {
    return std::static_pointer_cast<const NodeTimes>(kept);
  }
  context.log().write(GLS_LOG_INFO, "sampler",
                      "the order in time of nodes of type \"{}\", {} bytes, is kept with its "
                      "sampler and not with the dataset: more than sample.row_times leaves",
                      type.name, made->bytes());
  return made;
}

}  // namespace gls
