// A file without a name, which disappears when the process ends for any reason.
#pragma once

#include <cstddef>
#include <cstdint>
#include <gls.hpp>
#include <string>
#include <vector>

namespace gls::tool {

class ScratchFile {
 public:
  // In `folder`, so that it is on the disk of the output.
  explicit ScratchFile(const std::string& folder);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // Appends at the end.
  void append(const void* data, size_t bytes);
  uint64_t size() const { return size_; }
  // All data as a row-major tensor, which keeps them alive.
  Tensor map(DLDataType dtype, const std::vector<int64_t>& shape) const;

 private:
  std::string folder_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace gls::tool
