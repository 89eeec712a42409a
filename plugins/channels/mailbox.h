// Commands from other threads to the thread that drives channels. Posting a command wakes that
// thread if it sleeps.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gls::net {

// The driving thread: the worker's own thread, or a guest that drives for a while.
enum class Driver : uint8_t { kOwner, kGuest };

template <typename Command>
class Mailbox {
 public:
  Mailbox() = default;
  ~Mailbox() {
    for (const int fd : wake_) {
      if (fd >= 0) {
        ::close(fd);
      }
    }
  }
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  // Returns an error text, or empty.
  std::string begin() {
    for (int& fd : wake_) {
      fd = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
      if (fd < 0) {
        return std::string("cannot make an eventfd: ") + std::strerror(errno);
      }
    }
    return {};
  }

  // ---- any thread ----

  void put(Command command) {
    put_quietly(std::move(command));
    wake();
  }
  // The caller must call wake(), or drive itself.
  void put_quietly(Command command) {
    const std::lock_guard lock(mutex_);
    commands_.push_back(std::move(command));
    any_ = true;
  }
  // Wakes the sleeping driver to read the commands.
  void wake() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(asleep_, false)) {
      signal(sleeper_);
    }
  }
  // As wake(), if this driver sleeps.
  void wake(Driver driver) {
    const std::lock_guard lock(mutex_);
    if (asleep_ && sleeper_ == driver) {
      asleep_ = false;
      signal(driver);
    }
  }
  // The worker's own thread drives from now on.
  void call_back() {
    const std::lock_guard lock(mutex_);
    asleep_ = false;
    signal(Driver::kOwner);
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    signal(Driver::kOwner);
    signal(Driver::kGuest);
  }
  bool is_stopping() const { return stopping_; }

  // ---- called by the driving thread ----

  std::vector<Command> take() {
    std::vector<Command> commands;
    if (any_) {  // checked in every turn
      const std::lock_guard lock(mutex_);
      commands.swap(commands_);
      any_ = false;
    }
    return commands;
  }
  bool empty() const {
    const std::lock_guard lock(mutex_);
    return commands_.empty();
  }
  int wake_fd(Driver driver = Driver::kOwner) const { return wake_[static_cast<size_t>(driver)]; }
  // False: there is work to do first. Otherwise `driver` may wait for its wake_fd(), and must call
  // awake() before any thread drives.
  bool may_sleep(Driver driver = Driver::kOwner) {
    const std::lock_guard lock(mutex_);
    asleep_ = commands_.empty() && !stopping_;
    sleeper_ = driver;
    return asleep_;
  }
  void awake() {
    const std::lock_guard lock(mutex_);
    asleep_ = false;
  }
  // Clears wakes that were handled.
  void forget_wakes(Driver driver = Driver::kOwner) const {
    uint64_t count = 0;
    static_cast<void>(!::read(wake_fd(driver), &count, sizeof count));
  }

 private:
  void signal(Driver driver) const {
    const uint64_t one = 1;
    static_cast<void>(!::write(wake_fd(driver), &one, sizeof one));
  }

  std::array<int, 2> wake_ = {-1, -1};
  mutable std::mutex mutex_;
  std::vector<Command> commands_;
  std::atomic<bool> any_ = false;  // whether there are commands; changes under the lock
  bool asleep_ = false;
  Driver sleeper_ = Driver::kOwner;
  std::atomic<bool> stopping_ = false;  // changes under the lock
};

}  // namespace gls::net
