// What other threads ask of one that drives lanes: they put commands here, and it is woken when it
// sleeps.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gls::net {

template <typename Command>
class Mailbox {
 public:
  Mailbox() = default;
  ~Mailbox() {
    if (wake_ >= 0) {
      ::close(wake_);
    }
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Empty, or what went wrong.
  std::string begin() {
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wake_ >= 0 ? std::string()
                      : std::string("cannot make an eventfd: ") + std::strerror(errno);
  }

  // ---- any thread ----

  void put(Command command) {
    bool asleep = false;
    {
      const std::lock_guard lock(mutex_);
      commands_.push_back(std::move(command));
      asleep = std::exchange(sleeping_, false);
    }
    if (asleep) {
      wake();
    }
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake();
  }

  // ---- the thread that obeys ----

  std::vector<Command> take() {
    std::vector<Command> commands;
    const std::lock_guard lock(mutex_);
    commands.swap(commands_);
    return commands;
  }
  bool empty() const {
    const std::lock_guard lock(mutex_);
    return commands_.empty();
  }
  bool is_stopping() const {
    const std::lock_guard lock(mutex_);
    return stopping_;
  }
  int wake_fd() const { return wake_; }
  // False: there is something to do first. Else it may wait for wake_fd(), and says awake() then.
  bool may_sleep() {
    const std::lock_guard lock(mutex_);
    sleeping_ = commands_.empty() && !stopping_;
    return sleeping_;
  }
  void awake() {
    uint64_t count = 0;
    static_cast<void>(!::read(wake_, &count, sizeof count));
    const std::lock_guard lock(mutex_);
    sleeping_ = false;
  }

 private:
  void wake() const {
    const uint64_t one = 1;
    static_cast<void>(!::write(wake_, &one, sizeof one));
  }

  int wake_ = -1;
  mutable std::mutex mutex_;
  std::vector<Command> commands_;
  bool sleeping_ = false;
  bool stopping_ = false;
};

}  // namespace gls::net
