// Counts the bytes that wait to be sent: for one connection, and for all connections of its
// endpoint.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "net/core/limits.h"

namespace gls::net {

struct AllQueues {
  std::atomic<uint64_t> bytes = 0;
  std::atomic<uint32_t> queues = 0;  // connections with queued bytes
};

// The count of one connection, under its lock.
class QueuedBytes {
 public:
  explicit QueuedBytes(std::shared_ptr<AllQueues> all) : all_(std::move(all)) {}
  ~QueuedBytes() { remove(bytes_); }
  QueuedBytes(const QueuedBytes&) = delete;
  QueuedBytes& operator=(const QueuedBytes&) = delete;

  uint64_t bytes() const { return bytes_; }
  void add(uint64_t bytes) {
    all_->queues += bytes_ == 0 && bytes > 0 ? 1U : 0U;
    all_->bytes += bytes;
    bytes_ += bytes;
  }
  void remove(uint64_t bytes) {
    bytes_ -= bytes;
    all_->bytes -= bytes;
    all_->queues -= bytes_ == 0 && bytes > 0 ? 1U : 0U;
  }

  // How many handlers may run for the connection; 0 only while it has queued bytes. If all queues
  // together are too long, a connection whose queue exceeds its share waits until the queue
  // shrinks. The connection always notices that, so a peer that reads its replies is always served.
  uint32_t most_running(const Limits& limits) const {
    const bool crowded = all_->bytes > limits.max_all_queued_bytes;
    const uint64_t share =
        crowded ? limits.max_all_queued_bytes / std::max<uint64_t>(all_->queues, 1) : UINT64_MAX;
    if (bytes_ > std::min(share, limits.max_queued_bytes)) {
      return 0;
    }
    return crowded ? 1 : limits.max_running;
  }

 private:
  const std::shared_ptr<AllQueues> all_;
  uint64_t bytes_ = 0;
};

}  // namespace gls::net
