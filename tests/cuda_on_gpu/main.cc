// Tests of kernels on a GPU. Where there is none, they could not run: 77, which ctest shows as
// such.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "pinned_new.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) {
    return RUN_ALL_TESTS();
  }
  int devices = 0;
  const cudaError_t found = cudaGetDeviceCount(&devices);
  if (found != cudaSuccess || devices == 0) {
    const char* const needed = std::getenv("GLS_TEST_GPU");
    std::printf("no GPU: %s\n", cudaGetErrorString(found));
    return needed != nullptr && std::strcmp(needed, "required") == 0 ? 1 : 77;
  }
  gls::test::pin_new_memory();
  return RUN_ALL_TESTS();
}
