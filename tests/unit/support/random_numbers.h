// Random numbers of tests, the same everywhere; others with each GLS_TEST_SEED, which what fails
// names.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace gls::test {

inline uint64_t test_seed() {
  static const char* const text = std::getenv("GLS_TEST_SEED");
  return text != nullptr ? std::strtoull(text, nullptr, 10) : 0;
}

class SayTheSeed : public testing::EmptyTestEventListener {
  void OnTestEnd(const testing::TestInfo& test) override {
    if (test.result()->Failed()) {
      std::printf("random cases: GLS_TEST_SEED=%llu\n",
                  static_cast<unsigned long long>(test_seed()));
    }
  }
};
inline const bool says_the_seed = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new SayTheSeed);
  return true;
}();

class Numbers {
 public:
  explicit Numbers(uint64_t seed)
      : state_((seed + test_seed() * 0xd1342543de82ef95u) * 0x9e3779b97f4a7c15u + 1) {}
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
