// What a disk gives at best, past the page cache: bytes of long reads, and short reads at random.
//
//   bench_disk_rate FILE [--seconds S]
#include <CLI/CLI.hpp>

#include "base/clock.h"
#include "base/philox.h"
#include "bench/support/check.h"
#include "bench/support/harness.h"
#include "storage/io_queue.h"
#include "system/memory.h"

namespace gls::bench {
namespace {

struct Kind {
  uint64_t bytes;
  uint32_t depth;
};

// Reads per second, from the places that `place` gives one after the other.
template <typename Place>
double reads_per_second(const StorageFile& file, const Kind& kind, double seconds, Place place) {
  IoOptions options;
  options.depth = kind.depth;
  const auto queue = check(IoQueue::open(options));
  const PageBlock memory(kind.bytes * kind.depth, true);
  const uint64_t begin = now_ns();
  const auto submit = [&](uint64_t slot) {
    queue->submit({IoRequest::Kind::kRead, &file, place(), memory.data() + slot * kind.bytes,
                   kind.bytes, slot});
  };
  for (uint64_t slot = 0; slot < kind.depth; ++slot) {
    submit(slot);
  }
  uint64_t reads = 0;
  while (queue->under_way() > 0) {
    const IoResult done = check(queue->wait());
    check(done.status);
    ++reads;
    if (static_cast<double>(now_ns() - begin) < seconds * 1e9) {
      submit(done.tag);
    }
  }
  return static_cast<double>(reads) / (static_cast<double>(now_ns() - begin) * 1e-9);
}

void run(const std::string& path, double seconds) {
  const StorageFile file = check(StorageFile::open(path, true));
  if (!file.direct()) {
    fail(path + " cannot be read past the page cache");
  }
  uint64_t number = 0;
  const auto anywhere = [&](uint64_t bytes) {
    if (file.size() < bytes) {
      fail(path + " is too short");
    }
    const uint64_t places = (file.size() - bytes) / kDirectAlignment + 1;
    return key_of(philox(lo32(number++), 0, 0, 0, 1)) % places * kDirectAlignment;
  };
  constexpr uint64_t kMiB = uint64_t{1} << 20;
  constexpr Kind kLong[] = {{kMiB / 4, 8}, {kMiB / 4, 32}, {kMiB, 4},    {kMiB, 16},
                            {kMiB, 32},    {4 * kMiB, 2},  {4 * kMiB, 8}};
  const auto measure_stream = [&](const Kind& kind, double time, const char* what) {
    uint64_t at = anywhere(kind.bytes);
    const auto follow = [&] {
      const uint64_t place = at + kind.bytes <= file.size() ? at : 0;
      at = place + kind.bytes;
      return place;
    };
    const double rate =
        static_cast<double>(kind.bytes) * reads_per_second(file, kind, time, follow);
    fmt::print("  {:>5} KiB, {:>3} under way, {:<13}{:>8.0f} MB/s\n", kind.bytes >> 10, kind.depth,
               what, rate * 1e-6);
    return rate;
  };
  double best = 0;
  Kind best_kind = kLong[0];
  for (const Kind& kind : kLong) {
    const double rate = measure_stream(kind, seconds / std::size(kLong), "in a row");
    best_kind = rate > best ? kind : best_kind;
    best = std::max(best, rate);
  }
  // Virtual disks are quicker for a moment than they are for long.
  constexpr double kLongTime = 4;
  const double stream = measure_stream(best_kind, kLongTime * seconds, "for long");
  constexpr Kind kShort[] = {{4096, 1}, {4096, 16}, {4096, 64}, {4096, 256}};
  double random = 0;
  for (const Kind& kind : kShort) {
    const double rate = reads_per_second(file, kind, seconds / std::size(kShort),
                                         [&] { return anywhere(kind.bytes); });
    fmt::print("  {:>5} KiB, {:>3} under way, at random    {:>8.0f} reads/s\n", kind.bytes >> 10,
               kind.depth, rate);
    random = std::max(random, rate);
  }
  fmt::print("{{\"bytes_per_s\": {:.0f}, \"random_4k_per_s\": {:.0f}}}\n", stream, random);
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("What a disk gives");
  std::string path;
  double seconds = 2;
  app.add_option("file", path, "A large file")->required();
  app.add_option("--seconds", seconds, "For long reads, and as many for short ones");
  CLI11_PARSE(app, argc, argv);
  gls::bench::run(path, seconds);
  return 0;
}
