// Decides which thread drives data channels. It is their worker's own thread, or for a while a
// guest: a thread that waits for a message or has one to send. Guests save waking the worker's
// thread.
#pragma once

#include <atomic>
#include <mutex>

#include "net/connection/data_channel.h"
#include "plugins/channels/mailbox.h"

namespace gls::net {

// Outlives the worker that drives the channels.
template <typename Command>
struct ProgressLock {
  // Implements DataChannel::write(): runs `send`, unless another thread drives, which then sends.
  template <typename Send>
  void write(const Send& send) {
    const std::unique_lock hands(wheel, std::try_to_lock);
    if (!hands.owns_lock()) {
      mailbox.wake();
    } else if (!gone) {
      send();
    }
  }
  // Implements DataChannel::read_by_caller(): `drive` drives until the waiter is done.
  template <typename Drive>
  bool read_by_caller(StreamWaiter& waiter, const Drive& drive) {
    if (waiter.done() || awaited.exchange(true)) {
      return false;
    }
    bool open = false;
    {
      ++wanted;
      const std::lock_guard hands(wheel);
      --wanted;
      open = !gone;
      if (open) {
        drive();
      }
    }
    awaited = false;
    return open;
  }

  std::mutex wheel;  // its holder drives the channels
  // Guests that want to drive; the worker's own thread yields to them.
  std::atomic<unsigned> wanted = 0;
  std::atomic<bool> awaited = false;  // a waiting guest drives meanwhile
  std::atomic<bool> away = false;     // a guest drives
  bool gone = false;                  // the worker has ended; changes under the wheel
  Mailbox<Command> mailbox;
};

}  // namespace gls::net
