// Loads features as GraphBolt does from disk: a cache of rows, and one read for each missed row.
//
//   bench_row_reads --dataset FOLDER --seeds FILE --memory BYTES --seconds S
//
// The last line is what bench/disk/run.py reads of each contestant.
#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <cstring>

#include "base/clock.h"
#include "bench/disk/epoch.h"
#include "bench/disk/progress.h"
#include "bench/disk/sieve_cache.h"
#include "storage/io_queue.h"
#include "storage/row_reader.h"

namespace gls::bench {
namespace {

struct Options {
  std::string dataset;
  std::string seeds;
  uint64_t memory = 0;
  double seconds = 60;
  int64_t batch_size = 256;
  uint32_t depth = 256;
};

// What a direct read of this file must be a multiple of: a sector where the device allows that.
uint64_t alignment_of(const StorageFile& file) {
  constexpr uint64_t kSector = 512;
  const PageBlock memory(kDirectAlignment, false);
  const auto got = ::pread(file.fd(), memory.data(), kSector, kSector);
  return got == static_cast<ssize_t>(kSector) ? kSector : kDirectAlignment;
}

class RowReads {
 public:
  RowReads(const DiskEpoch& epoch, const Options& options)
      : row_bytes_(epoch.row_bytes()),
        range_(epoch.features_file()),
        file_(check(StorageFile::open(range_.path, true))),
        cache_(row_bytes_, options.memory) {
    if (!file_.direct()) {
      fail(range_.path + " cannot be read past the page cache");
    }
    alignment_ = alignment_of(file_);
    IoOptions queue;
    queue.depth = options.depth;
    queue_ = check(IoQueue::open(queue));
    slot_bytes_ = (row_bytes_ + alignment_ - 1) / alignment_ * alignment_ + alignment_;
    slots_ = PageBlock(slot_bytes_ * options.depth, false);
    positions_.resize(options.depth);
    for (uint32_t i = 0; i < options.depth; ++i) {
      free_.push_back(i);
    }
  }

  // Fills the cache as batches before these would have. Their rows are read at once, in the order
  // of the file.
  void warm(DiskEpoch& epoch) {
    std::vector<std::pair<int64_t, uint32_t>> kept(cache_.capacity(), {-1, 0});
    epoch.seek(1);
    for (bool full = false; !full;) {
      const std::shared_ptr<Batch> batch = epoch.next();
      if (batch == nullptr) {
        break;
      }
      for (const int64_t node : DiskEpoch::nodes(*batch)) {
        if (cache_.use(node) == SieveCache::kNone && cache_.insert(node) != nullptr) {
          const uint32_t slot = cache_.use(node);
          kept[slot] = {node, slot};
        }
      }
      full = cache_.evictions() > cache_.capacity() / 2;
    }
    epoch.seek(0);
    std::erase_if(kept, [](const auto& row) { return row.first < 0; });
    std::sort(kept.begin(), kept.end());
    std::vector<int64_t> rows;
    for (const auto& [node, slot] : kept) {
      rows.push_back(node);
    }
    const auto take = [&](size_t first, size_t count, const std::byte* data) -> Status {
      for (size_t i = first; i < first + count; ++i) {
        std::memcpy(cache_.row(kept[i].second),
                    data + static_cast<uint64_t>(rows[i] - rows[first]) * row_bytes_, row_bytes_);
      }
      return {};
    };
    RowReadOptions options;
    options.largest_gap = uint64_t{64} << 10;
    const RowFile file{&file_, range_.offset, row_bytes_, row_bytes_};
    constexpr uint64_t kMemory = uint64_t{16} << 20;
    check(read_rows(*queue_, *epoch.dataset().context()->buffers(), file, rows, options, kMemory,
                    take));
  }

  // Row i of `out` becomes that of nodes[i].
  void read(std::span<const int64_t> nodes, std::byte* out) {
    missed_.clear();
    for (size_t i = 0; i < nodes.size(); ++i) {
      const uint32_t slot = cache_.use(nodes[i]);
      if (slot == SieveCache::kNone) {
        missed_.push_back(i);
      } else {
        std::memcpy(out + i * row_bytes_, cache_.row(slot), row_bytes_);
      }
    }
    rows_ += nodes.size();
    for (size_t next = 0; next < missed_.size() || queue_->under_way() > 0;) {
      while (next < missed_.size() && !free_.empty()) {
        submit(missed_[next], nodes[missed_[next]]);
        ++next;
      }
      take(nodes, out);
    }
    reads_ += missed_.size();
  }

  std::string json() const {
    return fmt::format(
        "\"reads\": {}, \"hit_rate\": {:.4f}, \"cached_rows\": {}, \"read_alignment\": {}, "
        "\"io_uring\": {}",
        reads_, 1 - static_cast<double>(reads_) / std::max<double>(1, static_cast<double>(rows_)),
        cache_.capacity(), alignment_, queue_->way() == IoWay::kUring);
  }

 private:
  uint64_t begin_of(int64_t node) const {
    return range_.offset + static_cast<uint64_t>(node) * row_bytes_;
  }
  void submit(size_t position, int64_t node) {
    const uint32_t slot = free_.back();
    free_.pop_back();
    positions_[slot] = position;
    const uint64_t begin = begin_of(node) / alignment_ * alignment_;
    const uint64_t end = (begin_of(node) + row_bytes_ + alignment_ - 1) / alignment_ * alignment_;
    queue_->submit({IoRequest::Kind::kRead, &file_, begin, slots_.data() + slot * slot_bytes_,
                    end - begin, slot});
  }
  void take(std::span<const int64_t> nodes, std::byte* out) {
    IoResult done = check(queue_->wait());
    check(done.status);
    const auto slot = static_cast<uint32_t>(done.tag);
    const size_t position = positions_[slot];
    const int64_t node = nodes[position];
    const uint64_t skipped = begin_of(node) % alignment_;
    if (done.bytes < skipped + row_bytes_) {
      fail(range_.path + " was cut short");
    }
    const std::byte* const row = slots_.data() + slot * slot_bytes_ + skipped;
    std::memcpy(out + position * row_bytes_, row, row_bytes_);
    if (std::byte* const kept = cache_.insert(node)) {
      std::memcpy(kept, row, row_bytes_);
    }
    free_.push_back(slot);
  }

  uint64_t row_bytes_;
  MappedRange range_;
  StorageFile file_;
  SieveCache cache_;
  uint64_t alignment_ = kDirectAlignment;
  uint64_t slot_bytes_ = 0;
  PageBlock slots_;
  std::unique_ptr<IoQueue> queue_;  // destroyed before the memory that it reads into
  std::vector<size_t> positions_;   // in the batch, by slot
  std::vector<uint32_t> free_;      // slots
  std::vector<size_t> missed_;
  uint64_t rows_ = 0;
  uint64_t reads_ = 0;
};

void run(const Options& options) {
  DiskEpoch epoch(options.dataset, options.seeds, options.batch_size);
  RowReads reads(epoch, options);
  reads.warm(epoch);
  Progress progress;
  const uint64_t row_bytes = epoch.row_bytes();
  const std::shared_ptr<BufferPool>& pool = epoch.dataset().context()->buffers();
  bool complete = true;
  while (const std::shared_ptr<Batch> batch = epoch.next()) {
    const std::span<const int64_t> nodes = DiskEpoch::nodes(*batch);
    const Buffer rows = pool->acquire(nodes.size() * row_bytes);
    reads.read(nodes, rows.as<>());
    progress.add({rows.as<uint32_t>(), nodes.size() * row_bytes / 4}, nodes.size());
    if (progress.seconds() > options.seconds) {
      complete = progress.batches() == epoch.num_batches();
      break;
    }
  }
  progress.print(complete, reads.json());
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("A cache of rows, and one read for each missed row");
  gls::bench::Options options;
  app.add_option("--dataset", options.dataset)->required();
  app.add_option("--seeds", options.seeds, "A .npy file of node ids")->required();
  app.add_option("--memory", options.memory, "Bytes of the cache")->required();
  app.add_option("--seconds", options.seconds, "At most");
  app.add_option("--batch-size", options.batch_size);
  app.add_option("--depth", options.depth, "Reads under way");
  CLI11_PARSE(app, argc, argv);
  gls::bench::run(options);
  return 0;
}
