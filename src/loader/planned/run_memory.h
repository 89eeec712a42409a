// How a planned loader divides its memory, and how many batches its windows have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loader/planned/planned_columns.h"
#include "storage/disk_probe.h"

namespace gls {

// What is left for rows of `memory` bytes. The topology and mapped columns take `mapped` bytes, and
// batches ahead take `ahead`. A little is left in any case.
uint64_t memory_for_rows(uint64_t memory, uint64_t mapped, uint64_t ahead);

// Whether a topology of so many bytes is sampled in passes (loader/replay), and not from memory.
bool samples_in_passes(uint64_t topology, uint64_t memory);
// Bytes of memory that sampling takes: the topology; or in passes its chunks, and questions and
// answers on their way to files.
uint64_t sampling_bytes(uint64_t topology, uint64_t memory, bool in_passes);
// Bytes of the topology that a pass reads at once.
uint64_t pass_chunk_bytes(uint64_t memory);

// Bytes of batches that a loader makes ahead. `given`: by the caller; 0: not.
uint64_t ahead_bytes(uint64_t given);
// The same of a loader that plans its reads with `memory` bytes for all that it uses.
uint64_t planned_ahead_bytes(uint64_t given, uint64_t memory);

struct RunMemory {
  uint64_t kept = 0;      // rows that stay for later batches
  uint64_t uses = 0;      // which rows the batches of the windows need, and what becomes of them
  uint64_t packs = 0;     // rows that were read and not yet taken
  uint64_t requests = 0;  // rows on the way from and to files
  uint64_t idle = 0;      // memory of packs and requests that waits for the next ones

  // `spilled`: uses are in a temporary file.
  static RunMemory divide(uint64_t bytes, bool spilled);
};

// Rows of a column that `kept` bytes have room for. Of each column it is the same part.
uint64_t kept_slots(const std::vector<PlannedColumn>& columns, size_t column, uint64_t kept);
// How many of the slots a plan may use: the others are free while rows of earlier batches are still
// being copied.
uint64_t planned_slots(uint64_t slots);

// What is known of the batches that were sampled so far.
struct SampledSizes {
  uint64_t batches = 0;
  uint64_t uses = 0;   // rows that the batches need
  uint64_t bytes = 0;  // of these rows, of the batches' own arrays, and of files of passes
};

// Decides how many batches the windows of an epoch have.
class WindowSizes {
 public:
  struct Limits {
    bool spilled = false;          // uses and packs may be in temporary files
    uint64_t memory = 0;           // for uses, otherwise
    uint64_t temporary_bytes = 0;  // of temporary files
    uint64_t most_batches = 0;     // 0: any number
    bool in_passes = false;        // sampling reads pages of the topology, too
  };

  WindowSizes(const Limits& limits, DiskSpeed disk) : limits_(limits), disk_(std::move(disk)) {}

  // The batches of the window that begins at step `first` of `steps`.
  size_t next(uint64_t first, uint64_t steps, const SampledSizes& sampled) const;
  // Whether the plan of the window that begins at this step looks at the next one, and so waits
  // until that was sampled. The first windows are short and urgent, and have little to keep.
  static bool looks_ahead(uint64_t first) { return first > 1; }

 private:
  Limits limits_;
  DiskSpeed disk_;
};

}  // namespace gls
