// Random numbers of tests, the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace gls::test {

class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  int64_t below(int64_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>(((state_ >> 32) * static_cast<uint64_t>(n)) >> 32);
  }
  size_t index(size_t n) { return static_cast<size_t>(below(static_cast<int64_t>(n))); }
  bool coin() { return below(2) == 0; }
  bool one_in(int64_t n) { return below(n) == 0; }
  template <typename T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[index(choices.size())];
  }

 private:
  uint64_t state_;
};

}  // namespace gls::test
