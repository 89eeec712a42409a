// A feed: makes the batches of a loader, and gives them to trainers in other processes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "feed/consumer.h"
#include "feed/wire.h"
#include "loader/pipeline/loader.h"

namespace gls {

struct FeedOptions {
  std::string path;
  uint32_t consumers = 1;
  uint32_t mode = 0600;
  uint64_t bytes = uint64_t{256} << 20;
  uint32_t prefetch = 0;
};

struct FeedInfo {
  uint64_t consumers = 0;
  uint64_t attached = 0;
  uint64_t lost = 0;
  uint64_t batches = 0;
  uint64_t batch_bytes = 0;
  uint64_t used_bytes = 0;
  uint64_t wait_ns = 0;
  uint64_t copied_bytes = 0;
};

// One thread of its own exchanges messages with all trainers, and never waits for any of them. The
// context's threads make batches and write them.
class Feed {
 public:
  static Result<std::unique_ptr<Feed>> create(std::shared_ptr<const Loader> loader,
                                              FeedOptions options);
  ~Feed();
  // Whether trainers were attached, and all have left. timeout_ms < 0: no limit.
  bool wait(int64_t timeout_ms);
  FeedInfo info() const;
  const std::shared_ptr<Context>& context() const { return loader_->dataset()->context(); }

 private:
  // A connection that has not sent its greeting yet.
  struct Guest {
    Fd socket;
    uint64_t until_ns;
  };

  Feed(std::shared_ptr<const Loader> loader, FeedOptions options, Listener listener);
  void run();
  void serve_once();
  void let_in();
  void hear_guests();
  void greet(Fd socket, const Message& hello);
  void refuse(int socket, const Status& status);
  void end_lane(std::list<std::unique_ptr<Consumer>>::iterator consumer);
  void publish();

  std::shared_ptr<const Loader> loader_;
  FeedOptions options_;
  Listener listener_;
  std::string greeting_;
  std::shared_ptr<ConsumerSignal> signal_;

  // Used by the feed's thread.
  std::list<Guest> guests_;
  std::list<std::unique_ptr<Consumer>> consumers_;
  std::list<std::unique_ptr<Consumer>> ended_;  // trainers that left, whose loaders still work
  FeedInfo ended_info_;
  bool starved_ = false;  // without memory: the thread tries again soon

  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  FeedInfo info_;
  std::thread thread_;
};

}  // namespace gls
