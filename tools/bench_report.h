// The results of a measured run, as JSON and as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine.h"
#include "session.h"

namespace gls::tool {

struct BenchRun {
  gls_loader_stats_t before{};
  gls_loader_stats_t after{};
  double seconds = 0;      // from the first measured request to the last batch
  double cpu_seconds = 0;  // of all threads during that time
  double open_seconds = 0;
  double sample_seconds = 0;  // of all measured batches together, in their workers
  double gather_seconds = 0;
  std::vector<double> latencies;  // per batch: sampling and gathering, by one worker
  std::vector<double> waits;      // per batch: the caller's wait
  uint64_t peak_resident_bytes = 0;
  unsigned threads = 1;
  MemoryRates machine;
};

Json bench_report(const BenchRun& run);
std::string bench_text(const Json& report);

}  // namespace gls::tool
