#include "sample/weight_table.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <new>

#include "base/float_mode.h"
#include "base/parallel.h"
#include "sample/alias.h"
#include "sample/weighted_parts.h"

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

}  // namespace

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
                       Scratch* scratch) {
  Row& row = rows_[node];
  row.positive = kUnknown;
  const int64_t begin = topology.indptr[node];
  const int64_t end = topology.indptr[node + 1];
  if (!row_fits(topology, begin, end) || end - begin > kMostWeighted) {
    return;
  }
  scratch->weights.clear();
  scratch->sums.clear();
  double sum = 0;
  int32_t positive = 0;
  for (int64_t at = begin; at < end; ++at) {
    const int64_t id = topology.edge_id(at);
    if (id < 0 || id >= column.rows()) {
      return;
    }
    const double weight =
        element_as_double(column.data() + id * column.row_stride(), column.dtype(), 0);
    if (!(weight >= 0)) {
      return;
    }
    positive += weight > 0 ? 1 : 0;
    sum += weight;
    scratch->weights.push_back(weight);
    scratch->sums.push_back(sum);
  }
  if (std::isinf(sum)) {
    return;
  }
  if (positive > 0) {
    scratch->parts.resize(scratch->weights.size());
    divide(scratch->weights, scratch->sums, positive, scratch->parts.data());
    make_alias(scratch->parts, slots_ + begin);
  }
  row = {begin, static_cast<int32_t>(end - begin), positive};
}

Status WeightTable::fill_all(const Topology& topology, const Tensor& column, ThreadPool& pool) {
  std::mutex mutex;
  return parallel_try(pool, static_cast<size_t>(topology.num_rows), kRowsAtOnce,
                      [&](size_t begin, size_t end) -> Status {
                        const DefaultFloatMode float_mode;  // parts are part of the contract
                        Scratch scratch;
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

}  // namespace gls
