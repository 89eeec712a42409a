// Host memory that a device reads in place. Pinned pages stay in memory, so the total of a process
// is limited. A file larger than memory cannot be pinned as a whole.
#pragma once

#include <cstdint>
#include <memory>

#include "context/log.h"
#include "context/settings.h"
#include "device/device.h"

namespace gls {

// The limits of a process, checked before pinning.
struct MostPinned {
  uint64_t pages = 0;   // pages pinned in place
  uint64_t copies = 0;  // copies, which every process of a machine makes for itself
};

class PinnedPages {
 public:
  // From the setting `device.pinned_memory`.
  static MostPinned most(const Settings& settings);

  PinnedPages() = default;
  // Pins pages in place; they must stay there. Empty: the total would exceed `most`, or the system
  // cannot pin them, which is logged once for a device.
  static PinnedPages pin(std::shared_ptr<Device> device, const void* data, uint64_t bytes,
                         uint64_t most, const Log* log = nullptr);
  // New memory, for data that cannot be pinned in place. GLS_ERR_OUT_OF_MEMORY, with the detail
  // "argument": it would exceed `most`.
  static Result<PinnedPages> allocate(std::shared_ptr<Device> device, uint64_t bytes,
                                      uint64_t most);
  ~PinnedPages();
  PinnedPages(PinnedPages&& other) noexcept { *this = std::move(other); }
  PinnedPages& operator=(PinnedPages&& other) noexcept;

  explicit operator bool() const { return device_ != nullptr; }
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  const void* seen() const { return seen_; }  // the address on the device

 private:
  std::shared_ptr<Device> device_;
  void* data_ = nullptr;
  const void* seen_ = nullptr;
  uint64_t bytes_ = 0;
  bool allocated_ = false;
};

// Whether an error occurred only because of the limit on pinned memory.
bool is_beyond_pinned(const Status& status);

}  // namespace gls
