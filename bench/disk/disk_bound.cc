// The fewest bytes that any loader must read from disk for an epoch, in the epoch's order, with so
// much memory for rows:
//
//   - rows of features that Belady's rule misses, which no cache of the same size can beat;
//   - of each node with sampled neighbours once, the picked indices.
//
//   bench_disk_bound --dataset FOLDER --seeds FILE --memory BYTES [--memory BYTES ...]
#include <CLI/CLI.hpp>

#include "bench/disk/epoch.h"
#include "bench/support/harness.h"
#include "storage/keep_plan.h"

namespace gls::bench {
namespace {

struct Options {
  std::string dataset;
  std::string seeds;
  std::vector<uint64_t> memory;
  int64_t batch_size = 256;
};

struct Uses {
  std::vector<int32_t> nodes;   // of all batches, in their order
  std::vector<uint64_t> ends;   // by batch: the end of its part of `nodes`
  std::vector<uint8_t> picked;  // by node: most neighbours that a batch may have picked
};

Uses collect(DiskEpoch& epoch, const Topology& topology) {
  constexpr int64_t kFanouts[] = {15, 10, 5};
  Uses uses;
  uses.picked.resize(static_cast<size_t>(epoch.dataset().node_types()[0].count));
  const int64_t* const indptr = topology.indptr;
  while (const std::shared_ptr<Batch> batch = epoch.next()) {
    const std::span<const int64_t> nodes = DiskEpoch::nodes(*batch);
    const int64_t* const of_hop = batch->nodes[0].num_nodes.as<int64_t>();
    size_t at = 0;
    for (size_t hop = 0; hop < std::size(kFanouts); ++hop) {
      for (const size_t end = at + static_cast<size_t>(of_hop[hop]); at < end; ++at) {
        const auto node = static_cast<size_t>(nodes[at]);
        const int64_t picked = std::min(kFanouts[hop], indptr[node + 1] - indptr[node]);
        uses.picked[node] = std::max(uses.picked[node], static_cast<uint8_t>(picked));
      }
    }
    for (const int64_t node : nodes) {
      uses.nodes.push_back(static_cast<int32_t>(node));
    }
    uses.ends.push_back(uses.nodes.size());
  }
  return uses;
}

ReuseCounts count_reuse(const Uses& uses, size_t num_nodes) {
  std::vector<uint64_t> begin(num_nodes + 1);
  for (const int32_t node : uses.nodes) {
    ++begin[static_cast<size_t>(node) + 1];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<uint32_t> batches(uses.nodes.size());  // by node, ascending
  std::vector<uint64_t> next(begin.begin(), begin.end() - 1);
  uint32_t batch = 0;
  for (size_t i = 0; i < uses.nodes.size(); ++i) {
    batch += i == uses.ends[batch] ? 1 : 0;
    batches[next[static_cast<size_t>(uses.nodes[i])]++] = batch;
  }
  ReuseCounts counts(1, uses.ends.size());
  for (size_t node = 0; node < num_nodes; ++node) {
    if (begin[node] < begin[node + 1]) {
      counts.add(0, std::span(batches).subspan(begin[node], begin[node + 1] - begin[node]));
    }
  }
  return counts;
}

void run(const Options& options) {
  DiskEpoch epoch(options.dataset, options.seeds, options.batch_size);
  const auto& topology = epoch.dataset().edge_types()[0].csc;
  if (!topology || topology->wide_indices) {
    fail("the dataset has no CSC with indices of 32 bits");
  }
  const Uses uses = collect(epoch, *topology);
  const uint64_t picked = std::accumulate(uses.picked.begin(), uses.picked.end(), uint64_t{0});
  const uint64_t topology_bytes = picked * sizeof(int32_t);
  const ReuseCounts counts = count_reuse(uses, uses.picked.size());
  const uint64_t row_bytes[] = {epoch.row_bytes()};
  std::string text;
  for (const uint64_t memory : options.memory) {
    const KeepPlan plan = KeepPlan::make(counts, row_bytes, memory);
    text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", memory,
                        plan.missed_bytes() + topology_bytes);
  }
  fmt::print(
      "{{\"batches\": {}, \"rows\": {}, \"distinct_rows\": {}, \"row_bytes\": {}, "
      "\"topology_bytes\": {}, \"bound_bytes\": {{{}}}}}\n",
      uses.ends.size(), uses.nodes.size(), counts.distinct_rows(0), row_bytes[0], topology_bytes,
      text);
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("The fewest bytes to read for an epoch");
  gls::bench::Options options;
  app.add_option("--dataset", options.dataset)->required();
  app.add_option("--seeds", options.seeds, "A .npy file of node ids")->required();
  app.add_option("--memory", options.memory, "Bytes for rows")->required();
  app.add_option("--batch-size", options.batch_size);
  CLI11_PARSE(app, argc, argv);
  gls::bench::run(options);
  return 0;
}
