// What a planned loader reads with one size of memory, window after window.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "loader/forecast/epoch_forecast.h"
#include "loader/planned/read_plan.h"
#include "loader/planned/run_memory.h"

namespace gls {

// How often each row of a column is used.
class RowUses {
 public:
  // Throws std::bad_alloc.
  explicit RowUses(uint64_t num_rows) : counts_(num_rows) {}

  // Uses of the batches of a window.
  void add(std::span<const RowList> batches);
  uint64_t uses() const { return uses_; }
  uint64_t distinct() const { return distinct_; }
  // Rows read if those with the most uses are read once and stay in memory, as many as `slots`.
  uint64_t missed(uint64_t slots) const;
  // After the last add(), before missed().
  void close();

 private:
  std::vector<uint32_t> counts_;                       // by row
  std::map<uint32_t, uint64_t, std::greater<>> rows_;  // how many have so many uses, the most first
  uint64_t uses_ = 0;
  uint64_t distinct_ = 0;
};

// Seconds of a window, by the threads together.
struct WindowTimes {
  double sample = 0;  // with noting the rows
  double note = 0;    // sorting the rows of each batch
};

// Bytes per second of a thread that gathers rows.
double measure_gather(Context& context, uint64_t row_bytes);

class MemoryBudget {
 public:
  // Of a loader; `mapped`: it does not plan, as all data fits.
  static MemoryBudget of_loader(uint64_t memory, const RunMemory& divided, bool mapped,
                                const std::vector<PlannedColumn>& columns);
  // Memory for this part of the rows of each column.
  static MemoryBudget of_curve(double share, const std::vector<PlannedColumn>& columns);

  // Plans a window, by the plans of the one before. Throws std::bad_alloc.
  Status add(const Window& window, const Window* later, const std::vector<PlannedColumn>& columns,
             const WindowTimes& times, const EpochForecast& found);
  // After the last window.
  void finish(const std::vector<RowUses>& hot, const std::vector<PlannedColumn>& columns,
              const EpochForecast& found);
  CurvePoint point(const std::vector<PlannedColumn>& columns) const;

  uint64_t memory = 0;  // 0: of the curve
  MemoryForecast out;

 private:
  struct Timed {
    double sample = 0;
    double read = 0;
    double deliver = 0;
    uint64_t packed_bytes = 0;
    uint64_t stored_bytes = 0;
  };
  struct Prepared {
    double planning = 0;  // seconds
    uint64_t stored_bytes = 0;
  };
  void add_reads(const Window& window, const ReadPlan& reads,
                 const std::vector<PlannedColumn>& columns, const WindowTimes& times,
                 const EpochForecast& found, const Prepared& prepared);
  double predict(double topology) const;

  RunMemory divided_;
  bool mapped_ = false;
  bool needs_plan_ = true;           // not for no row or all rows
  std::vector<uint64_t> slots_;      // by column
  std::vector<WindowPlan> earlier_;  // of the window before
  std::vector<Timed> windows_;
  bool direct_ = false;  // some window is read directly
  bool packed_ = false;
};

}  // namespace gls
