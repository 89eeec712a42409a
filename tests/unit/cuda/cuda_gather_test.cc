// Rows of any width from anywhere: on the emulated runtime, or on a GPU (tests/cuda_on_gpu).
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "cuda/kernels/gather.h"
#include "cuda/plugin/cuda_gpu.h"
#include "cuda/runtime/pinned_ranges.h"
#include "random_numbers.h"
#include "test_graph.h"

namespace gls::test {
namespace {

using device::GpuError;

struct Destroyer {
  void operator()(device::Gpu* gpu) const { gpu->destroy(); }
};

std::unique_ptr<device::Gpu, Destroyer> open_gpu() {
  GpuError error;
  std::unique_ptr<device::Gpu, Destroyer> gpu(cuda::CudaGpu::open(0, &error));
  EXPECT_NE(gpu, nullptr) << error.text;
  return gpu;
}

// Memory of the host that the device reads and writes, with a byte of its own behind what is used.
class Shared {
 public:
  Shared(device::Gpu* gpu, uint64_t bytes) : gpu_(gpu), bytes_(bytes) {
    GpuError error;
    EXPECT_TRUE(gpu->allocate_pinned(bytes + 64, &data_, &error)) << error.text;
    std::memset(data_, 0x77, bytes + 64);
  }
  ~Shared() { gpu_->release_pinned(data_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  unsigned char* data() const { return static_cast<unsigned char*>(data_); }
  bool untouched_from(uint64_t at) const {
    for (; at < bytes_ + 64; ++at) {
      if (data()[at] != 0x77) {
        return false;
      }
    }
    return true;
  }

 private:
  device::Gpu* gpu_;
  uint64_t bytes_;
  void* data_ = nullptr;
};

// Rows begin and end anywhere, and so does what they are copied to.
TEST(CudaGather, CopiesRowsOfEveryWidthFromEverywhere) {
  const auto gpu = open_gpu();
  Numbers random(5);
  for (int64_t width = 1; width <= 150; width += width < 70 ? 1 : 13) {
    for (int round = 0; round < 6; ++round) {
      // As often as not all is a multiple of some power of two.
      const int64_t step = random.one_of<int64_t>({1, 1, 2, 4, 8, 16});
      const int64_t stride = width + random.below(3) * step;
      const int64_t before = random.below(17) * step;
      const int64_t ahead = random.below(17) * step;
      const int64_t rows = 1 + random.below(300);
      const int64_t count = 1 + random.below(3000);
      const int64_t total = count + random.below(40);
      SCOPED_TRACE(formatted("width {} stride {} behind {}, to behind {}, {} of {}", width, stride,
                             before, ahead, count, rows));
      const Shared source(gpu.get(), static_cast<uint64_t>(before + rows * stride));
      const Shared ids(gpu.get(), static_cast<uint64_t>(count) * 8);
      const Shared out(gpu.get(), static_cast<uint64_t>(ahead + total * width));
      for (int64_t i = 0; i < before + rows * stride; ++i) {
        source.data()[i] = static_cast<unsigned char>(random.below(256));
      }
      auto* const id = reinterpret_cast<int64_t*>(ids.data());
      for (int64_t i = 0; i < count; ++i) {
        id[i] = random.below(rows);
      }
      cuda::Gather what;
      what.source = {source.data() + before, stride, random.coin()};
      what.source_rows = rows;
      what.width = width;
      what.ids = id;
      what.wide = true;
      what.capacity = count;
      what.rows = total;
      what.out = out.data() + ahead;
      ASSERT_EQ(cuda::gather(what, nullptr), cudaSuccess);
      GpuError error;
      ASSERT_TRUE(gpu->finish(nullptr, &error)) << error.text;
      for (int64_t i = 0; i < total; ++i) {
        const unsigned char* const row = out.data() + ahead + i * width;
        for (int64_t b = 0; b < width; ++b) {
          ASSERT_EQ(row[b], i < count ? source.data()[before + id[i] * stride + b] : 0) << i;
        }
      }
      for (int64_t b = 0; b < ahead; ++b) {
        ASSERT_EQ(out.data()[b], 0x77);
      }
      ASSERT_TRUE(out.untouched_from(static_cast<uint64_t>(ahead + total * width)));
    }
  }
}

// More would wait for the same link, on multiprocessors that others want.
TEST(CudaGather, TakesFewBlocksWhereRowsAreOnTheHost) {
#if !defined(GLS_CUDA_ON_HOST)
  GTEST_SKIP() << "blocks are counted by the emulated runtime alone";
#else
  const auto gpu = open_gpu();
  constexpr int64_t kRows = 20000;
  constexpr int64_t kWidth = 16;  // of int64, so that 8 threads copy a row and a block 128 at once
  std::vector<int64_t> rows(kRows * kWidth);
  std::vector<int64_t> wanted(kRows);
  for (int64_t i = 0; i < kRows; ++i) {
    rows[static_cast<size_t>(i * kWidth)] = 7 * i;
    wanted[static_cast<size_t>(i)] = kRows - 1 - i;
  }
  const uint64_t bytes = rows.size() * sizeof(int64_t);
  GpuError error;
  const void* seen = nullptr;
  void* memory = nullptr;
  void* ids = nullptr;
  void* out = nullptr;
  ASSERT_TRUE(gpu->allocate(bytes, nullptr, &memory, &error)) << error.text;
  ASSERT_TRUE(gpu->allocate(kRows * sizeof(int64_t), nullptr, &ids, &error)) << error.text;
  ASSERT_TRUE(gpu->allocate(bytes, nullptr, &out, &error)) << error.text;
  ASSERT_TRUE(gpu->pin(rows.data(), bytes, &seen, &error)) << error.text;
  ASSERT_TRUE(gpu->copy_in(memory, rows.data(), bytes, nullptr, &error)) << error.text;
  ASSERT_TRUE(gpu->copy_in(ids, wanted.data(), kRows * sizeof(int64_t), nullptr, &error));
  for (const bool on_host : {false, true}) {
    device::GatherWork work = {};
    work.rows = on_host ? seen : memory;
    work.stride = kWidth * 8;
    work.num_rows = kRows;
    work.row_elements = kWidth;
    work.row_bytes = kWidth * 8;
    work.ids = ids;
    work.wide = true;
    work.count = kRows;
    work.total = kRows;
    work.out = out;
    work.place_bits = 31;
    ASSERT_TRUE(gpu->gather(work, nullptr, &error)) << error.text;
    EXPECT_EQ(cuda_on_host::last_blocks(), on_host ? 64u : 157u);
    std::vector<int64_t> found(rows.size());
    ASSERT_TRUE(gpu->copy_out(found.data(), out, bytes, nullptr, &error)) << error.text;
    for (int64_t i = 0; i < kRows; ++i) {
      ASSERT_EQ(found[static_cast<size_t>(i * kWidth)], 7 * (kRows - 1 - i));
    }
  }
  gpu->unpin(rows.data());
  for (void* const block : {memory, ids, out}) {
    gpu->release(block, nullptr);
  }
#endif
}

// What others have pinned is read where it lies, as far as they have pinned it, and stays pinned.
TEST(CudaGather, UsesWhatOthersHavePinned) {
#if !defined(GLS_CUDA_ON_HOST)
  GTEST_SKIP() << "where memory is not pinned is known by the emulated runtime alone";
#else
  const auto gpu = open_gpu();
  GpuError error;
  constexpr uint64_t kBytes = 100000;
  const Shared others(gpu.get(), kBytes);
  const void* seen = nullptr;
  ASSERT_TRUE(gpu->pin(others.data() + 100, kBytes - 200, &seen, &error)) << error.text;
  EXPECT_EQ(seen, others.data() + 100);
  ASSERT_TRUE(gpu->pin(others.data() + 100, kBytes - 200, &seen, &error)) << error.text;
  gpu->unpin(others.data() + 100);
  gpu->unpin(others.data() + 100);
  EXPECT_TRUE(cuda::lies_on_host(others.data()));
  EXPECT_FALSE(gpu->pin(others.data() + 100, 10 * kBytes, &seen, &error));
  EXPECT_NE(std::string(error.text).find("pinning memory of the host"), std::string::npos);
  // Of our own: it ends with its users, and so nobody else is to count on it.
  const std::vector<char> own(kBytes);
  ASSERT_TRUE(gpu->pin(own.data(), kBytes, &seen, &error)) << error.text;
  EXPECT_FALSE(gpu->pin(own.data(), kBytes / 2, &seen, &error));
  gpu->unpin(own.data());
  EXPECT_FALSE(cuda::lies_on_host(own.data()));
#endif
}

}  // namespace
}  // namespace gls::test
