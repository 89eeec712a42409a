#include "ingest/assign/union_graph.h"

#include <algorithm>
#include <limits>
#include <new>

#include "context/parallel.h"
#include "ingest/common/neighbor_rows.h"

namespace gls {
namespace {

// Calls visit(a, b) with the numbers of both ends of every edge that is not a loop.
template <typename Visit>
Status for_each_edge(const Dataset& dataset, const UnionNumbers& numbers, const char* stage,
                     const Progress& progress, const Visit& visit) {
  const auto rows = neighbor_rows(dataset, true);
  for (size_t t = 0; t < rows.size(); ++t) {
    for (int64_t node = 0; node < dataset.node_types()[t].count; ++node) {
      const int64_t number = numbers.first(t) + node;
      if (number % kNodesPerReport == 0) {
        GLS_TRY(report(progress, stage, static_cast<uint64_t>(number),
                       static_cast<uint64_t>(numbers.nodes()), "nodes"));
      }
      for (const NeighborRows& row : rows[t]) {
        const int64_t first = numbers.first(row.other);
        GLS_TRY(for_each_neighbor(row, node, [&](int64_t other) {
          if (first + other != number) {
            visit(number, first + other);
          }
        }));
      }
    }
  }
  return {};
}

Status check_size(const Dataset& dataset, const UnionNumbers& numbers) {
  int64_t edges = 0;
  for (const EdgeType& type : dataset.edge_types()) {
    edges += type.count;
  }
  return check_fits_metis(numbers.nodes(), edges);
}

}  // namespace

Status check_fits_metis(int64_t nodes, int64_t edges) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (nodes >= kMost || edges > kMost / 2) {
    return error(GLS_ERR_UNSUPPORTED,
                 "method: METIS with {}-bit integers takes fewer than {} nodes and at most {} "
                 "edges, and there are {} and {}; use the method \"stream\"",
                 8 * sizeof(int32_t), kMost, kMost / 2, nodes, edges)
        .with("argument", "method");
  }
  return {};
}

UnionNumbers::UnionNumbers(const Dataset& dataset) : first_{0} {
  for (const NodeType& type : dataset.node_types()) {
    first_.push_back(first_.back() + type.count);
  }
}

ShrinkingArray::ShrinkingArray(size_t size)
    : data_(static_cast<int32_t*>(std::malloc(std::max<size_t>(1, size) * sizeof(int32_t)))) {
  if (data_ == nullptr) {
    throw std::bad_alloc();
  }
}

void ShrinkingArray::shrink(size_t size) {
  void* const smaller = std::realloc(data_.get(), std::max<size_t>(1, size) * sizeof(int32_t));
  if (smaller != nullptr) {
    static_cast<void>(data_.release());
    data_.reset(static_cast<int32_t*>(smaller));
  }
}

Result<UnionGraph> UnionGraph::make(const Dataset& dataset, const Progress& progress) {
  const UnionNumbers numbers(dataset);
  GLS_TRY(check_size(dataset, numbers));
  const auto nodes = static_cast<size_t>(numbers.nodes());
  // offsets[v] is the end of row v - 1; when everything is filled in, the end of row v.
  std::vector<int32_t> offsets(nodes + 2);
  GLS_TRY(for_each_edge(dataset, numbers, "counting edges", progress, [&](int64_t a, int64_t b) {
    ++offsets[static_cast<size_t>(a) + 2];
    ++offsets[static_cast<size_t>(b) + 2];
  }));
  for (size_t v = 2; v < offsets.size(); ++v) {
    offsets[v] += offsets[v - 1];
  }
  const auto ends = static_cast<size_t>(offsets.back());
  ShrinkingArray neighbors(ends);
  int32_t* const at = neighbors.data();
  GLS_TRY(for_each_edge(dataset, numbers, "copying edges", progress, [&](int64_t a, int64_t b) {
    at[offsets[static_cast<size_t>(a) + 1]++] = static_cast<int32_t>(b);
    at[offsets[static_cast<size_t>(b) + 1]++] = static_cast<int32_t>(a);
  }));
  offsets.pop_back();
  GLS_TRY(parallel_try(
      dataset.context()->pool(), nodes, size_t{1} << 14,
      [&](size_t begin, size_t end) -> Status {
        for (size_t v = begin; v < end; ++v) {
          std::sort(at + offsets[v], at + offsets[v + 1]);
        }
        return {};
      },
      [&] { return report(progress, "sorting edges", 0, nodes, "nodes"); }));
  ShrinkingArray weights(ends);  // pages are allocated as they are written
  int32_t out = 0;
  int32_t begin = 0;
  for (size_t v = 0; v < nodes; ++v) {
    const int32_t end = offsets[v + 1];
    const int32_t row = out;
    for (int32_t i = begin; i < end; ++i) {
      if (out > row && at[out - 1] == at[i]) {
        ++weights.data()[out - 1];
      } else {
        at[out] = at[i];
        weights.data()[out++] = 1;
      }
    }
    begin = end;
    offsets[v + 1] = out;
  }
  neighbors.shrink(static_cast<size_t>(out));
  weights.shrink(static_cast<size_t>(out));
  return UnionGraph{std::move(offsets), std::move(neighbors), std::move(weights)};
}

}  // namespace gls
