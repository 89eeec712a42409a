#include "system/mapped_ranges.h"

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace gls {
namespace {

struct Mapped {
  std::mutex mutex;
  std::map<const std::byte*, MappedRange, std::less<>> files;
};

Mapped& mapped() {
  static auto* const all = [] {
    // No other thread holds the lock during a fork.
    pthread_atfork([] { mapped().mutex.lock(); }, [] { mapped().mutex.unlock(); },
                   [] { mapped().mutex.unlock(); });
    return new Mapped;  // never destroyed, because other static objects may outlive it
  }();
  return *all;
}

}  // namespace

void note_mapped(const void* data, MappedRange file) {
  Mapped& all = mapped();
  const std::lock_guard lock(all.mutex);
  all.files.insert_or_assign(static_cast<const std::byte*>(data), std::move(file));
}

void forget_mapped(const void* data) {
  Mapped& all = mapped();
  const std::lock_guard lock(all.mutex);
  all.files.erase(static_cast<const std::byte*>(data));
}

std::optional<MappedRange> find_mapped(const void* data, uint64_t bytes) {
  const auto* const at = static_cast<const std::byte*>(data);
  Mapped& all = mapped();
  const std::lock_guard lock(all.mutex);
  auto found = all.files.upper_bound(at);
  if (found == all.files.begin()) {
    return std::nullopt;
  }
  --found;
  const auto offset = static_cast<uint64_t>(at - found->first);
  const uint64_t size = found->second.size;
  if (offset > size || bytes > size - offset) {
    return std::nullopt;
  }
  MappedRange out = found->second;
  out.offset = offset;
  return out;
}

}  // namespace gls
