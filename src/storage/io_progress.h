// What both kinds of queues do with a request: the rest of a short one, and its errors.
#pragma once

#include "storage/io_queue.h"

namespace gls {

// A request with what was done of it.
class IoProgress {
 public:
  IoProgress() = default;
  explicit IoProgress(const IoRequest& request) : request_(request) {}

  const IoRequest& request() const { return request_; }
  uint64_t offset() const { return request_.offset + done_; }
  std::byte* data() const { return request_.data + done_; }
  uint64_t left() const { return request_.bytes - done_; }

  // `result` of the system call: bytes, or -errno. True: the rest must be requested.
  bool advance(int64_t result);
  // After advance() returned false.
  IoResult result() const;

 private:
  IoRequest request_;
  uint64_t done_ = 0;
  int errno_ = 0;
};

}  // namespace gls
