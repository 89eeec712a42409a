// The future result of an asynchronous operation. A thread can wait for it, or register a function
// to be called.
#pragma once

#include <gls.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/status.h"
#include "tensor/tensor.h"

namespace gls::group {

using Items = std::vector<Tensor>;  // uint8 arrays of one dimension

class Future {
 public:
  // Stores the first outcome and returns true; later ones return false. `before` runs before any
  // thread can see the outcome.
  bool finish(Result<Items> outcome, const std::function<void()>& before = {});
  bool is_over() const;
  // Whether the operation ends in time; negative: no limit. Also false when the caller of this
  // thread interrupts the wait (context/stop_scope.h): then is_given_up().
  bool wait(int64_t timeout_ms) const;
  // Waits without a limit for an operation that ends by itself: its status(), or given_up().
  Status wait_for_status() const;
  // Once it has ended; ok if it has items.
  Status status() const;
  // 0 while the operation is running.
  size_t count() const;
  Tensor item(size_t index) const;
  // False: it has ended, and `ready` is not called. Throws std::bad_alloc.
  bool notify(gls_ready_fn ready, void* user_data);

  // What cancel() must end in other objects. Runs at once if the operation was cancelled already.
  void on_cancel(std::function<void()> cancel);
  void cancel();

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable over_;
  std::optional<Result<Items>> outcome_;
  std::vector<std::pair<gls_ready_fn, void*>> waiting_;
  std::function<void()> cancel_;
  bool canceled_ = false;
};

}  // namespace gls::group
