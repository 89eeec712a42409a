// What a planned loader reads with one size of memory, window after window.
#pragma once

#include <cstdint>
#include <vector>

#include "loader/forecast/epoch_forecast.h"
#include "loader/forecast/row_uses.h"
#include "loader/planned/read_plan.h"
#include "loader/planned/run_memory.h"

namespace gls {

// Seconds of a window, by the threads together.
struct WindowTimes {
  double sample = 0;  // with noting the rows
  double note = 0;    // sorting the rows of each batch
};

class MemoryBudget {
 public:
  // Of a loader; `mapped`: it does not plan, as all data fits. `passes`: over the topology for each
  // window; 0: the topology is in memory.
  static MemoryBudget of_loader(uint64_t memory, const RunMemory& divided, bool mapped,
                                const std::vector<PlannedColumn>& columns, uint64_t passes);
  // Memory for this part of the rows of each column.
  static MemoryBudget of_curve(double share, const std::vector<PlannedColumn>& columns);

  // Plans a window, by the plans of the one before. Throws std::bad_alloc.
  Status add(const Window& window, const Window* later, const std::vector<PlannedColumn>& columns,
             const WindowTimes& times, const EpochForecast& found);
  // After the last window.
  void finish(const std::vector<RowUses>& hot, const std::vector<PlannedColumn>& columns,
              const EpochForecast& found);
  CurvePoint point(const std::vector<PlannedColumn>& columns) const;

  bool of_a_loader() const { return out_.memory > 0; }  // else of the curve
  const MemoryForecast& found() const { return out_; }

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

  MemoryForecast out_;
  RunMemory divided_;
  bool mapped_ = false;
  uint64_t passes_ = 0;
  uint64_t used_bytes_ = 0;          // of memory that rows were in
  bool needs_plan_ = true;           // not for no row or all rows
  std::vector<uint64_t> slots_;      // by column
  std::vector<WindowPlan> earlier_;  // of the window before
  std::vector<Timed> windows_;
  bool direct_ = false;  // some window is read directly
  bool packed_ = false;
};

}  // namespace gls
