// The memory limit of sampling: the addresses that real batches touch, replayed with nothing else.
// What a sampler must do at least is read the picked indices, read two indptr entries per frontier
// node, read and write the relabelling table per edge, and write its output. Each stream is
// replayed alone with the best prefetching found for it; their times add up to the limit.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/topology/topology.h"
#include "sample/batch/batch.h"
#include "system/memory.h"

namespace gls::bench {

// Streams of some batches, recorded.
struct Streams {
  std::vector<int64_t> positions;  // into indices
  std::vector<int32_t> neighbors;  // what lies there
  std::vector<int32_t> frontier;   // expanded nodes
  uint64_t output_bytes = 0;       // row, col and node ids, 32-bit
};

void record(const Batch& batch, const Topology& topology, Streams* out);

struct LimitParts {
  double indices_ns = 0;  // per edge, as all below
  double indptr_ns = 0;
  double table_ns = 0;
  double output_ns = 0;
  double total() const { return indices_ns + indptr_ns + table_ns + output_ns; }
};

// Replays everything, each stream at several prefetch distances; the best distance counts, by the
// median of its rounds.
class LimitReplay {
 public:
  LimitReplay(const Topology& topology, Streams streams, bool huge_pages);
  // Another round.
  void measure();
  LimitParts parts() const;
  const Streams& streams() const { return streams_; }

 private:
  const Topology& topology_;
  Streams streams_;
  PageBlock table_;
  PageBlock source_;
  PageBlock output_;
  std::vector<std::vector<double>> indices_;  // [distance] rounds
  std::vector<std::vector<double>> indptr_;
  std::vector<std::vector<double>> tables_;
  std::vector<double> outputs_;
};

}  // namespace gls::bench
