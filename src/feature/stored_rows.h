// Rows of a column in a file that a device reads from storage. The blocks that hold them are read
// once into limited device memory, and the rows are packed from there.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "device/direct_file.h"
#include "tensor/tensor.h"

namespace gls {

// The place of rows in a file.
struct RowsInFile {
  uint64_t offset = 0;  // of row 0
  uint64_t stride = 0;  // bytes from row to row
  uint64_t row_bytes = 0;
  uint64_t file_size = 0;
};

// The limits of one piece of memory.
struct PieceLimits {
  uint64_t bytes = DirectReaders::kPiece;
  size_t rows = size_t{64} << 10;
  uint64_t part = uint64_t{1} << 20;  // of one read; a longer run of blocks needs several
};

struct PieceOfRows {
  std::vector<device::FilePart> parts;
  std::vector<int64_t> places;  // for each row in the piece: its offset in the piece
};

// Plans a piece for the first of `rows`, which ascend without repeats: as many as fit, and at least
// one.
PieceOfRows plan_piece(const RowsInFile& in, std::span<const int64_t> rows,
                       const PieceLimits& limits);

// Sorts `rows`, which have no repeats. `places` that are not negative are indices of rows, and are
// updated.
void put_in_order(std::vector<int64_t>* rows, std::vector<int64_t>* places);

class StoredRows {
 public:
  // NULL: the column is not in a mapped file. A file that cannot be read this way is an error.
  static Result<std::shared_ptr<const StoredRows>> open(const std::shared_ptr<Device>& device,
                                                        const Tensor& column);
  // Reads these rows, which ascend without repeats, packed in stored form. `to` is device memory
  // that work queued on `after` now may still use. Waits for the end.
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
