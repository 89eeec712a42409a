// Who drives lanes: their own thread, or for a while another one that waits for what they bring or
// has something to send, so that nobody has to be woken for it.
#pragma once

#include <atomic>
#include <mutex>

#include "net/connection/data_channel.h"
#include "plugins/channels/mailbox.h"

namespace gls::net {

// Outlives the worker whose lanes they are.
template <typename Command>
struct Helm {
  // Lane::write(): what `send` does is done, unless somebody drives, who does it then.
  template <typename Send>
  void write(const Send& send) {
    const std::unique_lock hands(wheel, std::try_to_lock);
    if (!hands.owns_lock()) {
      mailbox.wake();
    } else if (!gone) {
      send();
    }
  }
  // Lane::read_here(), where `drive` does so until the waiter is done.
  template <typename Drive>
  bool read_here(StreamWaiter& waiter, const Drive& drive) {
    if (waiter.done() || awaited.exchange(true)) {
      return false;
    }
    bool there = false;
    {
      ++wanted;
      const std::lock_guard hands(wheel);
      --wanted;
      there = !gone;
      if (there) {
        drive();
      }
    }
    awaited = false;
    return there;
  }

  std::mutex wheel;                   // who holds it drives
  std::atomic<unsigned> wanted = 0;   // by others, for whom their own thread makes room
  std::atomic<bool> awaited = false;  // somebody waits for what comes, and drives meanwhile
  std::atomic<bool> away = false;     // another thread drives
  bool gone = false;                  // the worker; changes under the wheel
  Mailbox<Command> mailbox;
};

}  // namespace gls::net
