#include "device/memory/pinned_pages.h"

#include <charconv>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "system/cpu.h"
#include "system/read_ahead.h"

namespace gls {
namespace {

constexpr const char* kSetting = "device.pinned_memory";

// The pinned memory of this process, for all devices. Pages that several devices read in place are
// pinned once, and count once.
class PinnedNow {
 public:
  bool take(uint64_t bytes, uint64_t most) {
    const std::lock_guard lock(mutex_);
    return add(bytes, most);
  }
  bool take_pages(const void* data, uint64_t bytes, uint64_t most) {
    const std::lock_guard lock(mutex_);
    const auto [found, first] = users_.try_emplace({data, bytes}, 0);
    if (first && !add(bytes, most)) {
      users_.erase(found);
      return false;
    }
    ++found->second;
    return true;
  }
  void give_back(uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ -= bytes;
  }
  void give_back_pages(const void* data, uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = users_.find({data, bytes});
    if (--found->second == 0) {
      users_.erase(found);
      bytes_ -= bytes;
    }
  }
  uint64_t bytes() {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }
  bool first_refusal(int32_t device) {
    const std::lock_guard lock(mutex_);
    return refused_.insert(device).second;
  }

 private:
  bool add(uint64_t bytes, uint64_t most) {
    if (bytes > most || bytes_ > most - bytes) {
      return false;
    }
    bytes_ += bytes;
    return true;
  }

  std::mutex mutex_;
  uint64_t bytes_ = 0;
  std::map<std::pair<const void*, uint64_t>, uint64_t> users_;
  std::set<int32_t> refused_;  // devices
};

PinnedNow& pinned_now() {
  // Never destroyed, because other static objects may outlive it.
  static auto* const now = new PinnedNow;
  return *now;
}

// The number of processes on this host, from the launcher.
uint64_t processes_of_host() {
  for (const char* const name :
       {"LOCAL_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    const char* const text = std::getenv(name);
    const std::string_view said = text != nullptr ? text : "";
    uint32_t count = 0;
    const auto [end, ec] = std::from_chars(said.data(), said.data() + said.size(), count);
    if (ec == std::errc() && end == said.data() + said.size() && count > 0) {
      return count;
    }
  }
  return 1;
}

}  // namespace

MostPinned PinnedPages::most(const Settings& settings) {
  const uint64_t given = settings.bytes(Setting::kDevicePinnedMemory);
  const uint64_t half = usable_memory() / 2;
  return given != 0 ? MostPinned{given, given} : MostPinned{half, half / processes_of_host()};
}

PinnedPages PinnedPages::pin(std::shared_ptr<Device> device, const void* data, uint64_t bytes,
                             uint64_t most, const Log* log) {
  PinnedPages out;
  if (!pinned_now().take_pages(data, bytes, most)) {
    return out;
  }
  read_all(data, bytes);  // otherwise missing pages would be read one by one
  device::GpuError why;   // some systems do not let a device read pages of files
  if (!device->gpu().pin(data, bytes, &out.seen_, &why)) {
    pinned_now().give_back_pages(data, bytes);
    if (log != nullptr && pinned_now().first_refusal(device->id())) {
      log->write(
          GLS_LOG_WARN, "device",
          "GPU {} does not read {} bytes of the host in place, nor what else is refused; they "
          "are gathered or copied: {}",
          device->id(), bytes, why.text);
    }
    return out;
  }
  out.device_ = std::move(device);
  out.data_ = const_cast<void*>(data);
  out.bytes_ = bytes;
  return out;
}

Result<PinnedPages> PinnedPages::allocate(std::shared_ptr<Device> device, uint64_t bytes,
                                          uint64_t most) {
  if (!pinned_now().take(bytes, most)) {
    return error(GLS_ERR_OUT_OF_MEMORY,
                 "{} bytes for a GPU to read in place are more than there may be beside {}; {} is "
                 "{}",
                 bytes, pinned_now().bytes(), kSetting, most)
        .with("argument", kSetting);
  }
  PinnedPages out;
  device::GpuError failure;
  if (!device->gpu().allocate_pinned(bytes, &out.data_, &failure)) {
    pinned_now().give_back(bytes);
    return status_of(failure);
  }
  out.device_ = std::move(device);
  out.seen_ = out.data_;
  out.bytes_ = bytes;
  out.allocated_ = true;
  return out;
}

PinnedPages::~PinnedPages() {
  if (device_ == nullptr || device_->in_forked_child()) {
    return;
  }
  if (allocated_) {
    device_->gpu().release_pinned(data_);
    pinned_now().give_back(bytes_);
  } else {
    device_->gpu().unpin(data_);
    pinned_now().give_back_pages(data_, bytes_);
  }
}

PinnedPages& PinnedPages::operator=(PinnedPages&& other) noexcept {
  std::swap(device_, other.device_);
  std::swap(data_, other.data_);
  std::swap(seen_, other.seen_);
  std::swap(bytes_, other.bytes_);
  std::swap(allocated_, other.allocated_);
  return *this;
}

bool is_beyond_pinned(const Status& status) { return status.has("argument", kSetting); }

}  // namespace gls
