#include "sample/pick/weight_table.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <new>

#include "base/float_mode.h"
#include "context/parallel.h"
#include "sample/pick/alias.h"
#include "sample/pick/weighted_parts.h"

namespace gls {
namespace {

constexpr size_t kRowsAtOnce = 4096;

bool row_fits(const Topology& topology, int64_t begin, int64_t end) {
  return begin >= 0 && begin <= end && end <= topology.num_edges;
}

// Rows that overlap cannot share a table.
Result<bool> indptr_ascends(const Topology& topology, ThreadPool& pool) {
  std::atomic<bool> ascend{true};
  GLS_TRY(
      parallel_try(pool, static_cast<size_t>(topology.num_rows), size_t{1} << 16,
                   [&](size_t begin, size_t end) -> Status {
                     for (size_t row = begin; row < end; ++row) {
                       if (!row_fits(topology, topology.indptr[row], topology.indptr[row + 1])) {
                         ascend = false;
                       }
                     }
                     return {};
                   }));
  return ascend.load();
}

// Calls each(weight, cumulative weight) for the entries of a row. False: the row is invalid, or a
// weight, an id or the sum is.
template <typename Each>
bool go_over_row(const Topology& topology, const Tensor& column, int64_t node, const Each& each) {
  const int64_t begin = topology.indptr[node];
  const int64_t end = topology.indptr[node + 1];
  if (!row_fits(topology, begin, end) || end - begin > kMostWeighted) {
    return false;
  }
  double sum = 0;
  for (int64_t at = begin; at < end; ++at) {
    const int64_t id = topology.edge_id(at);
    if (id < 0 || id >= column.rows()) {
      return false;
    }
    const double weight =
        element_as_double(column.data() + id * column.row_stride(), column.dtype(), 0);
    if (!(weight >= 0)) {
      return false;
    }
    sum += weight;
    each(weight, sum);
  }
  return !std::isinf(sum);
}

}  // namespace

// The weights of one row.
struct WeightTable::RowOfWeights {
  std::vector<double> weights;
  std::vector<double> sums;
  std::vector<int32_t> parts;  // once divided
  int32_t positive = 0;

  // As go_over_row().
  bool read(const Topology& topology, const Tensor& column, int64_t node) {
    weights.clear();
    sums.clear();
    positive = 0;
    return go_over_row(topology, column, node, [&](double weight, double sum) {
      positive += weight > 0 ? 1 : 0;
      weights.push_back(weight);
      sums.push_back(sum);
    });
  }
};

uint64_t WeightTable::bytes_for(const Topology& topology) {
  return static_cast<uint64_t>(topology.num_edges) * sizeof(AliasSlot) +
         static_cast<uint64_t>(topology.num_rows) * sizeof(Row);
}

WeightTable::WeightTable(const Topology& topology, bool huge_pages) {
  slots_block_ = PageBlock(static_cast<size_t>(topology.num_edges) * sizeof(AliasSlot), huge_pages);
  rows_block_ = PageBlock(static_cast<size_t>(topology.num_rows) * sizeof(Row), huge_pages);
  slots_ = reinterpret_cast<AliasSlot*>(slots_block_.data());
  rows_ = reinterpret_cast<Row*>(rows_block_.data());
}

void WeightTable::fill(const Topology& topology, const Tensor& column, int64_t node,
                       RowOfWeights* read) {
  Row& row = rows_[node];
  row.positive = kUnknown;
  if (!read->read(topology, column, node)) {
    return;
  }
  const int64_t begin = topology.indptr[node];
  if (read->positive > 0) {
    read->parts.resize(read->weights.size());
    divide(read->weights, read->sums, read->positive, read->parts.data());
    make_alias(read->parts, slots_ + begin);
  }
  row = {begin, static_cast<int32_t>(read->weights.size()), read->positive};
}

Status WeightTable::fill_all(const Topology& topology, const Tensor& column, ThreadPool& pool) {
  std::mutex mutex;
  return parallel_try(pool, static_cast<size_t>(topology.num_rows), kRowsAtOnce,
                      [&](size_t begin, size_t end) -> Status {
                        const DefaultFloatMode float_mode;  // parts are defined by the contract
                        RowOfWeights scratch;
                        bool complete = true;
                        int64_t longest = 0;
                        for (size_t node = begin; node < end; ++node) {
                          fill(topology, column, static_cast<int64_t>(node), &scratch);
                          const Row& row = rows_[node];
                          complete = complete && row.positive != kUnknown;
                          longest =
                              std::max<int64_t>(longest, row.positive != kUnknown ? row.degree : 0);
                        }
                        const std::lock_guard lock(mutex);
                        complete_ = complete_ && complete;
                        longest_ = std::max(longest_, longest);
                        return {};
                      });
}

Result<std::shared_ptr<const WeightTable>> WeightTable::of(const Dataset& dataset, size_t edge_type,
                                                           Layout layout, const Column& column,
                                                           uint64_t most_bytes) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  const Topology& topology = *type.topology(layout);
  const auto make = [&]() -> Result<std::shared_ptr<const void>> {
    Context& context = *dataset.context();
    GLS_ASSIGN(const bool usable, indptr_ascends(topology, context.pool()));
    if (!usable) {
      return std::shared_ptr<const void>();
    }
    std::shared_ptr<WeightTable> made;
    try {
      made.reset(new WeightTable(topology, context.huge_pages()));
    } catch (const std::bad_alloc&) {
      return std::shared_ptr<const void>();
    }
    GLS_TRY(made->fill_all(topology, column.data, context.pool()));
    return std::shared_ptr<const void>(std::move(made));
  };
  const std::string key =
      formatted("weights {} {} {}", edge_type, static_cast<int>(layout), column.name);
  const uint64_t bytes = bytes_for(topology);
  GLS_ASSIGN(std::shared_ptr<const void> kept, dataset.keep(key, bytes, most_bytes, make));
  if (kept == nullptr) {
    dataset.context()->log().write(
        GLS_LOG_INFO, "sampler",
        "alias tables of the weights \"{}\" of {}, {} bytes, are not kept: more than "
        "sample.weight_tables leaves, or no memory, or indptr does not ascend; rows are read "
        "instead",
        column.name, type.joined, bytes);
  }
  return std::static_pointer_cast<const WeightTable>(kept);
}

Result<WeighedRows> WeightTable::weighed_rows(const Dataset& dataset, size_t edge_type,
                                              Layout layout, const Column& column) {
  const Topology& topology = *dataset.edge_types()[edge_type].topology(layout);
  const auto make = [&]() -> Result<std::shared_ptr<const void>> {
    const auto found = std::make_shared<WeighedRows>();
    std::atomic<bool> fit = true;
    std::atomic<int64_t> longest = 0;
    GLS_TRY(parallel_try(dataset.context()->pool(), static_cast<size_t>(topology.num_rows),
                         kRowsAtOnce, [&](size_t begin, size_t end) -> Status {
                           const DefaultFloatMode float_mode;
                           int64_t longest_of_block = 0;
                           for (size_t at = begin; at < end && fit; ++at) {
                             const auto node = static_cast<int64_t>(at);
                             if (!go_over_row(topology, column.data, node, [](double, double) {})) {
                               fit = false;
                               break;
                             }
                             longest_of_block =
                                 std::max(longest_of_block,
                                          topology.indptr[node + 1] - topology.indptr[node]);
                           }
                           for (int64_t most = longest; most < longest_of_block;) {
                             if (longest.compare_exchange_weak(most, longest_of_block)) {
                               break;
                             }
                           }
                           return {};
                         }));
    *found = {fit, longest};
    return std::shared_ptr<const void>(found);
  };
  const std::string key =
      formatted("weighed rows {} {} {}", edge_type, static_cast<int>(layout), column.name);
  GLS_ASSIGN(const std::shared_ptr<const void> kept, dataset.keep(key, 0, UINT64_MAX, make));
  return *static_cast<const WeighedRows*>(kept.get());
}

}  // namespace gls
