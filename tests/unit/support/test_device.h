// Tests of devices run in two ways from the same sources: on the emulated runtime
// (tests/cuda_on_host), everywhere; and, where GLS_TEST_GPU is set, on a GPU. Set to `required`, it
// makes it a failure that there is none; else such a test could not run, and says so. Where
// CUDA_ON_HOST_AS_GPU is set too, the emulated runtime plays a GPU, and is as strict as one: what
// tests expect of a GPU is then looked at where there is none.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "device/device.h"
#include "test_paths.h"

namespace gls::test {

inline bool on_gpu() { return std::getenv("GLS_TEST_GPU") != nullptr; }

inline void choose_device_plugin() {
  const bool emulated = !on_gpu() || std::getenv("CUDA_ON_HOST_AS_GPU") != nullptr;
  setenv("GLS_PLUGIN_PATH", emulated ? kCudaOnHost : kPluginFolder, 1);
}

inline bool gpu_required() {
  return on_gpu() && std::string(std::getenv("GLS_TEST_GPU")) == "required";
}

// Why a test that is to run on a GPU cannot; empty: it can. What is not installed or does not load
// is no reason, and fails where the device is opened.
inline std::string missing_gpu() {
  if (!on_gpu()) {
    return "";
  }
  auto device = Device::open(0);
  const std::string text = device.ok() ? "" : device.status().message();
  const bool none = text.find("no GPU that CUDA can use") != std::string::npos ||
                    text.find("driver of NVIDIA is missing") != std::string::npos;
  return none ? text : "";
}

// Why a test of several GPUs that read each other's memory cannot run; empty: it can.
inline std::string missing_gpus(int32_t needed) {
  const int32_t count = on_gpu() ? Device::count() : needed;
  if (count < needed) {
    return "there are " + std::to_string(count) + ", and this needs " + std::to_string(needed);
  }
  for (int32_t id = 0; on_gpu() && id < needed; ++id) {
    auto device = Device::open(id);
    device::GpuError why;
    const int32_t other = (id + 1) % needed;
    if (device.ok() && !(*device)->gpu().reach(other, &why)) {
      return why.text;
    }
  }
  return "";
}

}  // namespace gls::test

// First in a test, or in SetUp(): tests/gpu_tests.cmake counts what says this.
#define GLS_NEEDS_DEVICE()                                                \
  if (const std::string why = ::gls::test::missing_gpu(); !why.empty()) { \
    if (::gls::test::gpu_required()) {                                    \
      GTEST_FAIL() << "no GPU: " << why;                                  \
    }                                                                     \
    GTEST_SKIP() << "no GPU: " << why;                                    \
  }                                                                       \
  static_assert(true)

// Behind it, in a test of several. It is no failure where a GPU is required that there is only one.
#define GLS_NEEDS_DEVICES(count)                                                \
  if (const std::string few = ::gls::test::missing_gpus(count); !few.empty()) { \
    GTEST_SKIP() << "too few GPUs that read each other's memory: " << few;      \
  }                                                                             \
  static_assert(true)
