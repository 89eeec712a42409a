// What answers questions for a column, or for the neighbours of an edge type, in the caller's code.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/topology/topology.h"
#include "store/fetch.h"
#include "store/sieve_cache.h"
#include "store/turns.h"
#include "tensor/tensor.h"

namespace gls {

struct StoreOptions {
  // Takes a question over, and answers it now or later.
  std::function<void(std::shared_ptr<Fetch>)> fetch;
  uint32_t max_fetches = 16;
  uint32_t max_ids = 0;         // of a fetch; 0: no limit
  int64_t deadline_ms = 30000;  // of an answer, and of the wait for a turn; negative: none
  uint64_t cache_bytes = 0;
};

struct StoreStats {
  uint64_t fetches = 0;
  uint64_t ids = 0;
  uint64_t cached_ids = 0;
  uint64_t failures = 0;
  uint64_t fetch_ns = 0;
  uint64_t wait_ns = 0;
  uint64_t cache_bytes = 0;
};

// Any number of threads may ask it at once.
class Store : public std::enable_shared_from_this<Store> {
 public:
  virtual ~Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // For messages: `the store of column "x" of "user"`.
  const std::string& name() const { return name_; }
  const StoreOptions& options() const { return options_; }
  StoreStats stats() const;

 protected:
  Store(std::string name, StoreOptions options);
  // Cuts a question by `max_ids`. Its rows are consecutive.
  std::vector<Fetch::Question> cut(Fetch::Question whole) const;
  SieveCache* cache() const { return cache_.get(); }
  void note_cached(uint64_t ids) const { cached_ids_ += ids; }

 private:
  friend class Asked;
  friend class Fetch;
  void end_turn(bool failed, uint64_t began);
  void note_timeout();
  void begin(const std::shared_ptr<Fetch>& fetch, uint64_t asked_at);

  const std::string name_;
  const StoreOptions options_;
  const std::unique_ptr<SieveCache> cache_;  // NULL: none
  mutable std::mutex mutex_;
  Turns turns_;
  StoreStats stats_;  // but for cached ids
  mutable std::atomic<uint64_t> cached_ids_ = 0;
};

}  // namespace gls
