// Rows that a GPU gathers: of its own memory, against a kernel that only moves them, and of the
// host's, against a copy.
#include <thread>

#include "base/philox.h"
#include "bench/gpu/limit.h"
#include "bench/gpu/parts.h"
#include "bench/support/harness.h"

namespace gls::bench {
namespace {

constexpr uint64_t kRowBytes[] = {64, 128, 256, 512, 1024, 2048, 4096};
constexpr uint64_t kLists = 4;  // of ids, in turn, so that no cache has what is read
// Launches of a step, so that waiting for its end is none of its time.
constexpr uint64_t kOnDevice = 32;
constexpr uint64_t kOfHost = kLists;  // each takes long

void copy_to(const DeviceStream& stream, const void* from, uint64_t bytes, void* to) {
  device::GpuError error;
  check_gpu(stream.gpu().copy_in(to, from, bytes, stream.get(), &error), error);
}

// Rows of `table`, which the device reads, against what `limit(salt, rows, row bytes)` queues.
template <typename Limit>
void contest_rows(const Settings& settings, const std::shared_ptr<Device>& device,
                  const void* table, uint64_t table_bytes, uint64_t launches,
                  const char* limit_name, Limit limit, void* out) {
  std::map<std::string, double> ratios;
  const DeviceStream stream = check(device->stream());
  for (const uint64_t row_bytes : kRowBytes) {
    const uint64_t rows = table_bytes / row_bytes;
    const uint64_t count = std::max<uint64_t>(settings.move_bytes / row_bytes, 1);
    std::vector<int32_t> ids(kLists * count);
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<int32_t>(
          mul_high64(key_of(philox(lo32(i), hi32(i), lo32(row_bytes), 0, 7)), rows));
    }
    const Memory list(device, 4 * ids.size());
    copy_to(stream, ids.data(), 4 * ids.size(), list.data());
    check(stream.finish());
    Contest contest(settings.warm_up);
    contest.add(limit_name, [&, salt = uint64_t{0}]() mutable {
      for (uint64_t i = 0; i < launches; ++i) {
        limit(stream, salt += count, rows, row_bytes, count);
      }
      check(stream.finish());
      return static_cast<double>(launches * count * row_bytes);
    });
    contest.add("gather", [&] {
      for (uint64_t i = 0; i < launches; ++i) {
        device::GatherWork work{};
        work.rows = table;
        work.stride = static_cast<int64_t>(row_bytes);
        work.num_rows = static_cast<int64_t>(rows);
        work.row_elements = static_cast<int64_t>(row_bytes / 4);
        work.row_bytes = static_cast<int64_t>(row_bytes);
        work.form = device::RowForm::kSame;
        work.ids = static_cast<const int32_t*>(list.data()) + i % kLists * count;
        work.count = static_cast<int64_t>(count);
        work.total = static_cast<int64_t>(count);
        work.out = out;
        device::GpuError error;
        check_gpu(device->gpu().gather(work, stream.get(), &error), error);
      }
      check(stream.finish());
      return static_cast<double>(launches * count * row_bytes);
    });
    contest.run(settings.rounds, settings.seconds);
    fmt::print("rows of {} bytes\n", row_bytes);
    contest.print("GB/s", 1e-9);
    ratios[fmt::format("{}_{}", settings.part, row_bytes)] = contest.ratio("gather", limit_name);
    print_part(settings, *device, ratios);
  }
}

// Numbers that look random, by all cores.
void fill_host(void* memory, uint64_t bytes) {
  const uint64_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (uint64_t thread = 0; thread < threads; ++thread) {
    others.emplace_back([=, words = bytes / 8] {
      for (uint64_t i = words * thread / threads; i < words * (thread + 1) / threads; ++i) {
        const uint64_t mixed = (i + 1) * 0x9e3779b97f4a7c15u;
        static_cast<uint64_t*>(memory)[i] = mixed ^ mixed >> 29;
      }
    });
  }
  for (std::thread& other : others) {
    other.join();
  }
}

}  // namespace

void gather(const Settings& settings, const std::shared_ptr<Device>& device) {
  // What is left has room for output and ids.
  const uint64_t bytes =
      std::min(settings.table_bytes, check(device->free_memory()) / 2) / 4096 * 4096;
  const Memory table(device, bytes);
  const Memory out(device, settings.move_bytes);
  const DeviceStream stream = check(device->stream());
  check_queue(fill(device->id(), bytes, 1, table.data(), stream.get()), "filling memory");
  check(stream.finish());
  fmt::print("a table of {} MB\n", bytes >> 20);
  const uint64_t moved = std::min(bytes, settings.move_bytes);
  Contest contest(settings.warm_up);
  contest.add("plain copy", [&] {
    for (uint64_t i = 0; i < kOnDevice; ++i) {
      check_queue(plain_copy(device->id(), table.data(), moved, out.data(), stream.get()),
                  "a copy");
    }
    check(stream.finish());
    return static_cast<double>(kOnDevice * moved);
  });
  contest.run(settings.rounds, settings.seconds);
  contest.print("GB/s copied", 1e-9);
  contest_rows(
      settings, device, table.data(), bytes, kOnDevice, "random rows, a plain kernel",
      [&](const DeviceStream& on, uint64_t salt, uint64_t rows, uint64_t row_bytes,
          uint64_t count) {
        check_queue(random_rows(device->id(), table.data(), rows, row_bytes, count, salt,
                                out.data(), on.get()),
                    "random rows");
      },
      out.data());
}

void zero_copy(const Settings& settings, const std::shared_ptr<Device>& device) {
  device::GpuError error;
  void* table = nullptr;
  check_gpu(device->gpu().allocate_pinned(settings.pinned_bytes, &table, &error), error);
  fill_host(table, settings.pinned_bytes);
  {
    const Memory out(device, settings.move_bytes);
    fmt::print("a table of {} MB, pinned\n", settings.pinned_bytes >> 20);
    contest_rows(
        settings, device, table, settings.pinned_bytes, kOfHost, "copy of pinned memory",
        [&](const DeviceStream& stream, uint64_t salt, uint64_t, uint64_t row_bytes,
            uint64_t count) {
          const uint64_t bytes = count * row_bytes;
          const uint64_t pieces = settings.pinned_bytes / bytes;
          copy_to(stream, static_cast<const std::byte*>(table) + salt / count % pieces * bytes,
                  bytes, out.data());
        },
        out.data());
  }
  device->gpu().release_pinned(table);
}

}  // namespace gls::bench
