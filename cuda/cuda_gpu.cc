#include "cuda/cuda_gpu.h"

#include <cstring>
#include <new>

#include "cuda/direct_storage.h"
#include "cuda/failure.h"
#include "cuda/gather.h"
#include "cuda/pad.h"
#include "cuda/pinned_ranges.h"
#include "cuda/sampler.h"

namespace gls::cuda {

using device::GpuError;
using device::Stream;

namespace {

cudaStream_t stream_of(Stream stream) { return static_cast<cudaStream_t>(stream); }

// An event that lives for a call.
class Mark {
 public:
  explicit Mark(unsigned flags) : made_(cudaEventCreateWithFlags(&event_, flags)) {}
  ~Mark() {
    if (made_ == cudaSuccess) {
      cudaEventDestroy(event_);  // once it has happened
    }
  }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  cudaError_t made() const { return made_; }
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
  cudaError_t made_;
};

RowWay way_of(device::RowForm form) {
  switch (form) {
    case device::RowForm::kHalf:
      return RowWay::kHalf;
    case device::RowForm::kBfloat:
      return RowWay::kBfloat;
    case device::RowForm::kCodes1:
      return RowWay::kCode1;
    case device::RowForm::kCodes2:
      return RowWay::kCode2;
    case device::RowForm::kCodes4:
      return RowWay::kCode4;
    case device::RowForm::kCodes8:
      return RowWay::kCode8;
    default:
      return RowWay::kCopy;
  }
}

}  // namespace

device::Gpu* CudaGpu::open(int32_t number, GpuError* error) noexcept {
  auto* const gpu = new (std::nothrow) CudaGpu(number);
  if (gpu == nullptr) {
    refuse(GLS_ERR_OUT_OF_MEMORY, "no memory", error);
    return nullptr;
  }
  if (!gpu->begin(error)) {
    gpu->destroy();
    return nullptr;
  }
  return gpu;
}

bool CudaGpu::begin(GpuError* error) {
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
  if (properties.memoryPoolsSupported == 0) {
    return refuse(GLS_ERR_UNSUPPORTED,
                  "CUDA: the GPU or its driver has no memory pools, which are needed", error);
  }
  cudaMemPoolProps pool = {};
  pool.allocType = cudaMemAllocationTypePinned;
  pool.location.type = cudaMemLocationTypeDevice;
  pool.location.id = number_;
  // What batches gave back is kept for the next ones.
  uint64_t keep = UINT64_MAX;
  return choose(error) && good(cudaMemPoolCreate(&pool_, &pool), "making a memory pool", error) &&
         good(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &keep),
              "setting up a memory pool", error);
}

void CudaGpu::destroy() noexcept {
  GpuError ignored;
  if (pool_ != nullptr && choose(&ignored)) {
    cudaMemPoolDestroy(pool_);  // once all that is of it was given back
  }
  delete this;
}

bool CudaGpu::choose(GpuError* error) const {
  return good(cudaSetDevice(number_), "choosing the device", error);
}

void CudaGpu::info(device::GpuInfo* out) noexcept { *out = info_; }

bool CudaGpu::free_memory(uint64_t* bytes, GpuError* error) noexcept {
  size_t free = 0;
  size_t total = 0;
  if (!choose(error) || !good(cudaMemGetInfo(&free, &total), "asking for free memory", error)) {
    return false;
  }
  *bytes = free;
  return true;
}

// ---- memory ------------------------------------------------------------------------------------

bool CudaGpu::allocate(uint64_t bytes, Stream stream, void** out, GpuError* error) noexcept {
  if (!choose(error)) {
    return false;
  }
  cudaError_t result = cudaMallocFromPoolAsync(out, bytes, pool_, stream_of(stream));
  if (result == cudaErrorMemoryAllocation) {
    // What others gave back may not be there for this stream yet.
    static_cast<void>(cudaGetLastError());
    cudaDeviceSynchronize();
    cudaMemPoolTrimTo(pool_, 0);
    result = cudaMallocFromPoolAsync(out, bytes, pool_, stream_of(stream));
  }
  return result == cudaErrorMemoryAllocation ? no_memory(bytes, error)
                                             : good(result, "allocating memory", error);
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
  GpuError ignored;
  if (memory != nullptr && choose(&ignored)) {
    good(cudaFreeAsync(memory, stream_of(stream)), "giving back memory", &ignored);
  }
}

bool CudaGpu::allocate_pinned(uint64_t bytes, void** out, GpuError* error) noexcept {
  return choose(error) &&
         good(cudaHostAlloc(out, bytes, cudaHostAllocPortable), "pinned memory of the host", error);
}

void CudaGpu::release_pinned(void* memory) noexcept {
  GpuError ignored;
  good(cudaFreeHost(memory), "giving back pinned memory", &ignored);
}

bool CudaGpu::pin(const void* memory, uint64_t bytes, const void** seen, GpuError* error) noexcept {
  if (!choose(error)) {
    return false;
  }
  auto* const start = const_cast<void*>(memory);
  // Pages of files are mapped to be read, and not every system pins such.
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
  if (choose(&ignored)) {
    unpin_range(const_cast<void*>(memory));
  }
}

// ---- memory that others read, too --------------------------------------------------------------

// Not of the pool, whose memory has no handles of this kind. The driver shares whole pages of 2 MiB
// with other processes, so that nothing else may be in them.
bool CudaGpu::allocate_shared(uint64_t bytes, void** out, GpuError* error) noexcept {
  constexpr uint64_t kPage = uint64_t{2} << 20;
  const uint64_t pages = (bytes + kPage - 1) / kPage * kPage;
  if (!choose(error)) {
    return false;
  }
  cudaError_t result = cudaMalloc(out, pages);
  if (result == cudaErrorMemoryAllocation) {  // batches may have given back some
    static_cast<void>(cudaGetLastError());
    cudaDeviceSynchronize();
    cudaMemPoolTrimTo(pool_, 0);
    result = cudaMalloc(out, pages);
  }
  return result == cudaErrorMemoryAllocation ? no_memory(pages, error)
                                             : good(result, "allocating shared memory", error);
}

void CudaGpu::release_shared(void* memory) noexcept {
  GpuError ignored;
  if (choose(&ignored)) {
    good(cudaFree(memory), "giving back shared memory", &ignored);
  }
}

bool CudaGpu::reach(int32_t other, GpuError* error) noexcept {
  int can = 0;
  if (!choose(error) ||
      !good(cudaDeviceCanAccessPeer(&can, number_, other), "asking for peers", error)) {
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
  if (!choose(error) ||
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
  if (!choose(error) || !good(cudaIpcOpenMemHandle(&found, given, cudaIpcMemLazyEnablePeerAccess),
                              "opening memory of another process", error)) {
    return false;
  }
  *out = found;
  return true;
}

void CudaGpu::close_imported(const void* memory) noexcept {
  GpuError ignored;
  if (choose(&ignored)) {
    good(cudaIpcCloseMemHandle(const_cast<void*>(memory)), "closing memory of another process",
         &ignored);
  }
}

// ---- streams -----------------------------------------------------------------------------------

bool CudaGpu::open_stream(Stream* out, GpuError* error) noexcept {
  cudaStream_t stream = nullptr;
  if (!choose(error) ||
      !good(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream", error)) {
    return false;
  }
  *out = stream;
  return true;
}

void CudaGpu::close_stream(Stream stream) noexcept {
  GpuError ignored;
  if (choose(&ignored)) {
    good(cudaStreamDestroy(stream_of(stream)), "closing a stream", &ignored);
  }
}

// By an event, since that lets the thread sleep while others work.
bool CudaGpu::finish(Stream stream, GpuError* error) noexcept {
  if (!choose(error)) {
    return false;
  }
  const Mark mark(cudaEventDisableTiming | cudaEventBlockingSync);
  return good(mark.made(), "making an event", error) &&
         good(cudaEventRecord(mark.get(), stream_of(stream)), "waiting", error) &&
         good(cudaEventSynchronize(mark.get()), "what was queued", error);
}

bool CudaGpu::follow(Stream stream, Stream other, GpuError* error) noexcept {
  if (!choose(error)) {
    return false;
  }
  const Mark mark(cudaEventDisableTiming);
  return good(mark.made(), "making an event", error) &&
         good(cudaEventRecord(mark.get(), stream_of(other)), "waiting for a stream", error) &&
         good(cudaStreamWaitEvent(stream_of(stream), mark.get(), 0), "waiting for a stream", error);
}

bool CudaGpu::copy_in(void* to, const void* from, uint64_t bytes, Stream stream,
                      GpuError* error) noexcept {
  return choose(error) &&
         good(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_of(stream)),
              "copying to the device", error);
}

bool CudaGpu::copy_out(void* to, const void* from, uint64_t bytes, Stream stream,
                       GpuError* error) noexcept {
  return choose(error) &&
         good(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_of(stream)),
              "copying from the device", error);
}

// ---- work --------------------------------------------------------------------------------------

bool CudaGpu::gather(const device::GatherWork& work, Stream stream, GpuError* error) noexcept {
  if (!choose(error)) {
    return false;
  }
  Gather what;
  what.way = way_of(work.form);
  what.source = {work.rows, work.stride, lies_on_host(work.rows)};
  what.source_rows = work.num_rows;
  what.width = what.way == RowWay::kCopy ? work.row_bytes : work.row_elements;
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
  return choose(error) &&
         good(cuda::set_slots(slots, changes, count, stream_of(stream)), "changing slots", error);
}

bool CudaGpu::pad(const device::PadWork* works, size_t count, Stream stream,
                  GpuError* error) noexcept {
  return choose(error) && good(cuda::pad(works, count, stream_of(stream)), "padding", error);
}

device::GpuSampler* CudaGpu::open_sampler(const device::SamplerPlan& plan,
                                          GpuError* error) noexcept {
  return make_sampler(*this, plan, error);
}

device::GpuFile* CudaGpu::open_file(int fd, GpuError* error) noexcept {
  return choose(error) ? make_file(fd, error) : nullptr;
}

device::GpuFileReader* CudaGpu::open_file_reader(uint64_t bytes, GpuError* error) noexcept {
  return choose(error) ? make_file_reader(*this, number_, bytes, error) : nullptr;
}

}  // namespace gls::cuda
