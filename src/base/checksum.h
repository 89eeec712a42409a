// XXH3-64 checksums of array data, written as 16 hexadecimal digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace gls {

class Checksum {
 public:
  Checksum();
  ~Checksum();
  Checksum(Checksum&&) noexcept;
  Checksum& operator=(Checksum&&) noexcept;

  void update(std::span<const std::byte> bytes);
  uint64_t digest() const;
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

uint64_t hash64(std::span<const std::byte> bytes, uint64_t seed = 0);
std::string hex64(uint64_t value);

}  // namespace gls
