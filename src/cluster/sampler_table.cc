#include "cluster/sampler_table.h"

#include <algorithm>
#include <new>
#include <random>
#include <utility>

namespace gls {
namespace {

// So that the numbers of a server that was started again are others.
uint64_t random_number() {
  std::random_device device;
  const uint64_t high = device();
  return high << 32 | device();
}

// Others may wait for what comes of it.
Result<std::shared_ptr<const PartSampler>> make_or_fail(const SamplerTable::Make& make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return Status::out_of_memory();
  }
}

}  // namespace

SamplerTable::SamplerTable(size_t most)
    : most_(std::max<size_t>(most, 1)), next_number_(random_number()) {}

void SamplerTable::open(std::string_view options, const Make& make, Opened opened) {
  Entries::iterator entry;
  {
    std::unique_lock lock(mutex_);
    if (const auto known = by_options_.find(options); known != by_options_.end()) {
      entry = known->second;
      if (entry->sampler == nullptr) {
        entry->waiting.push_back(std::move(opened));
        return;
      }
      entries_.splice(entries_.end(), entries_, entry);
      const uint64_t number = entry->number;
      lock.unlock();
      opened(number, {});
      return;
    }
    entry = entries_.insert(entries_.end(), {next_number_++, std::string(options), nullptr, {}});
    try {
      by_options_.emplace(entry->options, entry);
      by_number_.emplace(entry->number, entry);
    } catch (...) {  // there is no memory
      by_options_.erase(entry->options);
      entries_.erase(entry);
      throw;
    }
  }
  auto made = make_or_fail(make);
  const uint64_t number = entry->number;
  const Status status = made.status().copy();
  std::vector<Opened> waiting;
  std::vector<std::shared_ptr<const PartSampler>> gone;  // after the lock
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(entry->waiting);
    const auto drop = [this](Entries::iterator which) {
      by_options_.erase(which->options);
      by_number_.erase(which->number);
      entries_.erase(which);
    };
    if (made.ok()) {
      entry->sampler = made.take();
    } else {
      drop(entry);
    }
    for (auto at = entries_.begin(); entries_.size() > most_ && at != entries_.end();) {
      const auto next = std::next(at);
      if (at != entry && at->sampler != nullptr) {
        gone.push_back(std::move(at->sampler));
        drop(at);
      }
      at = next;
    }
  }
  opened(number, status);
  for (const Opened& other : waiting) {
    other(number, status);
  }
}

std::shared_ptr<const PartSampler> SamplerTable::find(uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) {
    return nullptr;
  }
  entries_.splice(entries_.end(), entries_, found->second);
  return found->second->sampler;
}

size_t SamplerTable::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace gls
