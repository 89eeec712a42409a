// A loader whose batches are made by feeds in other processes, which share the work.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "device/device.h"
#include "feed/handshake.h"
#include "feed/link.h"
#include "loader/pipeline/batch_source.h"

namespace gls {

struct AttachOptions {
  std::vector<std::string> paths;
  uint32_t rank = 0;
  uint32_t world_size = 0;
  int64_t timeout_ms = 10'000;
  uint32_t stall_ms = 10'000;
  std::shared_ptr<Device> pin;  // pins the memory; NULL: not pinned
};

class FeedLoader : public BatchSource {
 public:
  static Result<std::shared_ptr<FeedLoader>> create(std::shared_ptr<Context> context,
                                                    const AttachOptions& options);
  ~FeedLoader() override;

  Result<Next> next(int64_t timeout_ms, std::shared_ptr<Batch>* out) override;
  Result<bool> notify(void (*function)(void*), void* user_data) override;
  void seek(uint64_t epoch) override;
  void cancel() override;
  LoaderPosition position() const override;
  LoaderCounts counts() const override;
  LoaderStats stats() const override;
  std::string save() const override;
  Status restore(std::string_view state) override;
  const std::shared_ptr<const Dataset>& dataset() const override { return greeting_.names; }
  const std::optional<PadSizes>& pad_sizes() const override { return greeting_.pad_sizes; }

 private:
  // A batch that a feed has sent and that was not taken.
  struct Arrived {
    Status status;
    std::shared_ptr<Batch> batch;
    uint64_t bytes = 0;
  };
  // One feed.
  struct Feeder {
    std::shared_ptr<Link> link;
    std::deque<Arrived> arrived;
    uint64_t expected = 0;       // the next step
    bool full = false;           // it has no room in the shared memory for the next batch
    Status lost;                 // why nothing arrives any more
    uint64_t stalled_since = 0;  // when a caller began to wait although the feed has no room
    uint64_t released = 0;       // number of released blocks at that time
    uint64_t worker_wait_ns = 0;
  };

  FeedLoader(std::shared_ptr<Context> context, const AttachOptions& options, Handshake greeting,
             std::vector<Feeder> feeders);
  void run();
  bool listen();
  void hear(Feeder& feeder);
  Status take_in(Feeder& feeder, const Received& heard);
  void lose(Feeder& feeder, Status why);
  static Status gone(const Feeder& feeder);

  // Below, "locked" means that the caller holds mutex_.
  void move_locked(uint64_t epoch, uint64_t done);
  void begin_locked(uint64_t now);
  bool over_locked() const { return step_ == plan_->steps(); }
  Feeder& due_locked() { return feeders_[step_ % feeders_.size()]; }
  uint64_t stalls_at_locked(Feeder& feeder);
  bool ready_locked();
  void call_ready(std::unique_lock<std::mutex>& lock);

  std::shared_ptr<Context> context_;
  AttachOptions options_;
  Handshake greeting_;
  Fd wake_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable called_;  // a promised call has ended
  std::vector<Feeder> feeders_;
  std::unique_ptr<const EpochPlan> plan_;
  uint64_t epoch_ = 0;
  uint64_t step_ = 0;
  uint64_t run_ = 0;
  bool started_ = false;
  bool cancelled_ = false;
  bool stopping_ = false;
  uint64_t ready_batches_ = 0;
  uint64_t ready_bytes_ = 0;
  uint64_t wall_mark_ = 0;
  LoaderStats stats_;
  struct {
    void (*function)(void*) = nullptr;
    void* user_data = nullptr;
  } ready_call_;
  uint64_t calls_ = 0;
  std::thread thread_;
};

}  // namespace gls
