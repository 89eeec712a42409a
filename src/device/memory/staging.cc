#include "device/memory/staging.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

namespace gls {
namespace {

constexpr uint64_t kPiece = uint64_t{8} << 20;

constexpr int kMostPieces = 32;

// The pieces in use, over all threads of the process.
class Pieces {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [this] { return free_ > 0; });
    --free_;
  }
  bool try_take() {
    const std::lock_guard lock(mutex_);
    if (free_ == 0) {
      return false;
    }
    --free_;
    return true;
  }
  void give_back() {
    {
      const std::lock_guard lock(mutex_);
      ++free_;
    }
    given_back_.notify_one();
  }
  static Pieces& get() {
    static Pieces pieces;
    return pieces;
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  int free_ = kMostPieces;
};

// One borrowed piece.
class Piece {
 public:
  Piece() = default;
  ~Piece() {
    if (taken_) {
      Pieces::get().give_back();
    }
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;
  // Waits only with `wait`, which is for a call without any piece.
  bool take(bool wait) {
    if (wait) {
      Pieces::get().wait();
    }
    taken_ = wait || Pieces::get().try_take();
    return taken_;
  }

 private:
  bool taken_ = false;
};

struct Lane {
  Piece piece;
  PinnedBuffer buffer;  // returned after the stream, which has been waited for by then
  std::optional<DeviceStream> stream;

  // Takes a buffer of this size, ordered after work that is queued on `after` now.
  Status begin(const DeviceStream& after, uint64_t bytes) {
    Device& device = after.device();
    device::GpuError failure;
    GLS_ASSIGN(buffer, device.pinned(bytes));
    GLS_ASSIGN(DeviceStream own, device.stream());
    if (!device.gpu().follow(own.get(), after.get(), &failure)) {
      return status_of(failure);
    }
    stream.emplace(std::move(own));
    return {};
  }
};

// The lane to use next: the other one, unless no piece is free for it.
size_t turn_of(std::array<Lane, 2>* lanes, size_t turn, bool first) {
  Lane& lane = (*lanes)[turn];
  return lane.stream.has_value() || lane.piece.take(first) ? turn : turn ^ 1;
}

}  // namespace

Status copy_in_pieces(const DeviceStream& after, void* to, uint64_t bytes, uint64_t unit,
                      const FillPiece& fill) {
  const uint64_t piece = std::min(bytes, std::max(kPiece / unit, uint64_t{1}) * unit);
  device::Gpu& gpu = after.gpu();
  device::GpuError failure;
  std::array<Lane, 2> lanes;
  size_t turn = 0;
  for (uint64_t offset = 0; offset < bytes; offset += piece, turn ^= 1) {
    turn = turn_of(&lanes, turn, offset == 0);
    Lane& lane = lanes[turn];
    GLS_TRY(lane.stream.has_value() ? lane.stream->finish() : lane.begin(after, piece));
    const uint64_t size = std::min(piece, bytes - offset);
    fill(offset, size, lane.buffer.data());
    if (!gpu.copy_in(static_cast<std::byte*>(to) + offset, lane.buffer.data(), size,
                     lane.stream->get(), &failure)) {
      return status_of(failure);
    }
  }
  for (const Lane& lane : lanes) {
    if (lane.stream.has_value()) {
      GLS_TRY(lane.stream->finish());
    }
  }
  return {};
}

Status copy_out_pieces(const DeviceStream& after, std::span<const CopiedOut> parts) {
  uint64_t bytes = 0;
  for (const CopiedOut& part : parts) {
    bytes += part.bytes;
  }
  const uint64_t piece = std::min(bytes, kPiece);
  device::Gpu& gpu = after.gpu();
  device::GpuError failure;
  std::array<Lane, 2> lanes;
  std::array<std::vector<CopiedOut>, 2> staged;  // parts in the buffer of a lane, one after another
  const auto empty = [&](size_t lane) -> Status {
    if (lanes[lane].stream.has_value()) {
      GLS_TRY(lanes[lane].stream->finish());
    }
    const std::byte* at = lanes[lane].buffer.data();
    for (const CopiedOut& part : staged[lane]) {
      std::memcpy(part.to, at, part.bytes);
      at += part.bytes;
    }
    staged[lane].clear();
    return {};
  };
  auto part = parts.begin();
  uint64_t done = 0;  // bytes of that part
  size_t turn = 0;
  for (uint64_t offset = 0; offset < bytes; offset += piece, turn ^= 1) {
    turn = turn_of(&lanes, turn, offset == 0);
    Lane& lane = lanes[turn];
    GLS_TRY(lane.stream.has_value() ? empty(turn) : lane.begin(after, piece));
    for (uint64_t filled = 0; filled < piece && part != parts.end();) {
      const uint64_t size = std::min(piece - filled, part->bytes - done);
      staged[turn].push_back({part->from + done, part->to + done, size});
      if (!gpu.copy_out(lane.buffer.data() + filled, part->from + done, size, lane.stream->get(),
                        &failure)) {
        return status_of(failure);
      }
      filled += size;
      done += size;
      if (done == part->bytes) {
        ++part;
        done = 0;
      }
    }
  }
  GLS_TRY(empty(0));
  return empty(1);
}

}  // namespace gls
