#include "interrupt.h"

#include <csignal>

namespace gls::tool {
namespace {

volatile std::sig_atomic_t pending_signal = 0;

void remember(int signal) { pending_signal = signal; }

}  // namespace

void install_interrupt_handlers() {
  struct sigaction action {};
  action.sa_handler = remember;
  sigemptyset(&action.sa_mask);
  // System calls are restarted, so that the interruption is noticed in one place: the progress
  // callback.
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction given {};
  sigaction(SIGHUP, nullptr, &given);
  if (given.sa_handler != SIG_IGN) {
    // Otherwise the command must outlive its terminal, for instance under nohup.
    sigaction(SIGHUP, &action, nullptr);
  }
  std::signal(SIGPIPE, SIG_IGN);  // writing fails instead, which is detected there
  sigset_t heard;                 // the parent process may have blocked them
  sigemptyset(&heard);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&heard, number);
  }
  sigprocmask(SIG_UNBLOCK, &heard, nullptr);
}

int interrupt_signal() { return pending_signal; }

void throw_if_interrupted() {
  if (pending_signal != 0) {
    throw Interrupted{};
  }
}

}  // namespace gls::tool
