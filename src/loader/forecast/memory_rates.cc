#include "loader/forecast/memory_rates.h"

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "base/philox.h"
#include "feature/gather.h"
#include "system/memory.h"

namespace gls {

double measure_gather(Context& context, uint64_t row_bytes) {
  constexpr uint64_t kTable = uint64_t{64} << 20;  // more than caches have
  constexpr uint64_t kTime = 30'000'000;           // ns
  const auto rows = static_cast<int64_t>(std::max<uint64_t>(kTable / row_bytes, 1));
  const auto taken = static_cast<int64_t>(std::max<uint64_t>((kTable / 8) / row_bytes, 1));
  const Buffer table = context.buffers()->acquire(static_cast<uint64_t>(rows) * row_bytes);
  const Buffer out = context.buffers()->acquire(static_cast<uint64_t>(taken) * row_bytes);
  std::fill_n(table.as<>(), static_cast<uint64_t>(rows) * row_bytes, std::byte{1});
  std::vector<int64_t> ids;
  ids.reserve(static_cast<size_t>(taken));
  for (int64_t i = 0; i < taken; ++i) {
    ids.push_back(static_cast<int64_t>(key_of(philox(lo32(static_cast<uint64_t>(i)), 0, 0, 0, 0)) %
                                       static_cast<uint64_t>(rows)));
  }
  const Tensor held(nullptr, table.as<>(), kUint8, {rows, static_cast<int64_t>(row_bytes)}, true);
  const uint64_t bytes = static_cast<uint64_t>(taken) * row_bytes;
  const GatherOptions options = GatherOptions::from(context).for_bytes(bytes);
  const auto gather = [&] { gather_to(out.as<>(), held, span_of(ids), kUint8, options, nullptr); };
  gather();  // the system clears new memory first
  const uint64_t begun = now_ns();
  uint64_t moved = 0;
  do {
    gather();
    moved += bytes;
  } while (now_ns() - begun < kTime);
  return static_cast<double>(moved) / (static_cast<double>(now_ns() - begun) * 1e-9);
}

double measure_new_memory(const Context& context) {
  constexpr uint64_t kMost = uint64_t{256} << 20;
  constexpr uint64_t kTime = 100'000'000;  // ns
  constexpr uint64_t kPage = 4096;
  const PageBlock memory(kMost, context.huge_pages());
  const uint64_t begun = now_ns();
  uint64_t cleared = 0;
  while (cleared < kMost && now_ns() - begun < kTime) {
    memory.fault_in(cleared, kHugePage);
    for (uint64_t page = 0; page < kHugePage; page += kPage) {
      memory.data()[cleared + page] = std::byte{1};  // where the system cannot do it before
    }
    cleared += kHugePage;
  }
  return static_cast<double>(cleared) / (static_cast<double>(now_ns() - begun) * 1e-9);
}

}  // namespace gls
