// Implements device::Gpu with the CUDA runtime. Memory comes from a pool of its own, in stream
// order.
//
// Every call uses this device, and leaves the thread's current device unchanged (DeviceGuard). The
// first call that needs a context makes it, with all of its objects; describing the device needs
// none.
#pragma once

#include <cuda_runtime.h>
#include <sys/types.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "cuda/runtime/device_guard.h"
#include "cuda/runtime/events.h"
#include "cuda/runtime/held_memory.h"
#include "device/gpu.h"

namespace gls::cuda {

// One GPU, through the CUDA runtime.
class CudaGpu final : public device::Gpu {
 public:
  static CudaGpu* open(int32_t number, device::GpuError* error) noexcept;

  void destroy() noexcept override;
  void info(device::GpuInfo* out) noexcept override;
  bool in_use() noexcept override;
  bool free_memory(uint64_t* bytes, device::GpuError* error) noexcept override;
  bool allocate(uint64_t bytes, device::Stream stream, void** out,
                device::GpuError* error) noexcept override;
  void release(void* memory, device::Stream stream) noexcept override;
  void release_after(void* memory, const device::Stream* streams, size_t count) noexcept override;
  bool keep_free(uint64_t bytes, device::GpuError* error) noexcept override;
  bool allocate_pinned(uint64_t bytes, void** out, device::GpuError* error) noexcept override;
  void release_pinned(void* memory) noexcept override;
  bool pin(const void* memory, uint64_t bytes, const void** seen,
           device::GpuError* error) noexcept override;
  void unpin(const void* memory) noexcept override;
  bool allocate_shared(uint64_t bytes, void** out, device::GpuError* error) noexcept override;
  void release_shared(void* memory) noexcept override;
  bool reach(int32_t other, device::GpuError* error) noexcept override;
  bool export_shared(const void* memory, device::MemoryHandle* out,
                     device::GpuError* error) noexcept override;
  bool import_shared(const device::MemoryHandle& handle, const void** out,
                     device::GpuError* error) noexcept override;
  void close_imported(const void* memory) noexcept override;
  bool open_stream(device::Stream* out, device::GpuError* error) noexcept override;
  void close_stream(device::Stream stream) noexcept override;
  bool finish(device::Stream stream, device::GpuError* error) noexcept override;
  bool follow(device::Stream stream, device::Stream other,
              device::GpuError* error) noexcept override;
  bool copy_in(void* to, const void* from, uint64_t bytes, device::Stream stream,
               device::GpuError* error) noexcept override;
  bool copy_out(void* to, const void* from, uint64_t bytes, device::Stream stream,
                device::GpuError* error) noexcept override;
  bool gather(const device::GatherWork& work, device::Stream stream,
              device::GpuError* error) noexcept override;
  bool set_slots(int32_t* slots, const device::SlotChange* changes, int64_t count,
                 device::Stream stream, device::GpuError* error) noexcept override;
  bool pad(const device::PadWork* works, size_t count, device::Stream stream,
           device::GpuError* error) noexcept override;
  device::GpuSampler* open_sampler(const device::SamplerPlan& plan,
                                   device::GpuError* error) noexcept override;
  device::GpuFile* open_file(int fd, device::GpuError* error) noexcept override;
  device::GpuFileReader* open_file_reader(uint64_t bytes,
                                          device::GpuError* error) noexcept override;

 private:
  friend class OnGpu;
  explicit CudaGpu(int32_t number);
  bool describe(device::GpuError* error);
  // Makes the context and its objects at the first call, and again after a failure.
  bool begin(device::GpuError* error) noexcept;
  bool make_pool(device::GpuError* error);
  // Memory that other code returned is available afterwards.
  void make_room() noexcept;
  bool no_memory(uint64_t bytes, device::GpuError* error) const;  // Returns false.

  const int32_t number_;
  const pid_t process_;
  device::GpuInfo info_;
  std::mutex begin_mutex_;
  std::atomic<bool> begun_{false};
  CUcontext context_ = nullptr;
  cudaMemPool_t pool_ = nullptr;
  cudaStream_t freeing_ = nullptr;
  HeldMemory held_;
  std::mutex streams_mutex_;
  std::vector<cudaStream_t> streams_;  // all open streams
};

// While one exists, calls of this thread use this device.
class OnGpu {
 public:
  OnGpu(CudaGpu& gpu, device::GpuError* error)
      : on_(gpu.begin(error) ? gpu.context_ : nullptr, gpu.process_, error) {}
  explicit operator bool() const { return static_cast<bool>(on_); }

 private:
  const DeviceGuard on_;
};

}  // namespace gls::cuda
