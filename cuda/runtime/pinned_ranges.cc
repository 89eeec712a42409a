#include "cuda/runtime/pinned_ranges.h"

#include <cuda_runtime.h>

#include <mutex>
#include <new>

#include "cuda/runtime/failure.h"

namespace gls::cuda {
namespace {

constexpr uint64_t kPage = 4096;  // or a part of one

struct Range {
  void* start;
  uint64_t bytes;
  int users;
  bool registered;  // by this code
  Range* next;

  // Whether a page belongs to both.
  bool meets(uintptr_t begin, uint64_t size) const {
    const auto page = [](uintptr_t at) { return at / kPage; };
    const auto own = reinterpret_cast<uintptr_t>(start);
    return page(begin) <= page(own + bytes - 1) && page(own) <= page(begin + size - 1);
  }
};

std::mutex mutex;
Range* all = nullptr;

Range** find(const void* start) {
  Range** at = &all;
  while (*at != nullptr && (*at)->start != start) {
    at = &(*at)->next;
  }
  return at;
}

// Whether other code has pinned all of it. Memory pinned here ends with its own users.
bool pinned_by_others(const void* start, uint64_t bytes) {
  const auto begin = reinterpret_cast<uintptr_t>(start);
  for (const Range* range = all; range != nullptr; range = range->next) {
    if (range->registered && range->meets(begin, bytes)) {
      return false;
    }
  }
  const auto* const first = static_cast<const char*>(start);
  for (uint64_t at = 0; at < bytes; at += kPage) {
    if (!lies_on_host(first + at)) {
      return false;
    }
  }
  return lies_on_host(first + bytes - 1);
}

}  // namespace

bool pin_range(void* start, uint64_t bytes, unsigned flags, device::GpuError* error) {
  const std::lock_guard lock(mutex);
  Range* const known = *find(start);
  if (known != nullptr && known->bytes == bytes) {
    ++known->users;
    return true;
  }
  auto* const range = new (std::nothrow) Range{start, bytes, 1, true, all};
  if (range == nullptr) {
    return refuse(GLS_ERR_OUT_OF_MEMORY, "no memory", error);
  }
  const cudaError_t result = cudaHostRegister(start, bytes, flags);
  if (result == cudaErrorHostMemoryAlreadyRegistered && pinned_by_others(start, bytes)) {
    static_cast<void>(cudaGetLastError());
    range->registered = false;
  } else if (!good(result, "pinning memory of the host", error)) {
    delete range;
    return false;
  }
  all = range;
  return true;
}

void unpin_range(void* start) {
  const std::lock_guard lock(mutex);
  Range** const at = find(start);
  if (*at == nullptr || --(*at)->users > 0) {
    return;
  }
  Range* const range = *at;
  *at = range->next;
  if (range->registered) {
    device::GpuError ignored;
    good(cudaHostUnregister(start), "unpinning", &ignored);
  }
  delete range;
}

bool lies_on_host(const void* memory) {
  cudaPointerAttributes attributes = {};
  if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return false;
  }
  return attributes.type == cudaMemoryTypeHost;
}

}  // namespace gls::cuda
