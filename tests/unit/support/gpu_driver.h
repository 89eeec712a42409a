// A driver of CUDA for tests of channels: two GPUs, the second of which is used once `active` says
// so, and memory that the processor writes as well.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "plugins/channels/gpu_context.h"

namespace gls::net {

struct DriverOfTests {
  static inline std::atomic<bool> active = false;
  static inline std::atomic<int> retained = 0;
  static inline std::atomic<bool> full = false;  // it has no room for more
  static inline std::atomic<bool> knows = true;  // its memory
  static inline thread_local std::vector<void*> stack;
  static inline thread_local int capture_mode = 0;  // global: nothing may be allocated
  static inline int context = 0;
  static inline std::mutex mutex;
  static inline std::map<uint64_t, std::unique_ptr<std::byte[]>> memory;  // by address
  static inline std::map<uint64_t, size_t> sizes;

  static std::byte* take(size_t bytes) {
    uint64_t address = 0;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return allocate(&address, bytes) == 0 ? reinterpret_cast<std::byte*>(address) : nullptr;
  }
  static int allocate(uint64_t* address, size_t bytes) {
    const std::lock_guard lock(mutex);
    if (full) {
      return 2;
    }
    auto made = std::make_unique<std::byte[]>(bytes);
    *address = reinterpret_cast<uint64_t>(made.get());
    sizes[*address] = bytes;
    memory[*address] = std::move(made);
    return 0;
  }
  static int release(uint64_t address) {
    const std::lock_guard lock(mutex);
    EXPECT_EQ(memory.erase(address), 1U);
    sizes.erase(address);
    return 0;
  }
  static void give_back(const void* data) { release(reinterpret_cast<uint64_t>(data)); }
  static bool has(const void* data, size_t bytes) {
    const std::lock_guard lock(mutex);
    const auto at = reinterpret_cast<uint64_t>(data);
    const auto after = sizes.upper_bound(at);
    return after != sizes.begin() &&
           at + bytes <= std::prev(after)->first + std::prev(after)->second;
  }

  static GpuContext::Driver functions() {
    GpuContext::Driver out;
    out.get_current = [](void** current) {
      *current = stack.empty() ? nullptr : stack.back();
      return 0;
    };
    out.push = [](void* pushed) {
      stack.push_back(pushed);
      return 0;
    };
    out.pop = [](void** popped) {
      *popped = stack.back();
      stack.pop_back();
      return 0;
    };
    out.count = [](int* devices) {
      *devices = 2;
      return 0;
    };
    out.state = [](int device, unsigned*, int* used) {
      *used = device == 1 && active ? 1 : 0;
      return 0;
    };
    out.retain = [](void** made, int device) {
      EXPECT_EQ(device, 1);
      ++retained;
      *made = &context;
      return 0;
    };
    out.allocate = [](uint64_t* address, size_t bytes) {
      EXPECT_EQ(capture_mode, 2);  // CU_STREAM_CAPTURE_MODE_RELAXED
      return allocate(address, bytes);
    };
    out.release = [](uint64_t address) {
      EXPECT_EQ(capture_mode, 2);
      return release(address);
    };
    out.exchange_capture_mode = [](int* mode) {
      std::swap(capture_mode, *mode);
      return 0;
    };
    out.attribute = [](void* value, int which, uint64_t address) {
      EXPECT_EQ(which, 9);  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
      // NOLINTNEXTLINE(performance-no-int-to-ptr)
      if (!knows || !has(reinterpret_cast<const void*>(address), 1)) {
        return 1;
      }
      *static_cast<int*>(value) = 1;
      return 0;
    };
    return out;
  }
};

}  // namespace gls::net
