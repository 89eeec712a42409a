// The current servers of one part.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cluster/client/remote_part.h"

namespace gls {

// Any thread.
class Replicas {
 public:
  using One = std::shared_ptr<const RemotePart>;
  using All = std::vector<One>;

  // At least one server; none retries by itself. `first`: the server to ask until it fails.
  Replicas(All all, size_t first) : all_(std::move(all)), asked_(all_[first % all_.size()]) {}

  All all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }
  One asked() const {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  // The next server after those that were tried; null: all were tried.
  One next(const All& tried) const {
    const std::lock_guard lock(mutex_);
    const auto last = std::find(all_.begin(), all_.end(), tried.back());
    const auto from = static_cast<size_t>(last == all_.end() ? 0 : last - all_.begin() + 1);
    for (size_t i = 0; i < all_.size(); ++i) {
      const One& one = all_[(from + i) % all_.size()];
      if (std::find(tried.begin(), tried.end(), one) == tried.end()) {
        return one;
      }
    }
    return nullptr;
  }
  // Asks `one` first from now on. False: another thread has replaced `failed` already.
  bool prefer(const One& one, const One& failed) {
    const std::lock_guard lock(mutex_);
    if (one == failed || asked_ != failed ||
        std::find(all_.begin(), all_.end(), one) == all_.end()) {
      return false;
    }
    asked_ = one;
    return true;
  }

  void add(One one) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::move(one));
    if (leaves_ != nullptr) {
      remove_locked(std::find(all_.begin(), all_.end(), leaves_));
      leaves_ = nullptr;
      left_why_ = {};
    }
  }
  // Removes a server's replica. The only replica stays until another one comes, and `why` is its
  // error until then.
  void remove(const net::Peer* server, const Status& why) {
    const std::lock_guard lock(mutex_);
    const auto one = std::find_if(all_.begin(), all_.end(),
                                  [&](const One& is) { return is->server() == server; });
    if (one == all_.end()) {
      return;
    }
    if (all_.size() == 1) {
      leaves_ = *one;
      left_why_ = why.copy();
    } else {
      remove_locked(one);
    }
  }
  // Why no server can be asked, if that is known; else ok.
  Status nobody() const {
    const std::lock_guard lock(mutex_);
    return left_why_.copy();
  }
  // Asks no server any more.
  void close() { closed_ = true; }
  bool closed() const { return closed_; }

 private:
  void remove_locked(All::iterator one) {
    const bool was_asked = asked_ == *one;
    all_.erase(one);
    asked_ = was_asked ? all_.front() : asked_;
  }

  mutable std::mutex mutex_;
  All all_;
  One asked_;
  One leaves_;  // the only replica, which should be removed
  Status left_why_;
  std::atomic<bool> closed_ = false;
};

}  // namespace gls
