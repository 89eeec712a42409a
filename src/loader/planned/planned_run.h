// One pass of a loader over the steps of an epoch, with rows that are read in planned windows
// (docs/decisions/0100). Threads of its own work ahead: one samples windows, one plans and reads
// them, two read packs back from temporary files, and one takes memory from the system.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "context/memory_shares.h"
#include "context/thread_pool.h"
#include "loader/columns/batch_columns.h"
#include "loader/planned/batch_rows.h"
#include "loader/planned/planned_columns.h"
#include "loader/planned/run_memory.h"
#include "loader/planned/window.h"
#include "loader/planned/window_reads.h"
#include "loader/produce/window_sampler.h"
#include "loader/seeds/epoch_plan.h"
#include "storage/disk_probe.h"
#include "storage/kept_rows.h"

namespace gls {

// What all runs of a loader share.
struct PlannedSources {
  std::shared_ptr<Context> context;
  std::shared_ptr<const BatchColumns> columns;
  std::vector<PlannedColumn> planned;
  WindowSampler::Sample sample;  // on the host, without columns
  // Samples the batches of windows; NULL: `sample` does.
  std::shared_ptr<const WindowSampler> passes;
  // Reads what sampling needs into memory, in the order of the files; may do nothing.
  std::function<void()> load_topology;
  DiskSpeed disk;
  std::string folder;  // of temporary files; empty: none can be made
  uint64_t temporary_bytes = 0;
  uint64_t most_batches = 0;  // of a window; 0: any number
  std::optional<IoWay> way;   // of reading; not set: chosen
  // What a run may use, of what all loaders of the context share.
  uint64_t memory = 0;
};

class PlannedRun {
 public:
  // Memory for a run, which it takes over.
  struct Room {
    std::unique_ptr<MemoryShares::Share> share;
    std::vector<KeptRows> kept;  // without rows; empty: the run makes them
  };
  static std::shared_ptr<Room> new_room(const PlannedSources& sources);

  // Throws std::bad_alloc and std::system_error.
  PlannedRun(std::shared_ptr<const PlannedSources> sources, const EpochPlan& plan, Room& room);
  // Waits for the threads.
  ~PlannedRun();
  PlannedRun(const PlannedRun&) = delete;
  PlannedRun& operator=(const PlannedRun&) = delete;

  // Makes the batch of a step with its columns. Waits for the steps before. Any number of threads
  // may call it at once, each for a step of its own. After an error the run must be ended.
  Result<std::shared_ptr<Batch>> make(uint64_t step);
  // Ends the run with an error, which later calls of make() return.
  void fail(Status status);
  // Cancels the run; does not wait.
  void stop();
  // Cancels it, waits for its threads, and returns its memory.
  void end();
  // All steps were filled.
  bool finished() const;
  // Ends a finished run, whose memory the next one may use: the system need not clear it again.
  std::shared_ptr<Room> take_room();
  DiskCounts counts() const;

 private:
  Result<std::shared_ptr<Batch>> sampled(uint64_t step);
  Status fill(uint64_t step, Batch* batch);

  struct Pack {
    Buffer memory;
    uint64_t bytes = 0;
  };

  void run(const std::function<Status()>& loop);
  Status sample_windows();
  Status plan_windows(ThreadPool& threads);
  Status read_packs();
  Result<std::shared_ptr<Window>> sample_window(uint64_t first, size_t batches);
  Status take_slots(ThreadPool& threads, Window* window);
  void fault_in(const KeptRows& kept, const std::vector<uint32_t>& slots, ThreadPool& threads);
  Status load(const std::shared_ptr<Window>& window, size_t group, ThreadPool& threads,
              IoQueue& reads, IoQueue& writes);

  template <typename Done>
  Status wait(std::unique_lock<std::mutex>& lock, Done done);
  Result<std::vector<Pack>> take_memory(uint64_t step, std::span<const uint64_t> bytes);
  void deliver(uint64_t step, std::span<Pack> packs, const DiskCounts& counts);
  Status take_turn(uint64_t step, const Batch& batch, std::vector<BatchRows>* gathered, Pack* pack);
  void give_back_locked();
  bool take_slots_locked(std::vector<BatchRows>* gathered);
  void free_slots_locked();

  const std::shared_ptr<const PlannedSources> sources_;
  const EpochPlan plan_;
  std::unique_ptr<MemoryShares::Share> share_;
  const RunMemory memory_;
  const WindowSizes sizes_;
  const std::shared_ptr<BufferPool> pool_;
  // [planned columns]; changed by the step whose turn it is. Free slots are guarded by mutex_.
  std::vector<KeptRows> kept_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::stop_source stop_;
  Status failed_;
  std::deque<std::shared_ptr<Window>> sampled_;  // and not planned
  bool all_sampled_ = false;
  std::deque<std::shared_ptr<Window>> planned_;  // of steps that were not all filled
  std::deque<std::shared_ptr<Window>> written_;  // whose packs are to be read back
  size_t next_pack_ = 0;                         // of written_[0]
  bool all_planned_ = false;
  uint64_t granted_ = 0;     // steps that got memory for their pack
  uint64_t held_ = 0;        // bytes of packs in memory
  uint64_t first_pack_ = 0;  // the step of packs_[0]
  std::deque<std::optional<Pack>> packs_;
  uint64_t turn_ = 0;                            // the step that moves rows now
  std::vector<std::vector<uint32_t>> returned_;  // [planned columns]: slots for kept_
  // Steps that moved rows, from first_gathering_ on, as far as some step before still reads slots.
  struct Gathering {
    bool done = false;
    std::vector<std::vector<uint32_t>> freed;  // [planned columns] slots
  };
  std::deque<Gathering> gathering_;
  uint64_t first_gathering_ = 0;
  uint64_t filled_ = 0;
  SampledSizes sampled_sizes_;  // of the thread that samples
  DiskCounts counts_;

  std::unique_ptr<ThreadPool> threads_;  // last: its threads end first
};

}  // namespace gls
