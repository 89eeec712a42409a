#include "storage/thread_queue.h"

#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <system_error>
#include <utility>

#include "context/thread_pool.h"
#include "storage/io_progress.h"
#include "system/fork.h"

namespace gls {
namespace {

void run_to_its_end(IoProgress& progress) {
  ssize_t done = 0;
  do {
    const IoRequest& request = progress.request();
    const auto offset = static_cast<off_t>(progress.offset());
    done = request.kind == IoRequest::Kind::kRead
               ? pread(request.file->fd(), progress.data(), progress.left(), offset)
               : pwrite(request.file->fd(), progress.data(), progress.left(), offset);
  } while (progress.advance(done < 0 ? -errno : done));
}

class ThreadQueue final : public IoQueue {
 public:
  ThreadQueue(uint32_t depth, uint32_t threads)
      : depth_(depth), finished_(std::make_unique<Finished>()), pool_(threads) {}

  ~ThreadQueue() override {
    if (fork_generation() != fork_generation_) {
      static_cast<void>(finished_.release());  // as the pool does with its own
      return;
    }
    std::unique_lock lock(finished_->mutex);
    finished_->one_more.wait(lock, [this] { return finished_->requests.size() == under_way_; });
  }

  IoWay way() const override { return IoWay::kThreads; }
  uint32_t depth() const override { return depth_; }
  uint32_t under_way() const override { return under_way_; }

  void submit(const IoRequest& request) override {
    pool_.submit([finished = finished_.get(), progress = IoProgress(request)]() mutable {
      run_to_its_end(progress);
      const std::lock_guard lock(finished->mutex);
      finished->requests.push_back(progress);
      finished->one_more.notify_one();
    });
    ++under_way_;
  }

  Result<IoResult> wait() override {
    std::unique_lock lock(finished_->mutex);
    finished_->one_more.wait(lock, [this] { return !finished_->requests.empty(); });
    const IoProgress progress = finished_->requests.front();
    finished_->requests.pop_front();
    --under_way_;
    return progress.result();
  }

 private:
  struct Finished {
    std::mutex mutex;
    std::condition_variable one_more;
    std::deque<IoProgress> requests;
  };

  const uint32_t fork_generation_ = fork_generation();
  const uint32_t depth_;
  uint32_t under_way_ = 0;
  std::unique_ptr<Finished> finished_;
  ThreadPool pool_;  // last: its threads end first
};

}  // namespace

IoResult run_request(const IoRequest& request) {
  IoProgress progress(request);
  run_to_its_end(progress);
  return progress.result();
}

Result<std::unique_ptr<IoQueue>> open_thread_queue(const IoOptions& options) try {
  return std::unique_ptr<IoQueue>(std::make_unique<ThreadQueue>(options.depth, options.threads));
} catch (const std::system_error& e) {
  return error(GLS_ERR_OUT_OF_MEMORY, "{} threads that read files: {}", options.threads, e.what());
}

}  // namespace gls
