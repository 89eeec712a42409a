// Spools: data of unknown length that are written once, front to back, and then read at random
// positions. They are in a scratch file if there is room for one, else in memory that counts
// against the limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ingest/common/workspace.h"
#include "system/file.h"
#include "tensor/tensor.h"

namespace gls {

// A spool of any bytes.
class Spool {
 public:
  // `buffer`: bytes that are collected before they are written to a file.
  static Result<Spool> create(Workspace& workspace, std::string_view name,
                              size_t buffer = FileWriter::kBuffer);
  Spool(Spool&&) noexcept;
  Spool& operator=(Spool&&) = delete;
  ~Spool();

  Status append(std::span<const std::byte> bytes);
  uint64_t size() const { return size_; }
  // All data as one array; nothing can be appended afterwards.
  Result<Tensor> finish(DLDataType dtype, std::vector<int64_t> shape);

 private:
  class Pages;
  Spool(std::optional<FileWriter> file, std::shared_ptr<Pages> pages)
      : file_(std::move(file)), pages_(std::move(pages)) {}

  std::optional<FileWriter> file_;
  std::shared_ptr<Pages> pages_;
  uint64_t size_ = 0;
};

// A spool of non-negative ids, with four bytes each if they fit.
class IdSpool {
 public:
  static Result<IdSpool> create(Workspace& workspace, std::string_view name);

  Status append(std::span<const int64_t> ids);
  Status finish();

  int64_t size() const { return size_; }
  int64_t largest() const { return largest_; }  // -1: empty
  // After finish(), from any thread.
  void read(int64_t begin, std::span<int64_t> out) const;

 private:
  static constexpr size_t kBlock = size_t{1} << 16;
  struct Block {
    uint64_t offset;
    bool wide;
  };
  explicit IdSpool(Spool spool) : spool_(std::move(spool)) { staged_.reserve(kBlock); }
  Status flush();

  Spool spool_;
  std::vector<int64_t> staged_;
  std::vector<int32_t> narrow_;
  std::vector<Block> blocks_;
  int64_t size_ = 0;
  int64_t largest_ = -1;
  Tensor bytes_;
};

}  // namespace gls
