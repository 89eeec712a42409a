#include "device/direct_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>
#include <utility>

#include "system/file.h"

namespace gls {
namespace {

constexpr const char* kDirectStorage = "device.direct_storage";

}  // namespace

// ---- files -------------------------------------------------------------------------------------

Result<std::shared_ptr<const DirectFile>> DirectFile::open(std::shared_ptr<Device> device,
                                                           const MappedRange& mapped) {
  FileDescriptor opened = open_descriptor(mapped.path, O_RDONLY | O_DIRECT | O_NONBLOCK);
  const int fd = opened.get();
  if (fd < 0 && errno == EINVAL) {
    return error(GLS_ERR_UNSUPPORTED,
                 "{}: the file system of {} does not read past the page cache (O_DIRECT)",
                 kDirectStorage, mapped.path)
        .with("argument", kDirectStorage)
        .with("file", mapped.path);
  }
  if (fd < 0) {
    return io_error(formatted("{}: cannot open", kDirectStorage), mapped.path, errno);
  }
  std::shared_ptr<DirectFile> out(
      new DirectFile(std::move(device), mapped.path, std::move(opened)));
  struct stat now {};
  if (fstat(fd, &now) != 0) {
    return io_error(formatted("{}: cannot open", kDirectStorage), mapped.path, errno);
  }
  if (now.st_dev != mapped.device || now.st_ino != mapped.inode ||
      static_cast<uint64_t>(now.st_size) != mapped.size) {
    return error(GLS_ERR_IO,
                 "{}: {} is not the file any more that was opened; open the dataset anew",
                 kDirectStorage, mapped.path)
        .with("file", mapped.path);
  }
  device::GpuError failure;
  out->file_ = out->device_->gpu().open_file(fd, &failure);
  if (out->file_ == nullptr) {
    return status_of(failure)
        .prefixed(formatted("{}: {}: ", kDirectStorage, mapped.path))
        .with("argument", kDirectStorage)
        .with("file", mapped.path);
  }
  return std::shared_ptr<const DirectFile>(std::move(out));
}

DirectFile::~DirectFile() {
  if (file_ != nullptr && !device_->in_forked_child() && !file_->destroy()) {
    fd_.release();
  }
}

// ---- readers -----------------------------------------------------------------------------------

std::shared_ptr<DirectReaders> DirectReaders::of(const std::shared_ptr<Device>& device) {
  // The entries keep their device alive, so that no other object has its address.
  static std::mutex mutex;
  static std::map<const Device*, std::weak_ptr<DirectReaders>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<DirectReaders>& entry = known[device.get()];
  std::shared_ptr<DirectReaders> readers = entry.lock();
  if (readers == nullptr) {
    readers.reset(new DirectReaders(device));
    entry = readers;
  }
  return readers;
}

DirectReaders::~DirectReaders() {
  for (device::GpuFileReader* const reader : idle_) {
    if (!device_->in_forked_child()) {
      reader->destroy();
    }
  }
}

Result<DirectReaders::Loan> DirectReaders::take() {
  std::unique_lock lock(mutex_);
  for (;;) {
    given_back_.wait(lock, [this] { return lent_ < most_ || most_ == 0; });
    if (most_ == 0) {
      return error(GLS_ERR_IO, "{}: no reader is left, as reads of all have not ended",
                   kDirectStorage)
          .with("argument", kDirectStorage);
    }
    ++lent_;
    if (!idle_.empty()) {
      device::GpuFileReader* const reader = idle_.back();
      idle_.pop_back();
      return Loan(*this, reader);
    }
    lock.unlock();
    device::GpuError failure;
    device::GpuFileReader* const reader =
        device_->gpu().open_file_reader(kPieces * kPiece, &failure);
    if (reader != nullptr) {
      return Loan(*this, reader);
    }
    lock.lock();
    --lent_;
    if (failure.code != GLS_ERR_OUT_OF_MEMORY || (lent_ == 0 && idle_.empty())) {
      given_back_.notify_one();  // the next waiting thread tries for itself
      return status_of(failure)
          .prefixed(formatted("{}: ", kDirectStorage))
          .with("argument", kDirectStorage);
    }
    most_ = lent_ + idle_.size();  // memory has no room for more than these
  }
}

void DirectReaders::give_back(device::GpuFileReader* reader, bool failed) {
  const bool lost = failed && !reader->destroy();
  {
    const std::lock_guard lock(mutex_);
    --lent_;
    if (lost) {
      --most_;  // its memory counts
    } else if (!failed) {
      idle_.push_back(reader);
    }
  }
  given_back_.notify_all();  // either a reader is free, or there will be none
}

DirectReaders::Loan::~Loan() {
  if (reader_ != nullptr) {
    readers_->give_back(reader_, failed_);
  }
}

Status DirectReaders::Loan::read(const DirectFile& file, std::span<const device::FilePart> parts) {
  device::GpuError failure;
  if (reader_->read(file.get(), parts.data(), parts.size(), &failure)) {
    return {};
  }
  failed_ = true;
  return status_of(failure)
      .prefixed(formatted("{}: {}: ", kDirectStorage, file.path()))
      .with("file", file.path());
}

}  // namespace gls
