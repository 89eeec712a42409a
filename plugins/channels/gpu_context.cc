#include "plugins/channels/gpu_context.h"

#include <dlfcn.h>

namespace gls::net {
namespace {

constexpr char kLibrary[] = "libcuda.so.1";
constexpr int kDeviceOrdinal = 9;  // CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
constexpr int kRelaxed = 2;        // CU_STREAM_CAPTURE_MODE_RELAXED

template <typename Function>
bool find(void* library, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(library, name));
  return *out != nullptr;
}

// While this object exists, this thread may allocate even while other threads capture streams.
class Relaxed {
 public:
  explicit Relaxed(const GpuContext::Driver& driver) : driver_(driver) {
    driver_.exchange_capture_mode(&mode_);
  }
  ~Relaxed() { driver_.exchange_capture_mode(&mode_); }
  Relaxed(const Relaxed&) = delete;
  Relaxed& operator=(const Relaxed&) = delete;

 private:
  const GpuContext::Driver& driver_;
  int mode_ = kRelaxed;
};

}  // namespace

std::optional<GpuContext::Driver> GpuContext::driver() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  Driver out;
  if (library == nullptr || !gls::net::find(library, "cuCtxGetCurrent", &out.get_current) ||
      !gls::net::find(library, "cuCtxPushCurrent_v2", &out.push) ||
      !gls::net::find(library, "cuCtxPopCurrent_v2", &out.pop) ||
      !gls::net::find(library, "cuDeviceGetCount", &out.count) ||
      !gls::net::find(library, "cuDevicePrimaryCtxGetState", &out.state) ||
      !gls::net::find(library, "cuDevicePrimaryCtxRetain", &out.retain) ||
      !gls::net::find(library, "cuMemAlloc_v2", &out.allocate) ||
      !gls::net::find(library, "cuMemFree_v2", &out.release) ||
      !gls::net::find(library, "cuPointerGetAttribute", &out.attribute) ||
      !gls::net::find(library, "cuThreadExchangeStreamCaptureMode", &out.exchange_capture_mode)) {
    return std::nullopt;
  }
  return out;
}

bool GpuContext::enter() noexcept {
  void* current = nullptr;
  if (driver_.get_current(&current) != 0 || current != nullptr) {
    return false;
  }
  void* const context = find();
  return context != nullptr && driver_.push(context) == 0;
}

void GpuContext::leave() noexcept {
  void* ours = nullptr;
  driver_.pop(&ours);
}

bool GpuContext::is_current() const noexcept {
  void* current = nullptr;
  return driver_.get_current(&current) == 0 && current != nullptr;
}

int GpuContext::device_of(const void* memory) const noexcept {
  int device = -1;
  const int status = driver_.attribute(&device, kDeviceOrdinal, reinterpret_cast<uint64_t>(memory));
  return status == 0 ? device : -1;
}

void* GpuContext::find() noexcept {
  void* context = context_.load();
  int devices = 0;
  if (context != nullptr || driver_.count(&devices) != 0) {
    return context;
  }
  for (int device = 0; device < devices; ++device) {
    unsigned flags = 0;
    int active = 0;
    if (driver_.state(device, &flags, &active) == 0 && active != 0 &&
        driver_.retain(&context, device) == 0) {
      context_.store(context);
      return context;
    }
  }
  return nullptr;
}

GpuMemory::GpuMemory(const GpuContext& context, size_t bytes) : context_(context) {
  const Relaxed relaxed(context_.driver_);
  status_ = context_.driver_.allocate(&memory_, bytes);
}

GpuMemory::~GpuMemory() {
  if (status_ == 0) {
    const Relaxed relaxed(context_.driver_);
    context_.driver_.release(memory_);
  }
}

const void* GpuMemory::data() const {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver has numbers for addresses
  return reinterpret_cast<const void*>(memory_);
}

}  // namespace gls::net
