// A block of a trainer's memory in which a batch is made.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

#include "feed/shared_memory.h"
#include "feed/wire.h"
#include "system/memory.h"

namespace gls {

// Wakes the thread of a feed.
struct ConsumerSignal {
  Fd event = make_event();
  void raise() const { signal_event(event.get()); }
};

// Offsets of unsent blocks that are released, for the thread that allocates them.
class Returns {
 public:
  explicit Returns(std::shared_ptr<ConsumerSignal> signal) : signal_(std::move(signal)) {}
  // Adds one offset. Needs no memory.
  void add(std::list<uint64_t>* offset);
  std::list<uint64_t> take();

 private:
  std::shared_ptr<ConsumerSignal> signal_;
  std::mutex mutex_;
  std::list<uint64_t> offsets_;
};

// When the last reference to the slot is released, its block is returned, unless it was sent.
class Slot : public std::enable_shared_from_this<Slot> {
 public:
  Slot(std::shared_ptr<SharedMemory> memory, std::shared_ptr<Returns> returns)
      : memory_(std::move(memory)), returns_(std::move(returns)), offset_{0} {}
  ~Slot();
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  void set_block(uint64_t offset) {
    offset_.front() = offset;
    taken_ = true;
  }
  bool has_block() const { return taken_; }
  uint64_t offset() const { return offset_.front(); }
  std::byte* data() const { return memory_->data() + offset_.front(); }
  // The bytes from an offset in the block on; they keep the slot alive.
  SharedBytes at(uint64_t offset) { return {shared_from_this(), data() + offset}; }
  // From now on the trainer owns the block.
  void set_sent() { sent_.store(true); }

 private:
  std::shared_ptr<SharedMemory> memory_;
  std::shared_ptr<Returns> returns_;
  std::list<uint64_t> offset_;  // a list node, so that releasing needs no memory
  bool taken_ = false;
  std::atomic<bool> sent_{false};
};

}  // namespace gls
