// The text of a forecast.
#include <nlohmann/json.hpp>

#include "base/status.h"
#include "gls/version.h"
#include "loader/forecast/epoch_forecast.h"

namespace gls {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 1;

Json of(const Spread& spread) {
  return {{"total", spread.total},
          {"least", spread.total == 0 ? 0 : spread.least},
          {"most", spread.most}};
}

Json of(const TypeForecast& type) {
  Json out = {{"type", type.type}};
  out.update(of(type.all));
  out["hops"] = Json::array();
  for (const Spread& hop : type.hops) {
    out["hops"].push_back(of(hop));
  }
  return out;
}

Json of(const ColumnForecast& column) {
  return {{"of", column.of_nodes ? "nodes" : "edges"},
          {"type", column.type},
          {"name", column.name},
          {"dtype", column.dtype},
          {"row_bytes", column.row_bytes},
          {"num_rows", column.num_rows},
          {"file_bytes", column.file_bytes},
          {"planned", column.planned},
          {"rows", column.rows},
          {"uses", column.uses},
          {"distinct_rows", column.distinct_rows}};
}

Json of(const MemoryForecast& memory, double data) {
  return {{"bytes", memory.memory},
          {"share", static_cast<double>(memory.memory) / data},
          {"row_bytes", memory.row_bytes},
          {"way", memory.way},
          {"windows", memory.windows},
          {"uses", memory.uses},
          {"missed_rows", memory.missed_rows},
          {"missed_bytes", memory.missed_bytes},
          {"memory_bytes", memory.memory_bytes},
          {"read_bytes", memory.read_bytes},
          {"packed_bytes", memory.packed_bytes},
          {"temporary_bytes", memory.temporary_bytes},
          {"lower_bound_bytes", memory.lower_bound_bytes},
          {"hot_missed_rows", memory.hot_missed_rows},
          {"hot_missed_bytes", memory.hot_missed_bytes},
          {"disk_seconds", memory.disk_seconds},
          {"processor_seconds", memory.processor_seconds},
          {"epoch_seconds", memory.epoch_seconds}};
}

Json of(const CurvePoint& point) {
  return {{"share", point.share},
          {"row_bytes", point.row_bytes},
          {"missed", point.missed},
          {"hot_missed", point.hot_missed}};
}

Json of(const DiskSpeed::Random& random) {
  return {{"bytes", random.bytes}, {"in_flight", random.depth}, {"per_second", random.per_second}};
}

template <typename T, typename... More>
Json list_of(const std::vector<T>& values, More... more) {
  Json out = Json::array();
  for (const T& value : values) {
    out.push_back(of(value, more...));
  }
  return out;
}

}  // namespace

std::string forecast_json(const EpochForecast& forecast) {
  auto data = static_cast<double>(forecast.topology_bytes);
  for (const ColumnForecast& column : forecast.columns) {
    data += static_cast<double>(column.file_bytes);
  }
  Json out;
  out["format"] = kFormat;
  out["library"] = formatted("{}.{}.{}", GLS_VERSION_MAJOR, GLS_VERSION_MINOR, GLS_VERSION_PATCH);
  out["epoch"] = forecast.epoch;
  out["batch_size"] = forecast.batch_size;
  out["batches"] = {{"epoch", forecast.epoch_batches}, {"planned", forecast.batches}};
  out["seeds"] = forecast.seeds;
  out["nodes"] = list_of(forecast.nodes);
  out["edges"] = list_of(forecast.edges);
  out["topology_bytes"] = forecast.topology_bytes;
  out["columns"] = list_of(forecast.columns);
  out["disk"] = {{"temporary_folder", forecast.temporary_folder},
                 {"temporary_bytes", forecast.temporary_bytes},
                 {"read_bytes_per_second", forecast.read_rate},
                 {"mixed_bytes_per_second", forecast.mixed_rate},
                 {"random_reads", list_of(forecast.disk.random)}};
  out["processor"] = {{"threads", forecast.threads},
                      {"sample_seconds", forecast.sample_seconds},
                      {"gather_bytes_per_second", forecast.gather_rate},
                      {"new_memory_bytes_per_second", forecast.new_memory_rate}};
  out["memory"] = list_of(forecast.memory, std::max(data, 1.0));
  out["curve"] = list_of(forecast.curve);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gls
