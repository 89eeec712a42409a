// What a GPU owes the program that it is part of: the device of a thread stays as it was, captures
// of CUDA graphs go on, and memory is nobody's before streams of others have done with it. On the
// emulated runtime, or on a GPU.
#include "cuda/plugin/cuda_gpu.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sanitized.h"
#if defined(GLS_CUDA_ON_HOST)
#include "cuda_on_host/streams_on_host.h"
#endif

namespace gls::test {
namespace {

using cuda::CudaGpu;
using device::GpuError;
using device::Stream;

#define GLS_EMULATED_ALONE() \
  GTEST_SKIP() << "streams do what they are told: for the emulated runtime alone"

struct Destroyer {
  void operator()(CudaGpu* gpu) const { gpu->destroy(); }
};
using GpuHere = std::unique_ptr<CudaGpu, Destroyer>;

GpuHere open_gpu(int32_t number) {
  GpuError error;
  GpuHere gpu(CudaGpu::open(number, &error));
  EXPECT_NE(gpu, nullptr) << error.text;
  return gpu;
}

// The runtime's, of a consumer.
cudaStream_t foreign_stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t stream = nullptr;
  EXPECT_EQ(cudaStreamCreateWithFlags(&stream, flags), cudaSuccess);
  return stream;
}

// NULL: none.
CUcontext context_of_thread() {
  void* get = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  EXPECT_EQ(
      cudaGetDriverEntryPointByVersion("cuCtxGetCurrent", &get, 12000, cudaEnableDefault, &found),
      cudaSuccess);
  CUcontext context = nullptr;
  EXPECT_EQ(reinterpret_cast<decltype(&cuCtxGetCurrent)>(get)(&context), CUDA_SUCCESS);
  return context;
}

int device_of_thread() {
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  return device;
}

cudaStreamCaptureMode mode_of_thread() {
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  cudaStreamCaptureMode same = mode;
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&same), cudaSuccess);
  return mode;
}

struct Call {
  const char* name;
  std::function<bool(CudaGpu&, GpuError*)> make;
};

// Each entry, on memory and a stream of its own where it needs them.
std::vector<Call> all_calls() {
  struct Things {
    void* memory = nullptr;
    void* pinned = nullptr;
    void* shared = nullptr;
    Stream stream = nullptr;
    Stream other = nullptr;
    std::vector<char> pages = std::vector<char>(8192);
  };
  const auto all = std::make_shared<Things>();
  return {
      {"open_stream",
       [=](CudaGpu& gpu, GpuError* e) {
         return gpu.open_stream(&all->stream, e) && gpu.open_stream(&all->other, e);
       }},
      {"allocate",
       [=](CudaGpu& gpu, GpuError* e) { return gpu.allocate(4096, all->stream, &all->memory, e); }},
      {"allocate_pinned",
       [=](CudaGpu& gpu, GpuError* e) { return gpu.allocate_pinned(4096, &all->pinned, e); }},
      {"allocate_shared",
       [=](CudaGpu& gpu, GpuError* e) { return gpu.allocate_shared(4096, &all->shared, e); }},
      {"export_shared",
       [=](CudaGpu& gpu, GpuError* e) {
         device::MemoryHandle handle;
         return gpu.export_shared(all->shared, &handle, e);
       }},
      {"import_shared",  // which is of this process: refused
       [=](CudaGpu& gpu, GpuError* e) {
         device::MemoryHandle handle;
         const void* out = nullptr;
         return gpu.export_shared(all->shared, &handle, e) && !gpu.import_shared(handle, &out, e);
       }},
      {"reach",
       [=](CudaGpu& gpu, GpuError* e) {
         gpu.reach(0, e);
         return true;
       }},
      {"pin",
       [=](CudaGpu& gpu, GpuError* e) {
         const void* seen = nullptr;
         if (gpu.pin(all->pages.data(), all->pages.size(), &seen, e)) {
           gpu.unpin(all->pages.data());
         }
         return true;
       }},
      {"copy_in",
       [=](CudaGpu& gpu, GpuError* e) {
         return gpu.copy_in(all->memory, all->pinned, 4096, all->stream, e);
       }},
      {"copy_out",
       [=](CudaGpu& gpu, GpuError* e) {
         return gpu.copy_out(all->pinned, all->memory, 4096, all->stream, e);
       }},
      {"set_slots",
       [=](CudaGpu& gpu, GpuError* e) {
         new (all->pinned) device::SlotChange{};
         return gpu.set_slots(static_cast<int32_t*>(all->memory),
                              static_cast<const device::SlotChange*>(all->pinned), 1, all->stream,
                              e);
       }},
      {"follow", [=](CudaGpu& gpu, GpuError* e) { return gpu.follow(all->stream, all->other, e); }},
      {"finish", [=](CudaGpu& gpu, GpuError* e) { return gpu.finish(all->stream, e); }},
      {"free_memory",
       [=](CudaGpu& gpu, GpuError* e) {
         uint64_t bytes = 0;
         return gpu.free_memory(&bytes, e) && bytes > 0;
       }},
      {"keep_free", [=](CudaGpu& gpu, GpuError* e) { return gpu.keep_free(1 << 20, e); }},
      {"no memory",
       [=](CudaGpu& gpu, GpuError* e) {
         void* out = nullptr;
         return !gpu.allocate(uint64_t{1} << 50, all->stream, &out, e) &&
                e->code == GLS_ERR_OUT_OF_MEMORY;
       }},
      {"release",
       [=](CudaGpu& gpu, GpuError* e) {
         void* other = nullptr;
         const bool good = gpu.allocate(4096, all->stream, &other, e);
         gpu.release(other, all->stream);
         const Stream users[] = {all->stream, all->other};
         gpu.release_after(all->memory, users, 2);
         return good;
       }},
      {"release_pinned",
       [=](CudaGpu& gpu, GpuError*) {
         gpu.release_pinned(all->pinned);
         gpu.release_shared(all->shared);
         return true;
       }},
      {"close_stream",
       [=](CudaGpu& gpu, GpuError*) {
         gpu.close_stream(all->stream);
         gpu.close_stream(all->other);
         return true;
       }},
  };
}

// No fewer devices than two, where they can be had.
int32_t devices() {
  setenv("CUDA_ON_HOST_DEVICES", "2", 1);
  int count = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  return count;
}

// The first test, as any other one leaves a context behind in the process.
TEST(CudaGpu, IsDescribedWithoutAContext) {
  const int32_t last = devices() - 1;
  const bool before = cuda::has_primary_context(last) || cuda::has_primary_context(0);
  const GpuHere gpu = open_gpu(last);
  device::GpuInfo info;
  gpu->info(&info);
  EXPECT_GT(info.bytes, 0u);
  if (before) {
    GTEST_SKIP() << "another test of this process has used it";
  }
  EXPECT_FALSE(gpu->in_use());
  uint64_t bytes = 0;
  GpuError error;
  EXPECT_TRUE(gpu->free_memory(&bytes, &error)) << error.text;
  EXPECT_TRUE(gpu->in_use());
  EXPECT_EQ(cuda::has_primary_context(0), last == 0);
}

TEST(CudaGpu, LeavesAThreadAsItWas) {
  const int32_t last = devices() - 1;
  const auto compare = [&](bool has_device) {
    const CUcontext context = context_of_thread();
    const int device = device_of_thread();
    const bool other_in_use = cuda::has_primary_context(0);
    GpuHere gpu = open_gpu(last);
    for (const Call& call : all_calls()) {
      GpuError error;
      EXPECT_TRUE(call.make(*gpu, &error)) << call.name << ": " << error.text;
      EXPECT_EQ(context_of_thread(), context) << call.name;
      EXPECT_EQ(device_of_thread(), device) << call.name;
      // Asking for the mode gives a thread a device.
      EXPECT_TRUE(!has_device || mode_of_thread() == cudaStreamCaptureModeGlobal) << call.name;
      // With last == 0 it is in use from the first.
      EXPECT_TRUE(last == 0 || call.name == std::string("reach") ||
                  cuda::has_primary_context(0) == other_in_use)
          << call.name;
    }
    gpu.reset();
    EXPECT_EQ(context_of_thread(), context);
    EXPECT_EQ(device_of_thread(), device);
    EXPECT_EQ(mode_of_thread(), cudaStreamCaptureModeGlobal);
  };
  std::thread(compare, false).join();
  std::thread([&] {
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    compare(true);
  }).join();
}

TEST(CudaGpu, LetsCapturesGoOn) {
  const int32_t last = devices() - 1;
  GpuHere gpu = open_gpu(last);
  cudaStream_t const stream = foreign_stream();
  const auto make_all = [&] {
    for (const Call& call : all_calls()) {
      GpuError error;
      EXPECT_TRUE(call.make(*gpu, &error)) << call.name << ": " << error.text;
    }
  };
  ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
  std::thread(make_all).join();
  make_all();
  cudaGraph_t graph = nullptr;
  EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
  cudaGraphDestroy(graph);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

TEST(CudaGpu, DoesNotWaitForWhatIsBeingCaptured) {
  const GpuHere gpu = open_gpu(0);
  for (const unsigned flags : {unsigned{cudaStreamNonBlocking}, 0u}) {
    cudaStream_t const stream = foreign_stream(flags);
    Stream own = nullptr;
    GpuError error;
    ASSERT_TRUE(gpu->open_stream(&own, &error)) << error.text;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_FALSE(gpu->follow(own, stream, &error));
    EXPECT_EQ(error.code, GLS_ERR_INVALID_STATE);
    EXPECT_FALSE(gpu->finish(stream, &error));
    EXPECT_NE(std::string(error.text).find("is being captured"), std::string::npos) << error.text;
    EXPECT_EQ(gpu->follow(own, nullptr, &error), flags != 0);  // it would meet the other
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    EXPECT_TRUE(gpu->follow(own, stream, &error)) << error.text;
    gpu->close_stream(own);
    EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  }
}

// A block, and how much of the memory is free.
class Held : public ::testing::Test {
 protected:
  void SetUp() override {
    devices();
    gpu_ = open_gpu(0);
    GpuError error;
    ASSERT_TRUE(gpu_->open_stream(&stream_, &error)) << error.text;
    before_ = free_memory();
  }
  void TearDown() override {
    if (gpu_ != nullptr) {
      gpu_->close_stream(stream_);
    }
  }
  uint64_t free_memory() const {
    uint64_t bytes = 0;
    GpuError error;
    EXPECT_TRUE(gpu_->free_memory(&bytes, &error)) << error.text;
    return bytes;
  }
  void* block() const {
    void* out = nullptr;
    GpuError error;
    EXPECT_TRUE(gpu_->allocate(kBytes, stream_, &out, &error)) << error.text;
    return out;
  }
  // Whether all was given back. Asking gives back what can be; on a GPU it stays with the pool, so
  // that the answer says nothing there.
  ::testing::AssertionResult all_free([[maybe_unused]] bool expected) const {
    [[maybe_unused]] const uint64_t now = free_memory();
#if defined(GLS_CUDA_ON_HOST)
    if ((now == before_) != expected) {
      return ::testing::AssertionFailure() << now << " of " << before_;
    }
#endif
    return ::testing::AssertionSuccess();
  }
  void release(std::vector<Stream> users) const {
    gpu_->release_after(block(), users.data(), users.size());
  }

  static constexpr uint64_t kBytes = 1 << 20;
  GpuHere gpu_;
  Stream stream_ = nullptr;
  uint64_t before_ = 0;
};

TEST_F(Held, UntilACaptureHasEnded) {
  for (const unsigned flags : {unsigned{cudaStreamNonBlocking}, 0u}) {
    cudaStream_t const reader = foreign_stream(flags);
    ASSERT_EQ(cudaStreamBeginCapture(reader, cudaStreamCaptureModeGlobal), cudaSuccess);
    std::thread([&] { release({reader, stream_}); }).join();
    release({stream_, reader, nullptr});
    EXPECT_TRUE(all_free(false));
    cudaGraph_t graph = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(reader, &graph), cudaSuccess);
    cudaGraphDestroy(graph);
    EXPECT_TRUE(all_free(true));
    EXPECT_EQ(cudaStreamDestroy(reader), cudaSuccess);
  }
}

TEST_F(Held, NotWhereNothingIsQueued) {
  cudaStream_t const reader = foreign_stream();
  release({});
  EXPECT_TRUE(all_free(true));
  release({reader, stream_, nullptr});
  EXPECT_TRUE(all_free(true));
  EXPECT_EQ(cudaStreamDestroy(reader), cudaSuccess);
}

TEST_F(Held, UntilStreamsOfAnyGpuAreDone) {
#if defined(GLS_CUDA_ON_HOST)
  cudaStream_t const here = foreign_stream();
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  cudaStream_t const there = foreign_stream();
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  cuda_on_host::hold(here);
  cuda_on_host::hold(there);
  release({here, there});
  EXPECT_TRUE(all_free(false));
  cuda_on_host::let_go(here);
  EXPECT_TRUE(all_free(false));
  // Nothing of ours waits with them.
  GpuError error;
  EXPECT_TRUE(gpu_->finish(stream_, &error)) << error.text;
  release({stream_});
  cuda_on_host::let_go(there);
  EXPECT_TRUE(all_free(true));
  EXPECT_EQ(cudaStreamDestroy(here), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(there), cudaSuccess);
#else
  GLS_EMULATED_ALONE();
#endif
}

TEST_F(Held, IsWaitedForWhereThereIsNoOther) {
#if defined(GLS_CUDA_ON_HOST)
  cudaStream_t const reader = foreign_stream();
  cuda_on_host::hold(reader);
  release({reader});
  setenv("CUDA_ON_HOST_MEMORY", std::to_string(kBytes + 4096).c_str(), 1);
  std::atomic<bool> done{false};
  std::thread consumer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    done = true;
    cuda_on_host::let_go(reader);
  });
  void* const found = block();
  EXPECT_TRUE(done);
  EXPECT_NE(found, nullptr);
  consumer.join();
  unsetenv("CUDA_ON_HOST_MEMORY");
  gpu_->release(found, stream_);
  EXPECT_EQ(cudaStreamDestroy(reader), cudaSuccess);
#else
  GLS_EMULATED_ALONE();
#endif
}

TEST_F(Held, ForEverByWhatIsNoStreamAnyMore) {
#if defined(GLS_CUDA_ON_HOST)
  cudaStream_t const reader = foreign_stream();
  EXPECT_EQ(cudaStreamDestroy(reader), cudaSuccess);
  release({reader});
  EXPECT_TRUE(all_free(false));
  release({stream_});
  EXPECT_EQ(free_memory(), before_ - kBytes);
#else
  GLS_EMULATED_ALONE();
#endif
}

TEST_F(Held, OutlivesTheGpu) {
#if defined(GLS_CUDA_ON_HOST)
  cudaStream_t const reader = foreign_stream();
  cuda_on_host::hold(reader);
  release({reader});
  gpu_->close_stream(stream_);
  gpu_ = nullptr;  // does not wait
  cuda_on_host::let_go(reader);
  gpu_ = open_gpu(0);
  GpuError error;
  ASSERT_TRUE(gpu_->open_stream(&stream_, &error)) << error.text;
  EXPECT_TRUE(all_free(true));
  EXPECT_EQ(cudaStreamDestroy(reader), cudaSuccess);
#else
  GLS_EMULATED_ALONE();
#endif
}

TEST_F(Held, MemoryGoesBackToOtherPrograms) {
#if defined(GLS_CUDA_ON_HOST)
  setenv("CUDA_ON_HOST_POOLS", "1", 1);
  GpuError error;
  for (const auto& [keep, kept] : std::vector<std::pair<uint64_t, uint64_t>>{
           {UINT64_MAX, 4 * kBytes}, {2 * kBytes, 2 * kBytes}, {0, 0}}) {
    ASSERT_TRUE(gpu_->keep_free(keep, &error)) << error.text;
    std::vector<void*> blocks;
    for (int i = 0; i < 4; ++i) {
      blocks.push_back(block());
    }
    EXPECT_TRUE(gpu_->finish(stream_, &error)) << error.text;
    for (void* const one : blocks) {
      gpu_->release(one, stream_);
    }
    EXPECT_TRUE(gpu_->finish(stream_, &error)) << error.text;
    EXPECT_EQ(free_memory(), before_ - kept);
  }
  unsetenv("CUDA_ON_HOST_POOLS");
#else
  GLS_EMULATED_ALONE();
#endif
}

TEST_F(Held, ChildrenLeaveAllAsItIs) {
  void* pinned = nullptr;
  GpuError error;
  ASSERT_TRUE(gpu_->allocate_pinned(4096, &pinned, &error)) << error.text;
  void* const memory = block();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    gpu_->release_pinned(pinned);
    gpu_->release(memory, stream_);
    gpu_->release_after(memory, &stream_, 1);
    void* out = nullptr;
    const bool refused = !gpu_->allocate(64, stream_, &out, &error) &&
                         error.code == GLS_ERR_INVALID_STATE &&
                         std::string(error.text).find("forked child") != std::string::npos;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  gpu_->release_pinned(pinned);
  gpu_->release(memory, stream_);
}

}  // namespace
}  // namespace gls::test
