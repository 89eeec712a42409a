#include "feature/hot_columns.h"

#include <algorithm>
#include <optional>

namespace gls {
namespace {

bool has_column(const std::vector<Column>& columns, const Column& column) {
  return std::any_of(columns.begin(), columns.end(),
                     [&column](const Column& one) { return &one == &column; });
}

std::optional<size_t> node_type_of(const Dataset& dataset, const Column& column) {
  for (size_t t = 0; t < dataset.node_types().size(); ++t) {
    if (has_column(dataset.node_types()[t].columns, column)) {
      return t;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string name_of_column(const Dataset& dataset, const Column& column) {
  if (const std::optional<size_t> type = node_type_of(dataset, column)) {
    return formatted("\"{}\" of \"{}\"", column.name, dataset.node_types()[*type].name);
  }
  for (const EdgeType& type : dataset.edge_types()) {
    if (has_column(type.columns, column)) {
      return formatted("\"{}\" of \"{}\"", column.name, type.joined);
    }
  }
  return formatted("\"{}\"", column.name);
}

Result<std::vector<int64_t>> HotColumns::rows(const Dataset& dataset, const Column& column,
                                              uint64_t row_bytes, uint64_t room) {
  HotQuestion question;
  question.rows = column.data.rows();
  question.room = room;
  question.bytes_of = [row_bytes](int64_t) { return row_bytes; };
  if (const std::optional<size_t> type = node_type_of(dataset, column)) {
    GLS_ASSIGN(const HotNodes::Order* const order, nodes_.of(dataset, *type));
    question.hotness = order->hotness;
    question.first = order->first;
  }
  return hottest_rows(question);
}

Result<uint64_t> room_for_columns(const Settings& settings, const Device& device) {
  const uint64_t said = settings.bytes(Setting::kDeviceColumnMemory);
  if (said > 0) {
    return said;
  }
  GLS_ASSIGN(const uint64_t free, device.free_memory());
  return free / 2;
}

}  // namespace gls
