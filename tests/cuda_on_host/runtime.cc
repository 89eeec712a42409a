// The calls of the runtime: devices, memory, streams and events. Device memory is found at one
// place for all devices; beside each block are bytes that nobody may write, and what is new or was
// given back has bytes that nobody takes for good ones.
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>

#include "cuda_runtime.h"
#include "memory_on_host.h"

struct StreamOnHost {
  int device;
};
struct EventOnHost {
  bool recorded;
};
struct MemPoolOnHost {
  int device;
};

namespace gls::cuda_on_host {
namespace {

constexpr size_t kGuard = 256;
constexpr size_t kFilled = size_t{256} << 10;  // bytes of what is new or was given back
constexpr unsigned char kGuardByte = 0x9d;
constexpr unsigned char kNewByte = 0xa5;
constexpr unsigned char kFreedByte = 0xdd;
constexpr int kDevices = 8;

thread_local cudaError_t last_error = cudaSuccess;
thread_local int chosen_device = 0;

size_t number(const char* variable, size_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr && *text != 0 ? std::strtoull(text, nullptr, 10) : otherwise;
}

cudaError_t say(cudaError_t error) {
  if (error != cudaSuccess) {
    last_error = error;
  }
  return error;
}

size_t rounded(size_t bytes) { return (bytes + kGuard - 1) / kGuard * kGuard; }

class Memory {
 public:
  static Memory& get() {
    static Memory* const memory = new Memory;  // in use until the process ends
    return *memory;
  }

  cudaError_t allocate(void** out, size_t bytes) {
    const DeviceWork work;
    const std::lock_guard lock(mutex_);
    const size_t limit = number("CUDA_ON_HOST_MEMORY", size_);
    const size_t taken = rounded(bytes) + kGuard;
    if (used_ + bytes > limit) {
      return cudaErrorMemoryAllocation;
    }
    size_t at = kGuard;
    for (const auto& [begin, block] : blocks_) {  // first fit
      if (at + taken <= begin) {
        break;
      }
      at = begin + rounded(block) + kGuard;
    }
    if (at + taken > size_) {
      return cudaErrorMemoryAllocation;
    }
    blocks_.emplace(at, bytes);
    used_ += bytes;
    std::memset(base_ + at, kNewByte, std::min(bytes, kFilled));
    std::memset(base_ + at + bytes, kGuardByte, taken - bytes);
    *out = base_ + at;
    return cudaSuccess;
  }

  cudaError_t release(void* memory) {
    if (memory == nullptr) {
      return cudaSuccess;
    }
    const DeviceWork work;
    const std::lock_guard lock(mutex_);
    const auto found =
        blocks_.find(static_cast<size_t>(static_cast<unsigned char*>(memory) - base_));
    if (found == blocks_.end()) {
      return cudaErrorInvalidValue;
    }
    const auto [at, bytes] = *found;
    for (size_t i = bytes; i < rounded(bytes) + kGuard; ++i) {
      if (base_[at + i] != kGuardByte) {
        std::fprintf(stderr, "CUDA on host: written beyond a block of %zu bytes, at byte %zu\n",
                     bytes, i);
        std::abort();
      }
    }
    std::memset(base_ + at, kFreedByte, std::min(bytes, kFilled));
    used_ -= bytes;
    blocks_.erase(found);
    return cudaSuccess;
  }

  // Whether all of it is one block of the device.
  bool has(const void* memory, size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto* const at = static_cast<const unsigned char*>(memory);
    if (at < base_ || at >= base_ + size_) {
      return false;
    }
    const auto offset = static_cast<size_t>(at - base_);
    auto block = blocks_.upper_bound(offset);
    if (block == blocks_.begin()) {
      return false;
    }
    --block;
    return offset + bytes <= block->first + block->second;
  }
  bool overlaps(const void* memory) const {
    const auto* const at = static_cast<const unsigned char*>(memory);
    return at >= base_ && at < base_ + size_;
  }

  size_t free() {
    const std::lock_guard lock(mutex_);
    const size_t limit = number("CUDA_ON_HOST_MEMORY", size_);
    return limit > used_ ? limit - used_ : 0;
  }
  size_t limit() const { return number("CUDA_ON_HOST_MEMORY", size_); }

  void begin_work() {
    if (!protect_) {
      return;
    }
    const std::lock_guard lock(work_mutex_);
    ++workers_;
    if (!open_) {
      open_ = true;
      mprotect(base_, size_, PROT_READ | PROT_WRITE);
    }
  }
  void end_work() {
    if (protect_) {
      const std::lock_guard lock(work_mutex_);
      --workers_;
    }
  }
  // Somebody has waited: whatever is read or written now must be of the host.
  void close() {
    if (!protect_) {
      return;
    }
    const std::lock_guard lock(work_mutex_);
    if (open_ && workers_ == 0) {
      open_ = false;
      mprotect(base_, size_, PROT_NONE);
    }
  }

 private:
  Memory()
      : protect_(number("CUDA_ON_HOST_PROTECT", 0) != 0),
        base_(static_cast<unsigned char*>(
            mmap(nullptr, size_, protect_ ? PROT_NONE : PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    if (base_ == MAP_FAILED) {
      std::abort();
    }
  }

  const size_t size_ = size_t{4} << 30;
  const bool protect_;
  unsigned char* const base_;
  std::mutex mutex_;
  std::map<size_t, size_t> blocks_;  // offset, bytes
  size_t used_ = 0;
  std::mutex work_mutex_;
  size_t workers_ = 0;
  bool open_ = false;
};

// Memory of the host that the device may read.
std::mutex pinned_mutex;
std::set<const void*>& pinned() {
  static auto* const all = new std::set<const void*>;
  return *all;
}

}  // namespace

DeviceWork::DeviceWork() { Memory::get().begin_work(); }
DeviceWork::~DeviceWork() { Memory::get().end_work(); }

}  // namespace gls::cuda_on_host

using namespace gls::cuda_on_host;

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    default:
      return "an error of CUDA on host";
  }
}
const char* cudaGetErrorString(cudaError_t error) { return cudaGetErrorName(error); }
cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() { return last_error; }

// ---- devices
// -------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count) {
  *count = static_cast<int>(std::min<size_t>(number("CUDA_ON_HOST_DEVICES", 1), kDevices));
  return say(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}
cudaError_t cudaSetDevice(int device) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || device < 0 || device >= count) {
    return say(cudaErrorInvalidDevice);
  }
  chosen_device = device;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = chosen_device;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || device < 0 || device >= count) {
    return say(cudaErrorInvalidDevice);
  }
  *out = {};
  std::snprintf(out->name, sizeof out->name, "CUDA on host (for tests)");
  out->totalGlobalMem = Memory::get().limit();
  out->major = 9;
  out->multiProcessorCount = 4;
  out->memoryPoolsSupported = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* out, cudaDeviceAttr attribute, int) {
  *out = attribute == cudaDevAttrMultiProcessorCount ? 4 : 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }

// ---- streams and events
// --------------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned) {
  *out = new StreamOnHost{chosen_device};
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  Memory::get().close();
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t event, unsigned) {
  return say(event->recorded ? cudaSuccess : cudaErrorInvalidResourceHandle);
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned) {
  *out = new EventOnHost{false};
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->recorded = true;
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  Memory::get().close();
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }

// ---- memory
// --------------------------------------------------------------------------------------

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  *free = Memory::get().free();
  *total = Memory::get().limit();
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** out, size_t bytes) { return say(Memory::get().allocate(out, bytes)); }
cudaError_t cudaFree(void* memory) { return say(Memory::get().release(memory)); }
cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t) {
  return say(Memory::get().allocate(out, bytes));
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return say(Memory::get().release(memory)); }
cudaError_t cudaMallocFromPoolAsync(void** out, size_t bytes, cudaMemPool_t, cudaStream_t) {
  return say(Memory::get().allocate(out, bytes));
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* out, const cudaMemPoolProps* props) {
  *out = new MemPoolOnHost{props->location.id};
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  delete pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }

cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned) {
  *out = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (*out == nullptr) {
    return say(cudaErrorMemoryAllocation);
  }
  std::memset(*out, kNewByte, bytes);
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned) {
  if (memory == nullptr || bytes == 0 || number("CUDA_ON_HOST_NO_PINNING", 0) != 0) {
    return say(memory == nullptr || bytes == 0 ? cudaErrorInvalidValue : cudaErrorNotSupported);
  }
  const std::lock_guard lock(pinned_mutex);
  return say(pinned().insert(memory).second ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}
cudaError_t cudaHostUnregister(void* memory) {
  const std::lock_guard lock(pinned_mutex);
  return say(pinned().erase(memory) != 0 ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaHostGetDevicePointer(void** out, void* memory, unsigned) {
  *out = memory;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  if (bytes == 0) {
    return cudaSuccess;
  }
  Memory& memory = Memory::get();
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (to_device ? !memory.has(to, bytes) : memory.overlaps(to)) {
    return say(cudaErrorInvalidValue);
  }
  if (from_device ? !memory.has(from, bytes) : memory.overlaps(from)) {
    return say(cudaErrorInvalidValue);
  }
  const DeviceWork work;
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t) {
  if (bytes == 0) {
    return cudaSuccess;
  }
  if (!Memory::get().has(to, bytes)) {
    return say(cudaErrorInvalidValue);
  }
  const DeviceWork work;
  std::memset(to, value, bytes);
  return cudaSuccess;
}
