#include "storage/uring_queue.h"

#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "storage/io_progress.h"
#include "system/fork.h"

namespace gls {
namespace {

class UringQueue final : public IoQueue {
 public:
  explicit UringQueue(uint32_t depth) : requests_(depth) {
    free_.reserve(depth);
    for (uint32_t i = depth; i-- > 0;) {
      free_.push_back(i);
    }
  }

  // 0, or -errno.
  int open() {
    // On kernels that can do so, completions wait until this thread enters the kernel, and do not
    // interrupt it. A ring of a single issuer would bind the queue to one thread.
    int failed = -EINVAL;
#ifdef IORING_SETUP_COOP_TASKRUN
    failed = io_uring_queue_init(depth(), &ring_, IORING_SETUP_COOP_TASKRUN);
#endif
    if (failed == -EINVAL) {
      failed = io_uring_queue_init(depth(), &ring_, 0);
    }
    opened_ = failed == 0;
    return failed;
  }

  ~UringQueue() override {
    if (!opened_) {
      return;
    }
    // Requests write into memory of the caller until they are done. A forked child made none.
    while (fork_generation() == fork_generation_ && under_way() > 0 && wait().ok()) {
    }
    io_uring_queue_exit(&ring_);
  }

  IoWay way() const override { return IoWay::kUring; }
  uint32_t depth() const override { return static_cast<uint32_t>(requests_.size()); }
  uint32_t under_way() const override {
    return static_cast<uint32_t>(requests_.size() - free_.size());
  }

  void submit(const IoRequest& request) override {
    const uint32_t number = free_.back();
    free_.pop_back();
    requests_[number] = IoProgress(request);
    prepare(number);
    // A system call for several requests, but the disk must not stand still meanwhile.
    if (io_uring_sq_ready(&ring_) >= kSubmitted) {
      io_uring_submit(&ring_);
    }
  }

  Result<IoResult> wait() override {
    for (;;) {
      io_uring_cqe* done = nullptr;
      if (io_uring_peek_cqe(&ring_, &done) != 0) {
        const int failed = io_uring_submit_and_wait(&ring_, 1);
        if (failed < 0 && failed != -EINTR && failed != -EAGAIN && failed != -EBUSY) {
          return io_error("cannot wait for reads of", "io_uring", -failed);
        }
        continue;
      }
      const auto number =
          static_cast<uint32_t>(reinterpret_cast<uintptr_t>(io_uring_cqe_get_data(done)));
      const bool rest = requests_[number].advance(done->res);
      io_uring_cqe_seen(&ring_, done);
      if (rest) {
        prepare(number);
        continue;
      }
      free_.push_back(number);
      return requests_[number].result();
    }
  }

 private:
  // The ring has an entry for each request that may be under way.
  void prepare(uint32_t number) {
    const IoProgress& progress = requests_[number];
    const IoRequest& request = progress.request();
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of one system call
    const auto bytes = static_cast<unsigned>(std::min(progress.left(), kMostBytes));
    if (request.kind == IoRequest::Kind::kRead) {
      io_uring_prep_read(entry, request.file->fd(), progress.data(), bytes, progress.offset());
    } else {
      io_uring_prep_write(entry, request.file->fd(), progress.data(), bytes, progress.offset());
    }
    io_uring_sqe_set_data(entry, reinterpret_cast<void*>(uintptr_t{number}));
  }

  static constexpr unsigned kSubmitted = 8;

  const uint32_t fork_generation_ = fork_generation();
  io_uring ring_{};
  bool opened_ = false;
  std::vector<IoProgress> requests_;  // by number
  std::vector<uint32_t> free_;        // numbers
};

}  // namespace

Result<std::unique_ptr<IoQueue>> open_uring_queue(const IoOptions& options) {
  auto queue = std::make_unique<UringQueue>(options.depth);
  const int failed = queue->open();
  if (failed != 0) {
    return io_error("cannot open", "io_uring", -failed);
  }
  return std::unique_ptr<IoQueue>(std::move(queue));
}

}  // namespace gls
