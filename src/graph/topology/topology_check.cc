#include "graph/topology/topology_check.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

namespace gls {
namespace {

constexpr const char* kStage = "checking edges";

Status check_ids_once(const CheckRun& run, const IdSpan& ids, const CheckedArray& array) {
  std::vector<std::atomic<uint64_t>> seen(static_cast<size_t>(ids.size() + 63) / 64);
  const auto mark = [&](int64_t id) {
    const uint64_t bit = uint64_t{1} << (id & 63);
    return (seen[static_cast<size_t>(id >> 6)].fetch_or(bit, std::memory_order_relaxed) & bit) != 0;
  };
  std::atomic<bool> repeated{false};
  GLS_TRY(run.range(ids.size(), [&](int64_t begin, int64_t end) -> Status {
    for (int64_t i = begin; i < end; ++i) {
      if (mark(ids[i])) {
        repeated.store(true, std::memory_order_relaxed);
      }
    }
    return {};
  }));
  if (!repeated) {
    return {};
  }
  // The threads determine which of the two was found first, so this searches again, in order.
  for (std::atomic<uint64_t>& word : seen) {
    word.store(0, std::memory_order_relaxed);
  }
  for (int64_t i = 0; i < ids.size(); ++i) {
    if (mark(ids[i])) {
      return array_fault(array, i, formatted("edge id {} at position {} occurs before", ids[i], i));
    }
  }
  return {};
}

uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Sums over all edges. They are equal for equal sets of edges in any order, and otherwise differ
// except with a chance of 2^-128.
struct EdgeSums {
  uint64_t first = 0;
  uint64_t second = 0;
  void add(int64_t source, int64_t target, int64_t id) {
    const uint64_t a = mix(static_cast<uint64_t>(source) + 0x9e3779b97f4a7c15u);
    const uint64_t b = mix(a ^ (static_cast<uint64_t>(target) * 0xd1342543de82ef95u));
    const uint64_t c = mix(b ^ (static_cast<uint64_t>(id) * 0xda942042e4dd58b5u));
    first += c;
    second += mix(c ^ 0x2545f4914f6cdd1du);
  }
};

Result<EdgeSums> sum_edges(const CheckRun& run, const Topology& topology, Layout layout) {
  EdgeSums total;
  std::mutex mutex;
  const auto body = [&](int64_t begin, int64_t end) -> Status {
    EdgeSums sums;
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t at = topology.indptr[row]; at < topology.indptr[row + 1]; ++at) {
        const int64_t neighbor = topology.neighbor(at);
        sums.add(layout == Layout::kCsc ? neighbor : row, layout == Layout::kCsc ? row : neighbor,
                 topology.edge_id(at));
      }
    }
    const std::lock_guard lock(mutex);
    total.first += sums.first;
    total.second += sums.second;
    return {};
  };
  GLS_TRY(run.range(topology.num_rows, body));
  return total;
}

int64_t row_of(const Topology& topology, int64_t position) {
  const int64_t* const end = topology.indptr + topology.num_rows + 1;
  return std::upper_bound(topology.indptr, end, position) - topology.indptr - 1;
}

}  // namespace

Status check_topology(ThreadPool& pool, const Topology& topology, const TopologyNames& names,
                      const Progress& progress) {
  const CheckRun run{pool, progress, kStage};
  const int64_t* const indptr = topology.indptr;
  const auto rows = [&](int64_t begin, int64_t end) -> Status {
    for (int64_t row = begin; row < end; ++row) {
      if (indptr[row] > indptr[row + 1]) {
        return array_fault(names.indptr, row + 1,
                           formatted("entry {} is {}, less than the entry before it ({})", row + 1,
                                     indptr[row + 1], indptr[row]));
      }
    }
    return {};
  };
  GLS_TRY(run.range(topology.num_rows, rows));
  const IdSpan neighbors(topology.indices, topology.wide_indices, topology.num_edges);
  GLS_TRY(run.ids(neighbors, topology.num_neighbors, "node id", names.indices));
  if (topology.edge_ids == nullptr) {
    return {};
  }
  const IdSpan ids(topology.edge_ids, topology.wide_edge_ids, topology.num_edges);
  GLS_TRY(run.ids(ids, topology.num_edges, "edge id", names.edge_ids));
  return check_ids_once(run, ids, names.edge_ids);
}

Status check_same_edges(ThreadPool& pool, const Topology& csc, const Topology& csr,
                        const TopologyNames& csc_names, const std::string& csr_name,
                        const Progress& progress) {
  const CheckRun run{pool, progress, kStage};
  GLS_ASSIGN(const EdgeSums in_csc, sum_edges(run, csc, Layout::kCsc));
  GLS_ASSIGN(const EdgeSums in_csr, sum_edges(run, csr, Layout::kCsr));
  if (in_csc.first == in_csr.first && in_csc.second == in_csr.second) {
    return {};
  }
  std::vector<int64_t> in_csr_at(static_cast<size_t>(csr.num_edges));
  for (int64_t at = 0; at < csr.num_edges; ++at) {
    in_csr_at[static_cast<size_t>(csr.edge_id(at))] = at;
  }
  for (int64_t target = 0; target < csc.num_rows; ++target) {
    for (int64_t at = csc.indptr[target]; at < csc.indptr[target + 1]; ++at) {
      const int64_t id = csc.edge_id(at);
      const int64_t csr_at = in_csr_at[static_cast<size_t>(id)];
      const int64_t source = row_of(csr, csr_at);
      if (source != csc.neighbor(at) || csr.neighbor(csr_at) != target) {
        return array_fault(
            csc_names.indices, at,
            formatted("edge {} at position {} goes from {} to {}, but from {} to {} in {}", id, at,
                      csc.neighbor(at), target, source, csr.neighbor(csr_at), csr_name));
      }
    }
  }
  return error(GLS_ERR_INTERNAL, "{}: the edge sums of CSC and CSR differ, but no edge does",
               csc_names.indices.type);
}

}  // namespace gls
