// Counts how often ids were requested lately, in bounded memory. It is a count-min sketch that
// ages, as in TinyLFU (Einziger, Friedman, Manes: TinyLFU, a highly efficient cache admission
// policy, 2017).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace gls {

class FrequencySketch {
 public:
  // Sized to distinguish about this many ids: 8 to 16 bytes each.
  explicit FrequencySketch(uint64_t ids);
  FrequencySketch(const FrequencySketch&) = delete;
  FrequencySketch& operator=(const FrequencySketch&) = delete;

  // Any number of threads may call it at once; concurrent additions may be lost. Returns the new
  // estimate().
  uint32_t add(int64_t id);
  // At most 255, and mostly at least the number of requests since all counts were halved.
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
