// Places arrays in one block of memory.
#pragma once

#include <cstdint>

namespace gls::cuda {

// Parts of a block, one after another.
class Places {
 public:
  explicit Places(char* start = nullptr) : start_(start) {}
  // At a multiple of 256 bytes. NULL without a block, to compute the required size.
  template <typename T = void>
  T* next(uint64_t bytes) {
    char* const place = start_ == nullptr ? nullptr : start_ + size_;
    size_ += (bytes + 255) / 256 * 256;
    return reinterpret_cast<T*>(place);
  }
  uint64_t size() const { return size_; }

 private:
  char* start_;
  uint64_t size_ = 0;
};

}  // namespace gls::cuda
