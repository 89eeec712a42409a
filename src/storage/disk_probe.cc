#include "storage/disk_probe.h"

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "base/philox.h"
#include "system/memory.h"

namespace gls {
namespace {

constexpr uint64_t kLongRead = uint64_t{1} << 20;
constexpr uint32_t kLongDepth = 4;
constexpr uint64_t kLongTime = 30'000'000;   // ns
constexpr uint64_t kShortTime = 12'000'000;  // of each kind of short reads

struct Kind {
  uint64_t bytes;
  uint32_t depth;
};
constexpr std::array<Kind, 5> kKinds = {
    {{4096, 1}, {4096, 32}, {16384, 32}, {65536, 16}, {262144, 8}}};

struct Done {
  uint64_t requests = 0;
  uint64_t bytes = 0;
  double seconds = 0;
};

// Keeps `depth` requests under way for this time, each with a tag of its own below `depth`:
// submit(tag) starts the next one.
template <typename Submit>
Result<Done> run_for(IoQueue& queue, uint32_t depth, uint64_t time, Submit submit) {
  const uint64_t begun = now_ns();
  for (uint32_t tag = 0; tag < std::min(depth, queue.depth()); ++tag) {
    submit(tag);
  }
  Done done;
  Status failed;
  while (queue.under_way() > 0) {
    GLS_ASSIGN(IoResult result, queue.wait());
    ++done.requests;
    done.bytes += result.bytes;
    if (!result.status.ok()) {
      failed = std::move(result.status);
    } else if (failed.ok() && now_ns() - begun < time) {
      submit(result.tag);
    }
  }
  GLS_TRY(std::move(failed));
  done.seconds = std::max(1e-9, static_cast<double>(now_ns() - begun) * 1e-9);
  return done;
}

// `place` gives the offset of each next read.
template <typename Place>
Result<Done> read_for(IoQueue& queue, const StorageFile& file, const Kind& kind, uint64_t time,
                      std::byte* memory, Place place) {
  return run_for(queue, kind.depth, time, [&](uint64_t tag) {
    queue.submit(
        {IoRequest::Kind::kRead, &file, place(), memory + tag * kind.bytes, kind.bytes, tag});
  });
}

}  // namespace

double DiskSpeed::seconds(double reads, double bytes) const {
  double per_second = 0;  // of measured reads that are at least as long
  for (const Random& kind : random) {
    if (static_cast<double>(kind.bytes) >= bytes) {
      per_second = std::max(per_second, kind.per_second);
    }
  }
  const double as_stream = reads * bytes / sequential;
  return per_second > 0 ? std::max(as_stream, reads / per_second) : as_stream;
}

uint64_t DiskSpeed::largest_gap() const {
  double per_second = 0;
  for (const Random& kind : random) {
    per_second = std::max(per_second, kind.per_second);
  }
  return per_second > 0 ? static_cast<uint64_t>(sequential / per_second) : 0;
}

Result<DiskSpeed> measure_disk(IoQueue& queue, const StorageFile& file) {
  const uint64_t size = file.size() / kDirectAlignment * kDirectAlignment;
  if (size == 0) {
    return error(GLS_ERR_INVALID_ARGUMENT,
                 "{} is too short to measure its disk: {} bytes, expected at least {}", file.path(),
                 file.size(), kDirectAlignment)
        .with("file", file.path());
  }
  const PageBlock memory(kLongDepth * kLongRead, false);
  DiskSpeed speed;
  uint64_t number = 0;
  const auto anywhere = [&](uint64_t bytes) {
    const uint64_t places = (size - bytes) / kDirectAlignment + 1;
    return key_of(philox(lo32(number++), 0, 0, 0, size)) % places * kDirectAlignment;
  };
  const Kind long_reads = {std::min(kLongRead, size), kLongDepth};
  uint64_t at = anywhere(long_reads.bytes);
  GLS_ASSIGN(const Done stream, read_for(queue, file, long_reads, kLongTime, memory.data(), [&] {
               const uint64_t next = at + long_reads.bytes <= size ? at : 0;
               at = next + long_reads.bytes;
               return next;
             }));
  speed.sequential = static_cast<double>(stream.requests * long_reads.bytes) / stream.seconds;
  for (const Kind& kind : kKinds) {
    if (kind.bytes > size || kind.depth > queue.depth()) {
      continue;
    }
    GLS_ASSIGN(const Done done, read_for(queue, file, kind, kShortTime, memory.data(),
                                         [&] { return anywhere(kind.bytes); }));
    speed.random.push_back(
        {kind.bytes, kind.depth, static_cast<double>(done.requests) / done.seconds});
  }
  return speed;
}

Result<double> measure_long(IoQueue& queue, const StorageFile& from, const StorageFile* to,
                            uint64_t most) {
  // A disk may be quicker for the first moments, which matter little where much is to be read.
  constexpr uint64_t kMuch = uint64_t{4} << 30;
  const bool much = from.size() >= kMuch;
  const uint64_t time = much ? 2'000'000'000 : 300'000'000;  // ns
  constexpr uint32_t kDepth = 8;                             // of each kind
  const uint64_t bytes = std::min(kLongRead, from.size() / kDirectAlignment * kDirectAlignment);
  const PageBlock memory(2 * uint64_t{kDepth} * kLongRead, false);
  most = std::max(kLongRead, std::min(most, uint64_t{1} << (much ? 30 : 28)));
  uint64_t read = aligned(from.size() / 3, kDirectAlignment);  // the probe has read the begin
  uint64_t written = 0;
  const auto submit = [&](uint64_t tag) {
    std::byte* const at = memory.data() + tag * kLongRead;
    if (tag < kDepth) {
      read = read + bytes <= from.size() ? read : 0;
      queue.submit({IoRequest::Kind::kRead, &from, read, at, bytes, tag});
      read += bytes;
    } else {
      written = written + kLongRead <= most ? written : 0;
      queue.submit({IoRequest::Kind::kWrite, to, written, at, kLongRead, tag});
      written += kLongRead;
    }
  };
  GLS_ASSIGN(const Done done, run_for(queue, to != nullptr ? 2 * kDepth : kDepth, time, submit));
  return static_cast<double>(done.bytes) / done.seconds;
}

}  // namespace gls
