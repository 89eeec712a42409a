// Writes an array row by row through a buffer.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/dataset_writer.h"

namespace gls {

class RowStream {
 public:
  // Called when the buffer is written; an error of it ends the writing.
  using Tick = std::function<Status()>;

  static Result<RowStream> create(DatasetWriter& writer, const std::string& file, DLDataType dtype,
                                  std::span<const int64_t> row_shape, Tick tick) {
    GLS_ASSIGN(NpyWriter array, writer.create_array(file, dtype, row_shape));
    size_t bytes = dtype_bytes(dtype);
    for (const int64_t extent : row_shape) {
      bytes *= static_cast<size_t>(extent);
    }
    return RowStream(writer, file, std::move(array), bytes, std::move(tick));
  }

  // Adds a row with at most the bytes of a row; zeros follow.
  Status add(const void* row, size_t bytes) {
    if (used_ + row_bytes_ > buffer_.size()) {
      GLS_TRY(flush());
    }
    if (bytes > 0) {
      std::memcpy(buffer_.data() + used_, row, bytes);
    }
    std::memset(buffer_.data() + used_ + bytes, 0, row_bytes_ - bytes);
    used_ += row_bytes_;
    ++rows_;
    return {};
  }
  size_t row_bytes() const { return row_bytes_; }
  // Adds a row of int64, or of int32 if the array has that dtype.
  Status add_id(int64_t id) {
    const auto narrow = static_cast<int32_t>(id);
    return row_bytes_ == 8 ? add(&id, 8) : add(&narrow, 4);
  }

  Result<std::unique_ptr<format::ArrayT>> finish() {
    GLS_TRY(flush());
    return writer_->finish_array(file_, array_);
  }

 private:
  static constexpr size_t kBuffer = size_t{1} << 20;

  RowStream(DatasetWriter& writer, std::string file, NpyWriter array, size_t row_bytes, Tick tick)
      : writer_(&writer),
        file_(std::move(file)),
        array_(std::move(array)),
        row_bytes_(row_bytes),
        buffer_(std::max(kBuffer, row_bytes)),
        tick_(std::move(tick)) {}

  Status flush() {
    GLS_TRY(array_.append({buffer_.data(), used_}, rows_));
    used_ = 0;
    rows_ = 0;
    return tick_ ? tick_() : Status();
  }

  DatasetWriter* writer_;
  std::string file_;
  NpyWriter array_;
  size_t row_bytes_;
  std::vector<std::byte> buffer_;
  size_t used_ = 0;
  int64_t rows_ = 0;
  Tick tick_;
};

}  // namespace gls
