#include "progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>

#include "base/output.h"
#include "format.h"
#include "interrupt.h"
#include "table.h"
#include "text.h"

namespace gls::tool {
namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr auto kPlainLine = std::chrono::seconds(1);
constexpr size_t kBarWidth = 24;
// Time for the reader of standard error to read why the command ends.
constexpr int kLastWordsMs = 1000;

// The terminal shows at most one progress line; other threads write log lines above it.
std::mutex terminal_mutex;
size_t drawn_width = 0;

Lines stderr_lines(STDERR_FILENO);

// Blanks instead of an escape sequence, because they work on every terminal.
std::string erase_drawn() {
  const std::string out =
      drawn_width > 0 ? "\r" + std::string(drawn_width, ' ') + "\r" : std::string();
  drawn_width = 0;
  return out;
}

size_t terminal_width(int fd) {
  winsize size{};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string amount(uint64_t value, const std::string& unit) {
  return unit == "B" ? format_bytes(value)
                     : formatted("{} {}", format_scaled(static_cast<double>(value)), unit);
}

std::string rate(double per_second, const std::string& unit) {
  return unit == "B" ? format_bytes(static_cast<uint64_t>(per_second)) + "/s"
                     : format_scaled(per_second) + "/s";
}

}  // namespace

Progress::Progress(Mode mode) {
  terminal_ = isatty(STDERR_FILENO) == 1;
  enabled_ = mode == Mode::kOn || (mode == Mode::kAuto && terminal_);
}

Progress::~Progress() { finish(); }

void Progress::update(const std::string& stage, uint64_t done, uint64_t total,
                      const std::string& unit) {
  report(stage, done, total, unit);
  throw_if_interrupted();
}

int32_t Progress::callback(void* self, const char* stage, uint64_t done, uint64_t total,
                           const char* unit) {
  static_cast<Progress*>(self)->report(stage, done, total, unit);
  return interrupt_signal();
}

void Progress::report(const std::string& stage, uint64_t done, uint64_t total,
                      const std::string& unit) {
  if (!enabled_) {
    return;
  }
  const Clock::time_point now = Clock::now();
  if (stage != stage_) {
    finish();
    stage_ = stage;
    stage_start_ = now;
    last_drawn_ = Clock::time_point();
  }
  done_ = done;
  total_ = total;
  unit_ = unit;
  if (now - last_drawn_ >= (terminal_ ? Clock::duration(kRedraw) : Clock::duration(kPlainLine))) {
    draw(now, false);
    last_drawn_ = now;
  }
}

void Progress::finish() {
  if (!stage_.empty()) {
    draw(Clock::now(), true);
    stage_.clear();
  }
}

void Progress::draw(Clock::time_point now, bool last) {
  const std::string text = line(now, last);
  const std::lock_guard lock(terminal_mutex);
  if (!terminal_) {
    static_cast<void>(write_at_once(STDERR_FILENO, text + "\n"));
    return;
  }
  std::string out = "\r" + text;
  const size_t width = display_width(text);
  if (width < drawn_width) {
    out += std::string(drawn_width - width, ' ');
  }
  drawn_width = last ? 0 : width;
  static_cast<void>(write_at_once(STDERR_FILENO, last ? out + "\n" : out));
}

std::string Progress::line(Clock::time_point now, bool last) const {
  const double seconds = std::chrono::duration<double>(now - stage_start_).count();
  const double per_second = seconds > 0 ? static_cast<double>(done_) / seconds : 0;
  std::string numbers;
  if (last) {
    numbers = formatted("{}  {}", amount(done_, unit_), format_seconds(seconds));
  } else if (total_ > 0) {
    numbers =
        formatted("{:3.0f} %  {}",
                  100 * static_cast<double>(std::min(done_, total_)) / static_cast<double>(total_),
                  amount(total_, unit_));
  } else {
    numbers = amount(done_, unit_);
  }
  if (done_ > 0 && seconds > 0) {
    numbers += "  " + rate(per_second, unit_);
    if (!last && total_ > done_) {
      const double left = static_cast<double>(total_ - done_) / per_second;
      numbers += "  " + format_seconds(left) + " left";
    }
  }
  const std::string head = pad_right(stage_, 24) + "  ";
  if (!terminal_ || last) {
    return head + numbers;
  }
  const size_t width = terminal_width(STDERR_FILENO);
  const size_t used = display_width(head) + display_width(numbers) + 1;
  const std::string middle =
      total_ > 0 && used + kBarWidth + 4 < width ? bar(kBarWidth) + "  " : "";
  return cut_right(head + middle + numbers, width > 1 ? width - 1 : width);
}

std::string Progress::bar(size_t room) const {
  const double share = static_cast<double>(std::min(done_, total_)) / static_cast<double>(total_);
  const auto full = static_cast<size_t>(share * static_cast<double>(room));
  return "[" + std::string(full, '#') + std::string(room - full, '.') + "]";
}

size_t stdout_width() { return isatty(STDOUT_FILENO) == 1 ? terminal_width(STDOUT_FILENO) : 0; }

void print_log_line(const std::string& text) {
  const std::lock_guard lock(terminal_mutex);
  static_cast<void>(stderr_lines.write(erase_drawn() + text + "\n"));
}

uint64_t num_dropped_log_lines() { return stderr_lines.num_dropped(); }

void print_stderr_line(const std::string& text) {
  const std::lock_guard lock(terminal_mutex);
  static_cast<void>(write_at_once(STDERR_FILENO, erase_drawn() + text + "\n", kLastWordsMs));
}

}  // namespace gls::tool
