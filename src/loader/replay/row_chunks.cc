#include "loader/replay/row_chunks.h"

#include <algorithm>
#include <utility>

#include "system/read_ahead.h"

namespace gls {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMostChunks = 2048;
constexpr int64_t kTableRows = int64_t{1} << 16;

}  // namespace

RowChunks::RowChunks(const Topology& topology, std::vector<Tensor> by_position, bool whole_rows,
                     uint64_t chunk_bytes)
    : topology_(topology),
      by_position_(std::move(by_position)),
      whole_rows_(whole_rows),
      begins_{0} {
  by_position_.push_back(topology.indices_tensor);
  for (const Tensor& array : by_position_) {
    position_bytes_ += static_cast<uint64_t>(array.row_stride());
  }
  const int64_t rows = topology.num_rows;
  const uint64_t bytes = bytes_before(rows);
  const uint64_t chunks =
      std::clamp<uint64_t>(bytes / std::max<uint64_t>(chunk_bytes, 1), 1, kMostChunks);
  chunk_bytes_ = bytes / chunks + 1;
  for (uint64_t chunk = 1; chunk < chunks; ++chunk) {
    const uint64_t end = bytes / chunks * chunk;
    int64_t least = begins_.back() + 1;
    int64_t most = rows;
    while (least < most) {
      const int64_t middle = least + (most - least) / 2;
      if (bytes_before(middle) < end) {
        least = middle + 1;
      } else {
        most = middle;
      }
    }
    if (least >= rows) {
      break;
    }
    begins_.push_back(least);
  }
  begins_.push_back(std::max(rows, begins_.back()));
  while (rows >> shift_ > kTableRows) {
    ++shift_;
  }
  size_t chunk = 0;
  for (int64_t row = 0; row < rows; row += int64_t{1} << shift_) {
    while (chunk + 1 < size() && row >= begins_[chunk + 1]) {
      ++chunk;
    }
    first_chunk_.push_back(static_cast<uint32_t>(chunk));
  }
}

// A damaged indptr is reported by the code that samples.
int64_t RowChunks::position(int64_t row) const {
  return std::clamp<int64_t>(topology_.indptr[row], 0, topology_.num_edges);
}

uint64_t RowChunks::bytes_before(int64_t row) const {
  return static_cast<uint64_t>(row) * sizeof(int64_t) +
         static_cast<uint64_t>(position(row)) * position_bytes_;
}

size_t RowChunks::chunk_of(int64_t row) const {
  if (row <= 0 || first_chunk_.empty()) {
    return 0;
  }
  if (row >= topology_.num_rows) {
    return size() - 1;
  }
  const auto slot = static_cast<size_t>(row >> shift_);
  const size_t last = slot + 1 < first_chunk_.size() ? first_chunk_[slot + 1] : size() - 1;
  const auto begins = begins_.begin();
  const auto after = std::upper_bound(begins + static_cast<ptrdiff_t>(first_chunk_[slot]) + 1,
                                      begins + static_cast<ptrdiff_t>(last) + 1, row);
  return static_cast<size_t>(after - begins) - 1;
}

bool RowChunks::reads_whole(size_t chunk, uint64_t rows) const {
  // A row needs a page of indptr and one of each other array. From half of the pages on, the few
  // long requests for the whole chunk are quicker than many short ones.
  constexpr uint64_t kHalf = 2;
  const uint64_t bytes = bytes_before(begins_[chunk + 1]) - bytes_before(begins_[chunk]);
  return bytes <= 2 * chunk_bytes_ && rows * kPage * (1 + by_position_.size()) * kHalf >= bytes;
}

void RowChunks::will_read_positions(int64_t begin, int64_t end) const {
  if (begin >= end) {
    return;
  }
  for (const Tensor& array : by_position_) {
    will_read(array.data() + begin * array.row_stride(),
              static_cast<uint64_t>((end - begin) * array.row_stride()));
  }
}

void RowChunks::will_read_chunk(size_t chunk) const {
  const int64_t begin = begins_[chunk];
  const int64_t end = begins_[chunk + 1];
  if (begin < end) {
    will_read(topology_.indptr + begin, static_cast<uint64_t>(end + 1 - begin) * sizeof(int64_t));
    will_read_positions(position(begin), position(end));
  }
}

void RowChunks::will_read_place(int64_t row) const {
  if (has(row)) {
    will_read(topology_.indptr + row, 2 * sizeof(int64_t));
  }
}

void RowChunks::will_read_row(int64_t row) const {
  constexpr int64_t kLong = int64_t{1} << 14;
  if (has(row) && (whole_rows_ || position(row + 1) - position(row) <= kLong)) {
    will_read_positions(position(row), position(row + 1));
  }
}

}  // namespace gls
