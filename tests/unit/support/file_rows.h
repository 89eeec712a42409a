// Rows in files that are mapped, as those of a dataset on disk are.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "system/file.h"
#include "tensor/tensor.h"
#include "test_paths.h"

namespace gls::test {

// In the folder of builds, since that of temporary files may be in memory, which is not read past
// the page cache.
class Folder {
 public:
  Folder() : path_(std::string(kCudaOnHost) + "/storage-XXXXXX") {
    EXPECT_NE(mkdtemp(path_.data()), nullptr);
  }
  ~Folder() { remove_tree(path_); }
  std::string next() { return path_ + "/" + std::to_string(files_++); }

 private:
  std::string path_;
  int files_ = 0;
};

// The same rows in a file that is mapped, behind so many other bytes. Nothing follows them.
inline Tensor in_file(const Tensor& rows, const std::string& path, size_t before) {
  auto file = FileWriter::create(path).take();
  EXPECT_TRUE(file.write(std::vector<std::byte>(before, std::byte{0x77})).ok());
  EXPECT_TRUE(file.write({rows.data(), rows.span_bytes()}).ok());
  EXPECT_TRUE(file.close(false).ok());
  auto mapped = MappedFile::open(path).take();
  const std::byte* const data = mapped->bytes().data() + before;
  return Tensor(std::move(mapped), data, rows.dtype(), rows.shape(), rows.row_stride(), true)
      .with_file(path);
}

}  // namespace gls::test
