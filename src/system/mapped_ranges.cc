#include "system/mapped_ranges.h"

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <utility>

namespace gls {
namespace {

using Ranges = std::map<const std::byte*, MappedRange, std::less<>>;

// Both exist before any thread does, so a fork never meets them while they are made. Neither has a
// destructor, because other static objects may outlive it; the map exists while it has entries.
constinit std::mutex ranges_mutex;
constinit Ranges* ranges = nullptr;

// A fork waits until no thread holds the mutex, so the child can lock it.
[[maybe_unused]] const int ranges_at_fork = pthread_atfork(
    [] { ranges_mutex.lock(); }, [] { ranges_mutex.unlock(); }, [] { ranges_mutex.unlock(); });

}  // namespace

void note_mapped(const void* data, MappedRange file) {
  const std::lock_guard lock(ranges_mutex);
  if (ranges == nullptr) {
    ranges = new Ranges;
  }
  ranges->insert_or_assign(static_cast<const std::byte*>(data), std::move(file));
}

void forget_mapped(const void* data) {
  const std::lock_guard lock(ranges_mutex);
  if (ranges != nullptr && ranges->erase(static_cast<const std::byte*>(data)) > 0 &&
      ranges->empty()) {
    delete std::exchange(ranges, nullptr);
  }
}

std::optional<MappedRange> find_mapped(const void* data, uint64_t bytes) {
  const auto* const at = static_cast<const std::byte*>(data);
  const std::lock_guard lock(ranges_mutex);
  if (ranges == nullptr) {
    return std::nullopt;
  }
  auto found = ranges->upper_bound(at);
  if (found == ranges->begin()) {
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
