// A GPU by the CUDA runtime. Memory comes from a pool of its own, in the order of streams.
#pragma once

#include <cuda_runtime.h>

#include "device/gpu.h"

namespace gls::cuda {

class CudaGpu final : public device::Gpu {
 public:
  static device::Gpu* open(int32_t number, device::GpuError* error) noexcept;

  void destroy() noexcept override;
  void info(device::GpuInfo* out) noexcept override;
  bool free_memory(uint64_t* bytes, device::GpuError* error) noexcept override;
  bool allocate(uint64_t bytes, device::Stream stream, void** out,
                device::GpuError* error) noexcept override;
  void release(void* memory, device::Stream stream) noexcept override;
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
  explicit CudaGpu(int32_t number) : number_(number) {}
  bool begin(device::GpuError* error);
  // Threads choose the device that they call: this one, from now on.
  bool choose(device::GpuError* error) const;
  bool no_memory(uint64_t bytes, device::GpuError* error) const;  // false

  int32_t number_;
  device::GpuInfo info_;
  cudaMemPool_t pool_ = nullptr;
};

}  // namespace gls::cuda
