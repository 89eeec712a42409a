#include "storage/row_reader.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "context/stop_scope.h"

namespace gls {
namespace {

// One request: rows first to first + count - 1 of the list.
struct Stretch {
  size_t first = 0;
  size_t count = 0;
  uint64_t begin = 0;  // bytes of the file, aligned for direct reads
  uint64_t end = 0;
};

class Stretches {
 public:
  Stretches(const RowFile& file, std::span<const int64_t> rows, const RowReadOptions& options)
      : file_(file), rows_(rows), options_(options) {}

  bool done() const { return next_ == rows_.size(); }
  Stretch next() {
    Stretch out;
    out.first = next_;
    out.begin = aligned_down(begin_of(next_));
    uint64_t end = end_of(next_);
    for (++next_; next_ < rows_.size(); ++next_) {
      const uint64_t gap = begin_of(next_) > end ? begin_of(next_) - end : 0;
      if (gap > options_.largest_gap || end_of(next_) - out.begin > options_.largest_read) {
        break;
      }
      end = end_of(next_);
    }
    out.count = next_ - out.first;
    out.end = aligned_up(end);
    return out;
  }

 private:
  uint64_t begin_of(size_t i) const {
    return file_.offset + static_cast<uint64_t>(rows_[i]) * file_.stride;
  }
  uint64_t end_of(size_t i) const { return begin_of(i) + file_.row_bytes; }
  uint64_t alignment() const { return file_.file->direct() ? kDirectAlignment : 1; }
  uint64_t aligned_down(uint64_t at) const { return at / alignment() * alignment(); }
  uint64_t aligned_up(uint64_t at) const { return aligned_down(at + alignment() - 1); }

  const RowFile& file_;
  std::span<const int64_t> rows_;
  const RowReadOptions& options_;
  size_t next_ = 0;
};

Status check_whole(const RowFile& file, int64_t last_row, const Stretch& stretch, uint64_t bytes) {
  const uint64_t needed =
      file.offset + static_cast<uint64_t>(last_row) * file.stride + file.row_bytes;
  if (stretch.begin + bytes >= needed) {
    return {};
  }
  return error(GLS_ERR_CORRUPT_DATA, "{} ends at byte {}, expected at least {}; it was cut short",
               file.file->path(), stretch.begin + bytes, needed)
      .with("file", file.file->path());
}

// The requests under way, with their memory. Waits for them when it is destroyed.
class Reads {
 public:
  Reads(IoQueue& queue, BufferPool& pool, const RowFile& file)
      : queue_(queue), pool_(pool), file_(file) {}
  Reads(const Reads&) = delete;
  Reads& operator=(const Reads&) = delete;
  ~Reads() {
    while (queue_.under_way() > 0 && queue_.wait().ok()) {
    }
  }

  uint64_t bytes() const { return bytes_; }  // under way, or not yet taken
  bool empty() const { return slots_.empty(); }

  void begin(const Stretch& stretch) {
    Slot& slot = slots_.emplace_back();
    slot.stretch = stretch;
    slot.buffer = pool_.acquire(stretch.end - stretch.begin);
    queue_.submit({IoRequest::Kind::kRead, file_.file, stretch.begin, slot.buffer.as<>(),
                   stretch.end - stretch.begin, first_ + slots_.size() - 1});
    bytes_ += stretch.end - stretch.begin;
  }

  // Waits for one, and takes those that are done, in the order in which they began.
  Status take(std::span<const int64_t> rows, const TakeRows& take) {
    GLS_ASSIGN(IoResult done, queue_.wait());
    GLS_TRY(std::move(done.status));
    Slot& arrived = slots_[done.tag - first_];
    arrived.bytes = done.bytes;
    arrived.done = true;
    while (!slots_.empty() && slots_.front().done) {
      const Slot& slot = slots_.front();
      const Stretch& stretch = slot.stretch;
      GLS_TRY(check_whole(file_, rows[stretch.first + stretch.count - 1], stretch, slot.bytes));
      const uint64_t first_row =
          file_.offset + static_cast<uint64_t>(rows[stretch.first]) * file_.stride;
      GLS_TRY(take(stretch.first, stretch.count, slot.buffer.as<>() + (first_row - stretch.begin)));
      bytes_ -= stretch.end - stretch.begin;
      slots_.pop_front();
      ++first_;
    }
    return {};
  }

 private:
  struct Slot {
    Stretch stretch;
    Buffer buffer;
    uint64_t bytes = 0;
    bool done = false;
  };
  IoQueue& queue_;
  BufferPool& pool_;
  const RowFile& file_;
  std::deque<Slot> slots_;
  uint64_t first_ = 0;  // the number of slots_.front()
  uint64_t bytes_ = 0;
};

}  // namespace

Result<RowReadStats> read_rows(IoQueue& queue, BufferPool& pool, const RowFile& file,
                               std::span<const int64_t> rows, const RowReadOptions& options,
                               uint64_t memory, const TakeRows& take) {
  RowReadStats stats;
  if (file.row_bytes == 0) {
    GLS_TRY(rows.empty() ? Status() : take(0, rows.size(), nullptr));
    return stats;
  }
  Stretches stretches(file, rows, options);
  Reads reads(queue, pool, file);
  while (!stretches.done() || !reads.empty()) {
    GLS_TRY(is_given_up() ? given_up() : Status());
    while (!stretches.done() && queue.under_way() < queue.depth() &&
           (reads.empty() || reads.bytes() < memory)) {
      const Stretch stretch = stretches.next();
      reads.begin(stretch);
      ++stats.requests;
      stats.bytes += stretch.end - stretch.begin;
    }
    GLS_TRY(reads.take(rows, take));
  }
  return stats;
}

RowReadStats count_reads(const RowFile& file, std::span<const int64_t> rows,
                         const RowReadOptions& options) {
  RowReadStats stats;
  if (file.row_bytes == 0) {
    return stats;
  }
  for (Stretches stretches(file, rows, options); !stretches.done();) {
    const Stretch stretch = stretches.next();
    ++stats.requests;
    stats.bytes += stretch.end - stretch.begin;
  }
  return stats;
}

}  // namespace gls
