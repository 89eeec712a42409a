#include "cuda/runtime/events.h"

#include <unistd.h>

#include <map>
#include <new>

#include "cuda/runtime/device_guard.h"

namespace gls::cuda {

using device::GpuError;

Events& Events::of(int32_t device) {
  static std::mutex mutex;
  static auto* const all = new std::map<int32_t, Events>;
  const std::lock_guard lock(mutex);
  return (*all)[device];
}

cudaError_t Events::take(cudaEvent_t* out) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      *out = idle_.back();
      idle_.pop_back();
      return cudaSuccess;
    }
  }
  // A thread that waits for it sleeps, while others work.
  return cudaEventCreateWithFlags(out, cudaEventDisableTiming | cudaEventBlockingSync);
}

void Events::give_back(cudaEvent_t event) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    idle_.push_back(event);
  } catch (const std::bad_alloc&) {
    cudaEventDestroy(event);
  }
}

namespace {

bool capturing(cudaStream_t stream, cudaError_t* result) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  *result = cudaStreamIsCapturing(stream, &status);
  if (*result == cudaErrorStreamCaptureImplicit) {
    // The default stream, while a stream that it synchronises with is captured.
    static_cast<void>(cudaGetLastError());
    *result = cudaSuccess;
    return true;
  }
  return *result == cudaSuccess && status != cudaStreamCaptureStatusNone;
}

Marked mark_current(cudaStream_t stream, int32_t device, Events::Loan* event, GpuError* error) {
  Events::Loan made(Events::of(device));
  cudaError_t result = made.result();
  if (result == cudaSuccess) {
    result = cudaEventRecord(made.get(), stream);
  }
  // A capture that began in between contains the event, which then must not be queried.
  cudaError_t ignored = cudaSuccess;
  if (capturing(stream, &ignored)) {
    static_cast<void>(cudaGetLastError());
    return Marked::kCapturing;
  }
  if (!good(result, "an event of a stream", error)) {
    return Marked::kNo;
  }
  *event = std::move(made);
  return Marked::kYes;
}

}  // namespace

Marked mark(cudaStream_t stream, Events::Loan* event, GpuError* error) noexcept {
  try {
    // Before any other query of the stream, because most of them invalidate a capture.
    cudaError_t result = cudaSuccess;
    if (capturing(stream, &result)) {
      return Marked::kCapturing;
    }
    if (!good(result, "asking whether a stream is being captured", error)) {
      return Marked::kNo;
    }
    int current = 0;
    int owner = 0;
    if (!good(cudaGetDevice(&current), "asking for the device", error) ||
        !good(cudaStreamGetDevice(stream, &owner), "asking for the device of a stream", error)) {
      return Marked::kNo;
    }
    if (owner == current) {
      return mark_current(stream, current, event, error);
    }
    CUcontext context = nullptr;
    if (!primary_context(owner, &context, error)) {
      return Marked::kNo;
    }
    const DeviceGuard on(context, getpid(), error);
    return on ? mark_current(stream, owner, event, error) : Marked::kNo;
  } catch (const std::bad_alloc&) {
    refuse(GLS_ERR_OUT_OF_MEMORY, "no memory", error);
    return Marked::kNo;
  }
}

}  // namespace gls::cuda
