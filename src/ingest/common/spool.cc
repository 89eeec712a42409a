#include "ingest/common/spool.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace gls {

// Memory that grows at its end without a copy.
class Spool::Pages {
 public:
  explicit Pages(std::shared_ptr<MemoryBudget> budget) : lease_(std::move(budget)) {}
  ~Pages() {
    if (data_ != nullptr) {
      munmap(data_, capacity_);
    }
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  const std::byte* data() const { return data_; }

  Status append(uint64_t size, std::span<const std::byte> bytes) {
    if (size + bytes.size() > capacity_) {
      GLS_TRY(grow(size + bytes.size()));
    }
    std::memcpy(data_ + size, bytes.data(), bytes.size());
    return {};
  }

 private:
  Status grow(size_t needed) {
    // Small at first, as a build may have many of these.
    const size_t step = needed < size_t{1} << 20 ? size_t{64} << 10 : size_t{1} << 20;
    const size_t target = (needed + needed / 8 + step - 1) / step * step;
    GLS_TRY(lease_.add(target - capacity_, "holding what was read"));
    void* const moved = data_ == nullptr ? mmap(nullptr, target, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                         : mremap(data_, capacity_, target, MREMAP_MAYMOVE);
    if (moved == MAP_FAILED) {
      throw std::bad_alloc();
    }
    data_ = static_cast<std::byte*>(moved);
    capacity_ = target;
    return {};
  }

  MemoryLease lease_;
  std::byte* data_ = nullptr;
  size_t capacity_ = 0;
};

Spool::Spool(Spool&&) noexcept = default;
Spool::~Spool() = default;

Result<Spool> Spool::create(Workspace& workspace, std::string_view name, size_t buffer) {
  if (!workspace.has_scratch()) {
    return Spool(std::nullopt, std::make_shared<Pages>(workspace.budget()));
  }
  GLS_ASSIGN(FileWriter file, FileWriter::create(workspace.scratch_path(name), buffer));
  return Spool(std::move(file), nullptr);
}

Status Spool::append(std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return {};
  }
  GLS_TRY(file_ ? file_->write(bytes) : pages_->append(size_, bytes));
  size_ += bytes.size();
  return {};
}

Result<Tensor> Spool::finish(DLDataType dtype, std::vector<int64_t> shape) {
  if (!file_) {
    const std::byte* const data = pages_->data();
    return Tensor(std::move(pages_), data, dtype, std::move(shape));
  }
  GLS_TRY(file_->close(false));
  GLS_ASSIGN(std::shared_ptr<const MappedFile> mapped, MappedFile::open(file_->path()));
  // The mapping keeps the data. Without a name, the disk space is freed with the mapping.
  unlink(file_->path().c_str());
  const std::byte* const data = mapped->bytes().data();
  return Tensor(std::move(mapped), data, dtype, std::move(shape));
}

// ---- IdSpool -----------------------------------------------------------------------------------

Result<IdSpool> IdSpool::create(Workspace& workspace, std::string_view name) {
  GLS_ASSIGN(Spool spool, Spool::create(workspace, name));
  return IdSpool(std::move(spool));
}

Status IdSpool::append(std::span<const int64_t> ids) {
  size_ += static_cast<int64_t>(ids.size());
  while (!ids.empty()) {
    const size_t count = std::min(ids.size(), kBlock - staged_.size());
    staged_.insert(staged_.end(), ids.begin(), ids.begin() + static_cast<ptrdiff_t>(count));
    ids = ids.subspan(count);
    if (staged_.size() == kBlock) {
      GLS_TRY(flush());
    }
  }
  return {};
}

Status IdSpool::flush() {
  if (staged_.empty()) {
    return {};
  }
  const int64_t top = *std::max_element(staged_.begin(), staged_.end());
  const bool wide = top > std::numeric_limits<int32_t>::max();
  largest_ = std::max(largest_, top);
  blocks_.push_back({spool_.size(), wide});
  if (wide) {
    GLS_TRY(spool_.append(std::as_bytes(std::span(staged_))));
  } else {
    narrow_.resize(staged_.size());
    std::transform(staged_.begin(), staged_.end(), narrow_.begin(),
                   [](int64_t id) { return static_cast<int32_t>(id); });
    GLS_TRY(spool_.append(std::as_bytes(std::span(narrow_))));
  }
  staged_.clear();
  return {};
}

Status IdSpool::finish() {
  GLS_TRY(flush());
  staged_ = {};
  narrow_ = {};
  GLS_ASSIGN(bytes_, spool_.finish(kUint8, {static_cast<int64_t>(spool_.size())}));
  return {};
}

void IdSpool::read(int64_t begin, std::span<int64_t> out) const {
  auto at = static_cast<size_t>(begin);
  for (size_t done = 0; done < out.size();) {
    const Block& block = blocks_[at / kBlock];
    const size_t skip = at % kBlock;
    const size_t count = std::min(out.size() - done, kBlock - skip);
    const std::byte* const data = bytes_.data() + block.offset;
    if (block.wide) {
      std::memcpy(out.data() + done, data + skip * 8, count * 8);
    } else {
      const auto* ids = reinterpret_cast<const int32_t*>(data) + skip;
      std::copy(ids, ids + count, out.begin() + static_cast<ptrdiff_t>(done));
    }
    done += count;
    at += count;
  }
}

}  // namespace gls
