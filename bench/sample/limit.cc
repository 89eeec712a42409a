#include "bench/sample/limit.h"

#include <algorithm>
#include <cstring>

#include "bench/support/harness.h"

namespace gls::bench {
namespace {

constexpr int64_t kDistances[] = {32, 64, 128, 256};
constexpr size_t kNumDistances = std::size(kDistances);

thread_local volatile uint64_t sink;  // keeps the reads

// Nanoseconds of `body`.
template <typename Body>
double time_of(Body body) {
  const uint64_t begin = now_ns();
  sink = body();
  return static_cast<double>(now_ns() - begin);
}

double best_median(const std::vector<std::vector<double>>& rounds) {
  double best = 1e300;
  for (const std::vector<double>& times : rounds) {
    best = std::min(best, median(times));
  }
  return best;
}

}  // namespace

void record(const Batch& batch, const Topology& topology, Streams* out) {
  const IdSpan edges(batch.edges[0].edge.data(), same_dtype(batch.edges[0].edge.dtype(), kInt64),
                     batch.edges[0].edge.rows());
  for (int64_t e = 0; e < edges.size(); ++e) {
    out->positions.push_back(edges[e]);
    out->neighbors.push_back(static_cast<int32_t>(topology.neighbor(edges[e])));
  }
  const Tensor& node = batch.nodes[0].node;
  const IdSpan nodes(node.data(), same_dtype(node.dtype(), kInt64), node.rows());
  const auto* counts = batch.nodes[0].num_nodes.as<int64_t>();
  const int64_t last_hop = counts[batch.num_hops];
  for (int64_t i = 0; i < nodes.size() - last_hop; ++i) {
    out->frontier.push_back(static_cast<int32_t>(nodes[i]));
  }
  out->output_bytes += static_cast<uint64_t>(8 * edges.size() + 4 * nodes.size());
}

LimitReplay::LimitReplay(const Topology& topology, Streams streams, bool huge_pages)
    : topology_(topology),
      streams_(std::move(streams)),
      table_(static_cast<size_t>(topology.num_neighbors) * 4, huge_pages),
      source_(streams_.output_bytes, huge_pages),
      output_(streams_.output_bytes, huge_pages),
      indices_(kNumDistances),
      indptr_(kNumDistances),
      tables_(kNumDistances) {
  std::memset(source_.data(), 1, source_.size());
  std::memset(output_.data(), 1, output_.size());
}

void LimitReplay::measure() {
  const auto* indices = static_cast<const int32_t*>(topology_.indices);
  const int64_t* const indptr = topology_.indptr;
  auto* const table = reinterpret_cast<uint32_t*>(table_.data());
  const auto edges = static_cast<int64_t>(streams_.positions.size());
  const auto nodes = static_cast<int64_t>(streams_.frontier.size());
  for (size_t d = 0; d < kNumDistances; ++d) {
    const int64_t ahead = kDistances[d];
    indices_[d].push_back(time_of([&] {
      const int64_t* const at = streams_.positions.data();
      uint64_t sum = 0;
      for (int64_t e = 0; e < edges; ++e) {
        __builtin_prefetch(indices + at[std::min(e + ahead, edges - 1)], 0, 2);
        sum += static_cast<uint64_t>(indices[at[e]]);
      }
      return sum;
    }));
    indptr_[d].push_back(time_of([&] {
      const int32_t* const at = streams_.frontier.data();
      uint64_t sum = 0;
      for (int64_t i = 0; i < nodes; ++i) {
        __builtin_prefetch(indptr + at[std::min(i + ahead, nodes - 1)]);
        sum += static_cast<uint64_t>(indptr[at[i] + 1] - indptr[at[i]]);
      }
      return sum;
    }));
    tables_[d].push_back(time_of([&] {
      const int32_t* const at = streams_.neighbors.data();
      uint64_t sum = 0;
      for (int64_t e = 0; e < edges; ++e) {
        __builtin_prefetch(table + at[std::min(e + ahead, edges - 1)], 1);
        const uint32_t entry = table[at[e]];
        sum += entry;
        table[at[e]] = std::max(entry, static_cast<uint32_t>(e));
      }
      return sum;
    }));
  }
  outputs_.push_back(time_of([&] {
    std::memcpy(output_.data(), source_.data(), streams_.output_bytes);
    return uint64_t{1};
  }));
}

LimitParts LimitReplay::parts() const {
  const auto edges = static_cast<double>(streams_.positions.size());
  // The copy reads and writes; the sampler's output only has to be written.
  return {best_median(indices_) / edges, best_median(indptr_) / edges, best_median(tables_) / edges,
          median(outputs_) / 2 / edges};
}

}  // namespace gls::bench
