#include "graph/dataset/hotness.h"

#include <algorithm>
#include <bit>

#include "graph/dataset/unknown_name.h"

namespace gls {
namespace {

constexpr int64_t kMostCounted = int64_t{64} << 20;  // edges of a type that are read one by one

void count_rows(const Topology& topology, std::vector<uint64_t>* out) {
  for (int64_t row = 0; row < topology.num_rows; ++row) {
    const int64_t begin = topology.indptr[row];
    const int64_t end = topology.indptr[row + 1];
    if (begin >= 0 && begin <= end && end <= topology.num_edges) {  // otherwise the row is damaged
      (*out)[static_cast<size_t>(row)] += static_cast<uint64_t>(end - begin);
    }
  }
}

void count_neighbors(const Topology& topology, std::vector<uint64_t>* out) {
  const int64_t step = topology.num_edges / kMostCounted + 1;
  for (int64_t position = 0; position < topology.num_edges; position += step) {
    const auto node = static_cast<uint64_t>(topology.neighbor(position));
    if (node < out->size()) {
      (*out)[node] += static_cast<uint64_t>(step);
    }
  }
}

// Classes of ascending hotness: exact below 2^11, then 2^11 classes for each power of two.
constexpr size_t kClasses = (64 - 11 + 1) << 11;
size_t class_of(uint64_t hotness) {
  constexpr int kExact = 11;
  const auto width = static_cast<int>(std::bit_width(hotness));
  if (width <= kExact) {
    return static_cast<size_t>(hotness);
  }
  const int shift = width - kExact - 1;
  return (static_cast<size_t>(shift) << kExact) + static_cast<size_t>(hotness >> shift);
}

}  // namespace

std::vector<uint64_t> node_hotness(const Dataset& dataset, size_t node_type) {
  std::vector<uint64_t> out(static_cast<size_t>(dataset.node_types()[node_type].count));
  for (const EdgeType& type : dataset.edge_types()) {
    const auto count = [&](bool end, const std::optional<Topology>& by_row,
                           const std::optional<Topology>& by_neighbor) {
      if (!end) {
        return;
      }
      if (by_row.has_value() && by_row->index == nullptr) {
        count_rows(*by_row, &out);
      } else if (by_neighbor.has_value()) {
        count_neighbors(*by_neighbor, &out);
      }
    };
    count(type.target == node_type, type.csc, type.csr);
    count(type.source == node_type, type.csr, type.csc);
  }
  return out;
}

std::vector<int64_t> hottest_rows(const HotQuestion& question) {
  std::vector<bool> taken(static_cast<size_t>(question.rows));
  std::vector<int64_t> out;
  uint64_t room = question.room;
  const auto take = [&](int64_t row) {
    if (row >= question.rows) {
      return;  // in a part of a graph, which has some rows only
    }
    const uint64_t bytes = question.bytes_of(row);
    if (bytes == 0 || bytes > room || taken[static_cast<size_t>(row)]) {
      return;
    }
    taken[static_cast<size_t>(row)] = true;
    room -= bytes;
    out.push_back(row);
  };
  for (const int64_t row : question.first) {
    take(row);
  }
  const auto class_of_row = [&](int64_t row) {
    return question.hotness.empty() ? 0 : class_of(question.hotness[static_cast<size_t>(row)]);
  };
  // The bytes of each class determine the classes that fit completely; rows of one class are taken
  // in order.
  std::vector<uint64_t> bytes(question.hotness.empty() ? 1 : kClasses);
  for (int64_t row = 0; row < question.rows; ++row) {
    if (!taken[static_cast<size_t>(row)]) {
      uint64_t& sum = bytes[class_of_row(row)];
      const uint64_t more = question.bytes_of(row);
      sum = sum + more < sum ? ~uint64_t{0} : sum + more;
    }
  }
  size_t whole_from = bytes.size();
  for (uint64_t left = room; whole_from > 0 && bytes[whole_from - 1] <= left; --whole_from) {
    left -= bytes[whole_from - 1];
  }
  const auto take_classes = [&](size_t from, size_t to) {
    for (int64_t row = 0; from < to && row < question.rows; ++row) {
      const size_t its = class_of_row(row);
      if (its >= from && its < to) {
        take(row);
      }
    }
  };
  take_classes(whole_from, bytes.size());
  take_classes(std::max<size_t>(whole_from, 1) - 1, whole_from);
  take_classes(0, std::max<size_t>(whole_from, 1) - 1);
  std::sort(out.begin(), out.end());
  return out;
}

// ---- of a dataset ------------------------------------------------------------------------------

namespace {

std::string hot_ids(const Dataset& dataset) {
  return dataset.context()->settings().text(Setting::kDeviceHotIds);
}

const IdSet* set_of(const NodeType& type, const std::string& name) {
  const auto found = std::find_if(type.id_sets.begin(), type.id_sets.end(),
                                  [&name](const IdSet& set) { return set.name == name; });
  return found == type.id_sets.end() ? nullptr : &*found;
}

}  // namespace

Status HotNodes::check(const Dataset& dataset) {
  const std::string name = hot_ids(dataset);
  const std::vector<NodeType>& types = dataset.node_types();
  if (name.empty() || std::any_of(types.begin(), types.end(), [&name](const NodeType& type) {
        return set_of(type, name) != nullptr;
      })) {
    return {};
  }
  return no_id_set(nullptr, dataset, name)
      .prefixed("setting device.hot_ids: ")
      .with("argument", "device")
      .with("setting", "device.hot_ids");
}

Result<const HotNodes::Order*> HotNodes::of(const Dataset& dataset, size_t node_type) {
  orders_.resize(dataset.node_types().size());
  std::unique_ptr<Order>& order = orders_[node_type];
  if (order != nullptr) {
    return order.get();
  }
  auto made = std::make_unique<Order>();
  const NodeType& type = dataset.node_types()[node_type];
  const std::string name = hot_ids(dataset);
  if (const IdSet* const set = name.empty() ? nullptr : set_of(type, name); set != nullptr) {
    const IdSpan ids = span_of(set->ids);
    if (const int64_t at = ids.find_outside(type.count); at >= 0) {
      return corrupt(
                 "device.hot_ids: node {} at index {} of id set \"{}\" is outside 0 .. {} of type "
                 "\"{}\"",
                 ids[at], at, name, type.count - 1, type.name)
          .with("argument", "device");
    }
    made->first.resize(static_cast<size_t>(ids.size()));
    for (int64_t i = 0; i < ids.size(); ++i) {
      made->first[static_cast<size_t>(i)] = ids[i];
    }
  }
  made->hotness = node_hotness(dataset, node_type);
  order = std::move(made);
  return order.get();
}

}  // namespace gls
