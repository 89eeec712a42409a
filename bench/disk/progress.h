// What a contestant in C++ reports; bench/disk/progress.py is the same in Python.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <fstream>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/clock.h"

namespace gls::bench {

class Progress {
 public:
  // Batches whose rows are summed, to be compared with other contestants.
  static constexpr size_t kSummed = 3;

  double seconds() const { return static_cast<double>(now_ns() - begin_) * 1e-9; }
  uint64_t batches() const { return times_.size(); }

  // After a batch, with its rows as 32-bit words.
  void add(std::span<const uint32_t> words, size_t nodes) {
    if (times_.size() < kSummed) {
      sums_.push_back(std::accumulate(words.begin(), words.end(), uint64_t{0}));
    }
    times_.push_back(seconds());
    nodes_ += nodes;
  }

  // `more`: members of the JSON object, at least one.
  void print(bool complete, const std::string& more) const {
    fmt::print("{{\"times\": [");
    for (size_t i = 0; i < times_.size(); ++i) {
      fmt::print("{}{:.5f}", i == 0 ? "" : ", ", times_[i]);
    }
    fmt::print("], \"sums\": [");
    for (size_t i = 0; i < sums_.size(); ++i) {
      fmt::print("{}{}", i == 0 ? "" : ", ", sums_[i]);
    }
    fmt::print(
        "], \"nodes\": {}, \"complete\": {}, \"read_bytes\": {}, \"write_bytes\": {}, \"more\": "
        "{{{}}}}}\n",
        nodes_, complete, moved_bytes("read_bytes:") - read_before_,
        moved_bytes("write_bytes:") - written_before_, more);
  }

 private:
  // Between this process and storage, so far.
  static uint64_t moved_bytes(const std::string& key) {
    std::ifstream in("/proc/self/io");
    std::string name;
    for (uint64_t value = 0; in >> name >> value;) {
      if (name == key) {
        return value;
      }
    }
    return 0;
  }

  const uint64_t read_before_ = moved_bytes("read_bytes:");
  const uint64_t written_before_ = moved_bytes("write_bytes:");
  const uint64_t begin_ = now_ns();
  std::vector<double> times_;
  std::vector<uint64_t> sums_;
  uint64_t nodes_ = 0;
};

}  // namespace gls::bench
