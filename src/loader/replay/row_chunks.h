// Divides the rows of a topology into chunks of consecutive rows with about the same bytes in
// files. A pass over the chunks reads each page once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/topology/topology.h"
#include "tensor/tensor.h"

namespace gls {

class RowChunks {
 public:
  // `by_position`: further arrays with one row for each position of the topology. All must outlive
  // this object. `whole_rows`: samplers read all of a row. Reads a few pages for each chunk.
  RowChunks(const Topology& topology, std::vector<Tensor> by_position, bool whole_rows,
            uint64_t chunk_bytes);

  size_t size() const { return begins_.size() - 1; }
  // Of any row; rows out of range are in the first or the last chunk.
  size_t chunk_of(int64_t row) const;

  // Whether to read the whole chunk for so many of its rows, some perhaps the same, rather than
  // their pages. Not if a row makes it very long.
  bool reads_whole(size_t chunk, uint64_t rows) const;
  // Each starts reading and does not wait: the chunk, the place of a row, and a row whose place was
  // read. If few pages of a long row are needed, it is left to the system.
  void will_read_chunk(size_t chunk) const;
  void will_read_place(int64_t row) const;
  void will_read_row(int64_t row) const;

 private:
  bool has(int64_t row) const { return row >= 0 && row < topology_.num_rows; }
  int64_t position(int64_t row) const;
  uint64_t bytes_before(int64_t row) const;
  void will_read_positions(int64_t begin, int64_t end) const;

  const Topology& topology_;
  std::vector<Tensor> by_position_;
  const bool whole_rows_;
  uint64_t position_bytes_ = 0;        // of all arrays
  uint64_t chunk_bytes_ = 0;           // of a chunk without a long row
  std::vector<int64_t> begins_;        // [chunks + 1] rows
  int shift_ = 0;                      // of rows, for the table
  std::vector<uint32_t> first_chunk_;  // by row >> shift_: the chunk of the first such row
};

}  // namespace gls
