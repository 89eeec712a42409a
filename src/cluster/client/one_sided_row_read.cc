#include "cluster/client/one_sided_row_read.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include "context/stop_scope.h"
#include "net/connection/connection.h"

namespace gls {
namespace {

// Joins rows that are adjacent on both sides into one piece.
std::vector<net::ChannelRead> pieces_of(const cluster::RemoteMemoryWindow& window,
                                        const std::vector<uint64_t>& rows,
                                        const OneSidedRowRead::Target& target) {
  std::vector<net::ChannelRead> pieces;
  pieces.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint64_t from = window.address + rows[i] * window.row_stride;
    const uint64_t place = target.places != nullptr ? static_cast<uint64_t>(target.places[i]) : i;
    std::byte* const to = target.out + place * window.row_bytes;
    if (!pieces.empty()) {
      net::ChannelRead& last = pieces.back();
      if (last.from + last.size == from && static_cast<std::byte*>(last.to) + last.size == to) {
        last.size += window.row_bytes;
        continue;
      }
    }
    pieces.push_back({from, window.row_bytes, to});
  }
  return pieces;
}

}  // namespace

struct OneSidedRowRead::Outcome {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Status> status;
  bool quiet = false;
};

OneSidedRowRead::OneSidedRowRead(const RemoteMemory::Readable& from,
                                 const std::vector<uint64_t>& rows, const Target& target,
                                 const cluster::Deadline& deadline)
    : outcome_(std::make_shared<Outcome>()) {
  net::Reading reading;
  reading.key = from.window.key;
  reading.pieces = pieces_of(from.window, rows, target);
  reading.on_gpu = target.on_gpu;
  reading.places =
      std::shared_ptr<const void>(nullptr, [outcome = outcome_, owner = target.owner](const void*) {
        {
          const std::lock_guard lock(outcome->mutex);
          outcome->quiet = true;
        }
        outcome->changed.notify_all();
      });
  from.connection->read(std::move(reading), {deadline.left_ms(), true, "rows of a column"},
                        [outcome = outcome_](const Status& status) {
                          {
                            const std::lock_guard lock(outcome->mutex);
                            outcome->status.emplace(status.copy());
                          }
                          outcome->changed.notify_all();
                        });
}

Status OneSidedRowRead::wait() {
  std::unique_lock lock(outcome_->mutex);
  const bool over =
      wait_ms_or_stop(outcome_->changed, lock, -1, [&] { return outcome_->status.has_value(); });
  return over ? std::move(*outcome_->status) : given_up();
}

bool OneSidedRowRead::wait_until_quiet(const cluster::Deadline& deadline) const {
  std::unique_lock lock(outcome_->mutex);
  return wait_ms_or_stop(outcome_->changed, lock, deadline.left_ms(),
                         [&] { return outcome_->quiet; });
}

}  // namespace gls
