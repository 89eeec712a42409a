// Contexts of devices, and streams, events and captures: who may wait for whom.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "cuda.h"
#include "runtime_on_host.h"
#include "streams_on_host.h"

struct ContextOnHost {
  int device;
};

// What somebody captures: a stream, and those that wait for what it would have done.
struct CaptureOnHost {
  StreamOnHost* origin;
  cudaStreamCaptureMode mode;
  std::thread::id thread;
  bool good = true;
};

struct StreamOnHost {
  int device;
  bool blocking = false;
  std::shared_ptr<std::atomic<bool>> busy;  // while it is true; may be NULL
  std::shared_ptr<CaptureOnHost> capture;   // that it takes part in
};
struct EventOnHost {
  int device;
  bool recorded = false;
  std::shared_ptr<std::atomic<bool>> busy;
  std::shared_ptr<CaptureOnHost> capture;
};

namespace gls::cuda_on_host {
namespace {

// ---- contexts ----------------------------------------------------------------------------------

ContextOnHost contexts[kDevices] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
std::atomic<bool> made[kDevices] = {};
constexpr int kDeepest = 16;
thread_local CUcontext current[kDeepest] = {};
thread_local int depth = 0;

void make_current(CUcontext context) {
  made[context->device] = true;
  depth = std::max(depth, 1);
  current[depth - 1] = context;
}

// ---- streams -----------------------------------------------------------------------------------

std::mutex mutex;  // of all below
std::set<const StreamOnHost*>& streams() {
  static auto* const all = new std::set<const StreamOnHost*>;
  return *all;
}
std::set<const StreamOnHost*>& destroyed() {
  static auto* const all = new std::set<const StreamOnHost*>;
  return *all;
}
std::set<std::shared_ptr<CaptureOnHost>>& captures() {
  static auto* const all = new std::set<std::shared_ptr<CaptureOnHost>>;
  return *all;
}
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

// NULL: it was destroyed. That without an address is the default one of a device, which meets all
// that are blocking. An address that was never given is an idle stream: consumers in tests have
// none of their own.
StreamOnHost* find(cudaStream_t stream) {
  static StreamOnHost defaults[kDevices] = {{0, true, {}, {}}, {1, true, {}, {}}, {2, true, {}, {}},
                                            {3, true, {}, {}}, {4, true, {}, {}}, {5, true, {}, {}},
                                            {6, true, {}, {}}, {7, true, {}, {}}};
  static StreamOnHost others[kDevices] = {
      {0, false, {}, {}}, {1, false, {}, {}}, {2, false, {}, {}}, {3, false, {}, {}},
      {4, false, {}, {}}, {5, false, {}, {}}, {6, false, {}, {}}, {7, false, {}, {}}};
  if (stream == nullptr) {
    return &defaults[here()];
  }
  if (streams().count(stream) != 0) {
    return stream;
  }
  return destroyed().count(stream) != 0 ? nullptr : &others[here()];
}

bool meets_a_capture(const StreamOnHost* stream) {
  return std::any_of(captures().begin(), captures().end(), [&](const auto& capture) {
    return capture->origin->device == stream->device && capture->origin->blocking;
  });
}

bool is_busy(const std::shared_ptr<std::atomic<bool>>& busy) { return busy != nullptr && *busy; }

void wait_for(std::shared_ptr<std::atomic<bool>> busy) {
  while (is_busy(busy)) {
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

}  // namespace

int here() {
  if (depth == 0) {
    make_current(&contexts[0]);
  }
  return current[depth - 1]->device;
}

bool forked() {
  static const pid_t process = getpid();
  return getpid() != process;
}

void not_in_child(const char* call) {
  if (forked()) {
    std::fprintf(stderr, "CUDA on host: %s in a forked child\n", call);
    std::abort();
  }
}

cudaError_t unsafe() {
  if (thread_mode == cudaStreamCaptureModeRelaxed) {
    return cudaSuccess;
  }
  cudaError_t out = cudaSuccess;
  const std::lock_guard lock(mutex);
  for (const auto& capture : captures()) {
    const bool own = capture->thread == std::this_thread::get_id();
    if ((own && capture->mode != cudaStreamCaptureModeRelaxed) ||
        (!own && capture->mode == cudaStreamCaptureModeGlobal &&
         thread_mode == cudaStreamCaptureModeGlobal)) {
      capture->good = false;
      out = cudaErrorStreamCaptureUnsupported;
    }
  }
  return out;
}

bool is_current(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  const StreamOnHost* const found = find(stream);
  return found != nullptr && found->device == here();
}

void hold(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  find(stream)->busy = std::make_shared<std::atomic<bool>>(true);
}
void let_go(cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  *find(stream)->busy = false;
}

}  // namespace gls::cuda_on_host

using namespace gls::cuda_on_host;

// ---- contexts
// ------------------------------------------------------------------------------------

CUresult cuDevicePrimaryCtxRetain(CUcontext* out, CUdevice device) {
  if (forked()) {
    return CUDA_ERROR_NOT_INITIALIZED;
  }
  if (device < 0 || device >= device_count()) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  made[device] = true;
  *out = &contexts[device];
  return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  if (device < 0 || device >= device_count()) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  *flags = 0;
  *active = made[device] ? 1 : 0;
  return CUDA_SUCCESS;
}
// Children are not refused here: nobody says that they are.
CUresult cuCtxPushCurrent(CUcontext context) {
  if (depth == kDeepest) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  current[depth++] = context;
  return CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext* out) {
  if (depth == 0) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  *out = current[--depth];
  return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext* out) {
  *out = depth > 0 ? current[depth - 1] : nullptr;
  return CUDA_SUCCESS;
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** out, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  static const std::map<std::string, void*> all = {
      {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(&cuDevicePrimaryCtxRetain)},
      {"cuDevicePrimaryCtxGetState", reinterpret_cast<void*>(&cuDevicePrimaryCtxGetState)},
      {"cuCtxPushCurrent", reinterpret_cast<void*>(&cuCtxPushCurrent)},
      {"cuCtxPopCurrent", reinterpret_cast<void*>(&cuCtxPopCurrent)},
      {"cuCtxGetCurrent", reinterpret_cast<void*>(&cuCtxGetCurrent)}};
  const auto found = all.find(name);
  *out = found != all.end() ? found->second : nullptr;
  *result = found != all.end() ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= device_count()) {
    return say(cudaErrorInvalidDevice);
  }
  make_current(&contexts[device]);
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = depth > 0 ? current[depth - 1]->device : 0;
  return cudaSuccess;
}

// ---- streams and events
// --------------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
  auto* const stream = new StreamOnHost{here(), (flags & cudaStreamNonBlocking) == 0, {}, {}};
  const std::lock_guard lock(mutex);
  streams().insert(stream);
  destroyed().erase(stream);
  *out = stream;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  not_in_child("cudaStreamDestroy()");
  const std::lock_guard lock(mutex);
  if (streams().erase(stream) == 0) {
    return say(cudaErrorInvalidResourceHandle);
  }
  destroyed().insert(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  const std::lock_guard lock(mutex);
  const StreamOnHost* const found = find(stream);
  if (found == nullptr) {
    return say(cudaErrorInvalidResourceHandle);
  }
  if (found->capture != nullptr) {
    found->capture->good = false;
    return say(cudaErrorStreamCaptureUnsupported);
  }
  *device = found->device;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const cudaError_t error = unsafe(); error != cudaSuccess) {
    return say(error);
  }
  std::shared_ptr<std::atomic<bool>> busy;
  {
    const std::lock_guard lock(mutex);
    const StreamOnHost* const found = find(stream);
    if (found == nullptr || found->capture != nullptr) {
      return say(found == nullptr ? cudaErrorInvalidResourceHandle
                                  : cudaErrorStreamCaptureUnsupported);
    }
    busy = found->busy;
  }
  wait_for(busy);
  waited();
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t error = unsafe(); error != cudaSuccess) {
    return say(error);
  }
  {
    const std::lock_guard lock(mutex);
    for (const auto& capture : captures()) {  // in whichever mode
      capture->good = false;
    }
    if (!captures().empty()) {
      return say(cudaErrorStreamCaptureUnsupported);
    }
  }
  waited();
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const std::lock_guard lock(mutex);
  StreamOnHost* const found = find(stream);
  if (found == nullptr || !event->recorded) {
    return say(cudaErrorInvalidResourceHandle);
  }
  if (event->capture != nullptr) {
    found->capture = event->capture;
  }
  if (is_busy(event->busy)) {
    found->busy = event->busy;
  }
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned) {
  *out = new EventOnHost{here(), false, {}, {}};
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  not_in_child("cudaEventDestroy()");
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::lock_guard lock(mutex);
  const StreamOnHost* const found = find(stream);
  if (found == nullptr || found->device != event->device) {
    return say(cudaErrorInvalidResourceHandle);
  }
  if (stream == nullptr && meets_a_capture(found)) {
    for (const auto& capture : captures()) {
      capture->good = false;
    }
    return say(cudaErrorStreamCaptureImplicit);
  }
  event->recorded = true;
  event->busy = found->busy;
  event->capture = found->capture;
  return cudaSuccess;
}

namespace {
// What may be asked of an event.
cudaError_t ask(cudaEvent_t event) {
  if (const cudaError_t error = unsafe(); error != cudaSuccess) {
    return error;
  }
  const std::lock_guard lock(mutex);
  if (event->capture != nullptr) {
    event->capture->good = false;
    return cudaErrorCapturedEvent;
  }
  return cudaSuccess;
}
}  // namespace

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t error = ask(event); error != cudaSuccess) {
    return say(error);
  }
  wait_for(event->busy);
  waited();
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const cudaError_t error = ask(event); error != cudaSuccess) {
    return say(error);
  }
  return say(is_busy(event->busy) ? cudaErrorNotReady : cudaSuccess);
}

// ---- captures
// ------------------------------------------------------------------------------------

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const std::lock_guard lock(mutex);
  StreamOnHost* const found = find(stream);
  if (stream == nullptr || found == nullptr || found->capture != nullptr) {
    return say(stream == nullptr ? cudaErrorStreamCaptureUnsupported : cudaErrorInvalidValue);
  }
  found->capture =
      std::make_shared<CaptureOnHost>(CaptureOnHost{found, mode, std::this_thread::get_id(), true});
  captures().insert(found->capture);
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* out) {
  const std::lock_guard lock(mutex);
  *out = nullptr;
  StreamOnHost* const found = find(stream);
  if (found == nullptr || found->capture == nullptr || found->capture->origin != found) {
    return say(cudaErrorInvalidValue);
  }
  const std::shared_ptr<CaptureOnHost> capture = std::move(found->capture);
  found->capture = nullptr;
  captures().erase(capture);
  bool joined = true;  // here nobody joins again
  for (const StreamOnHost* const other : streams()) {
    if (other->capture == capture) {
      const_cast<StreamOnHost*>(other)->capture = nullptr;
      joined = false;
    }
  }
  return say(!capture->good ? cudaErrorStreamCaptureInvalidated
                            : (joined ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* out) {
  const std::lock_guard lock(mutex);
  const StreamOnHost* const found = find(stream);
  if (found == nullptr) {
    return say(cudaErrorInvalidResourceHandle);
  }
  if (stream == nullptr && meets_a_capture(found)) {
    return say(cudaErrorStreamCaptureImplicit);
  }
  *out = found->capture == nullptr ? cudaStreamCaptureStatusNone
         : found->capture->good    ? cudaStreamCaptureStatusActive
                                   : cudaStreamCaptureStatusInvalidated;
  return cudaSuccess;
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  std::swap(*mode, thread_mode);
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }
