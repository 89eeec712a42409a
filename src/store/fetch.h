// A question to a store of the caller's, and waiting for its answer.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/status.h"

namespace gls {

class Store;

// What answers of a store of neighbours may contain.
struct NeighborLimits {
  int64_t nodes = 0;      // neighbours are below it
  int64_t edges = 0;      // edge ids are below it
  bool edge_ids = false;  // whether there are any
};

// The neighbours of some nodes, those of the first node first.
struct NeighborLists {
  std::vector<int64_t> counts;
  std::vector<int64_t> neighbors;
  std::vector<int64_t> edge_ids;  // empty: the store has none
};

// One question. The store answers it once, on any thread; the thread that asked may have left.
class Fetch {
 public:
  struct Question {
    std::vector<int64_t> ids;
    bool of_rows = true;        // else of neighbours
    std::byte* rows = nullptr;  // where the rows go
    int64_t row_bytes = 0;
    std::shared_ptr<const void> owner{};  // of `rows`
    NeighborLimits limits{};
  };
  Fetch(std::shared_ptr<Store> store, Question question)
      : store_(std::move(store)), question_(std::move(question)) {}

  const Question& question() const { return question_; }
  bool canceled() const { return canceled_; }
  // Milliseconds until the deadline; -1: without limit.
  int64_t remaining_ms() const;

  // For the store. Errors: it has been answered, or asks for something else.
  Status rows_done();
  // Copies the arrays. If they do not fit the question, that is the answer.
  Status set_neighbors(const int64_t* counts, const int64_t* neighbors, const int64_t* edge_ids);
  Status fail(Status status);
  // The store has let go of it.
  void release();

 private:
  friend class Asked;
  friend class Store;
  Status answer(Status status, NeighborLists lists);
  Status check_lists(const int64_t* counts, const int64_t* neighbors,
                     const int64_t* edge_ids) const;

  const std::shared_ptr<Store> store_;
  const Question question_;
  uint64_t deadline_ = 0;  // as now_ns(); set when the store gets it
  std::atomic<bool> canceled_ = false;
  std::mutex mutex_;
  std::condition_variable over_;
  bool answered_ = false;
  uint64_t started_at_ = 0;  // 0: the store does not have it
  Status status_;
  NeighborLists lists_;
};

// Some fetches of one question of the library. Used by one thread at a time.
class Asked {
 public:
  // Starts as many as have a turn, without waiting.
  Asked(std::shared_ptr<Store> store, std::vector<Fetch::Question> questions);
  // Cancels what is not over.
  ~Asked();
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  // Waits for all answers; the first error.
  Status wait();
  // Of an answered fetch.
  NeighborLists take_lists(size_t fetch) { return std::move(fetches_[fetch]->lists_); }
  const Fetch::Question& question(size_t fetch) const { return fetches_[fetch]->question(); }
  size_t size() const { return fetches_.size(); }

 private:
  void start_some();
  void start_next();
  Status wait_for(Fetch& fetch);
  Status wait_for_turn();

  const std::shared_ptr<Store> store_;
  const uint64_t asked_at_;
  std::vector<std::shared_ptr<Fetch>> fetches_;
  size_t started_ = 0;
  bool has_failed_ = false;  // one that answered at once
};

}  // namespace gls
