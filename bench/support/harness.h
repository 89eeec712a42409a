// Times several contestants in turn, A B C A B C, so that whatever else the machine does hits all
// of them alike, and reports medians. Ratios between them are worth more than any absolute figure.
#pragma once

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace gls::bench {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n == 0 ? 0 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

class Contest {
 public:
  // Each contestant works at least so long, uncounted, before it is timed: what sleeps while others
  // have their turn takes a while until it is as fast as before.
  explicit Contest(double least_warm_up = 0) : least_warm_up_(least_warm_up) {}

  // `step` does a piece of work and returns how many items it was.
  void add(std::string name, std::function<double()> step) {
    entries_.push_back({std::move(name), std::move(step), {}});
  }

  // Each contestant gets about `seconds` per round.
  void run(int rounds, double seconds) {
    for (Entry& entry : entries_) {
      if (entry.rates.empty()) {
        rate_of(entry, seconds / 4);  // warm-up
      }
    }
    for (int round = 0; round < rounds; ++round) {
      for (Entry& entry : entries_) {
        entry.rates.push_back(time_once(entry, seconds));
      }
    }
  }

  // Median items per second.
  double rate(const std::string& name) const { return median(find(name).rates); }
  // Median of the ratios round by round, which drift cannot touch.
  double ratio(const std::string& a, const std::string& b) const {
    std::vector<double> ratios;
    for (size_t i = 0; i < find(a).rates.size(); ++i) {
      ratios.push_back(find(a).rates[i] / find(b).rates[i]);
    }
    return median(std::move(ratios));
  }
  void print(const char* unit, double scale) const {
    for (const Entry& entry : entries_) {
      std::vector<double> rates = entry.rates;
      std::sort(rates.begin(), rates.end());
      fmt::print("  {:<44} {:>9.2f} {} (lowest {:.2f}, highest {:.2f}), {:.2f} of the first\n",
                 entry.name, median(rates) * scale, unit, rates.front() * scale,
                 rates.back() * scale, ratio(entry.name, entries_.front().name));
    }
  }

 private:
  struct Entry {
    std::string name;
    std::function<double()> step;
    std::vector<double> rates;
  };

  // What the one before has begun ahead of need, and servers still make for it, is not to take the
  // processors of the next one.
  static void wait_until_idle() {
    constexpr uint64_t kLookNs = 5000000;
    constexpr uint64_t kMostNs = 3000000000;
    const uint64_t begin = now_ns();
    std::clock_t used = 0;
    do {
      const std::clock_t before = std::clock();
      std::this_thread::sleep_for(std::chrono::nanoseconds(kLookNs));
      used = std::clock() - before;
    } while (used > CLOCKS_PER_SEC / 2000 && now_ns() - begin < kMostNs);
  }

  // What was ready beforehand is not counted.
  double time_once(Entry& entry, double seconds) const {
    wait_until_idle();
    rate_of(entry, std::max(seconds / 8, least_warm_up_));
    return rate_of(entry, seconds);
  }

  static double rate_of(Entry& entry, double seconds) {
    const uint64_t begin = now_ns();
    const auto limit = static_cast<uint64_t>(seconds * 1e9);
    double items = 0;
    uint64_t elapsed = 0;
    do {
      items += entry.step();
      elapsed = now_ns() - begin;
    } while (elapsed < limit);
    return items / (static_cast<double>(elapsed) * 1e-9);
  }

  const Entry& find(const std::string& name) const {
    return *std::find_if(entries_.begin(), entries_.end(),
                         [&](const Entry& entry) { return entry.name == name; });
  }

  double least_warm_up_;
  std::vector<Entry> entries_;
};

// How often threads of this process slept until something woke them, for each step: of that a busy
// machine changes little.
inline double switches_per_step(const std::function<double()>& step) {
  constexpr int kSteps = 300;
  const auto count = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
  };
  const auto before = count();
  for (int i = 0; i < kSteps; ++i) {
    step();
  }
  return static_cast<double>(count() - before) / kSteps;
}

// What else could explain a figure.
inline void print_machine() {
  const auto first_match = [](const char* path, const std::string& key) {
    std::ifstream in(path);
    std::string line;
    while (std::getline(in, line)) {
      if (line.compare(0, key.size(), key) == 0) {
        return line.substr(line.find(':') + 2);
      }
    }
    return std::string("?");
  };
  std::ifstream load("/proc/loadavg");
  std::string average;
  std::getline(load, average);
  std::ifstream huge("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string pages;
  std::getline(huge, pages);
  fmt::print("machine: {}; load average {}; huge pages {}\n",
             first_match("/proc/cpuinfo", "model name"), average, pages);
}

// The last line of every benchmark.
inline void print_json(const std::string& name, const std::map<std::string, double>& ratios) {
  std::string text;
  for (const auto& [key, value] : ratios) {
    text += fmt::format("{}\"{}\": {:.3f}", text.empty() ? "" : ", ", key, value);
  }
  fmt::print("{{\"bench\": \"{}\", \"ratios\": {{{}}}}}\n", name, text);
}

// A step of two threads, each with so many batches of its own: what `work` returns for the numbers
// of the batches, summed.
template <typename Work>
std::function<double()> two_threads(Work work, uint64_t batches) {
  return [work = std::move(work), batches, number = uint64_t{0}]() mutable {
    double sums[2] = {0, 0};
    const auto run = [&](uint64_t first, double* sum) {
      for (uint64_t i = 0; i < batches; ++i) {
        *sum += work(first + 2 * i);
      }
    };
    std::thread other(run, number + 1, &sums[1]);
    run(number, &sums[0]);
    other.join();
    number += 2 * batches;
    return sums[0] + sums[1];
  };
}

}  // namespace gls::bench
