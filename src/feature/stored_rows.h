// Rows of a column in a file that a device reads from storage: the blocks that hold them, once
// each, come into a bounded piece of its memory, and rows are packed from there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/direct_file.h"
#include "tensor/tensor.h"

namespace gls {

// Where rows lie in a file.
struct RowsInFile {
  uint64_t offset = 0;  // of row 0
  uint64_t stride = 0;  // bytes from row to row
  uint64_t row_bytes = 0;
  uint64_t file_size = 0;
};

// What one piece of memory takes at once.
struct PieceLimits {
  uint64_t bytes = DirectReaders::kPiece;
  size_t rows = size_t{64} << 10;
  uint64_t part = uint64_t{1} << 20;  // of a read; a longer run of blocks is several
};

struct PieceOfRows {
  std::vector<device::FilePart> parts;
  std::vector<int64_t> places;  // of each row that is there: the byte of the piece where it begins
};

// The first of `rows`, which ascend without repeats: as many as there is room for, one at least.
PieceOfRows plan_piece(const RowsInFile& in, std::span<const int64_t> rows,
                       const PieceLimits& limits);

// `rows` without repeats, ascending. `places` that are not negative are indices of rows, and follow
// them.
void put_in_order(std::vector<int64_t>* rows, std::vector<int64_t>* places);

class StoredRows {
 public:
  // NULL: the column is not in a file that is mapped. What cannot be read this way is an error.
  static Result<std::shared_ptr<const StoredRows>> open(const std::shared_ptr<Device>& device,
                                                        const Tensor& column);
  // Those rows, which ascend without repeats, packed as they are stored, to memory of the device
  // which what is queued on `after` by now may use before. Waits for the end.
  Status read(std::span<const int64_t> rows, void* to, const DeviceStream& after) const;

 private:
  StoredRows(std::shared_ptr<const DirectFile> file, std::shared_ptr<DirectReaders> readers,
             const RowsInFile& in)
      : file_(std::move(file)), readers_(std::move(readers)), in_(in) {}

  std::shared_ptr<const DirectFile> file_;
  std::shared_ptr<DirectReaders> readers_;
  RowsInFile in_;
};

}  // namespace gls
