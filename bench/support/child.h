// This program again, in a process of its own, which says one line when it is ready and ends when
// its input does.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bench/support/check.h"

namespace gls::bench {

class Child {
 public:
  explicit Child(std::vector<std::string> arguments) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    // Closed in other children, which would keep the input of this one open.
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) {
      fail("no pipe for a process");
    }
    std::vector<char*> argv = {const_cast<char*>("bench")};
    for (std::string& argument : arguments) {
      argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::execv("/proc/self/exe", argv.data());
      ::_exit(1);
    }
    ::close(in[0]);
    ::close(out[1]);
    in_ = in[1];
    out_ = out[0];
    if (pid_ < 0 || clock_getcpuclockid(pid_, &clock_) != 0) {
      fail("a process did not start");
    }
  }
  ~Child() {
    ::close(in_);
    ::close(out_);
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Its line, which is waited for.
  const std::string& said() const {
    for (char c = 0; line_.empty() || line_.back() != '\n';) {
      if (::read(out_, &c, 1) != 1) {
        fail("a process ended before it was ready");
      }
      line_ += c;
    }
    trimmed_ = line_.substr(0, line_.size() - 1);
    return trimmed_;
  }
  // Of a processor, until now.
  double seconds() const {
    timespec time{};
    clock_gettime(clock_, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

 private:
  pid_t pid_ = -1;
  int in_ = -1;
  int out_ = -1;
  clockid_t clock_{};
  mutable std::string line_;
  mutable std::string trimmed_;
};

}  // namespace gls::bench
