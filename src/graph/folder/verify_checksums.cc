#include <atomic>
#include <thread>
#include <vector>

#include "base/checksum.h"
#include "context/parallel.h"
#include "graph/folder/verify.h"
#include "system/file_guard.h"

namespace gls {
namespace {

// Each thread reads one file at a time, because a checksum covers a whole file from its start.
class ChecksumRun {
 public:
  // `description` names the file that holds the checksums.
  ChecksumRun(const std::vector<ArrayFile>& files, const char* description,
              const Progress& progress)
      : files_(files), description_(description), progress_(progress) {
    for (const ArrayFile& file : files_) {
      total_ += file.data.span_bytes();
    }
  }

  Status run(ThreadPool& pool) {
    const auto body = [&](size_t begin, size_t end) -> Status {
      for (size_t i = begin; i < end; ++i) {
        GLS_TRY(check(files_[i]));
      }
      return {};
    };
    return parallel_try(pool, files_.size(), 1, body, [&] { return tick(); });
  }

 private:
  // Stops calling the caller's function after it has cancelled.
  Status tick() {
    if (stopped_) {
      return {};
    }
    Status status = report(progress_, "checking checksums", done_, total_, "B");
    stopped_ = !status.ok();
    return status;
  }

  Status check(const ArrayFile& file) {
    if (file.xxh3.empty()) {
      return {};
    }
    Checksum sum;
    constexpr uint64_t kStep = uint64_t{8} << 20;
    const uint64_t size = file.data.span_bytes();
    for (uint64_t at = 0; at < size && !stopped_; at += kStep) {
      const uint64_t count = std::min(kStep, size - at);
      sum.update({file.data.data() + at, count});
      done_.fetch_add(count, std::memory_order_relaxed);
      if (std::this_thread::get_id() == caller_) {
        GLS_TRY(tick());
      }
    }
    if (stopped_ || sum.hex() == file.xxh3) {
      return {};
    }
    GLS_TRY(check_mapped_file(file.data.data()));
    const std::string& path = file.data.file();
    return corrupt("{}: checksum is {}, the {} says {}", path, sum.hex(), description_, file.xxh3)
        .with("file", path);
  }

  const std::vector<ArrayFile>& files_;
  const char* description_;
  const Progress& progress_;
  const std::thread::id caller_ = std::this_thread::get_id();
  std::atomic<uint64_t> done_{0};
  std::atomic<bool> stopped_{false};
  uint64_t total_ = 0;
};

}  // namespace

Status verify_checksums(const Dataset& dataset, const Progress& progress) {
  return ChecksumRun(dataset.files(), "manifest", progress).run(dataset.context()->pool());
}

Status verify_checksums(const Partition& partition, ThreadPool& pool, const Progress& progress) {
  GLS_ASSIGN(const std::vector<ArrayFile> files, files_of(partition));
  return ChecksumRun(files, "partition", progress).run(pool);
}

}  // namespace gls
