#include "machine.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace gls::tool {
namespace {

using Clock = std::chrono::steady_clock;

constexpr uint64_t kLine = 64;
constexpr uint64_t kBufferBytes = uint64_t{512} << 20;
constexpr int kRounds = 5;
constexpr uint64_t kLinesPerThread = uint64_t{4} << 20;
// Prefetched lines; enough to keep every miss buffer of a core busy.
constexpr uint64_t kAhead = 64;

class Buffer {
 public:
  explicit Buffer(uint64_t bytes) : bytes_(bytes) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
      throw std::runtime_error("not enough memory to measure the machine");
    }
    data_ = static_cast<char*>(memory);
    madvise(memory, bytes, MADV_HUGEPAGE);
    std::memset(memory, 1, bytes);
  }
  ~Buffer() { munmap(data_, bytes_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  char* data() const { return data_; }
  uint64_t bytes() const { return bytes_; }

 private:
  char* data_;
  uint64_t bytes_;
};

// The seconds of the best of several rounds, each of which runs work(thread) on all threads.
double best_round(unsigned threads, const std::function<void(unsigned)>& work) {
  double best = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<unsigned> ready{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> team;
    for (unsigned t = 0; t < threads; ++t) {
      team.emplace_back([&, t] {
        ++ready;
        while (!go.load(std::memory_order_acquire)) {
          std::this_thread::yield();
        }
        work(t);
      });
    }
    while (ready.load() < threads) {
      std::this_thread::yield();
    }
    const Clock::time_point start = Clock::now();
    go.store(true, std::memory_order_release);
    for (std::thread& thread : team) {
      thread.join();
    }
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// Addresses follow from the number of the access, so that no access waits for another.
uint64_t line_of(uint64_t number, uint64_t lines) {
  uint64_t x = number * 0x9e3779b97f4a7c15u;
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93u;
  x ^= x >> 32;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(x) * lines) >> 64);
}

uint64_t touch_lines(const Buffer& buffer, uint64_t first, uint64_t count) {
  const uint64_t lines = buffer.bytes() / kLine;
  uint64_t sum = 0;
  for (uint64_t i = 0; i < count; ++i) {
    __builtin_prefetch(buffer.data() + line_of(first + i + kAhead, lines) * kLine, 0, 2);
    sum += static_cast<uint8_t>(buffer.data()[line_of(first + i, lines) * kLine]);
  }
  return sum;
}

uint64_t buffer_bytes() {
  const auto pages = static_cast<uint64_t>(std::max(sysconf(_SC_AVPHYS_PAGES), 0L));
  const uint64_t available = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return std::clamp(available / 4, uint64_t{16} << 20, kBufferBytes) & ~((uint64_t{2} << 20) - 1);
}

}  // namespace

MemoryRates measure_memory(unsigned threads) {
  MemoryRates out;
  out.threads = threads;
  out.buffer_bytes = buffer_bytes();
  const Buffer buffer(out.buffer_bytes);
  const uint64_t half = buffer.bytes() / 2;
  const uint64_t slice = half / threads;
  const double copy_seconds = best_round(threads, [&](unsigned t) {
    std::memcpy(buffer.data() + half + t * slice, buffer.data() + t * slice, slice);
  });
  out.copy_bytes_per_second = 2 * static_cast<double>(slice) * threads / copy_seconds;
  std::atomic<uint64_t> sink{0};
  const double touch_seconds = best_round(threads, [&](unsigned t) {
    sink += touch_lines(buffer, t * (kLinesPerThread + kAhead), kLinesPerThread);
  });
  out.random_lines_per_second = static_cast<double>(kLinesPerThread) * threads / touch_seconds;
  return out;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

uint64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace gls::tool
