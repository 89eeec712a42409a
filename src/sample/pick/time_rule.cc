#include "sample/pick/time_rule.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "graph/dataset/topology_query.h"
#include "graph/dataset/unknown_name.h"
#include "graph/topology/row_index.h"
#include "host_device/row_rule.h"

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
                   Tensor node_time, const SamplerOptions& options, const kernels::Table& kernels)
    : type_(&type),
      topology_(&topology),
      by_position_(topology.index != nullptr),
      strict_(options.time_strict),
      window_(options.time_window),
      kernels_(&kernels) {
  if (edge_time.defined()) {
    edge_ = IntegerColumn(std::move(edge_time));
  }
  if (node_time.defined()) {
    node_ = IntegerColumn(std::move(node_time));
  }
  const bool both = edge_.defined() && node_.defined();
  merged_ = both && window_ == 0 && options.time_strategy != TimeStrategy::kLast;
  two_ = both && !merged_;
}

RowTimes::Shape TimeRule::shape(const std::string& key) const {
  const auto is_wide = [](const IntegerColumn& column) {
    const DLDataType dtype = column.tensor().dtype();
    return dtype.bits == 64 || (dtype.code == kDLUInt && dtype.bits == 32);
  };
  RowTimes::Shape out;
  out.num_rows = topology_->num_rows;
  out.num_edges = topology_->num_edges;
  out.wide = (edge_.defined() && is_wide(edge_)) || (node_.defined() && is_wide(node_));
  out.two = two_;
  // Where edge ids are positions, edge times are in stored order already.
  const Tensor& column = edge_.tensor();
  const size_t bytes = out.wide ? 8 : 4;
  if (edge_.defined() && !node_.defined() && topology_->edge_ids == nullptr &&
      column.dtype().code == kDLInt && dtype_bytes(column.dtype()) == bytes &&
      column.contiguous() && reinterpret_cast<uintptr_t>(column.data()) % bytes == 0) {
    out.stored = column;
  }
  out.key = formatted("{} {}{}", key, two_ ? "two" : "one", out.wide ? "" : ", narrow");
  out.what = type_->joined;
  return out;
}

Status TimeRule::keep_times(const Dataset& dataset, const std::string& key) {
  if (by_position_) {
    times_ = std::make_shared<RowTimes>(topology_->num_rows);
    return {};
  }
  const uint64_t most_bytes = dataset.context()->settings().bytes(Setting::kSampleRowTimes);
  GLS_ASSIGN(times_, RowTimes::of(dataset, shape(key), most_bytes));
  return {};
}

Status TimeRule::check(int64_t position) const {
  if (by_position_) {
    return {};  // ids were checked when they arrived
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

// Reads a row's times at its first visit, and copies them if they are kept.
Result<uint8_t> TimeRule::read_row(int64_t begin, int64_t end) const {
  bool ascending = true;
  int64_t last_first = std::numeric_limits<int64_t>::min();
  int64_t last_second = last_first;
  const bool copies_first = times_->copies_first();
  const bool copies_second = times_->copies_second();
  for (int64_t at = begin; at < end; ++at) {
    GLS_TRY(check(at));
    const int64_t first = first_time(at);
    ascending &= first >= last_first;
    last_first = first;
    if (copies_first) {
      times_->copy_first(at, first);
    }
    if (two_) {
      const int64_t second = second_time(at);
      ascending &= second >= last_second;
      last_second = second;
      if (copies_second) {
        times_->copy_second(at, second);
      }
    }
  }
  return static_cast<uint8_t>(ascending ? kAscending : kMixed);
}

// A thread does not wait for another thread that reads or orders the same row.
Result<uint8_t> TimeRule::state_of(int64_t row, int64_t begin, int64_t end) const {
  const uint8_t state = times_->state(row);
  if (state == kUnknown) {
    if (!times_->claim(row, kUnknown, RowTimes::kReading)) {
      return times_->state(row);
    }
    Result<uint8_t> found = read_row(begin, end);
    times_->settle(row, found.ok() ? *found : static_cast<uint8_t>(kUnknown));
    return found;
  }
  if (state == kMixed && times_->has_times() && end - begin > RowTimes::kScanned) {
    if (!times_->claim(row, kMixed, RowTimes::kOrdering)) {
      return times_->state(row);
    }
    const uint8_t ordered = times_->put_in_order(row, begin, end);
    times_->settle(row, ordered);
    return ordered;
  }
  return state;
}

Result<TimeRule::Usable> TimeRule::usable(const Wanted& wanted, RowEntries* entries) const {
  Usable range = {topology_->indptr[wanted.row], topology_->indptr[wanted.row + 1], true};
  GLS_ASSIGN(const uint8_t state, state_of(wanted.row, range.begin, range.end));
  const TimeBounds bounds = {wanted.seed_time, window_, strict_};
  const auto narrow_by = [&](const auto& first, const auto& second) {
    narrow(bounds, first, &range.begin, &range.end);
    if (two_) {
      narrow(bounds, second, &range.begin, &range.end);
    }
  };
  const RowTimes& times = *times_;
  if (state == kAscending && times.has_times()) {
    narrow_by([&](int64_t at) { return times.first()[at]; },
              [&](int64_t at) { return times.second()[at]; });
    return range;
  }
  if (state == kAscending) {
    narrow_by([this](int64_t at) { return first_time(at); },
              [this](int64_t at) { return second_time(at); });
    return range;
  }
  range.is_range = false;
  const bool checked = state != kUnknown && state != RowTimes::kReading;
  if (times.has_times() && checked) {
    scan(wanted,
         {kernels_, times.first(), times.second(), range.begin, range.end, limits_of(bounds),
          wanted.excluded},
         state == RowTimes::kOrdered ? times.order(wanted.row) : nullptr, entries);
  } else {
    std::vector<int64_t>* const positions = entries->list();
    if (!checked) {
      for (int64_t at = range.begin; at < range.end; ++at) {
        GLS_TRY(check(at));
      }
    }
    read_edges(wanted, range, bounds, positions);
    if (wanted.latest >= 0) {
      keep_last(wanted.latest, positions);
    }
  }
  return range;
}

void TimeRule::scan(const Wanted& wanted, const RowScan& row, const std::byte* order,
                    RowEntries* entries) const {
  if (wanted.latest >= 0) {
    std::vector<int64_t>* const positions = entries->list();
    if (order != nullptr) {
      append_latest(row, order, wanted.latest, positions);
    } else {
      append_latest(row, wanted.latest, positions);
    }
  } else if (order != nullptr && !two_) {
    entries->look_up(row, order, wanted.picks);
  } else {
    entries->scan(row);
  }
}

void TimeRule::ask_for(int64_t row) const {
  __builtin_prefetch(topology_->indptr + row);
  times_->ask_for(row);
}

void TimeRule::ask_for_times(int64_t row) const {
  const int64_t begin = topology_->indptr[row];
  const int64_t end = topology_->indptr[row + 1];
  if (is_row(begin, end, static_cast<uint64_t>(topology_->num_edges))) {
    times_->ask_for_times(row, begin, end);
  }
}

void TimeRule::ask_for_entries(int64_t row, int64_t seed_time) const {
  const int64_t begin = topology_->indptr[row];
  const int64_t end = topology_->indptr[row + 1];
  if (is_row(begin, end, static_cast<uint64_t>(topology_->num_edges))) {
    const TimeLimits limits = limits_of({seed_time, window_, strict_});
    times_->ask_for_entries(row, begin, end, limits.low, limits.high);
  }
}

void TimeRule::read_edges(const Wanted& wanted, const Usable& row, const TimeBounds& bounds,
                          std::vector<int64_t>* positions) const {
  size_t next = 0;
  for (int64_t at = row.begin; at < row.end; ++at) {
    if (next < wanted.excluded.size() && wanted.excluded[next] == at) {
      ++next;
    } else if (bounds.fits(first_time(at)) && (!two_ || bounds.fits(second_time(at)))) {
      positions->push_back(at);
    }
  }
}

void TimeRule::keep_last(int64_t count, std::vector<int64_t>* positions) const {
  if (static_cast<int64_t>(positions->size()) <= count) {
    return;
  }
  const auto middle = positions->end() - count;
  std::nth_element(positions->begin(), middle, positions->end(), [this](int64_t a, int64_t b) {
    return std::pair(first_time(a), a) < std::pair(first_time(b), b);
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
  // For remote rows, the parts read the column.
  return column.is_local() ? need_all_rows(column, count, type, argument) : Status();
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
    // Also for types that are not neighbours, because their seeds may use it.
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

Result<std::vector<TimeRule>> make_time_rules(const Dataset& dataset, const SamplerOptions& options,
                                              const kernels::Table& kernels) {
  const Layout layout = options.direction == Direction::kIn ? Layout::kCsc : Layout::kCsr;
  const auto find = [](const auto& type, const std::string& name) {
    return name.empty() ? nullptr : type.find_column(name);
  };
  const auto data_of = [](const Column* column) {
    return column != nullptr ? column->data : Tensor();
  };
  const auto number_of = [](const auto& type, const Column* column) {
    return column != nullptr ? column - type.columns.data() : -1;
  };
  std::vector<TimeRule> rules(dataset.edge_types().size());
  for (size_t t = 0; t < rules.size(); ++t) {
    const EdgeType& type = dataset.edge_types()[t];
    const NodeType& neighbor =
        dataset.node_types()[layout == Layout::kCsc ? type.source : type.target];
    if (!type.topology(layout)) {
      continue;
    }
    const Topology& rows = *type.topology(layout);
    const Column* const edge = find(type, options.edge_time);
    const Column* const node = find(neighbor, options.node_time);
    rules[t] = TimeRule(type, rows, data_of(edge),
                        rows.index != nullptr ? rows.index->neighbor_times : data_of(node), options,
                        kernels);
    if (rules[t].active()) {
      GLS_TRY(rules[t].keep_times(
          dataset, formatted("{} {} {} {}", t, static_cast<int>(layout), number_of(type, edge),
                             number_of(neighbor, node))));
    }
  }
  return rules;
}

}  // namespace gls
