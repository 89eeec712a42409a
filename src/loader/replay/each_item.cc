#include "loader/replay/each_item.h"

#include "context/parallel.h"
#include "context/stop_scope.h"
#include "storage/spill_memory.h"

namespace gls {

Status for_each_item(ThreadPool& pool, size_t count, const std::function<Status(size_t i)>& body,
                     const std::function<Status()>& tick) {
  const std::stop_token stop = current_stop;
  const auto part = [&](size_t begin, size_t end) -> Status {
    const StopScope scope(stop);
    for (size_t i = begin; i < end; ++i) {
      GLS_TRY(stop.stop_requested() ? given_up() : Status());
      GLS_TRY(or_no_space([&] { return body(i); }));
    }
    return {};
  };
  return parallel_try(pool, count, 1, part, tick);
}

}  // namespace gls
