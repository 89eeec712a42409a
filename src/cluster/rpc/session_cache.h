// Objects that clients open at a server and then name by number: samplers, and loaders that make
// batches. Clients with equal options share one object.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/checksum.h"
#include "base/clock.h"
#include "base/random_number.h"
#include "base/status.h"
#include "context/parallel.h"

namespace gls {

struct SessionLimits {
  size_t most = 64;
  // Of all options and of the objects made from them.
  uint64_t most_bytes = std::numeric_limits<uint64_t>::max();
  // How long an object is kept after its last use. If all objects are kept, a new client receives
  // the error `full`. This prevents clients from evicting each other's objects all the time. 0: the
  // least recently used object is evicted.
  uint64_t keep_ns = 0;
  std::function<Status()> full;  // required where keep_ns is not 0
  // may be empty; called on any thread, without a lock
  std::function<void(uint64_t number)> dropped;
};

template <typename T>
class SessionCache {
 public:
  using Make = std::function<Result<std::shared_ptr<const T>>()>;
  // Receives the number of the object, or the error.
  using Opened = std::function<void(uint64_t, const Status&)>;

  // Beyond the limits, the least recently used object is evicted; its client opens it again.
  // Requests that use the object at that moment finish.
  explicit SessionCache(size_t most) : SessionCache(limits_of(most)) {}
  explicit SessionCache(SessionLimits limits)
      // Starts at another number after a restart.
      : limits_(std::move(limits)), next_number_(random_number()) {}

  // Opens the object with these options, which this class treats as bytes. It makes one object at a
  // time from equal options. `opened` runs on this thread, or on the thread that is making the
  // object. `bytes`: the memory it needs beside its options, read after `make`; may be NULL.
  void open(std::string_view options, const Make& make, Opened opened,
            const uint64_t* bytes = nullptr);
  // NULL: unknown or evicted. Returns quickly, also while another client's object is being made.
  std::shared_ptr<const T> find(uint64_t number);
  // Drops objects that were not used for this long.
  void drop_idle(uint64_t for_ns);
  // Objects that were not used for this long. They stay.
  std::vector<std::shared_ptr<const T>> idle(uint64_t for_ns) const;
  size_t size() const {
    const std::lock_guard lock(mutex_);
    return entries_.size();
  }
  uint64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  struct Entry {
    Entry(std::string_view of, uint64_t hash_in) : options(of), hash(hash_in) {}
    const std::string options;
    const uint64_t hash;
    uint64_t number = 0;
    // The mutex protects the rest.
    std::shared_ptr<const T> made;  // NULL: being made
    std::vector<Opened> waiting;
    uint64_t bytes = 0;
    uint64_t asked_ns = 0;
    bool gone = false;
  };
  using Entries = std::list<std::shared_ptr<Entry>>;

  static SessionLimits limits_of(size_t most) {
    SessionLimits out;
    out.most = most;
    return out;
  }
  // Also catches exceptions, because other clients wait for the result.
  static Result<std::shared_ptr<const T>> make_or_fail(const Make& make) {
    std::shared_ptr<const T> out;
    const Status status = guarded([&]() -> Status {
      GLS_ASSIGN(out, make());
      return {};
    });
    return status.ok() ? Result<std::shared_ptr<const T>>(std::move(out))
                       : Result<std::shared_ptr<const T>>(copy_of(status));
  }
  static Status copy_of(const Status& status) {
    return or_out_of_memory([&] { return status.copy(); });
  }
  static void tell(const Opened& opened, uint64_t number, const Status& status) {
    static_cast<void>(guarded([&]() -> Status {
      opened(number, status);
      return {};
    }));
  }
  void tell_dropped(Entries* gone) {
    while (!gone->empty()) {
      const uint64_t number = gone->front()->number;
      gone->pop_front();  // may destroy the last reference, so without the lock
      if (limits_.dropped) {
        static_cast<void>(guarded([&]() -> Status {
          limits_.dropped(number);
          return {};
        }));
      }
    }
  }

  // Functions below need the mutex.
  std::vector<std::shared_ptr<Entry>> with_hash(uint64_t hash) const {
    std::vector<std::shared_ptr<Entry>> out;
    std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(out),
                 [hash](const std::shared_ptr<Entry>& entry) { return entry->hash == hash; });
    return out;
  }
  void insert(const std::shared_ptr<Entry>& entry) {
    entry->number = next_number_++;
    const auto at = entries_.insert(entries_.end(), entry);
    try {
      by_number_.emplace(entry->number, at);
    } catch (...) {  // out of memory
      entries_.erase(at);
      throw;
    }
  }
  void touch(typename Entries::iterator at) {
    (*at)->asked_ns = now_ns();
    entries_.splice(entries_.end(), entries_, at);
  }
  bool may_go(const Entry& entry, uint64_t for_ns) const {
    return entry.made != nullptr && now_ns() - entry.asked_ns >= for_ns;
  }
  void drop(typename Entries::iterator at, Entries* gone) {
    Entry& entry = **at;
    entry.gone = true;
    bytes_ -= entry.bytes;
    by_number_.erase(entry.number);
    gone->splice(gone->end(), entries_, at);
  }
  // Whether one more object would fit, as far as its size is known.
  bool may_have_room() const {
    if (limits_.keep_ns == 0) {
      return true;
    }
    const auto stays = std::count_if(
        entries_.begin(), entries_.end(),
        [this](const std::shared_ptr<Entry>& entry) { return !may_go(*entry, limits_.keep_ns); });
    return static_cast<size_t>(stays) < std::max<size_t>(limits_.most, 1);
  }
  // Whether this object fits, after others were evicted.
  bool make_room(const Entry& for_this, Entries* gone) {
    const auto over = [&] {
      return entries_.size() > std::max<size_t>(limits_.most, 1) || bytes_ > limits_.most_bytes;
    };
    for (auto at = entries_.begin(); at != entries_.end() && over();) {
      const auto next = std::next(at);
      if (at->get() != &for_this && may_go(**at, limits_.keep_ns)) {
        drop(at, gone);
      }
      at = next;
    }
    return limits_.keep_ns == 0 || !over() || entries_.size() == 1;
  }

  const SessionLimits limits_;
  mutable std::mutex mutex_;
  uint64_t next_number_;
  Entries entries_;  // least recently used first
  std::unordered_map<uint64_t, typename Entries::iterator> by_number_;
  uint64_t bytes_ = 0;
};

// ---- implementation ----

template <typename T>
void SessionCache<T>::open(std::string_view options, const Make& make, Opened opened,
                           const uint64_t* bytes) {
  // Options may be long: they are read, compared and copied without the lock.
  const uint64_t hash = hash64(std::as_bytes(std::span(options)));
  std::shared_ptr<Entry> entry;
  for (bool inserted = false; !inserted;) {
    std::vector<std::shared_ptr<Entry>> same;
    {
      const std::lock_guard lock(mutex_);
      same = with_hash(hash);
    }
    const auto known = std::find_if(
        same.begin(), same.end(),
        [&](const std::shared_ptr<Entry>& other) { return other->options == options; });
    if (known != same.end()) {
      const uint64_t number = (*known)->number;
      {
        const std::lock_guard lock(mutex_);
        if ((*known)->gone) {
          continue;
        }
        if ((*known)->made == nullptr) {
          (*known)->waiting.push_back(std::move(opened));
          return;
        }
        touch(by_number_.at(number));
      }
      opened(number, {});
      return;
    }
    if (entry == nullptr) {
      entry = std::make_shared<Entry>(options, hash);
    }
    const std::lock_guard lock(mutex_);
    if (with_hash(hash) != same) {
      continue;  // another thread was faster
    }
    if (!may_have_room()) {
      entry = nullptr;
      break;
    }
    insert(entry);
    inserted = true;
  }
  if (entry == nullptr) {
    opened(0, limits_.full());
    return;
  }
  Result<std::shared_ptr<const T>> made = make_or_fail(make);
  const uint64_t number = entry->number;
  bool has_room = true;
  std::vector<Opened> waiting;
  Entries gone;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(entry->waiting);
    const auto at = by_number_.at(number);
    if (made.ok()) {
      entry->made = *made;
      entry->bytes = options.size() + (bytes != nullptr ? *bytes : 0);
      bytes_ += entry->bytes;
      touch(at);
      has_room = make_room(*entry, &gone);
    }
    if (!made.ok() || !has_room) {
      Entries unused;
      drop(at, &unused);  // its number was never returned to a client
    }
  }
  tell_dropped(&gone);
  const Status status =
      has_room ? copy_of(made.status()) : or_out_of_memory([&] { return limits_.full(); });
  tell(opened, number, status);
  for (const Opened& other : waiting) {
    tell(other, number, status);
  }
}

template <typename T>
std::shared_ptr<const T> SessionCache<T>::find(uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = by_number_.find(number);
  if (found == by_number_.end()) {
    return nullptr;
  }
  touch(found->second);
  return (*found->second)->made;
}

template <typename T>
void SessionCache<T>::drop_idle(uint64_t for_ns) {
  Entries gone;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = entries_.begin(); at != entries_.end();) {
      const auto next = std::next(at);
      if (may_go(**at, for_ns)) {
        drop(at, &gone);
      }
      at = next;
    }
  }
  tell_dropped(&gone);
}

template <typename T>
std::vector<std::shared_ptr<const T>> SessionCache<T>::idle(uint64_t for_ns) const {
  std::vector<std::shared_ptr<const T>> out;
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Entry>& entry : entries_) {
    if (may_go(*entry, for_ns)) {
      out.push_back(entry->made);
    }
  }
  return out;
}

}  // namespace gls
