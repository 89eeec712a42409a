// Shows the progress of long work on standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <gls.hpp>
#include <string>

namespace gls::tool {

// On a terminal, redraws one line per stage. Otherwise, on request, prints a plain line now and
// then.
class Progress {
 public:
  enum class Mode { kAuto, kOn, kOff };

  explicit Progress(Mode mode);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `total` is 0 if it is unknown. Throws Interrupted if a signal requested the end.
  void update(const std::string& stage, uint64_t done, uint64_t total, const std::string& unit);
  // Ends the line of the current stage.
  void finish();

  // For the library's options. The library returns an error from an interrupted call.
  static int32_t callback(void* self, const char* stage, uint64_t done, uint64_t total,
                          const char* unit);

 private:
  using Clock = std::chrono::steady_clock;

  void report(const std::string& stage, uint64_t done, uint64_t total, const std::string& unit);
  void draw(Clock::time_point now, bool last);
  std::string line(Clock::time_point now, bool last) const;
  std::string bar(size_t room) const;

  bool enabled_;
  bool terminal_;
  std::string stage_;
  std::string unit_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
  Clock::time_point stage_start_;
  Clock::time_point last_drawn_;
};

// The width of standard output if it is a terminal, else 0.
size_t stdout_width();
// Writes a line to standard error without breaking a progress line. Waits up to a second for the
// reader. Any thread.
void print_stderr_line(const std::string& text);
// As print_stderr_line(), for a line of the log, without waiting: a line that is not read is
// dropped and counted.
void print_log_line(const std::string& text);
uint64_t num_dropped_log_lines();

}  // namespace gls::tool
