// Lanes that are driven by a thread of their own, which sleeps when nothing is to be done and while
// another thread drives them.
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
#include "net/lane.h"
#include "net/lanes/gpu_context.h"
#include "net/lanes/helm.h"
#include "net/lanes/spin.h"

namespace gls::net {

template <typename Command>
class LaneWorker {
 public:
  LaneWorker(const LaneWorker&) = delete;
  LaneWorker& operator=(const LaneWorker&) = delete;

  const std::shared_ptr<Helm<Command>>& helm() const { return helm_; }

  // With the wheel of the helm. Drives until the waiter is done, or its lane is to close.
  void drive_until(StreamWaiter& waiter, const std::atomic<bool>& closing) {
    GpuTurn turn_of_gpu(gpus_);
    take_over();
    spin_.begin();
    while (!waiter.done() && !closing && !helm_->mailbox.is_stopping()) {
      if (is_tired(turn())) {
        sleep_here(waiter);
        turn_of_gpu.look();
        spin_.begin();
      }
    }
    hand_back();
  }

  // With the wheel of the helm. Sends what was given to lanes, for as long as there is `more` and
  // it goes on soon. What is long is left to the own thread.
  template <typename More>
  void send_here(const More& more) {
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
  // Who drives is given a context of `gpus`; NULL: nobody asks a driver of CUDA.
  explicit LaneWorker(GpuContext* gpus) : gpus_(gpus) {}
  ~LaneWorker() = default;

  // `events` is readable when something came after arm(). Empty, or what went wrong. Throws
  // std::system_error when the system gives no thread.
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
  // Nobody drives any more when this returns.
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

  // ---- of who drives ----

  // Does what there is to do. False: that was nothing.
  virtual bool turn() = 0;
  // After each turn: whether there was nothing to do for so long that it is time to sleep.
  virtual bool is_tired(bool busy) { return spin_.is_over(busy); }
  // From now on what comes is seen in `events`. False: there is something to do first. `patience`
  // is -1, or becomes the ms after which there may be something all the same.
  virtual bool arm(int* patience) = 0;
  // The first turn of one who sends.
  virtual void begin_to_send() { turn(); }
  // The own thread need not look at what is under way, as long as nothing comes.
  virtual bool can_be_left() const { return true; }
  // When the worker is to go, after each turn. Every lane is closed first.
  virtual bool is_over() = 0;

  GpuContext* const gpus_;
  const std::shared_ptr<Helm<Command>> helm_ = std::make_shared<Helm<Command>>();
  Spin spin_;

 private:
  static constexpr int kMostTurns = 8;               // of one that wants to leave
  static constexpr uint64_t kLongestSend = 5 * kMs;  // on the thread that gave the message

  // Whoever drives holds the wheel. That one says when what comes shall wake this thread, by the
  // gate.
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
        patience = -1;  // who drives meanwhile wakes this thread where it is needed
      } while (helm_->away);
    }
  }

  // Until there is nothing to do, or another thread wants to drive. False: this was the end.
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

  // False: there is something to do before `driver` may sleep.
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

  // ---- another thread, which drives for a while ----

  void take_over() {
    helm_->away = true;
    helm_->mailbox.awake();
    set_gate(false);
  }

  void hand_back() {
    helm_->away = false;  // before what comes may wake its own thread
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

  void sleep_here(StreamWaiter& waiter) {
    int patience = 0;
    if (!rest(Driver::kGuest, &patience)) {
      return;
    }
    Mailbox<Command>& mailbox = helm_->mailbox;
    if (const int most = waiter.patience_ms(); most >= 0 && (patience < 0 || most < patience)) {
      patience = most;
    }
    if (!waiter.done()) {  // who sets that later wakes this thread
      pollfd waits[2] = {{events_, POLLIN, 0}, {mailbox.wake_fd(Driver::kGuest), POLLIN, 0}};
      static_cast<void>(::poll(waits, 2, patience));
    }
    mailbox.forget_wakes(Driver::kGuest);
    mailbox.awake();
  }

  int events_ = -1;
  int gate_ = -1;  // an epoll of these, for its own thread: shut while another one drives
  std::thread thread_;
};

}  // namespace gls::net
