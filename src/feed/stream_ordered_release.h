// Releases blocks of pinned memory that GPU streams may still read after their last reference is
// gone. A block is released when the streams have progressed far enough. The thread that drops the
// last reference does not wait.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "device/device.h"

namespace gls {

class StreamOrderedRelease {
 public:
  // `give_back` is called with the offset of a block, on any thread, and must not throw.
  StreamOrderedRelease(std::shared_ptr<Device> device, std::function<void(uint64_t)> give_back);
  // Returns when all blocks are released.
  ~StreamOrderedRelease();
  StreamOrderedRelease(const StreamOrderedRelease&) = delete;
  StreamOrderedRelease& operator=(const StreamOrderedRelease&) = delete;

  // Releases the block after the work that is queued on these streams now.
  void add(uint64_t offset, const StreamReaders& readers) noexcept;

 private:
  struct Late {
    uint64_t offset;
    DeviceStream stream;  // ordered after all readers of the block
  };
  bool follow(uint64_t offset, const StreamReaders& readers) noexcept;
  void run();

  const std::shared_ptr<Device> device_;
  const std::function<void(uint64_t)> give_back_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Late> late_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the other members
};

}  // namespace gls
