#include "device/device.h"

#include <algorithm>
#include <bit>
#include <map>

#include "system/fork.h"
#include "system/plugin.h"

namespace gls {
namespace {

constexpr uint64_t kSmallestPinned = uint64_t{64} << 10;
constexpr uint64_t kMostIdlePinned = uint64_t{256} << 20;

// Four sizes for each power of two, so that batches of similar size reuse buffers.
uint64_t pinned_size(uint64_t bytes) {
  const uint64_t unit = std::max(kSmallestPinned, std::bit_floor(bytes) / 4);
  return (std::max(bytes, uint64_t{1}) + unit - 1) / unit * unit;
}

Result<const device::GpuPlugin*> load_cuda() {
  Result<const PluginHeader*> header = load_plugin("cuda", device::kGpuPluginVersion);
  if (!header.ok()) {
    return std::move(header.status()).with("argument", "device");
  }
  return reinterpret_cast<const device::GpuPlugin*>(*header);
}

}  // namespace

Status status_of(const device::GpuError& error) {
  return Status(error.code != GLS_OK ? error.code : GLS_ERR_INTERNAL, error.text);
}

// ---- what is on loan ---------------------------------------------------------------------------

void StreamReaders::add(device::Stream stream) {
  const std::lock_guard lock(mutex_);
  if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end()) {
    streams_.push_back(stream);
  }
}

DeviceStream::DeviceStream(std::shared_ptr<Device> device, device::Stream stream)
    : device_(std::move(device)), loan_(std::make_shared<StreamLoan>(stream)) {}

DeviceStream::~DeviceStream() {
  if (loan_ != nullptr) {
    device_->give_back(loan_.get());
  }
}

device::Gpu& DeviceStream::gpu() const { return device_->gpu(); }

Status DeviceStream::finish() const {
  device::GpuError error;
  return gpu().finish(get(), &error) ? Status() : status_of(error);
}

DeviceMemory::~DeviceMemory() { device_->release(data_, *home_, readers_.get()); }

PinnedBuffer::~PinnedBuffer() {
  if (data_ != nullptr) {
    device_->give_back(data_, bytes_);
  }
}

// ---- the device --------------------------------------------------------------------------------

int32_t Device::count() {
  const Result<const device::GpuPlugin*> plugin = load_cuda();
  device::GpuError ignored;
  return plugin.ok() ? std::max((*plugin)->count(&ignored), 0) : 0;
}

Result<std::shared_ptr<Device>> Device::open(int32_t id) {
  static std::mutex mutex;
  static std::map<int32_t, std::weak_ptr<Device>> opened;
  if (id < 0) {
    return invalid("device: id is {}, expected 0 or more", id).with("argument", "device");
  }
  const std::lock_guard lock(mutex);
  if (std::shared_ptr<Device> device = opened[id].lock();
      device != nullptr && !device->in_forked_child()) {
    return device;
  }
  GLS_ASSIGN(const device::GpuPlugin* const plugin, load_cuda());
  device::GpuError failure;
  const int32_t count = plugin->count(&failure);
  if (count < 0) {
    return status_of(failure).with("argument", "device");
  }
  if (id >= count) {
    return error(GLS_ERR_UNSUPPORTED, "device: there is no GPU {}; this machine has {}", id, count)
        .with("argument", "device");
  }
  device::Gpu* const gpu = plugin->open(id, &failure);
  if (gpu == nullptr) {
    return status_of(failure).with("argument", "device");
  }
  auto device = std::make_shared<Device>(gpu, id);
  opened[id] = device;
  return device;
}

Device::Device(device::Gpu* gpu, int32_t id)
    : gpu_(gpu), id_(id), fork_generation_(fork_generation()) {
  gpu_->info(&info_);
}

// A forked child has no device, and leaves inherited objects unchanged.
bool Device::in_forked_child() const { return fork_generation_ != fork_generation(); }

Device::~Device() {
  if (in_forked_child()) {
    return;
  }
  for (const device::Stream stream : idle_streams_) {
    gpu_->close_stream(stream);
  }
  for (const auto& [bytes, data] : idle_pinned_) {
    gpu_->release_pinned(data);
  }
  gpu_->destroy();
}

Result<uint64_t> Device::free_memory() const {
  uint64_t bytes = 0;
  device::GpuError failure;
  if (!gpu_->free_memory(&bytes, &failure)) {
    return status_of(failure);
  }
  return bytes;
}

Status Device::keep_free(uint64_t bytes) {
  device::GpuError failure;
  return gpu_->keep_free(bytes, &failure) ? Status() : status_of(failure);
}

Result<DeviceStream> Device::stream() {
  if (in_forked_child()) {
    return error(GLS_ERR_INVALID_STATE,
                 "a GPU cannot be used in a forked child of the process that opened it");
  }
  {
    const std::lock_guard lock(mutex_);
    if (!idle_streams_.empty()) {
      const device::Stream stream = idle_streams_.back();
      idle_streams_.pop_back();
      return DeviceStream(shared_from_this(), stream);
    }
  }
  device::Stream stream = nullptr;
  device::GpuError failure;
  if (!gpu_->open_stream(&stream, &failure)) {
    return status_of(failure);
  }
  return DeviceStream(shared_from_this(), stream);
}

void Device::give_back(StreamLoan* loan) {
  if (in_forked_child()) {
    return;
  }
  device::GpuError ignored;  // the code that queued the work has checked its outcome
  loan->done = gpu_->finish(loan->stream, &ignored);
  const std::lock_guard lock(mutex_);
  idle_streams_.push_back(loan->stream);
}

Result<std::shared_ptr<DeviceMemory>> Device::allocate(uint64_t bytes, const DeviceStream& stream,
                                                       std::shared_ptr<StreamReaders> readers) {
  void* data = nullptr;
  device::GpuError failure;
  if (bytes > 0 && !gpu_->allocate(bytes, stream.get(), &data, &failure)) {
    return status_of(failure);
  }
  return std::make_shared<DeviceMemory>(data, stream, std::move(readers));
}

void Device::release(void* memory, const StreamLoan& home, const StreamReaders* readers) {
  if (memory == nullptr || in_forked_child()) {
    return;
  }
  std::vector<device::Stream> users;
  if (readers != nullptr) {
    readers->each([&](device::Stream reader) { users.push_back(reader); });
  }
  if (users.empty() && !home.done) {
    gpu_->release(memory, home.stream);  // in stream order, for the next allocation there
    return;
  }
  if (!home.done) {
    users.push_back(home.stream);
  }
  gpu_->release_after(memory, users.data(), users.size());
}

Result<PinnedBuffer> Device::pinned(uint64_t bytes) {
  const uint64_t size = pinned_size(bytes);
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(idle_pinned_.begin(), idle_pinned_.end(),
                                    [size](const auto& idle) { return idle.first == size; });
    if (found != idle_pinned_.end()) {
      void* const data = found->second;
      idle_pinned_.erase(found);
      idle_pinned_bytes_ -= size;
      return PinnedBuffer(shared_from_this(), data, size);
    }
  }
  void* data = nullptr;
  device::GpuError failure;
  if (!gpu_->allocate_pinned(size, &data, &failure)) {
    return status_of(failure);
  }
  return PinnedBuffer(shared_from_this(), data, size);
}

void Device::give_back(void* pinned, uint64_t bytes) {
  if (in_forked_child()) {
    return;
  }
  std::vector<void*> dropped;
  {
    const std::lock_guard lock(mutex_);
    idle_pinned_.emplace_back(bytes, pinned);
    idle_pinned_bytes_ += bytes;
    while (idle_pinned_bytes_ > kMostIdlePinned) {  // the oldest first
      idle_pinned_bytes_ -= idle_pinned_.front().first;
      dropped.push_back(idle_pinned_.front().second);
      idle_pinned_.erase(idle_pinned_.begin());
    }
  }
  for (void* const data : dropped) {
    gpu_->release_pinned(data);
  }
}

}  // namespace gls
