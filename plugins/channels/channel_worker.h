// Drives data channels on a thread of its own. That thread sleeps while nothing is to be done, and
// while another thread drives the channels.
#pragma once

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "net/connection/data_channel.h"
#include "plugins/channels/gpu_context.h"
#include "plugins/channels/progress_lock.h"
#include "plugins/channels/spin_wait.h"

namespace gls::net {

template <typename Command>
class ChannelWorker {
 public:
  ChannelWorker(const ChannelWorker&) = delete;
  ChannelWorker& operator=(const ChannelWorker&) = delete;

  const std::shared_ptr<ProgressLock<Command>>& helm() const { return helm_; }

  // Requires the wheel (the mutex of ProgressLock). Drives until the waiter is done, or its channel
  // is about to close.
  void drive_until(StreamWaiter& waiter, const std::atomic<bool>& closing) {
    GpuTurn turn_of_gpu(gpus_);
    take_over();
    spin_.begin();
    while (!waiter.done() && !closing && !helm_->mailbox.is_stopping()) {
      if (is_tired(turn())) {
        sleep_by_caller(waiter);
        turn_of_gpu.look();
        spin_.begin();
      }
    }
    hand_back();
  }

  // Requires the wheel. Sends what was given to channels while there is `more` and it progresses
  // soon. The worker's own thread sends long messages.
  template <typename More>
  void send_by_caller(const More& more) {
    const GpuTurn turn_of_gpu(gpus_);
    take_over();
    begin_to_send();
    const uint64_t end = now_ns() + kLongestSend;
    spin_.begin();
    while (more() && helm_->wanted == 0 && now_ns() < end && !helm_->mailbox.is_stopping() &&
           !is_tired(turn())) {
    }
    hand_back();
  }

 protected:
  // The driving thread enters a context of `gpus`; NULL: no channel asks a CUDA driver.
  explicit ChannelWorker(GpuContext* gpus) : gpus_(gpus) {}
  ~ChannelWorker() = default;

  // `events` becomes readable when something arrives after arm(). Returns an error text, or empty.
  // Throws std::system_error when the system cannot start a thread.
  std::string begin(int events) {
    events_ = events;
    if (std::string why = helm_->mailbox.begin(); !why.empty()) {
      return why;
    }
    gate_ = ::epoll_create1(EPOLL_CLOEXEC);
    epoll_event shut{};
    if (gate_ < 0 || ::epoll_ctl(gate_, EPOLL_CTL_ADD, events_, &shut) != 0) {
      return std::string("cannot make an epoll: ") + std::strerror(errno);
    }
    thread_ = std::thread([this] { run(); });
    return {};
  }
  // No thread drives any more when this returns.
  void end() {
    if (thread_.joinable()) {
      helm_->mailbox.stop();
      thread_.join();
    }
    const std::lock_guard wheel(helm_->wheel);
    helm_->gone = true;
    if (gate_ >= 0) {
      ::close(std::exchange(gate_, -1));
    }
  }

  // ---- called by the driving thread ----

  // Does all pending work once. False: there was none.
  virtual bool turn() = 0;
  // After each turn: whether there was no work for so long that it is time to sleep.
  virtual bool is_tired(bool busy) { return spin_.is_over(busy); }
  // From now on, arrivals make `events` readable. False: there is work to do first. `patience`
  // becomes -1, or the ms after which there may be work without an event.
  virtual bool arm(int* patience) = 0;
  // The first turn of a thread that sends.
  virtual void begin_to_send() { turn(); }
  // The worker's own thread need not check operations in flight until something arrives.
  virtual bool can_be_left() const { return true; }
  // Called after each turn when the worker must end. Every channel is closed first.
  virtual bool is_over() = 0;

  GpuContext* const gpus_;
  const std::shared_ptr<ProgressLock<Command>> helm_ = std::make_shared<ProgressLock<Command>>();
  Spin spin_;

 private:
  static constexpr int kMostTurns = 8;               // before a guest that wants to leave does so
  static constexpr uint64_t kLongestSend = 5 * kMs;  // of a thread that sends its own message

  // The driving thread holds the wheel. It decides through the gate when arrivals wake this thread.
  void run() {
    for (;;) {
      int patience = -1;
      {
        const std::lock_guard wheel(helm_->wheel);
        const GpuTurn turn_of_gpu(gpus_);
        helm_->mailbox.awake();
        if (!drive(&patience)) {
          return;
        }
      }
      do {
        pollfd waits[2] = {{gate_, POLLIN, 0}, {helm_->mailbox.wake_fd(), POLLIN, 0}};
        static_cast<void>(::poll(waits, 2, patience));
        helm_->mailbox.forget_wakes();
        patience = -1;  // a thread that drives meanwhile wakes this one when necessary
      } while (helm_->away);
    }
  }

  // Drives until there is no work, or another thread wants to drive. False: the worker has ended.
  bool drive(int* patience) {
    spin_.begin();
    for (;;) {
      const bool busy = turn();
      if (helm_->mailbox.is_stopping()) {
        if (is_over()) {
          return false;
        }
      } else if (helm_->wanted > 0) {
        set_gate(false);
        return true;
      }
      if (is_tired(busy)) {
        if (rest(Driver::kOwner, patience)) {
          set_gate(true);
          return true;
        }
        spin_.begin();
      }
    }
  }

  // False: there is work to do before `driver` may sleep.
  bool rest(Driver driver, int* patience) {
    Mailbox<Command>& mailbox = helm_->mailbox;
    if (!mailbox.may_sleep(driver)) {
      return false;
    }
    *patience = -1;
    if (!arm(patience)) {
      mailbox.awake();
      return false;
    }
    return true;
  }

  void set_gate(bool open) {
    epoll_event event{};
    event.events = open ? EPOLLIN : 0U;
    static_cast<void>(::epoll_ctl(gate_, EPOLL_CTL_MOD, events_, &event));
  }

  // ---- called by a guest: another thread that drives for a while ----

  void take_over() {
    helm_->away = true;
    helm_->mailbox.awake();
    set_gate(false);
  }

  void hand_back() {
    helm_->away = false;  // before arrivals may wake the worker's own thread
    for (int i = 0; i < kMostTurns && can_be_left() && !helm_->mailbox.is_stopping(); ++i) {
      int patience = 0;
      if (rest(Driver::kOwner, &patience)) {
        set_gate(true);
        if (patience < 0) {
          return;
        }
        break;
      }
      turn();
    }
    helm_->mailbox.call_back();
  }

  void sleep_by_caller(StreamWaiter& waiter) {
    int patience = 0;
    if (!rest(Driver::kGuest, &patience)) {
      return;
    }
    Mailbox<Command>& mailbox = helm_->mailbox;
    if (const int most = waiter.patience_ms(); most >= 0 && (patience < 0 || most < patience)) {
      patience = most;
    }
    if (!waiter.done()) {  // a thread that sets it later wakes this thread
      pollfd waits[2] = {{events_, POLLIN, 0}, {mailbox.wake_fd(Driver::kGuest), POLLIN, 0}};
      static_cast<void>(::poll(waits, 2, patience));
    }
    mailbox.forget_wakes(Driver::kGuest);
    mailbox.awake();
  }

  int events_ = -1;
  // An epoll of the events, for the worker's own thread; closed while a guest drives.
  int gate_ = -1;
  std::thread thread_;
};

}  // namespace gls::net
