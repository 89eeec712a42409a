// Blocks of pinned memory that streams of a GPU may still read when nobody has them any more. They
// are given back when those have come so far; who let go of them does not wait.
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

class LateReturns {
 public:
  // `give_back` is called with the offset of a block, by any thread, and does not throw.
  LateReturns(std::shared_ptr<Device> device, std::function<void(uint64_t)> give_back);
  // Once all are given back.
  ~LateReturns();
  LateReturns(const LateReturns&) = delete;
  LateReturns& operator=(const LateReturns&) = delete;

  // After what is queued by now on these streams.
  void add(uint64_t offset, const StreamReaders& readers) noexcept;

 private:
  struct Late {
    uint64_t offset;
    DeviceStream stream;  // comes after all of the block's readers
  };
  bool follow(uint64_t offset, const StreamReaders& readers) noexcept;
  void run();

  const std::shared_ptr<Device> device_;
  const std::function<void(uint64_t)> give_back_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Late> late_;
  bool stopping_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace gls
