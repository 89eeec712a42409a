#include "pinned_new.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

namespace {

constexpr size_t kBytes = size_t{2} << 30;
constexpr size_t kLeast = 64;

// Blocks of powers of two, each kept for its size when it was given back.
std::mutex mutex;
std::byte* arena = nullptr;
size_t used = 0;
void* idle[64] = {};  // by the logarithm of their size; each begins with the next one's address

size_t block_size(size_t bytes) { return std::bit_ceil(std::max(bytes, kLeast)); }

void* pinned(size_t bytes) {
  const size_t size = block_size(bytes);
  void*& first = idle[std::countr_zero(size)];
  const std::lock_guard lock(mutex);
  if (first != nullptr) {
    void* const out = first;
    first = *static_cast<void**>(out);
    return out;
  }
  if (size > kBytes - used) {
    std::fputs("pinned_new: tests need more pinned memory than there is\n", stderr);
    std::abort();
  }
  void* const out = arena + used;
  used += size;
  return out;
}

}  // namespace

namespace gls::test {

void pin_new_memory() {
  void* memory = nullptr;
  const cudaError_t result =
      cudaHostAlloc(&memory, kBytes, cudaHostAllocPortable | cudaHostAllocMapped);
  void* seen = nullptr;
  if (result != cudaSuccess || cudaHostGetDevicePointer(&seen, memory, 0) != cudaSuccess ||
      seen != memory) {
    std::fprintf(stderr, "pinned_new: %zu bytes of pinned memory: %s\n", kBytes,
                 result != cudaSuccess ? cudaGetErrorString(result) : "at another address");
    std::abort();
  }
  const std::lock_guard lock(mutex);
  arena = static_cast<std::byte*>(memory);
}

}  // namespace gls::test

// The size of a block is before it, with its alignment kept.
void* operator new(size_t bytes) {
  constexpr size_t kHead = 16;
  if (arena == nullptr) {
    auto* const memory = static_cast<std::byte*>(std::malloc(bytes + kHead));
    if (memory == nullptr) {
      throw std::bad_alloc();
    }
    *reinterpret_cast<size_t*>(memory) = 0;
    return memory + kHead;
  }
  auto* const memory = static_cast<std::byte*>(pinned(bytes + kHead));
  *reinterpret_cast<size_t*>(memory) = block_size(bytes + kHead);
  return memory + kHead;
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return operator new(bytes); }
void operator delete(void* memory) noexcept {
  if (memory == nullptr) {
    return;
  }
  std::byte* const block = static_cast<std::byte*>(memory) - 16;
  const size_t size = *reinterpret_cast<size_t*>(block);
  if (size == 0) {
    std::free(block);
    return;
  }
  const std::lock_guard lock(mutex);
  void*& first = idle[std::countr_zero(size)];
  *reinterpret_cast<void**>(block) = first;
  first = block;
}
void operator delete(void* memory, size_t) noexcept { operator delete(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }
void* operator new[](size_t bytes) { return operator new(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return operator new(bytes); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { operator delete(memory); }
