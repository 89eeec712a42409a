// Processes of one machine whose devices read each other's memory: they find each other, tell each
// other where the memory is, and give none back that another still reads.
// docs/decisions/0071.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/status.h"
#include "context/context.h"
#include "system/file_descriptor.h"

namespace gls {

// Which of the processes of this machine this one is, as a launcher says.
struct LocalPlace {
  uint32_t rank = 0;
  uint32_t size = 1;
  std::string job;      // the same for all of them, and for no others
  std::string missing;  // not empty: why it is not known
};

class PeerLink {
 public:
  struct Options {
    std::string name;  // the same for all, and for nobody else of this user
    uint32_t rank = 0;
    uint32_t size = 1;
    // Of joining, of each exchange and of leaving; negative: none. Of an exchange it begins anew
    // while those who are waited for say that they are at work.
    int64_t timeout_ms = 0;
    std::shared_ptr<Context> context;
  };
  // Waits for all of them. GLS_ERR_TIMED_OUT names those who did not come.
  static Result<std::shared_ptr<PeerLink>> join(Options options);
  // Tells the others that what is theirs is closed here. Where something was kept, waits until they
  // have said the same or are gone, and then lets go of it. What somebody still reads when the time
  // is over is not given back before this process ends.
  ~PeerLink();
  PeerLink(const PeerLink&) = delete;
  PeerLink& operator=(const PeerLink&) = delete;

  uint32_t rank() const { return options_.rank; }
  uint32_t size() const { return options_.size; }
  // What each of them gives, by rank: all must do the same in the same order. GLS_ERR_IO: one of
  // them is gone; GLS_ERR_TIMED_OUT: one of them does not answer; either is named.
  Result<std::vector<std::string>> exchange(std::string_view mine);
  // While it lives, the others are told that this process works on what they may wait for. Nothing
  // is exchanged meanwhile.
  class AtWork {
   public:
    explicit AtWork(PeerLink* link);  // NULL: there is nobody to tell
    ~AtWork();
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

   private:
    std::mutex mutex_;
    std::condition_variable done_changed_;
    bool done_ = false;
    std::thread thread_;
  };
  // GLS_ERR_IO, with its name: one of them is gone whose memory is read here.
  Status check() const;
  // Something of theirs is open here, or not any more.
  void reads(uint32_t rank, bool begins);
  // Memory that others read. Let go of by the destructor.
  void keep(std::shared_ptr<const void> memory);
  // As "the process of local rank 2 (pid 4711)".
  std::string describe(uint32_t rank) const;

 private:
  struct Peer {
    FileDescriptor socket;
    FileDescriptor process;  // readable when it is gone, where the system can tell
    int64_t pid = 0;
    bool ready = false;
    std::atomic<int32_t> read = 0;  // what is open here
  };
  class Joining;
  explicit PeerLink(Options options);
  void say_goodbye();
  void say_at_work();

  const Options options_;
  const uint32_t fork_generation_;
  std::unique_ptr<Peer[]> peers_;  // by rank; that of this process is none
  std::mutex mutex_;
  uint64_t exchanges_ = 0;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace gls
