// The connection of a trainer to one feed, and the memory that they share. Batches keep it alive.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "context/context.h"
#include "device/device.h"
#include "feed/shared_memory.h"
#include "feed/stream_ordered_release.h"
#include "feed/wire.h"

namespace gls {

struct LinkOptions {
  std::string path;
  uint64_t rank = 0;
  uint64_t world_size = 0;
  uint64_t part = 0;
  uint64_t parts = 1;
  uint64_t until_ns = 0;         // deadline for the feed to exist
  uint64_t answer_until_ns = 0;  // deadline for its answer
  std::shared_ptr<Device> pin;   // pins the memory; NULL: not pinned
};

class Link : public std::enable_shared_from_this<Link> {
 public:
  // Waits until the feed has started and answered.
  static Result<std::shared_ptr<Link>> open(const std::shared_ptr<Context>& context,
                                            const LinkOptions& options);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;
  // `wake` becomes readable when there is a backlog to send.
  void set_wake(int wake) { wake_ = wake; }
  // Sends and receives nothing from now on; the memory stays.
  void close();

  const std::string& path() const { return path_; }
  int64_t pid() const { return pid_; }
  int socket() const { return socket_.get(); }
  int watch() const { return watch_.get(); }
  uint64_t world_size() const { return world_size_; }
  std::string greeting() const;

  void send(const Message& message);
  bool has_backlog() const;
  void flush();

  // Whether a block is within the memory.
  bool holds(uint64_t offset, uint64_t bytes) const {
    return offset >= begin_ && offset <= memory_->size() && bytes <= memory_->size() - offset &&
           offset % 64 == 0;
  }
  const std::byte* data() const { return memory_->data(); }
  // Keeps the block until its last reference is released. If the memory is pinned, it also waits
  // for queued work of its reader streams. Then the feed may write there again.
  struct Held {
    std::shared_ptr<const void> block;
    std::shared_ptr<StreamReaders> readers;  // NULL: not pinned
  };
  Held hold(uint64_t offset);
  // The number of blocks released so far.
  uint64_t released() const { return released_.load(); }

 private:
  struct Block;
  Link(std::shared_ptr<Context> context, std::string path, Fd socket);
  Status greet(const LinkOptions& options);
  Status pin(std::shared_ptr<Device> device);
  void give_back(uint64_t offset) noexcept;
  Result<Received> answer(const LinkOptions& options);

  std::shared_ptr<Context> context_;
  std::string path_;
  Fd socket_;
  int64_t pid_ = 0;
  Fd watch_;
  std::shared_ptr<SharedMemory> memory_;
  std::shared_ptr<Device> pinned_by_;           // NULL: not pinned
  std::unique_ptr<StreamOrderedRelease> late_;  // set if it is pinned
  uint64_t begin_ = 0;                          // offset of the blocks
  uint64_t greeting_bytes_ = 0;
  uint64_t world_size_ = 0;
  std::atomic<uint64_t> released_{0};

  mutable std::mutex mutex_;
  bool closed_ = false;
  int wake_ = -1;
  std::deque<std::string> backlog_;
};

}  // namespace gls
