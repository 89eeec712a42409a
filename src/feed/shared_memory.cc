#include "feed/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace gls {
namespace {

Status refused(const char* what, int errno_value) {
  return error(errno_value == ENOMEM ? GLS_ERR_OUT_OF_MEMORY : GLS_ERR_IO, "{}: {}", what,
               std::strerror(errno_value));
}

}  // namespace

Result<std::shared_ptr<SharedMemory>> SharedMemory::create(uint64_t bytes) {
  Fd fd(::memfd_create("gls-feed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) {
    return errno == ENOSYS ? error(GLS_ERR_UNSUPPORTED, "the system has no memfd_create")
                           : refused("cannot make shared memory", errno);
  }
  if (::ftruncate(fd.get(), static_cast<off_t>(bytes)) != 0) {
    return refused("cannot make shared memory", errno);
  }
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) {
    return refused("cannot map shared memory", errno);
  }
  std::shared_ptr<SharedMemory> out(
      new SharedMemory(std::move(fd), static_cast<std::byte*>(data), bytes));
  constexpr int kSize = F_SEAL_SHRINK | F_SEAL_GROW;
  // The mapping above stays writable; later mappings by receivers of the descriptor do not.
  if (::fcntl(out->fd(), F_ADD_SEALS, kSize | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0 &&
      ::fcntl(out->fd(), F_ADD_SEALS, kSize | F_SEAL_SEAL) != 0) {
    return error(GLS_ERR_UNSUPPORTED, "the system cannot seal shared memory: {}",
                 std::strerror(errno));
  }
  return out;
}

Result<std::shared_ptr<SharedMemory>> SharedMemory::map(Fd fd, uint64_t bytes) {
  constexpr uint64_t kMost = uint64_t{1} << 46;
  struct stat info {};
  if (bytes == 0 || bytes > kMost || ::fstat(fd.get(), &info) != 0 ||
      static_cast<uint64_t>(info.st_size) != bytes) {
    return corrupt("the shared memory of a feed has not the size that was said");
  }
  const int seals = ::fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) {
    return corrupt("the shared memory of a feed could shrink");
  }
  void* const data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (data == MAP_FAILED) {
    return refused("cannot map shared memory", errno);
  }
  return std::shared_ptr<SharedMemory>(
      new SharedMemory(std::move(fd), static_cast<std::byte*>(data), bytes));
}

SharedMemory::~SharedMemory() { ::munmap(data_, size_); }

std::optional<uint64_t> Arena::take(uint64_t bytes) {
  for (auto it = free_.begin(); it != free_.end(); ++it) {
    if (it->second < bytes) {
      continue;
    }
    const auto [offset, size] = *it;
    taken_.emplace(offset, bytes);  // operations that may fail come before
    if (size > bytes) {
      try {
        free_.emplace_hint(std::next(it), offset + bytes, size - bytes);
      } catch (...) {
        taken_.erase(offset);
        throw;
      }
    }
    free_.erase(it);
    used_ += bytes;
    return offset;
  }
  return std::nullopt;
}

bool Arena::give_back(uint64_t offset) {
  const auto found = taken_.find(offset);
  if (found == taken_.end()) {
    return false;
  }
  auto node = taken_.extract(found);
  used_ -= node.mapped();
  auto it = free_.insert(std::move(node)).position;
  if (const auto next = std::next(it);
      next != free_.end() && it->first + it->second == next->first) {
    it->second += next->second;
    free_.erase(next);
  }
  if (it != free_.begin()) {
    if (const auto before = std::prev(it); before->first + before->second == it->first) {
      before->second += it->second;
      free_.erase(it);
    }
  }
  return true;
}

}  // namespace gls
