#include "graph/topology/array_check.h"

#include <atomic>

#include "context/parallel.h"

namespace gls {

Status array_fault(const CheckedArray& array, int64_t position, const std::string& text) {
  Status status = error(array.code, "{}: {}", array.name, text)
                      .with("type", array.type)
                      .with("offset", std::to_string(position));
  if (array.is_file) {
    return std::move(status).with("file", array.name);
  }
  return array.code == GLS_ERR_INVALID_ARGUMENT ? std::move(status).with("argument", array.name)
                                                : std::move(status);
}

Status CheckRun::range(int64_t count,
                       const std::function<Status(int64_t begin, int64_t end)>& body) const {
  constexpr size_t kGrain = size_t{1} << 18;
  std::atomic<uint64_t> done{0};
  const auto counted = [&](size_t begin, size_t end) -> Status {
    GLS_TRY(body(static_cast<int64_t>(begin), static_cast<int64_t>(end)));
    done.fetch_add(end - begin, std::memory_order_relaxed);
    return {};
  };
  const auto tick = [&] {
    return report(progress, stage, done, static_cast<uint64_t>(count), "entries");
  };
  return parallel_try(pool, static_cast<size_t>(count), kGrain, counted, tick);
}

Status CheckRun::ids(const IdSpan& ids, int64_t limit, const char* what,
                     const CheckedArray& array) const {
  return range(ids.size(), [&](int64_t begin, int64_t end) -> Status {
    const int64_t at = ids.part(begin, end - begin).find_outside(limit);
    if (at < 0) {
      return {};
    }
    return array_fault(array, begin + at,
                       formatted("{} {} at position {} is outside [0, {})", what, ids[begin + at],
                                 begin + at, limit));
  });
}

}  // namespace gls
