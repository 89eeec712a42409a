// Text for a terminal, a pipe or a file whose reader may have stopped. No thread waits for
// the reader, and a reader that is gone ends no process. It uses nothing else of the library, as
// the command has it, too.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace gls {

// Writes the text as far as the reader takes it within `wait_ms`. 0: that was all; else the errno,
// EAGAIN where the reader does not read. Never raises SIGPIPE. Any thread.
int write_at_once(int descriptor, std::string_view text, int wait_ms = 0) noexcept;

// Lines of many threads, whole ones. Those that the reader does not take at once are dropped, and
// counted, and the first line that is taken later comes behind one that has their number.
class Lines {
 public:
  explicit Lines(int descriptor) : descriptor_(descriptor) {}

  // `line` ends with a line break. False: it was dropped.
  bool write(std::string_view line) noexcept;
  // How many so far.
  uint64_t num_dropped() const { return dropped_; }

 private:
  const int descriptor_;
  std::atomic<uint64_t> dropped_ = 0;
  std::atomic<uint64_t> unsaid_ = 0;  // of them, those that no line tells of
};

}  // namespace gls
