#include "net/connection/next_request.h"

#include <new>
#include <utility>

namespace gls::net {

NextRequest*& NextRequest::of_thread() {
  thread_local NextRequest* value = nullptr;
  return value;
}

bool NextRequest::keep(Task* task) {
  NextRequest* const waits = of_thread();
  if (waits == nullptr || !waits->pool_.end_idling(*waits)) {
    return false;  // the pool has a task for this thread, or the thread already has one
  }
  waits->task_ = std::move(*task);
  waits->done_ = true;
  return true;
}

void NextRequest::come_back() noexcept {
  done_ = true;
  connection_.nudge();
}

// Calling threads read outgoing connections.
NextRequest::Task NextRequest::next(ThreadPool& pool, Connection& connection) {
  if (!connection.inbound() || connection.state() != ConnectionState::kUp) {
    return {};
  }
  NextRequest waits(pool, connection);
  try {
    if (!pool.begin_idling(waits)) {
      return {};
    }
  } catch (const std::bad_alloc&) {
    return {};
  }
  of_thread() = &waits;
  connection.read_by_caller(waits);
  of_thread() = nullptr;
  static_cast<void>(pool.end_idling(waits));
  return std::move(waits.task_);
}

}  // namespace gls::net
