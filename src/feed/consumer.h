// The state that a feed keeps for one trainer: its memory, its share of the loader's batches, and
// its socket.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "feed/shared_memory.h"
#include "feed/slot.h"
#include "feed/wire.h"
#include "loader/batch_layout.h"
#include "loader/pipeline/loader.h"

namespace gls {

struct ConsumerOptions {
  Loader::Share share;
  uint64_t bytes = 0;
  uint32_t prefetch = 0;  // batches that were sent and not taken
};

// One trainer of a feed. Everything except the tasks that finish batches runs on the feed's thread,
// and never waits.
class Consumer {
 public:
  static Result<std::unique_ptr<Consumer>> create(const Loader& loader,
                                                  const ConsumerOptions& options,
                                                  std::string_view greeting,
                                                  std::shared_ptr<ConsumerSignal> signal,
                                                  Fd socket);
  ~Consumer();

  // Of the trainer.
  const Loader::Share& share() const { return options_.share; }
  int64_t pid() const { return pid_; }
  int socket() const { return socket_.get(); }
  int watch() const { return watch_.get(); }
  bool has_backlog() const { return !backlog_.empty(); }

  // Reads the trainer's messages and makes progress. False: the trainer is lost, or sent invalid
  // messages.
  bool step();
  // Sends no more batches; the loader finishes its current work.
  void end();
  // No work is running any more, so the destructor does not wait.
  bool idle() const;
  void say_closed();
  void hang_up();

  bool left() const { return left_; }  // the trainer said goodbye
  const std::string& fault() const { return fault_; }
  uint64_t batches() const { return batches_; }
  uint64_t batch_bytes() const { return batch_bytes_; }
  uint64_t copied_bytes() const { return copied_bytes_; }
  uint64_t used_bytes() const { return arena_.used(); }
  uint64_t wait_ns() const;

 private:
  // The task that finishes a batch in its slot.
  struct Finish {
    std::shared_ptr<Slot> slot;
    uint64_t bytes = 0;
    uint64_t copied_bytes = 0;
    Status status;  // valid once it is done
    std::atomic<bool> done{false};
  };
  // A batch whose sizes are known. Its columns may still have to be gathered into the trainer's
  // memory.
  struct Sampled {
    std::shared_ptr<Batch> batch;
    BatchLayout layout;
    std::shared_ptr<Finish> finish;
  };
  // Batches on the way to the trainer, in order.
  struct Outgoing {
    Message message;
    std::string text;
    std::shared_ptr<Finish> finish;  // NULL: nothing to wait for
  };
  // State that this object shares with tasks and the loader's call.
  struct Shared {
    std::shared_ptr<ConsumerSignal> signal;
    std::atomic<uint64_t> tasks{0};
    std::atomic<bool> ready{false};
  };

  Consumer(const Loader& loader, const ConsumerOptions& options,
           std::shared_ptr<ConsumerSignal> signal, Fd socket, std::shared_ptr<SharedMemory> memory,
           uint64_t begin);
  bool hear();
  bool obey(const Message& message);
  void start(const Message& message);
  void pull();
  Status take(std::shared_ptr<Batch> batch);
  bool place();
  void submit(std::shared_ptr<Sampled> sampled);
  static Status fill(const Loader& loader, Sampled* sampled, Slot* slot);
  void take_returns();
  void collect();
  void send_error(const Status& status);
  static Message error_message(uint64_t run, uint64_t step, const Status& status);
  void post(std::string packed);
  bool flush();
  void stop_waiting();

  ConsumerOptions options_;
  std::shared_ptr<Context> context_;
  Fd socket_;
  int64_t pid_ = 0;
  Fd watch_;
  std::shared_ptr<SharedMemory> memory_;
  Arena arena_;
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Returns> returns_;
  std::shared_ptr<Loader> loader_;  // after shared_, which its call uses

  uint64_t run_ = 0;
  bool running_ = false;
  bool promised_ = false;  // notify() was called, and the loader will call back
  uint64_t next_step_ = 0;
  std::shared_ptr<Sampled> waiting_;  // waits for room
  bool said_full_ = false;
  uint64_t waiting_since_ = 0;
  uint64_t wait_ns_ = 0;
  std::deque<Outgoing> outgoing_;
  uint64_t ready_ = 0;  // batches of this run that are sent or about to be, and not taken
  std::deque<std::string> backlog_;  // messages that wait because the socket is full
  bool left_ = false;
  bool gone_ = false;
  std::string fault_;
  uint64_t batches_ = 0;
  uint64_t batch_bytes_ = 0;
  uint64_t copied_bytes_ = 0;
};

}  // namespace gls
