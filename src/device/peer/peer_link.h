// Connects processes of one machine whose devices read each other's memory. They find each other,
// exchange handles of memory, and free no memory that another process still reads.
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

// The local rank of this process, and the number of processes, from a launcher.
struct LocalPlace {
  uint32_t rank = 0;
  uint32_t size = 1;
  std::string job;      // equal for all of them, and for no other processes
  std::string missing;  // not empty: the reason why it is unknown
};

class PeerLink {
 public:
  struct Options {
    std::string name;  // equal for all, and for no other processes of this user
    uint32_t rank = 0;
    uint32_t size = 1;
    // For joining, each exchange, and leaving; negative: no limit. In an exchange, it starts again
    // whenever a process that others wait for reports that it is working.
    int64_t timeout_ms = 0;
    std::shared_ptr<Context> context;
  };
  // Waits for all of them. GLS_ERR_TIMED_OUT names the processes that did not come.
  static Result<std::shared_ptr<PeerLink>> join(Options options);
  // Notifies the others that this process has closed their memory. If it keeps memory, it waits
  // until they have done the same or are lost, and then frees it. Memory that is still read after
  // the timeout stays until this process ends.
  ~PeerLink();
  PeerLink(const PeerLink&) = delete;
  PeerLink& operator=(const PeerLink&) = delete;

  uint32_t rank() const { return options_.rank; }
  uint32_t size() const { return options_.size; }
  // Exchanges one value per process, by rank. All processes must call it in the same order.
  // GLS_ERR_IO: a process was lost; GLS_ERR_TIMED_OUT: a process does not answer. The error names
  // it.
  Result<std::vector<std::string>> exchange(std::string_view mine);
  // While it exists, the other processes are notified that this one is working. Nothing is
  // exchanged meanwhile.
  class AtWork {
   public:
    explicit AtWork(PeerLink* link);  // NULL: there are no other processes
    ~AtWork();
    AtWork(const AtWork&) = delete;
    AtWork& operator=(const AtWork&) = delete;

   private:
    std::mutex mutex_;
    std::condition_variable done_changed_;
    bool done_ = false;
    std::thread thread_;
  };
  // GLS_ERR_IO: a process was lost whose memory is read here; the error names it.
  Status check() const;
  // Counts memory of another process that is opened or closed here.
  void reads(uint32_t rank, bool begins);
  // Keeps memory that other processes read. The destructor releases it.
  void keep(std::shared_ptr<const void> memory);
  // For instance "the process of local rank 2 (pid 4711)".
  std::string describe(uint32_t rank) const;

 private:
  struct Peer {
    FileDescriptor socket;
    FileDescriptor process;  // readable when the process has ended, where the system can detect it
    int64_t pid = 0;
    bool ready = false;
    std::atomic<int32_t> read = 0;  // number of its handles that are open here
  };
  class Joining;
  explicit PeerLink(Options options);
  void say_goodbye();
  void say_at_work();

  const Options options_;
  const uint32_t fork_generation_;
  std::unique_ptr<Peer[]> peers_;  // by rank; unused for this process
  std::mutex mutex_;
  uint64_t exchanges_ = 0;
  std::vector<std::shared_ptr<const void>> kept_;
};

}  // namespace gls
