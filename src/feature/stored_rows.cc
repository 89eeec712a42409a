#include "feature/stored_rows.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <utility>

namespace gls {
namespace {

constexpr uint64_t kBlock = device::kFileBlock;

uint64_t block_of(uint64_t byte) { return byte / kBlock * kBlock; }
uint64_t whole_blocks(uint64_t bytes) { return block_of(bytes + kBlock - 1); }

// A place in a piece is a multiple of this many bytes, and so is each row. The device's gather uses
// it as the stride, because rows begin anywhere in their blocks.
uint64_t unit_of(const RowsInFile& in) {
  const uint64_t all = in.offset | in.stride | kBlock;
  return all & (~all + 1);
}

struct Lane {
  PinnedBuffer places;  // returned after the stream, which has been waited for by then
  std::optional<DeviceStream> stream;
};

Status begin(Lane* lane, const DeviceStream& after) {
  Device& device = after.device();
  GLS_ASSIGN(lane->places, device.pinned(PieceLimits().rows * sizeof(int64_t)));
  GLS_ASSIGN(DeviceStream stream, device.stream());
  device::GpuError failure;
  if (!device.gpu().follow(stream.get(), after.get(), &failure)) {
    return status_of(failure);
  }
  lane->stream.emplace(std::move(stream));
  return {};
}

// Reads the first and the last block, to detect files that cannot be read and readers that cannot
// be made.
Status read_some(const DirectFile& file, DirectReaders& readers, uint64_t file_size) {
  std::vector<device::FilePart> parts;
  if (file_size >= kBlock) {
    parts.push_back({0, kBlock, 0});
  }
  if (const uint64_t tail = file_size % kBlock; tail != 0) {
    parts.push_back({file_size - tail, tail, kBlock});
  }
  GLS_ASSIGN(DirectReaders::Loan reader, readers.take());
  return reader.read(file, parts);
}

}  // namespace

PieceOfRows plan_piece(const RowsInFile& in, std::span<const int64_t> rows,
                       const PieceLimits& limits) {
  PieceOfRows out;
  uint64_t used = 0;     // of the piece
  uint64_t shift = 0;    // from the file to the piece, for the last run of blocks
  uint64_t run_end = 0;  // in the file
  for (const int64_t row : rows) {
    const uint64_t begin = in.offset + static_cast<uint64_t>(row) * in.stride;
    const uint64_t end = std::min(whole_blocks(begin + in.row_bytes), in.file_size);
    const uint64_t first = block_of(begin);
    const bool joins = !out.parts.empty() && first <= run_end;
    uint64_t from = joins ? run_end : first;
    const uint64_t more = end > from ? whole_blocks(end - from) : 0;
    if (used + more > limits.bytes || out.places.size() == limits.rows) {
      break;
    }
    if (!joins) {
      shift = used - first;
    }
    out.places.push_back(static_cast<int64_t>(begin + shift));
    for (bool longer = joins; from < end; longer = false) {
      if (longer && out.parts.back().bytes < limits.part) {
        device::FilePart& last = out.parts.back();
        const uint64_t bytes = std::min(end - from, limits.part - last.bytes);
        last.bytes += bytes;
        from += bytes;
      } else {
        const uint64_t bytes = std::min(end - from, limits.part);
        out.parts.push_back({from, bytes, from + shift});
        from += bytes;
      }
    }
    used += more;
    run_end = std::max(run_end, end);
  }
  return out;
}

void put_in_order(std::vector<int64_t>* rows, std::vector<int64_t>* places) {
  std::vector<size_t> order(rows->size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return (*rows)[a] < (*rows)[b]; });
  std::vector<int64_t> sorted;
  sorted.reserve(rows->size());
  std::vector<int64_t> rank(rows->size());
  for (const size_t at : order) {
    if (sorted.empty() || sorted.back() != (*rows)[at]) {
      sorted.push_back((*rows)[at]);
    }
    rank[at] = static_cast<int64_t>(sorted.size()) - 1;
  }
  for (int64_t& place : *places) {
    place = place < 0 ? place : rank[static_cast<size_t>(place)];
  }
  *rows = std::move(sorted);
}

Result<std::shared_ptr<const StoredRows>> StoredRows::open(const std::shared_ptr<Device>& device,
                                                           const Tensor& column) {
  const std::optional<MappedRange> mapped = find_mapped(column.data(), column.span_bytes());
  if (!mapped.has_value()) {
    return std::shared_ptr<const StoredRows>();
  }
  const RowsInFile in = {mapped->offset, static_cast<uint64_t>(column.row_stride()),
                         static_cast<uint64_t>(column.row_bytes()), mapped->size};
  // For any offset of the row in a block.
  if (in.row_bytes > DirectReaders::kPiece - 2 * kBlock) {
    return error(GLS_ERR_UNSUPPORTED,
                 "device.direct_storage: {}: rows have {} bytes, expected at most {}", mapped->path,
                 in.row_bytes, DirectReaders::kPiece - 2 * kBlock)
        .with("argument", "device.direct_storage")
        .with("file", mapped->path);
  }
  GLS_ASSIGN(std::shared_ptr<const DirectFile> file, DirectFile::open(device, *mapped));
  std::shared_ptr<DirectReaders> readers = DirectReaders::of(device);
  GLS_TRY(read_some(*file, *readers, in.file_size).with("argument", "device.direct_storage"));
  return std::shared_ptr<const StoredRows>(new StoredRows(std::move(file), std::move(readers), in));
}

Status StoredRows::read(std::span<const int64_t> rows, void* to, const DeviceStream& after) const {
  if (rows.empty()) {
    return {};
  }
  GLS_ASSIGN(DirectReaders::Loan reader, readers_->take());
  std::array<Lane, DirectReaders::kPieces> lanes;  // waited for before the reader is returned
  const uint64_t unit = unit_of(in_);
  auto* out = static_cast<std::byte*>(to);
  for (size_t turn = 0; !rows.empty(); turn = (turn + 1) % lanes.size()) {
    Lane& lane = lanes[turn];
    if (lane.stream.has_value()) {
      GLS_TRY(lane.stream->finish());
    } else {
      GLS_TRY(begin(&lane, after));
    }
    const PieceOfRows piece = plan_piece(in_, rows, {});
    std::vector<device::FilePart> parts = piece.parts;
    for (device::FilePart& part : parts) {
      part.to += turn * DirectReaders::kPiece;
    }
    GLS_TRY(reader.read(*file_, parts));
    const size_t count = piece.places.size();
    auto* const places = reinterpret_cast<int64_t*>(lane.places.data());
    std::transform(piece.places.begin(), piece.places.end(), places,
                   [unit](int64_t place) { return place / static_cast<int64_t>(unit); });
    device::GatherWork work = {};
    work.rows = reader.piece(turn);
    work.stride = static_cast<int64_t>(unit);
    work.num_rows = static_cast<int64_t>(DirectReaders::kPiece / unit);
    work.row_elements = work.row_bytes = static_cast<int64_t>(in_.row_bytes);
    work.form = device::RowForm::kSame;
    work.place_bits = 31;
    work.ids = places;  // read in place
    work.wide = true;
    work.count = work.total = static_cast<int64_t>(count);
    work.out = out;
    device::GpuError failure;
    if (!after.gpu().gather(work, lane.stream->get(), &failure)) {
      return status_of(failure);
    }
    out += count * in_.row_bytes;
    rows = rows.subspan(count);
  }
  for (const Lane& lane : lanes) {
    if (lane.stream.has_value()) {
      GLS_TRY(lane.stream->finish());
    }
  }
  return {};
}

}  // namespace gls
