#include "session/scratch_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>

#include "session/session.h"
#include "session/tensor_io.h"

namespace gls::tool {
namespace {

struct Mapping {
  void* data;
  size_t bytes;
};

void unmap(void* mapping) {
  const std::unique_ptr<Mapping> owned(static_cast<Mapping*>(mapping));
  munmap(owned->data, owned->bytes);
}

}  // namespace

ScratchFile::ScratchFile(const std::string& folder) : folder_(folder) {
  fd_ = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd_ < 0) {
    // Some file systems cannot create files without names.
    std::string name = folder + "/.gls-scratch-XXXXXX";
    fd_ = mkstemp(name.data());
    if (fd_ < 0) {
      throw system_failure("cannot create a scratch file in", folder, errno);
    }
    unlink(name.c_str());
  }
}

ScratchFile::~ScratchFile() { close(fd_); }

void ScratchFile::append(const void* data, size_t bytes) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = pwrite(fd_, at, bytes, static_cast<off_t>(size_));
    if (done < 0) {
      if (errno == EINTR) {
        continue;
      }
      throw system_failure("cannot write a scratch file in", folder_, errno);
    }
    at += done;
    bytes -= static_cast<size_t>(done);
    size_ += static_cast<uint64_t>(done);
  }
}

Tensor ScratchFile::map(DLDataType dtype, const std::vector<int64_t>& shape) const {
  std::vector<int64_t> dimensions = shape;
  DLTensor view = {nullptr, {kDLCPU, 0},       static_cast<int32_t>(dimensions.size()),
                   dtype,   dimensions.data(), nullptr,
                   0};
  if (size_ == 0) {
    return Tensor::wrap(view, true);
  }
  auto mapping = std::make_unique<Mapping>(Mapping{nullptr, size_});
  mapping->data = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd_, 0);
  if (mapping->data == MAP_FAILED) {
    throw system_failure("cannot map a scratch file in", folder_, errno);
  }
  view.data = mapping->data;
  return Tensor::wrap(view, true, mapping.release(), unmap);
}

}  // namespace gls::tool
