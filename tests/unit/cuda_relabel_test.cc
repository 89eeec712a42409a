// Relabelling by itself: tables of both forms, keys that no graph of a test has, and orders of
// threads in which a place is taken from one that had it. Kernels run on this processor, see
// tests/cuda_on_host, or on a GPU, see tests/cuda_on_gpu.
#include <gtest/gtest.h>

#include "cuda/relabel.h"

namespace gls::test {
namespace {

TEST(CudaLaunch, RefusesNoBlocks) {
  EXPECT_EQ(cuda::take_at({}, nullptr, 0, {}, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace gls::test
