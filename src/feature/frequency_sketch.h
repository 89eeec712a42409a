// How often ids were asked for lately, in bounded memory: a count-min sketch that ages, as TinyLFU
// has it (Einziger, Friedman, Manes: TinyLFU, a highly efficient cache admission policy, 2017).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gls {

class UseSketch {
 public:
  // To tell apart about so many ids: 8 to 16 bytes each.
  explicit UseSketch(uint64_t ids);
  UseSketch(const UseSketch&) = delete;
  UseSketch& operator=(const UseSketch&) = delete;

  // Any number of threads at once; of additions at the same time some may be lost. Returns what
  // estimate() is then.
  uint32_t add(int64_t id);
  // At most 255, and mostly no less than it was asked for since all numbers were halved.
  uint32_t estimate(int64_t id) const;

 private:
  static constexpr size_t kHashes = 4;
  std::atomic<uint8_t>& counter(int64_t id, size_t hash) const;
  void age();

  uint64_t mask_;
  uint64_t most_additions_;
  std::atomic<uint64_t> additions_{0};
  std::unique_ptr<std::atomic<uint8_t>[]> counters_;
};

}  // namespace gls
