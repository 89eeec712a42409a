// A file without a name: gone with the process, however that ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <gls.hpp>
#include <string>
#include <vector>

namespace gls::tool {

class ScratchFile {
 public:
  // In `folder`, so that it lies on the disk the data go to.
  explicit ScratchFile(const std::string& folder);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  // At the end.
  void append(const void* data, size_t bytes);
  uint64_t size() const { return size_; }
  // All of it as a row-major tensor, which keeps the data alive by itself.
  Tensor map(DLDataType dtype, const std::vector<int64_t>& shape) const;

 private:
  std::string folder_;
  int fd_ = -1;
  uint64_t size_ = 0;
};

}  // namespace gls::tool
