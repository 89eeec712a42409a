// Copies of arrays on the device by themselves: more than one launch has, of all lengths, and from
// and to places that are none of large words. Kernels run on this processor, see
// tests/cuda_on_host, or on a GPU, see tests/cuda_on_gpu.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cuda/kernels/copy.h"

namespace gls::test {
namespace {

TEST(CudaCopy, CopiesArraysOfAllLengths) {
  constexpr size_t kArrays = 150;
  constexpr size_t kRoom = 3000;  // of each, in numbers of 4 bytes
  std::vector<uint32_t> from(kArrays * kRoom);
  for (size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<uint32_t>(i) + 1;
  }
  std::vector<uint32_t> to(from.size(), 0);
  std::vector<uint32_t> expected = to;
  std::vector<cuda::ArrayCopy> copies;
  for (size_t i = 0; i < kArrays; ++i) {
    const size_t count = i % 3 == 0 ? i / 3 : (i * 61) % (kRoom - 16);
    const size_t read = i * kRoom + i % 5;  // some are at a multiple of 16, and some are not
    const size_t written = i * kRoom + i % 7 % 4;
    copies.push_back({from.data() + read, to.data() + written, count * sizeof(uint32_t)});
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(read), count,
                expected.begin() + static_cast<std::ptrdiff_t>(written));
  }
  ASSERT_EQ(cuda::copy_arrays(copies.data(), copies.size(), nullptr), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
  EXPECT_EQ(to, expected);
}

TEST(CudaCopy, CopiesNothing) {
  EXPECT_EQ(cuda::copy_arrays(nullptr, 0, nullptr), cudaSuccess);
  const cuda::ArrayCopy none = {};
  EXPECT_EQ(cuda::copy_arrays(&none, 1, nullptr), cudaSuccess);
}

}  // namespace
}  // namespace gls::test
