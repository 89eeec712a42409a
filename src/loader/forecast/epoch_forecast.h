// What an epoch of a loader needs, found by sampling it in advance: nodes, edges and rows in exact
// numbers, and for each size of memory what is read from disk.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.h"
#include "loader/pipeline/loader.h"
#include "storage/disk_probe.h"

namespace gls {

struct ForecastOptions {
  uint64_t epoch = 0;
  uint64_t batches = 0;          // of this trainer, the first ones; 0: all
  std::vector<uint64_t> memory;  // for all that the loader uses; empty: parts of the data
  Progress progress;
};

// Of a number that each batch has.
struct Spread {
  uint64_t total = 0;
  uint64_t least = ~uint64_t{0};
  uint64_t most = 0;

  void add(uint64_t of_batch) {
    total += of_batch;
    least = std::min(least, of_batch);
    most = std::max(most, of_batch);
  }
};

struct TypeForecast {
  std::string type;
  Spread all;
  std::vector<Spread> hops;  // of nodes: the seeds first
};

struct ColumnForecast {
  bool of_nodes = true;
  std::string type;
  std::string name;
  std::string dtype;
  uint64_t row_bytes = 0;
  uint64_t num_rows = 0;
  uint64_t file_bytes = 0;     // 0: it is in memory, or a server has it
  bool planned = false;        // with the least memory
  uint64_t rows = 0;           // of all batches
  uint64_t uses = 0;           // different rows of each batch, if it is planned
  uint64_t distinct_rows = 0;  // of all batches, if it is planned
};

struct MemoryForecast {
  uint64_t memory = 0;     // for all that the loader uses
  uint64_t row_bytes = 0;  // of it for rows that stay for later batches
  std::string way;         // of reading: "mapped", "direct", "packs" or "mixed"
  uint64_t windows = 0;
  uint64_t uses = 0;
  uint64_t missed_rows = 0;  // read from disk
  uint64_t missed_bytes = 0;
  uint64_t memory_bytes = 0;  // of rows that were in memory
  uint64_t read_bytes = 0;    // of files of columns
  uint64_t packed_bytes = 0;  // written to temporary files and read
  uint64_t temporary_bytes = 0;
  uint64_t lower_bound_bytes = 0;
  uint64_t hot_missed_rows = 0;
  uint64_t hot_missed_bytes = 0;
  double disk_seconds = 0;
  double processor_seconds = 0;
  double epoch_seconds = 0;
};

struct CurvePoint {
  double share = 0;  // of the planned columns in memory
  uint64_t row_bytes = 0;
  double missed = 0;  // part of the uses
  double hot_missed = 0;
};

struct EpochForecast {
  uint64_t epoch = 0;
  uint64_t epoch_batches = 0;
  uint64_t batches = 0;
  uint64_t batch_size = 0;
  uint64_t seeds = 0;
  std::vector<TypeForecast> nodes;
  std::vector<TypeForecast> edges;
  uint64_t topology_bytes = 0;
  std::vector<ColumnForecast> columns;
  std::string temporary_folder;
  uint64_t temporary_bytes = 0;  // that it may take
  DiskSpeed disk;
  double read_rate = 0;   // bytes per second of long reads
  double mixed_rate = 0;  // of long reads and writes at once; 0: not measured
  unsigned threads = 0;
  double sample_seconds = 0;
  bool sampled_in_passes = false;      // these seconds include passes over the topology
  double gather_rate = 0;              // bytes per second
  double new_memory_rate = 0;          // bytes per second that the system clears
  std::vector<MemoryForecast> memory;  // ascending
  std::vector<CurvePoint> curve;       // ascending
};

// Samples on the context's threads. The loader keeps its position. Not for loaders whose batches
// servers make. Throws std::bad_alloc.
Result<EpochForecast> forecast_epoch(const Loader& loader, const ForecastOptions& options);

// docs/reference/plan.md describes it.
std::string forecast_json(const EpochForecast& forecast);

}  // namespace gls
