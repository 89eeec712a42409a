// The resources of one build: threads, a memory limit, progress and, for a folder, scratch files.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/progress.h"
#include "base/status.h"
#include "context/context.h"

namespace gls {

// Counts bytes against a limit. Any thread may use it.
class MemoryBudget {
 public:
  explicit MemoryBudget(uint64_t bound) : bound_(bound) {}

  uint64_t bound() const { return bound_; }
  uint64_t available() const {
    const uint64_t used = used_.load(std::memory_order_relaxed);
    return used < bound_ ? bound_ - used : 0;
  }
  bool try_take(uint64_t bytes);
  // `what` begins the sentence "... needs N more".
  Status take(uint64_t bytes, std::string_view what);
  void give_back(uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  Status exceeded(uint64_t bytes, std::string_view what) const;

 private:
  const uint64_t bound_;
  std::atomic<uint64_t> used_{0};
};

// Bytes taken from a budget, returned on destruction. May outlive the build, as the memory may.
class MemoryLease {
 public:
  explicit MemoryLease(std::shared_ptr<MemoryBudget> budget) : budget_(std::move(budget)) {}
  ~MemoryLease() { clear(); }
  MemoryLease(MemoryLease&& other) noexcept
      : budget_(std::move(other.budget_)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryLease& operator=(MemoryLease&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  bool try_add(uint64_t bytes) {
    const bool taken = budget_->try_take(bytes);
    bytes_ += taken ? bytes : 0;
    return taken;
  }
  Status add(uint64_t bytes, std::string_view what) {
    GLS_TRY(budget_->take(bytes, what));
    bytes_ += bytes;
    return {};
  }
  void clear() {
    if (bytes_ > 0) {
      budget_->give_back(std::exchange(bytes_, 0));
    }
  }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  uint64_t bytes_ = 0;
};

// The context, the memory budget and the scratch files of one build.
class Workspace {
 public:
  // Scratch files begin with `scratch`, and are in a folder that is removed later; empty: none, as
  // for a dataset in memory. Fails if the limit is too small for the buffers of every build.
  static Result<Workspace> create(Context& context, uint64_t memory, std::string scratch,
                                  Progress progress);

  Context& context() const { return *context_; }
  ThreadPool& pool() const { return context_->pool(); }
  const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }
  const Progress& progress() const { return progress_; }
  bool has_scratch() const { return !scratch_.empty(); }
  // A new name each time.
  std::string scratch_path(std::string_view name);
  // The number of buffers of `bytes` to use at once.
  size_t window(uint64_t bytes) const;

 private:
  Workspace(Context& context, uint64_t memory, std::string scratch, Progress progress)
      : context_(&context),
        budget_(std::make_shared<MemoryBudget>(memory)),
        scratch_(std::move(scratch)),
        progress_(std::move(progress)) {}

  Context* context_;
  std::shared_ptr<MemoryBudget> budget_;
  std::string scratch_;
  Progress progress_;
  unsigned serial_ = 0;
};

}  // namespace gls
