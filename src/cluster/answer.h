// What is to come of something that was begun: waited for by threads, and told to who has none to
// wait with.
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

using Items = std::vector<Tensor>;  // uint8, of one dimension

class Answer {
 public:
  // The first outcome counts, and says true. `before` is called, if it does, before anybody sees
  // it.
  bool finish(Result<Items> outcome, const std::function<void()>& before = {});
  bool is_over() const;
  // Whether it is over in time; negative: without limit. False, too, where the caller of this
  // thread interrupts it (base/stop_scope.h): is_given_up().
  bool wait(int64_t timeout_ms) const;
  // Waits without limit for what ends by itself: its status(), or given_up().
  Status wait_for_status() const;
  // Once it is over; ok where there are items.
  Status status() const;
  // No items while it is not over.
  size_t count() const;
  Tensor item(size_t index) const;
  // False: it is over, and nothing will be called. Throws std::bad_alloc.
  bool notify(gls_ready_fn ready, void* user_data);

  // What cancel() has to end elsewhere; at once if it was cancelled.
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
