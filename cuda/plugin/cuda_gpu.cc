#include "cuda/plugin/cuda_gpu.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include "cuda/kernels/gather.h"
#include "cuda/kernels/pad.h"
#include "cuda/plugin/direct_storage.h"
#include "cuda/plugin/sampler.h"
#include "cuda/runtime/failure.h"
#include "cuda/runtime/pinned_ranges.h"

namespace gls::cuda {

using device::GpuError;
using device::Stream;

namespace {

cudaStream_t stream_of(Stream stream) { return static_cast<cudaStream_t>(stream); }

// Longer waits sleep; waking takes tens of microseconds.
constexpr std::chrono::microseconds kAwake{150};

bool marked(cudaStream_t stream, Events::Loan* event, GpuError* error) {
  const Marked result = mark(stream, event, error);
  return result == Marked::kYes ||
         (result == Marked::kCapturing &&
          refuse(GLS_ERR_INVALID_STATE,
                 "a stream that works with the batch is being captured into a CUDA graph, and "
                 "cannot be waited for",
                 error));
}

RowRoute way_of(device::RowForm form) {
  switch (form) {
    case device::RowForm::kHalf:
      return RowRoute::kHalf;
    case device::RowForm::kBfloat:
      return RowRoute::kBfloat;
    case device::RowForm::kCodes1:
      return RowRoute::kCode1;
    case device::RowForm::kCodes2:
      return RowRoute::kCode2;
    case device::RowForm::kCodes4:
      return RowRoute::kCode4;
    case device::RowForm::kCodes8:
      return RowRoute::kCode8;
    default:
      return RowRoute::kCopy;
  }
}

}  // namespace

CudaGpu* CudaGpu::open(int32_t number, GpuError* error) noexcept {
  auto* const gpu = new (std::nothrow) CudaGpu(number);
  if (gpu == nullptr) {
    refuse(GLS_ERR_OUT_OF_MEMORY, "no memory", error);
    return nullptr;
  }
  if (!gpu->describe(error)) {
    gpu->destroy();
    return nullptr;
  }
  return gpu;
}

CudaGpu::CudaGpu(int32_t number) : number_(number), process_(getpid()) {}

bool CudaGpu::describe(GpuError* error) {
  cudaDeviceProp properties = {};
  if (!good(cudaGetDeviceProperties(&properties, number_), "properties of the device", error)) {
    return false;
  }
  static_assert(sizeof info_.name == sizeof properties.name);
  std::memcpy(info_.name, properties.name, sizeof info_.name - 1);
  info_.bytes = properties.totalGlobalMem;
  info_.major = properties.major;
  info_.minor = properties.minor;
#if defined(GLS_CUDA_ON_HOST)
  info_.host_writes = true;
#endif
  return properties.memoryPoolsSupported != 0 ||
         refuse(GLS_ERR_UNSUPPORTED,
                "CUDA: the GPU or its driver has no memory pools, which are needed", error);
}

bool CudaGpu::begin(GpuError* error) noexcept {
  if (begun_.load(std::memory_order_acquire)) {
    return true;
  }
  if (getpid() != process_) {
    return refuse(GLS_ERR_INVALID_STATE, kForked, error);
  }
  const std::lock_guard lock(begin_mutex_);
  if (begun_.load(std::memory_order_relaxed)) {
    return true;
  }
  if (context_ == nullptr && !primary_context(number_, &context_, error)) {
    return false;
  }
  const DeviceGuard on(context_, process_, error);
  if (!on || !make_pool(error)) {
    return false;
  }
  begun_.store(true, std::memory_order_release);
  return true;
}

bool CudaGpu::make_pool(GpuError* error) {
  cudaMemPoolProps pool = {};
  pool.allocType = cudaMemAllocationTypePinned;
  pool.location.type = cudaMemLocationTypeDevice;
  pool.location.id = number_;
  uint64_t keep = device::kept_by_default(info_);
  if (pool_ == nullptr && !good(cudaMemPoolCreate(&pool_, &pool), "making a memory pool", error)) {
    return false;
  }
  if (!good(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep),
            "setting up a memory pool", error) ||
      !good(cudaStreamCreateWithFlags(&freeing_, cudaStreamNonBlocking), "making a stream",
            error)) {
    return false;
  }
  held_.begin(freeing_);
  return true;
}

void CudaGpu::destroy() noexcept {
  GpuError ignored;
  if (context_ != nullptr) {
    if (const DeviceGuard on(context_, process_, &ignored); on) {
      if (freeing_ != nullptr) {
        held_.leave();
        cudaStreamDestroy(freeing_);  // when all queued work is done
      }
      if (pool_ != nullptr) {
        cudaMemPoolDestroy(pool_);  // when all of its memory was returned
      }
      static_cast<void>(cudaGetLastError());
    }
  }
  delete this;
}

void CudaGpu::info(device::GpuInfo* out) noexcept { *out = info_; }

bool CudaGpu::in_use() noexcept { return has_primary_context(number_); }

bool CudaGpu::free_memory(uint64_t* bytes, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  if (!on) {
    return false;
  }
  held_.sweep();
  size_t free = 0;
  size_t total = 0;
  if (!good(cudaMemGetInfo(&free, &total), "asking for free memory", error)) {
    return false;
  }
  *bytes = free;
  return true;
}

// ---- memory ------------------------------------------------------------------------------------

bool CudaGpu::allocate(uint64_t bytes, Stream stream, void** out, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  if (!on) {
    return false;
  }
  held_.sweep_at_times();
  cudaError_t result = cudaMallocFromPoolAsync(out, bytes, pool_, stream_of(stream));
  if (result == cudaErrorMemoryAllocation) {
    make_room();
    result = cudaMallocFromPoolAsync(out, bytes, pool_, stream_of(stream));
  }
  return result == cudaErrorMemoryAllocation ? no_memory(bytes, error)
                                             : good(result, "allocating memory", error);
}

// Without cudaDeviceSynchronize(), which ends captures of other code.
void CudaGpu::make_room() noexcept {
  held_.wait();
  {
    const std::lock_guard lock(streams_mutex_);
    for (const cudaStream_t stream : streams_) {
      cudaStreamSynchronize(stream);
    }
  }
  cudaStreamSynchronize(freeing_);
  cudaMemPoolTrimTo(pool_, 0);
  static_cast<void>(cudaGetLastError());
}

bool CudaGpu::no_memory(uint64_t bytes, GpuError* error) const {
  static_cast<void>(cudaGetLastError());
  error->code = GLS_ERR_OUT_OF_MEMORY;
  static_cast<void>(std::snprintf(error->text, sizeof error->text,
                                  "CUDA: GPU %d (%s) has no %llu bytes left", number_, info_.name,
                                  static_cast<unsigned long long>(bytes)));
  return false;
}

void CudaGpu::release(void* memory, Stream stream) noexcept {
  if (memory == nullptr) {
    return;
  }
  GpuError ignored;
  if (const OnGpu on(*this, &ignored); on) {
    good(cudaFreeAsync(memory, stream_of(stream)), "giving back memory", &ignored);
  }
}

void CudaGpu::release_after(void* memory, const Stream* streams, size_t count) noexcept {
  GpuError ignored;
  if (const OnGpu on(*this, &ignored); on) {
    held_.add(memory, streams, count);
  }
}

bool CudaGpu::keep_free(uint64_t bytes, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  return on && good(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &bytes),
                    "setting up a memory pool", error);
}

bool CudaGpu::allocate_pinned(uint64_t bytes, void** out, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  return on &&
         good(cudaHostAlloc(out, bytes, cudaHostAllocPortable), "pinned memory of the host", error);
}

void CudaGpu::release_pinned(void* memory) noexcept {
  GpuError ignored;
  if (const OnGpu on(*this, &ignored); on) {
    good(cudaFreeHost(memory), "giving back pinned memory", &ignored);
  }
}

bool CudaGpu::pin(const void* memory, uint64_t bytes, const void** seen, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  if (!on) {
    return false;
  }
  auto* const start = const_cast<void*>(memory);
  // Pages of files are mapped read-only, and some systems do not pin such pages.
  int read_only = 0;
  if (!good(cudaDeviceGetAttribute(&read_only, cudaDevAttrHostRegisterReadOnlySupported, number_),
            "asking for pinning", error)) {
    return false;
  }
  const unsigned flags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                         (read_only != 0 ? cudaHostRegisterReadOnly : 0u);
  if (!pin_range(start, bytes, flags, error)) {
    return false;
  }
  void* found = nullptr;
  if (!good(cudaHostGetDevicePointer(&found, start, 0), "finding pinned memory", error)) {
    unpin_range(start);
    return false;
  }
  *seen = found;
  return true;
}

void CudaGpu::unpin(const void* memory) noexcept {
  GpuError ignored;
  if (const OnGpu on(*this, &ignored); on) {
    unpin_range(const_cast<void*>(memory));
  }
}

// ---- memory that other devices read -------------------------------------------------------------

// Not from the pool, whose memory has no handles of this kind. The driver shares whole pages of 2
// MiB with other processes, so nothing else may be in them.
bool CudaGpu::allocate_shared(uint64_t bytes, void** out, GpuError* error) noexcept {
  constexpr uint64_t kPage = uint64_t{2} << 20;
  const uint64_t pages = (bytes + kPage - 1) / kPage * kPage;
  const OnGpu on(*this, error);
  if (!on) {
    return false;
  }
  cudaError_t result = cudaMalloc(out, pages);
  if (result == cudaErrorMemoryAllocation) {  // batches may have returned some memory
    make_room();
    result = cudaMalloc(out, pages);
  }
  return result == cudaErrorMemoryAllocation ? no_memory(pages, error)
                                             : good(result, "allocating shared memory", error);
}

void CudaGpu::release_shared(void* memory) noexcept {
  GpuError ignored;
  if (const OnGpu on(*this, &ignored); on) {
    good(cudaFree(memory), "giving back shared memory", &ignored);
  }
}

bool CudaGpu::reach(int32_t other, GpuError* error) noexcept {
  int can = 0;
  const OnGpu on(*this, error);
  if (!on || !good(cudaDeviceCanAccessPeer(&can, number_, other), "asking for peers", error)) {
    return false;
  }
  if (can == 0) {
    error->code = GLS_ERR_UNSUPPORTED;
    static_cast<void>(std::snprintf(error->text, sizeof error->text,
                                    "CUDA: GPU %d cannot read memory of GPU %d: the machine has no "
                                    "peer access between them",
                                    number_, other));
    return false;
  }
  const cudaError_t result = cudaDeviceEnablePeerAccess(other, 0);
  if (result == cudaErrorPeerAccessAlreadyEnabled) {
    static_cast<void>(cudaGetLastError());
    return true;
  }
  return good(result, "enabling peer access", error);
}

bool CudaGpu::export_shared(const void* memory, device::MemoryHandle* out,
                            GpuError* error) noexcept {
  cudaIpcMemHandle_t handle = {};
  static_assert(sizeof handle == sizeof out->bytes);
  const OnGpu on(*this, error);
  if (!on ||
      !good(cudaIpcGetMemHandle(&handle, const_cast<void*>(memory)), "a handle of memory", error)) {
    return false;
  }
  std::memcpy(out->bytes, &handle, sizeof handle);
  return true;
}

bool CudaGpu::import_shared(const device::MemoryHandle& handle, const void** out,
                            GpuError* error) noexcept {
  cudaIpcMemHandle_t given = {};
  std::memcpy(&given, handle.bytes, sizeof given);
  void* found = nullptr;
  const OnGpu on(*this, error);
  if (!on || !good(cudaIpcOpenMemHandle(&found, given, cudaIpcMemLazyEnablePeerAccess),
                   "opening memory of another process", error)) {
    return false;
  }
  *out = found;
  return true;
}

void CudaGpu::close_imported(const void* memory) noexcept {
  GpuError ignored;
  if (const OnGpu on(*this, &ignored); on) {
    good(cudaIpcCloseMemHandle(const_cast<void*>(memory)), "closing memory of another process",
         &ignored);
  }
}

// ---- streams -----------------------------------------------------------------------------------

bool CudaGpu::open_stream(Stream* out, GpuError* error) noexcept {
  cudaStream_t stream = nullptr;
  const OnGpu on(*this, error);
  if (!on ||
      !good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream", error)) {
    return false;
  }
  try {
    const std::lock_guard lock(streams_mutex_);
    streams_.push_back(stream);
  } catch (const std::bad_alloc&) {
    cudaStreamDestroy(stream);
    return refuse(GLS_ERR_OUT_OF_MEMORY, "no memory", error);
  }
  *out = stream;
  return true;
}

void CudaGpu::close_stream(Stream stream) noexcept {
  GpuError ignored;
  if (const OnGpu on(*this, &ignored); on) {
    const std::lock_guard lock(streams_mutex_);
    std::erase(streams_, stream_of(stream));
    good(cudaStreamDestroy(stream_of(stream)), "closing a stream", &ignored);
  }
}

// Polls for a while, and then sleeps while other threads work.
bool CudaGpu::finish(Stream stream, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  if (!on) {
    return false;
  }
  Events::Loan event;
  if (!marked(stream_of(stream), &event, error)) {
    return false;
  }
  const auto end = std::chrono::steady_clock::now() + kAwake;
  cudaError_t result = cudaEventQuery(event.get());
  while (result == cudaErrorNotReady && std::chrono::steady_clock::now() < end) {
    result = cudaEventQuery(event.get());
  }
  static_cast<void>(cudaGetLastError());
  // Also for finished work: the pool then frees memory that it need not keep.
  return good(cudaEventSynchronize(event.get()), "what was queued", error);
}

bool CudaGpu::follow(Stream stream, Stream other, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  if (!on) {
    return false;
  }
  Events::Loan event;
  return marked(stream_of(other), &event, error) &&
         good(cudaStreamWaitEvent(stream_of(stream), event.get(), 0), "waiting for a stream",
              error);
}

bool CudaGpu::copy_in(void* to, const void* from, uint64_t bytes, Stream stream,
                      GpuError* error) noexcept {
  const OnGpu on(*this, error);
  return on && good(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_of(stream)),
                    "copying to the device", error);
}

bool CudaGpu::copy_out(void* to, const void* from, uint64_t bytes, Stream stream,
                       GpuError* error) noexcept {
  const OnGpu on(*this, error);
  return on && good(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_of(stream)),
                    "copying from the device", error);
}

// ---- work --------------------------------------------------------------------------------------

bool CudaGpu::gather(const device::GatherWork& work, Stream stream, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  if (!on) {
    return false;
  }
  Gather what;
  what.way = way_of(work.form);
  what.source = {work.rows, work.stride, lies_on_host(work.rows)};
  what.source_rows = work.num_rows;
  what.width = what.way == RowRoute::kCopy ? work.row_bytes : work.row_elements;
  what.by_byte = static_cast<const float*>(work.by_byte);
  what.ids = work.ids;
  what.wide = work.wide;
  what.capacity = work.count;
  what.out = work.out;
  what.rows = work.total;
  what.cache.slots = work.slots;
  what.cache.by_sign = work.by_sign;
  std::memcpy(what.cache.rows, work.cached, sizeof what.cache.rows);
  what.cache.stride = work.cached_stride;
  what.cache.place_bits = work.place_bits;
  what.cache.own = work.own;
  what.cache.asked = reinterpret_cast<unsigned long long*>(work.asked);
  return good(cuda::gather(what, stream_of(stream)), "gathering rows", error);
}

bool CudaGpu::set_slots(int32_t* slots, const device::SlotChange* changes, int64_t count,
                        Stream stream, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  return on &&
         good(cuda::set_slots(slots, changes, count, stream_of(stream)), "changing slots", error);
}

bool CudaGpu::pad(const device::PadWork* works, size_t count, Stream stream,
                  GpuError* error) noexcept {
  const OnGpu on(*this, error);
  return on && good(cuda::pad(works, count, stream_of(stream)), "padding", error);
}

device::GpuSampler* CudaGpu::open_sampler(const device::SamplerPlan& plan,
                                          GpuError* error) noexcept {
  const OnGpu on(*this, error);
  return on ? make_sampler(*this, plan, error) : nullptr;
}

device::GpuFile* CudaGpu::open_file(int fd, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  return on ? make_file(fd, error) : nullptr;
}

device::GpuFileReader* CudaGpu::open_file_reader(uint64_t bytes, GpuError* error) noexcept {
  const OnGpu on(*this, error);
  return on ? make_file_reader(*this, bytes, error) : nullptr;
}

}  // namespace gls::cuda
