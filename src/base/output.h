// Writes text to a terminal, a pipe or a file whose reader may have stopped. No thread waits for
// the reader, and a closed reader does not end the process. Uses nothing else of the library,
// because the command-line tool includes it, too.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace gls {

// Writes as much of the text as the reader accepts within `wait_ms`. 0: everything was written;
// else the errno, with EAGAIN if the reader does not read. Never raises SIGPIPE. Any thread.
int write_at_once(int descriptor, std::string_view text, int wait_ms = 0) noexcept;

// Writes whole lines of many threads. Lines that the reader does not accept at once are dropped and
// counted. A line with their number precedes the next accepted line.
class Lines {
 public:
  explicit Lines(int descriptor) : descriptor_(descriptor) {}

  // `line` ends with a line break. False: it was dropped.
  bool write(std::string_view line) noexcept;
  // The number of dropped lines so far.
  uint64_t num_dropped() const { return dropped_; }

 private:
  const int descriptor_;
  std::atomic<uint64_t> dropped_ = 0;
  std::atomic<uint64_t> unsaid_ = 0;  // dropped lines that were not reported yet
};

}  // namespace gls
