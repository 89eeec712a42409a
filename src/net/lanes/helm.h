// Who drives lanes: their own thread, or for a while another one that waits for what they bring or
// has something to send, so that nobody has to be woken for it.
#pragma once

#include <atomic>
#include <mutex>

#include "net/lanes/mailbox.h"

namespace gls::net {

// Outlives the worker whose lanes they are.
template <typename Command>
struct Helm {
  std::mutex wheel;                   // who holds it drives
  std::atomic<unsigned> wanted = 0;   // by others, for whom their own thread makes room
  std::atomic<bool> awaited = false;  // somebody waits for what comes, and drives meanwhile
  std::atomic<bool> away = false;     // another thread drives
  bool gone = false;                  // the worker; changes under the wheel
  Mailbox<Command> mailbox;
};

}  // namespace gls::net
