#include "device/staging.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace gls {
namespace {

constexpr uint64_t kPiece = uint64_t{8} << 20;

constexpr int kMostPieces = 32;

// Pieces that are there at once, of all threads of the process.
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

// One of them, on loan.
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
  // Waits only with `wait`, which is for who has no other.
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
  PinnedBuffer buffer;  // given back after the stream, which has waited by then
  std::optional<DeviceStream> stream;
};

}  // namespace

Status copy_in_pieces(const DeviceStream& after, void* to, uint64_t bytes, uint64_t unit,
                      const FillPiece& fill) {
  const uint64_t piece = std::min(bytes, std::max(kPiece / unit, uint64_t{1}) * unit);
  Device& device = after.device();
  device::Gpu& gpu = device.gpu();
  device::GpuError failure;
  std::array<Lane, 2> lanes;
  size_t turn = 0;
  for (uint64_t offset = 0; offset < bytes; offset += piece, turn ^= 1) {
    if (!lanes[turn].stream.has_value() && !lanes[turn].piece.take(offset == 0)) {
      turn ^= 1;  // there is none for us now: the one that we have must do
    }
    Lane& lane = lanes[turn];
    if (!lane.stream.has_value()) {
      GLS_ASSIGN(lane.buffer, device.pinned(piece));
      GLS_ASSIGN(DeviceStream stream, device.stream());
      if (!gpu.follow(stream.get(), after.get(), &failure)) {
        return status_of(failure);
      }
      lane.stream.emplace(std::move(stream));
    } else {
      GLS_TRY(lane.stream->finish());
    }
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

}  // namespace gls
