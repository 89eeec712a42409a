// Reads and writes NumPy's .npy format, as far as datasets use it: little-endian fixed-width
// numbers in C order. Format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/checksum.h"
#include "base/status.h"
#include "system/file.h"
#include "tensor/tensor.h"

namespace gls {

struct NpyHeader {
  DLDataType dtype;
  std::vector<int64_t> shape;  // may be empty: a scalar
  size_t data_offset;
};

// Parses the start of a file. `path` is for messages. Two-byte void elements are read as bfloat16,
// because Python saves bfloat16 arrays that way.
Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes, std::string_view path);

// A header whose length is a multiple of 64, so that the data are aligned.
std::string make_npy_header(DLDataType dtype, std::span<const int64_t> shape);

// Maps a file; its length must be exactly header and data.
Result<Tensor> map_npy(const std::string& path);
Result<Tensor> npy_tensor(std::shared_ptr<const MappedFile> file);  // from a mapped file

// Writes an array front to back, before its number of rows is known.
class NpyWriter {
 public:
  static Result<NpyWriter> create(const std::string& path, DLDataType dtype,
                                  std::span<const int64_t> row_shape);
  // A writer that writes nothing: appended data only count, and go into the checksum.
  static NpyWriter measuring(DLDataType dtype, std::span<const int64_t> row_shape);
  Status append(std::span<const std::byte> bytes, int64_t rows);
  // Completes the header with the number of rows, syncs and closes.
  Status finish();
  uint64_t data_bytes() const { return data_bytes_; }
  int64_t rows() const { return rows_; }
  const std::vector<int64_t>& row_shape() const { return row_shape_; }
  DLDataType dtype() const { return dtype_; }
  // Of the data without the header, which the manifest repeats.
  std::string checksum() const { return checksum_.hex(); }

 private:
  NpyWriter(std::optional<FileWriter> file, DLDataType dtype, std::span<const int64_t> row_shape);
  std::string header() const;

  std::optional<FileWriter> file_;
  DLDataType dtype_;
  std::vector<int64_t> row_shape_;
  uint64_t data_bytes_ = 0;
  int64_t rows_ = 0;
  Checksum checksum_;
};

}  // namespace gls
