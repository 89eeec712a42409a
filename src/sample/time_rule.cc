#include "sample/time_rule.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "graph/row_index.h"
#include "graph/topology_query.h"
#include "graph/unknown_name.h"

namespace gls {

// ---- columns -----------------------------------------------------------------------------------

bool IntegerColumn::fits(const Tensor& column) {
  const DLDataType dtype = column.dtype();
  return column.shape().size() == 1 &&
         (dtype.code == kDLInt || (dtype.code == kDLUInt && dtype.bits < 64));
}

IntegerColumn::IntegerColumn(Tensor column)
    : column_(std::move(column)),
      view_{column_.data(), column_.row_stride(),
            static_cast<uint8_t>(dtype_bytes(column_.dtype())), column_.dtype().code == kDLInt} {}

// ---- rows --------------------------------------------------------------------------------------

TimeRule::TimeRule(const EdgeType& type, const Topology& topology, Tensor edge_time,
                   Tensor node_time, const SamplerOptions& options)
    : type_(&type),
      topology_(&topology),
      by_position_(topology.index != nullptr),
      strict_(options.time_strict),
      window_(options.time_window) {
  if (edge_time.defined()) {
    edge_ = IntegerColumn(std::move(edge_time));
  }
  if (node_time.defined()) {
    node_ = IntegerColumn(std::move(node_time));
  }
  if (active()) {
    row_states_ = std::make_shared<PageBlock>(static_cast<size_t>(topology.num_rows) + 1, false);
  }
}

Status TimeRule::check(int64_t position) const {
  if (by_position_) {
    return {};  // ids were looked at when they came
  }
  const int64_t id = edge_.defined() ? topology_->edge_id(position) : 0;
  const int64_t neighbor = node_.defined() ? topology_->neighbor(position) : 0;
  const bool bad_id = id < 0 || (edge_.defined() && id >= edge_.rows());
  if (bad_id || neighbor < 0 || (node_.defined() && neighbor >= node_.rows())) {
    return bad_id ? bad_stored_id(*type_, "edge id", position, id, edge_.rows())
                  : bad_stored_id(*type_, "index", position, neighbor, node_.rows());
  }
  return {};
}

Result<bool> TimeRule::ascends(int64_t row, int64_t begin, int64_t end) const {
  // Every thread finds the same, so it does not matter who writes first.
  std::atomic_ref<uint8_t> state(reinterpret_cast<uint8_t*>(row_states_->data())[row]);
  if (const uint8_t known = state.load(std::memory_order_relaxed); known != kUnknown) {
    return known == kAscending;
  }
  bool ascending = true;
  int64_t last_edge = std::numeric_limits<int64_t>::min();
  int64_t last_node = last_edge;
  for (int64_t at = begin; at < end; ++at) {
    GLS_TRY(check(at));
    if (edge_.defined()) {
      const int64_t time = edge_time(at);
      ascending &= time >= last_edge;
      last_edge = time;
    }
    if (node_.defined()) {
      const int64_t time = node_time(at);
      ascending &= time >= last_node;
      last_node = time;
    }
  }
  state.store(ascending ? kAscending : kMixed, std::memory_order_relaxed);
  return ascending;
}

Result<TimeRule::Usable> TimeRule::usable(int64_t row, int64_t seed_time,
                                          std::span<const int64_t> excluded,
                                          std::vector<int64_t>* positions) const {
  Usable range = {topology_->indptr[row], topology_->indptr[row + 1], false};
  positions->clear();
  GLS_ASSIGN(const bool ascending, ascends(row, range.begin, range.end));
  const TimeBounds bounds = {seed_time, window_, strict_};
  if (ascending) {
    if (edge_.defined()) {
      narrow(
          bounds, [this](int64_t at) { return edge_time(at); }, &range.begin, &range.end);
    }
    if (node_.defined()) {
      narrow(
          bounds, [this](int64_t at) { return node_time(at); }, &range.begin, &range.end);
    }
    return range;
  }
  size_t next = 0;
  for (int64_t at = range.begin; at < range.end; ++at) {
    if (next < excluded.size() && excluded[next] == at) {
      ++next;
    } else if ((!edge_.defined() || bounds.fits(edge_time(at))) &&
               (!node_.defined() || bounds.fits(node_time(at)))) {
      positions->push_back(at);
    }
  }
  range.listed = true;
  return range;
}

void TimeRule::keep_last(int64_t count, std::vector<int64_t>* positions) const {
  if (static_cast<int64_t>(positions->size()) <= count) {
    return;
  }
  const auto middle = positions->end() - count;
  std::nth_element(positions->begin(), middle, positions->end(), [this](int64_t a, int64_t b) {
    return std::pair(order_time(a), a) < std::pair(order_time(b), b);
  });
  positions->erase(positions->begin(), middle);
  std::sort(positions->begin(), positions->end());
}

// ---- options -----------------------------------------------------------------------------------

namespace {

Status check_column(const Column& column, int64_t count, const std::string& type,
                    const char* argument) {
  if (!IntegerColumn::fits(column.data)) {
    return invalid("{}: column \"{}\" of \"{}\" is {} of shape {}, expected one integer per row",
                   argument, column.name, type, dtype_name(column.data.dtype()),
                   shape_text(column.data.shape()))
        .with("argument", argument)
        .with("column", column.name)
        .with("type", type);
  }
  // Where rows are elsewhere, who has them reads them.
  return column.here() ? need_all_rows(column, count, type, argument) : Status();
}

Status check_options(const SamplerOptions& options) {
  const auto bad = [](const char* argument, std::string_view what) {
    return invalid("{}: {}", argument, what).with("argument", argument);
  };
  if (options.time_window < 0) {
    return invalid("time_window is {}, expected 0 (none) or more", options.time_window)
        .with("argument", "time_window");
  }
  if (!options.temporal()) {
    if (options.time_window != 0) {
      return bad("time_window", "there is neither node_time nor edge_time");
    }
    if (options.time_strict) {
      return invalid("GLS_SAMPLE_TIME_STRICT is set, but there is neither node_time nor edge_time")
          .with("argument", "flags");
    }
    if (options.time_strategy != TimeStrategy::kUniform) {
      return bad("time_strategy", "there is neither node_time nor edge_time");
    }
  }
  if (options.time_strategy == TimeStrategy::kLast) {
    if (!options.weight.empty()) {
      return bad("time_strategy", "the last neighbours are taken, so weights have no meaning");
    }
    if (options.replace != Replace::kNever) {
      return bad("time_strategy", "the last neighbours are taken, so replacement has no meaning");
    }
  }
  return {};
}

}  // namespace

Status check_times(const Dataset& dataset, const SamplerOptions& options) {
  GLS_TRY(check_options(options));
  bool found_node = options.node_time.empty();
  for (const NodeType& type : dataset.node_types()) {
    // Also of types that are no neighbours: their seeds may go by it.
    if (const Column* column =
            options.node_time.empty() ? nullptr : type.find_column(options.node_time)) {
      GLS_TRY(check_column(*column, type.count, type.name, "node_time"));
      found_node = true;
    }
  }
  if (!found_node) {
    return no_node_column("node_time", dataset, options.node_time);
  }
  bool found_edge = options.edge_time.empty();
  for (const EdgeType& type : dataset.edge_types()) {
    if (const Column* column =
            options.edge_time.empty() ? nullptr : type.find_column(options.edge_time)) {
      GLS_TRY(check_column(*column, type.count, type.joined, "edge_time"));
      found_edge = true;
    }
  }
  if (!found_edge) {
    return no_edge_column("edge_time", dataset, options.edge_time);
  }
  return {};
}

std::vector<TimeRule> make_time_rules(const Dataset& dataset, const SamplerOptions& options) {
  const Layout layout = options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr;
  const auto data_of = [](const auto& type, const std::string& name) {
    const Column* column = name.empty() ? nullptr : type.find_column(name);
    return column != nullptr ? column->data : Tensor();
  };
  std::vector<TimeRule> rules(dataset.edge_types().size());
  for (size_t t = 0; t < rules.size(); ++t) {
    const EdgeType& type = dataset.edge_types()[t];
    const NodeType& neighbor =
        dataset.node_types()[layout == Layout::kCsc ? type.source : type.target];
    if (type.topology(layout)) {
      const Topology& rows = *type.topology(layout);
      rules[t] = TimeRule(
          type, rows, data_of(type, options.edge_time),
          rows.index != nullptr ? rows.index->neighbor_times : data_of(neighbor, options.node_time),
          options);
    }
  }
  return rules;
}

}  // namespace gls
