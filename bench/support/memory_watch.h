// The most private memory of this process while something runs; mapped files do not count.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

namespace gls::bench {

// A line of a file of /proc/self.
inline uint64_t process_kib(const char* file, const std::string& key) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    if (line.starts_with(key)) {
      return std::strtoull(line.c_str() + key.size() + 1, nullptr, 10);
    }
  }
  return 0;
}

// A line of /proc/self/status.
inline uint64_t status_kib(const std::string& key) { return process_kib("/proc/self/status", key); }

// Memory of this process without the pages of files.
inline double anonymous_megabytes() {
  return static_cast<double>(status_kib("RssAnon")) * 1024 / 1e6;
}

// Memory that this process shares with no other; pages of files count, too.
inline double private_megabytes() {
  const auto kib = [](const char* key) { return process_kib("/proc/self/smaps_rollup", key); };
  return static_cast<double>(kib("Private_Clean") + kib("Private_Dirty")) / 1024;
}

class MemoryWatch {
 public:
  MemoryWatch() : thread_([this] { run(); }) {}
  ~MemoryWatch() { stop(); }
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;
  // In KiB.
  uint64_t stop() {
    stopping_ = true;
    if (thread_.joinable()) {
      thread_.join();
    }
    return peak_;
  }

 private:
  void run() {
    while (!stopping_) {
      peak_ = std::max(peak_, status_kib("RssAnon"));
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  std::atomic<bool> stopping_{false};
  uint64_t peak_ = 0;
  std::thread thread_;
};

}  // namespace gls::bench
