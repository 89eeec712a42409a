// Memory of the host that a device reads in place. All that a process has of it is bounded, because
// pinned pages stay in memory: a file that is larger than memory cannot be pinned as a whole.
#pragma once

#include <cstdint>
#include <memory>

#include "context/log.h"
#include "context/settings.h"
#include "device/device.h"

namespace gls {

// The most bytes of a process that may be pinned when something is.
struct MostPinned {
  uint64_t pages = 0;   // where it lies
  uint64_t copies = 0;  // as a copy, which every process of a machine has for itself
};

class PinnedPages {
 public:
  // By the setting `device.pinned_memory`.
  static MostPinned most(const Settings& settings);

  PinnedPages() = default;
  // Pages as they are, which must stay so. Empty: the system does not pin them, of which the log
  // hears once for a device, or together they would be more than `most`.
  static PinnedPages pin(std::shared_ptr<Device> device, const void* data, uint64_t bytes,
                         uint64_t most, const Log* log = nullptr);
  // Memory of their own, for what cannot be pinned where it lies. GLS_ERR_OUT_OF_MEMORY, with the
  // detail "argument", where it would be more than `most`.
  static Result<PinnedPages> allocate(std::shared_ptr<Device> device, uint64_t bytes,
                                      uint64_t most);
  ~PinnedPages();
  PinnedPages(PinnedPages&& other) noexcept { *this = std::move(other); }
  PinnedPages& operator=(PinnedPages&& other) noexcept;

  explicit operator bool() const { return device_ != nullptr; }
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  const void* seen() const { return seen_; }  // by the device

 private:
  std::shared_ptr<Device> device_;
  void* data_ = nullptr;
  const void* seen_ = nullptr;
  uint64_t bytes_ = 0;
  bool allocated_ = false;
};

// Whether something failed only because it was more than may be pinned.
bool is_beyond_pinned(const Status& status);

}  // namespace gls
