// The calls of the runtime: devices and memory. Each device has a part of the address space; beside
// each block are bytes that nobody may write, and what is new or was given back has bytes that
// nobody takes for good ones.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "cuda_runtime.h"
#include "memory_on_host.h"
#include "runtime_on_host.h"

struct MemPoolOnHost {
  int device;
  size_t threshold = 0;  // most bytes that it keeps when somebody waits
  size_t used = 0;
  size_t reserved = 0;  // with what it keeps
};

namespace gls::cuda_on_host {
namespace {

constexpr size_t kGuard = 256;
constexpr size_t kFilled = size_t{256} << 10;  // bytes of what is new or was given back
constexpr unsigned char kGuardByte = 0x9d;
constexpr unsigned char kNewByte = 0xa5;
constexpr unsigned char kFreedByte = 0xdd;

thread_local cudaError_t last_error = cudaSuccess;
std::atomic<uint64_t> waits{0};

size_t number_of(const char* variable, size_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr && *text != 0 ? std::strtoull(text, nullptr, 10) : otherwise;
}

// So many GPUs, as tests find them: nothing makes them refuse what they can, a page is pinned once,
// and pools keep what was given back.
size_t as_gpus() {
  static const size_t gpus = number_of("CUDA_ON_HOST_AS_GPU", 0);
  return gpus;
}

size_t rounded(size_t bytes) { return (bytes + kGuard - 1) / kGuard * kGuard; }

}  // namespace

size_t number(const char* variable, size_t otherwise) {
  return as_gpus() != 0 ? otherwise : number_of(variable, otherwise);
}

int device_count() {
  const size_t all = as_gpus() != 0 ? as_gpus() : number("CUDA_ON_HOST_DEVICES", 1);
  return static_cast<int>(std::min<size_t>(all, kDevices));
}

cudaError_t say(cudaError_t error) {
  if (error != cudaSuccess) {
    last_error = error;
  }
  return error;
}

// A part of the address space that is open while somebody works there.
class Region {
 public:
  Region(unsigned char* base, size_t size) : base_(base), size_(size) {}
  void begin() {
    const std::lock_guard lock(mutex_);
    ++workers_;
    if (!open_) {
      open_ = true;
      mprotect(base_, size_, PROT_READ | PROT_WRITE);
    }
  }
  void end() {
    const std::lock_guard lock(mutex_);
    --workers_;
  }
  // Somebody has waited: whatever is read or written now must be elsewhere.
  void close() {
    const std::lock_guard lock(mutex_);
    if (open_ && workers_ == 0) {
      open_ = false;
      mprotect(base_, size_, PROT_NONE);
    }
  }

 private:
  unsigned char* const base_;
  const size_t size_;
  std::mutex mutex_;
  size_t workers_ = 0;
  bool open_ = false;
};

namespace {

bool protects() {
  static const bool protect = number_of("CUDA_ON_HOST_PROTECT", 0) != 0;
  return protect;
}

size_t size_of_device() {
  // Batches take what there is, and clearing that takes time here.
  return as_gpus() != 0 ? size_t{64} << 20 : number("CUDA_ON_HOST_MEMORY", size_t{4} << 30);
}

// Of a device: a file, so that other processes may open it.
class Memory {
 public:
  static Memory& of(int device) {
    static std::mutex mutex;
    static Memory* all[kDevices] = {};  // in use until the process ends
    const std::lock_guard lock(mutex);
    if (all[device] == nullptr) {
      all[device] = new Memory;
      made[device] = all[device];
    }
    return *all[device];
  }
  // Those that somebody has used.
  template <typename Visit>
  static void each(Visit visit) {
    for (const std::atomic<Memory*>& memory : made) {
      if (Memory* const one = memory.load(); one != nullptr) {
        visit(*one);
      }
    }
  }
  // NULL: it is no memory of a device of this process.
  static Memory* with(const void* memory) {
    Memory* out = nullptr;
    each([&](Memory& one) { out = one.overlaps(memory) ? &one : out; });
    return out;
  }
  // Whether all of it is one block.
  static bool has_block(const void* memory, size_t bytes) {
    Memory* const one = with(memory);
    return one != nullptr && one->has(memory, bytes);
  }

  cudaError_t allocate(void** out, size_t bytes, bool shareable) {
    const DeviceWork work;
    const std::lock_guard lock(mutex_);
    const size_t limit = std::min(size_of_device(), size_);
    const size_t taken = rounded(bytes) + kGuard;
    if (used_ + bytes > limit) {
      return cudaErrorMemoryAllocation;
    }
    size_t at = kGuard;
    for (const auto& [begin, block] : blocks_) {  // first fit
      if (at + taken <= begin) {
        break;
      }
      at = begin + rounded(block.bytes) + kGuard;
    }
    if (at + taken > size_) {
      return cudaErrorMemoryAllocation;
    }
    blocks_.emplace(at, Block{bytes, shareable});
    used_ += bytes;
    most_used_ = std::max(most_used_, used_);
    std::memset(base_ + at, kNewByte, std::min(bytes, kFilled));
    std::memset(base_ + at + bytes, kGuardByte, taken - bytes);
    *out = base_ + at;
    return cudaSuccess;
  }

  static cudaError_t release(void* memory) {
    if (memory == nullptr) {
      return cudaSuccess;
    }
    Memory* const one = with(memory);
    return one != nullptr ? one->release_block(memory) : cudaErrorInvalidValue;
  }

  size_t free() {
    const std::lock_guard lock(mutex_);
    const size_t taken = as_gpus() != 0 ? most_used_ : used_;
    return size_of_device() > taken ? size_of_device() - taken : 0;
  }

  struct Handle {
    pid_t process;
    int file;
    size_t offset;
    size_t bytes;
  };
  static cudaError_t handle(void* memory, Handle* out) {
    Memory* const one = with(memory);
    if (one == nullptr) {
      return cudaErrorInvalidValue;
    }
    const std::lock_guard lock(one->mutex_);
    const auto found = one->blocks_.find(one->offset_of(memory));
    if (found == one->blocks_.end() || !found->second.shareable) {
      return cudaErrorInvalidValue;
    }
    *out = {getpid(), one->file_, found->first, found->second.bytes};
    return cudaSuccess;
  }

  const std::shared_ptr<Region>& region() const { return region_; }

 private:
  struct Block {
    size_t bytes;
    bool shareable;
  };

  Memory()
      : file_(memfd_create("memory of a device", MFD_CLOEXEC)),
        base_(file_ >= 0 && ftruncate(file_, static_cast<off_t>(size_)) == 0
                  ? static_cast<unsigned char*>(
                        mmap(nullptr, size_, protects() ? PROT_NONE : PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_NORESERVE, file_, 0))
                  : static_cast<unsigned char*>(MAP_FAILED)),
        region_(std::make_shared<Region>(base_, size_)) {
    if (base_ == MAP_FAILED) {
      std::abort();
    }
  }

  size_t offset_of(const void* memory) const {
    return static_cast<size_t>(static_cast<const unsigned char*>(memory) - base_);
  }
  bool overlaps(const void* memory) const {
    const auto* const at = static_cast<const unsigned char*>(memory);
    return at >= base_ && at < base_ + size_;
  }
  bool has(const void* memory, size_t bytes) {
    const std::lock_guard lock(mutex_);
    const size_t offset = offset_of(memory);
    auto block = blocks_.upper_bound(offset);
    if (block == blocks_.begin()) {
      return false;
    }
    --block;
    return offset + bytes <= block->first + block->second.bytes;
  }

  cudaError_t release_block(void* memory) {
    const DeviceWork work;
    region_->begin();  // whichever device the thread has chosen
    const std::lock_guard lock(mutex_);
    const auto found = blocks_.find(offset_of(memory));
    if (found == blocks_.end()) {
      region_->end();
      return cudaErrorInvalidValue;
    }
    const size_t at = found->first;
    const size_t bytes = found->second.bytes;
    for (size_t i = bytes; i < rounded(bytes) + kGuard; ++i) {
      if (base_[at + i] != kGuardByte) {
        std::fprintf(stderr, "CUDA on host: written beyond a block of %zu bytes, at byte %zu\n",
                     bytes, i);
        std::abort();
      }
    }
    struct flock reader = {};
    reader.l_type = F_WRLCK;
    reader.l_start = static_cast<off_t>(at);
    reader.l_len = static_cast<off_t>(bytes);
    if (found->second.shareable && bytes > 0 && fcntl(file_, F_OFD_GETLK, &reader) == 0 &&
        reader.l_type != F_UNLCK) {
      std::fprintf(stderr, "CUDA on host: memory is given back that another process has opened\n");
      std::abort();
    }
    std::memset(base_ + at, kFreedByte, std::min(bytes, kFilled));
    used_ -= bytes;
    blocks_.erase(found);
    region_->end();
    return cudaSuccess;
  }

  static std::atomic<Memory*> made[kDevices];

  const size_t size_ = size_t{4} << 30;
  const int file_;
  unsigned char* const base_;
  const std::shared_ptr<Region> region_;
  std::mutex mutex_;
  std::map<size_t, Block> blocks_;  // by offset
  size_t used_ = 0;
  size_t most_used_ = 0;
};
std::atomic<Memory*> Memory::made[kDevices];

// Memory of other processes that is open here. Whoever has opened it holds a lock on its bytes,
// which goes with his process.
struct Imported {
  int file;
  void* map;
  size_t map_bytes;
  int device;
  std::shared_ptr<Region> region;
};
std::mutex reach_mutex;
bool reaches[kDevices][kDevices] = {};
std::map<const void*, Imported>& imported() {
  static auto* const all = new std::map<const void*, Imported>;
  return *all;
}

// Everything that was worked on is closed to the host.
void close_all() {
  if (protects()) {
    Memory::each([](Memory& memory) { memory.region()->close(); });
    const std::lock_guard lock(reach_mutex);
    for (const auto& [at, one] : imported()) {
      one.region->close();
    }
  }
}

// Pools, and what is of them. What they keep is missed only with CUDA_ON_HOST_POOLS.
std::mutex pools_mutex;
std::set<MemPoolOnHost*>& pools() {
  static auto* const all = new std::set<MemPoolOnHost*>;
  return *all;
}
struct Pooled {
  MemPoolOnHost* pool;
  size_t bytes;
};
std::map<void*, Pooled>& pooled() {
  static auto* const all = new std::map<void*, Pooled>;
  return *all;
}
void no_longer_pooled(void* memory) {
  const std::lock_guard lock(pools_mutex);
  if (const auto found = pooled().find(memory); found != pooled().end()) {
    if (pools().count(found->second.pool) != 0) {
      found->second.pool->used -= found->second.bytes;
    }
    pooled().erase(found);
  }
}

std::mutex calls_mutex;
Calls calls_so_far;

// Memory of the host that the device may read: where it begins, and ends.
std::mutex pinned_mutex;
std::map<uintptr_t, uintptr_t>& pinned() {
  static auto* const all = new std::map<uintptr_t, uintptr_t>;
  return *all;
}

// Whether a driver might refuse it, since some of it, or of its pages, is pinned already. Large
// pages are not left to chance: what tests make shares them.
bool is_pinned_in_part(uintptr_t begin, uintptr_t end) {
  const uintptr_t unit = as_gpus() != 0 ? 65536 : 1;
  const auto first_page = [unit](uintptr_t at) { return at / unit; };
  const auto last_page = [unit](uintptr_t at) { return (at - 1) / unit; };
  return std::any_of(pinned().begin(), pinned().end(), [&](const auto& one) {
    return first_page(begin) <= last_page(one.second) && first_page(one.first) <= last_page(end);
  });
}

}  // namespace

Calls calls() {
  const std::lock_guard lock(calls_mutex);
  return calls_so_far;
}
void count(uint64_t Calls::*kind) {
  const std::lock_guard lock(calls_mutex);
  ++(calls_so_far.*kind);
}
uint64_t host_waits() { return waits; }

bool is_reached(const void* memory, size_t bytes) {
  if (Memory::with(memory) != nullptr) {
    return Memory::has_block(memory, 1);  // which may be a part of what rows could be
  }
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  {
    const std::lock_guard lock(reach_mutex);
    for (const auto& [at, one] : imported()) {
      const auto start = reinterpret_cast<uintptr_t>(one.map);
      if (begin >= start && begin + bytes <= start + one.map_bytes) {
        return true;
      }
    }
  }
  const std::lock_guard lock(pinned_mutex);
  auto after = pinned().upper_bound(begin);
  return after != pinned().begin() && begin + bytes <= (--after)->second;
}

DeviceWork::DeviceWork() {
  if (!protects()) {
    return;
  }
  const int chosen = here();
  regions_.push_back(Memory::of(chosen).region());
  {
    const std::lock_guard lock(reach_mutex);
    for (int peer = 0; peer < kDevices; ++peer) {
      if (reaches[chosen][peer]) {
        regions_.push_back(Memory::of(peer).region());
      }
    }
    for (const auto& [at, one] : imported()) {
      if (one.device == chosen) {
        regions_.push_back(one.region);
      }
    }
  }
  for (const auto& region : regions_) {
    region->begin();
  }
}
DeviceWork::~DeviceWork() {
  for (const auto& region : regions_) {
    region->end();
  }
}

void waited() {
  ++waits;
  close_all();
  const std::lock_guard lock(pools_mutex);
  for (MemPoolOnHost* const pool : pools()) {
    pool->reserved = std::max(pool->used, std::min(pool->reserved, pool->threshold));
  }
}

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
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    case cudaErrorInvalidDevice:
      return "cudaErrorInvalidDevice";
    case cudaErrorPeerAccessUnsupported:
      return "cudaErrorPeerAccessUnsupported";
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
  // CUDA answers a forked child, too, with what it found before.
  *count = device_count();
  return say(*count > 0 ? cudaSuccess : cudaErrorNoDevice);
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int device) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || device < 0 || device >= count) {
    return say(cudaErrorInvalidDevice);
  }
  *out = {};
  std::snprintf(out->name, sizeof out->name, "CUDA on host (for tests)");
  out->totalGlobalMem = size_of_device();
  out->major = 9;
  out->multiProcessorCount = 4;
  out->memoryPoolsSupported = 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* out, cudaDeviceAttr attribute, int) {
  *out = attribute == cudaDevAttrMultiProcessorCount ? 4 : 1;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || std::min(device, peer) < 0 ||
      std::max(device, peer) >= count) {
    return say(cudaErrorInvalidDevice);
  }
  *can = device != peer && number("CUDA_ON_HOST_NO_PEERS", 0) == 0 ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  int can = 0;
  if (flags != 0) {
    return say(cudaErrorInvalidValue);
  }
  if (const cudaError_t error = cudaDeviceCanAccessPeer(&can, here(), peer);
      error != cudaSuccess || can == 0) {
    return say(error != cudaSuccess ? error : cudaErrorPeerAccessUnsupported);
  }
  const int chosen = here();
  const std::lock_guard lock(reach_mutex);
  return say(std::exchange(reaches[chosen][peer], true) ? cudaErrorPeerAccessAlreadyEnabled
                                                        : cudaSuccess);
}

// ---- memory
// --------------------------------------------------------------------------------------

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  const int chosen = here();
  *free = Memory::of(chosen).free();
  *total = size_of_device();
  if (number("CUDA_ON_HOST_POOLS", 0) != 0) {
    const std::lock_guard lock(pools_mutex);
    for (const MemPoolOnHost* const pool : pools()) {
      *free -= pool->device == chosen ? pool->reserved - pool->used : 0;
    }
  }
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** out, size_t bytes) {
  if (const cudaError_t error = unsafe(); error != cudaSuccess) {
    return say(error);
  }
  return say(Memory::of(here()).allocate(out, bytes, true));
}
cudaError_t cudaFree(void* memory) {
  not_in_child("cudaFree()");
  const cudaError_t error = unsafe();
  return say(error != cudaSuccess ? error : Memory::release(memory));
}
cudaError_t cudaMallocAsync(void** out, size_t bytes, cudaStream_t) {
  return say(Memory::of(here()).allocate(out, bytes, false));
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) {
  not_in_child("cudaFreeAsync()");
  count(&Calls::pool);
  no_longer_pooled(memory);
  return say(Memory::release(memory));
}
cudaError_t cudaMallocFromPoolAsync(void** out, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  const int chosen = here();
  if (pool->device != chosen || !is_current(stream)) {
    return say(cudaErrorInvalidValue);
  }
  count(&Calls::pool);
  const cudaError_t error = Memory::of(chosen).allocate(out, bytes, false);
  if (error == cudaSuccess) {
    const std::lock_guard lock(pools_mutex);
    pooled()[*out] = {pool, bytes};
    pool->used += bytes;
    pool->reserved = std::max(pool->reserved, pool->used);
  }
  return say(error);
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* out, const cudaMemPoolProps* props) {
  *out = new MemPoolOnHost{props->location.id};
  const std::lock_guard lock(pools_mutex);
  pools().insert(*out);
  return cudaSuccess;
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const std::lock_guard lock(pools_mutex);
  pools().erase(pool);
  delete pool;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  if (attribute != cudaMemPoolAttrReleaseThreshold) {
    return say(cudaErrorInvalidValue);
  }
  const std::lock_guard lock(pools_mutex);
  pool->threshold = *static_cast<const uint64_t*>(value);
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  const std::lock_guard lock(pools_mutex);
  pool->reserved = std::max(pool->used, std::min(pool->reserved, keep));
  return cudaSuccess;
}

// ---- between processes
// --------------------------------------------------------------------------

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* out, void* memory) {
  Memory::Handle handle = {};
  const cudaError_t error = Memory::handle(memory, &handle);
  static_assert(sizeof handle <= sizeof *out);
  *out = {};
  std::memcpy(out, &handle, sizeof handle);
  return say(error);
}
cudaError_t cudaIpcOpenMemHandle(void** out, cudaIpcMemHandle_t given, unsigned flags) {
  Memory::Handle handle = {};
  std::memcpy(&handle, &given, sizeof handle);
  if (flags != cudaIpcMemLazyEnablePeerAccess) {
    return say(cudaErrorInvalidValue);
  }
  if (handle.process == getpid()) {
    return say(cudaErrorDeviceUninitialized);
  }
  if (number("CUDA_ON_HOST_NO_PEERS", 0) != 0) {
    return say(cudaErrorPeerAccessUnsupported);
  }
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", static_cast<int>(handle.process), handle.file);
  const int file = open(path, O_RDWR | O_CLOEXEC);
  struct flock lock = {};
  lock.l_type = F_RDLCK;
  lock.l_start = static_cast<off_t>(handle.offset);
  lock.l_len = static_cast<off_t>(handle.bytes);
  const size_t before = handle.offset % 4096;
  void* const map = file >= 0 && fcntl(file, F_OFD_SETLK, &lock) == 0
                        ? mmap(nullptr, handle.bytes + before, PROT_READ, MAP_SHARED, file,
                               static_cast<off_t>(handle.offset - before))
                        : MAP_FAILED;
  if (map == MAP_FAILED) {
    if (file >= 0) {
      close(file);
    }
    return say(cudaErrorInvalidResourceHandle);
  }
  *out = static_cast<unsigned char*>(map) + before;
  const std::lock_guard guard(reach_mutex);
  imported()[*out] = {
      file, map, handle.bytes + before, here(),
      std::make_shared<Region>(static_cast<unsigned char*>(map), handle.bytes + before)};
  return cudaSuccess;
}
cudaError_t cudaIpcCloseMemHandle(void* memory) {
  const std::lock_guard lock(reach_mutex);
  const auto found = imported().find(memory);
  if (found == imported().end()) {
    return say(cudaErrorInvalidValue);
  }
  munmap(found->second.map, found->second.map_bytes);
  close(found->second.file);
  imported().erase(found);
  return cudaSuccess;
}

// ---- memory of the host
// --------------------------------------------------------------------------

cudaError_t cudaHostAlloc(void** out, size_t bytes, unsigned) {
  if (const cudaError_t error = unsafe(); error != cudaSuccess) {
    return say(error);
  }
  if (bytes > number("CUDA_ON_HOST_PINNED", SIZE_MAX)) {  // of one block
    return say(cudaErrorMemoryAllocation);
  }
  *out = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (*out == nullptr) {
    return say(cudaErrorMemoryAllocation);
  }
  std::memset(*out, kNewByte, bytes);
  const std::lock_guard lock(pinned_mutex);
  pinned()[reinterpret_cast<uintptr_t>(*out)] = reinterpret_cast<uintptr_t>(*out) + bytes;
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  not_in_child("cudaFreeHost()");
  if (const cudaError_t error = unsafe(); error != cudaSuccess) {
    return say(error);
  }
  {
    const std::lock_guard lock(pinned_mutex);
    pinned().erase(reinterpret_cast<uintptr_t>(memory));
  }
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned) {
  if (memory == nullptr || bytes == 0 || number("CUDA_ON_HOST_NO_PINNING", 0) != 0) {
    return say(memory == nullptr || bytes == 0 ? cudaErrorInvalidValue : cudaErrorNotSupported);
  }
  if (const cudaError_t error = unsafe(); error != cudaSuccess) {
    return say(error);
  }
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const std::lock_guard lock(pinned_mutex);
  if (is_pinned_in_part(begin, begin + bytes)) {
    return say(cudaErrorHostMemoryAlreadyRegistered);
  }
  pinned().emplace(begin, begin + bytes);
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
  not_in_child("cudaHostUnregister()");
  if (const cudaError_t error = unsafe(); error != cudaSuccess) {
    return say(error);
  }
  const std::lock_guard lock(pinned_mutex);
  return say(pinned().erase(reinterpret_cast<uintptr_t>(memory)) != 0
                 ? cudaSuccess
                 : cudaErrorHostMemoryNotRegistered);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* memory) {
  const auto at = reinterpret_cast<uintptr_t>(memory);
  const std::lock_guard lock(pinned_mutex);
  const bool is_pinned = std::any_of(pinned().begin(), pinned().end(), [at](const auto& one) {
    return one.first <= at && at < one.second;
  });
  out->type = Memory::with(memory) != nullptr ? cudaMemoryTypeDevice
              : is_pinned                     ? cudaMemoryTypeHost
                                              : cudaMemoryTypeUnregistered;
  out->device = here();
  out->devicePointer =
      out->type != cudaMemoryTypeUnregistered ? const_cast<void*>(memory) : nullptr;
  out->hostPointer = const_cast<void*>(memory);
  return cudaSuccess;
}
cudaError_t cudaHostGetDevicePointer(void** out, void* memory, unsigned) {
  *out = memory;
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  ++waits;
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (bytes == 0) {
    return cudaSuccess;
  }
  if (!is_current(stream)) {
    return say(cudaErrorInvalidResourceHandle);
  }
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (to_device ? !Memory::has_block(to, bytes) : Memory::with(to) != nullptr) {
    return say(cudaErrorInvalidValue);
  }
  if (from_device ? !Memory::has_block(from, bytes) : Memory::with(from) != nullptr) {
    return say(cudaErrorInvalidValue);
  }
  count(&Calls::copies);
  const DeviceWork work;
  std::memmove(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  if (bytes == 0) {
    return cudaSuccess;
  }
  if (!is_current(stream) || !Memory::has_block(to, bytes)) {
    return say(cudaErrorInvalidValue);
  }
  count(&Calls::sets);
  const DeviceWork work;
  std::memset(to, value, bytes);
  return cudaSuccess;
}
