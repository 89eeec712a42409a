#include "base/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <ctime>

namespace gls {
namespace {

// A pipe accepts this many bytes as a whole or not at all, without mixing them with other writes.
constexpr size_t kMostAtOnce = PIPE_BUF;

// Discards the SIGPIPE of a write on this thread; a pending one stays pending.
class NoPipeSignal {
 public:
  NoPipeSignal() noexcept {
    sigset_t waiting;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigemptyset(&waiting);
    sigpending(&waiting);
    waits_ = sigismember(&waiting, SIGPIPE) == 1;
    if (!waits_) {
      pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
  }
  ~NoPipeSignal() {
    if (!waits_) {
      const int error = errno;
      const timespec now{};
      while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
      pthread_sigmask(SIG_SETMASK, &before_, nullptr);
      errno = error;
    }
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool waits_ = false;
};

// An open file whose writes never wait. Pipes and terminals are opened again for that, since all
// processes with the given descriptor share its flags.
class Target {
 public:
  explicit Target(int descriptor) noexcept : descriptor_(descriptor) {
    struct stat about {};
    if (::fstat(descriptor, &about) != 0) {
      return;
    }
    is_socket_ = S_ISSOCK(about.st_mode);
    is_file_ = S_ISREG(about.st_mode) || S_ISBLK(about.st_mode);
    if (S_ISFIFO(about.st_mode) || S_ISCHR(about.st_mode)) {
      char path[32];
      std::snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
      own_ = ::open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    }
  }
  ~Target() {
    if (own_ >= 0) {
      ::close(own_);
    }
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  bool wait(int ms) const noexcept {
    pollfd room = {descriptor_, POLLOUT, 0};
    return ::poll(&room, 1, ms) == 1;
  }
  ssize_t write(const char* from, size_t size) const noexcept {
    if (is_socket_) {
      return ::send(descriptor_, from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    if (own_ < 0 && !is_file_ && !wait(0)) {
      // Without a descriptor of its own: no room, no attempt.
      errno = EAGAIN;
      return -1;
    }
    return ::write(own_ >= 0 ? own_ : descriptor_, from, size);
  }

 private:
  const int descriptor_;
  int own_ = -1;
  bool is_socket_ = false;
  bool is_file_ = false;
};

int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

}  // namespace

int write_at_once(int descriptor, std::string_view text, int wait_ms) noexcept {
  int failure = 0;
  const NoPipeSignal quiet;
  const Target target(descriptor);
  const int64_t end = wait_ms > 0 ? now_ms() + wait_ms : 0;
  while (!text.empty() && failure == 0) {
    const ssize_t done = target.write(text.data(), std::min(text.size(), kMostAtOnce));
    if (done >= 0) {
      text.remove_prefix(static_cast<size_t>(done));
    } else if (errno == EAGAIN) {
      const int64_t left = wait_ms > 0 ? end - now_ms() : 0;
      failure = left > 0 && target.wait(static_cast<int>(left)) ? 0 : EAGAIN;
    } else if (errno != EINTR) {
      failure = errno;
    }
  }
  return failure;
}

bool Lines::write(std::string_view line) noexcept {
  if (const uint64_t unsaid = unsaid_.exchange(0); unsaid > 0) {
    char text[96];
    const int size = std::snprintf(text, sizeof text,
                                   "gls: %llu lines of the log were dropped: nobody read them\n",
                                   static_cast<unsigned long long>(unsaid));
    if (0 != write_at_once(descriptor_, {text, static_cast<size_t>(size)})) {
      unsaid_ += unsaid + 1;
      ++dropped_;
      return false;
    }
  }
  const bool written = write_at_once(descriptor_, line) == 0;
  if (!written) {
    ++dropped_;
    ++unsaid_;
  }
  return written;
}

}  // namespace gls
