#include "feature/gather.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "feature/gather_kernels.h"

namespace gls {
namespace {

// Far ahead, as long as the rows in flight fit in the L2 cache many times. Measured on an Emerald
// Rapids: for rows of 64 to 1024 bytes, 32 to 96 rows are within a few percent. There, 8 rows are a
// tenth slower. For rows of 4 KB, it is 4 to 32 rows.
int64_t rows_ahead(int64_t row_bytes) {
  constexpr int64_t kBytesOnTheWay = int64_t{64} << 10;
  return std::clamp<int64_t>(kBytesOnTheWay / row_bytes, 2, 48);
}

}  // namespace

GatherOptions GatherOptions::from(const Context& context) {
  const Settings& settings = context.settings();
  GatherOptions out{context.simd(), settings.integer(Setting::kGatherPrefetchRows)};
  const size_t streaming = settings.choice(Setting::kGatherStreaming);  // auto, on, off
  if (streaming != 0) {
    out.streaming_from = streaming == 1 ? 0 : ~uint64_t{0};
  }
  return out;
}

bool can_gather_as(DLDataType from, DLDataType to) {
  return same_dtype(from, to) ||
         (same_dtype(to, kFloat32) && (same_dtype(from, kFloat16) || same_dtype(from, kBfloat16)));
}

namespace {

// A kind of gather: what differs between copying, widening and decoding.
struct Way {
  const kernels::GatherFn (&kernel)[2];  // [wide ids]
  DLDataType dtype;
  const float* by_byte;

  static Way to_copy(const Tensor& column, DLDataType dtype, const GatherOptions& options) {
    const kernels::GatherTable& table = kernels::gather_table_for(static_cast<int>(options.simd));
    const auto& kernel = same_dtype(column.dtype(), dtype)      ? table.copy
                         : same_dtype(column.dtype(), kFloat16) ? table.half
                                                                : table.bfloat;
    return {kernel, dtype, nullptr};
  }
  static Way to_decode(const Codebook& codebook, const GatherOptions& options) {
    const kernels::GatherTable& table = kernels::gather_table_for(static_cast<int>(options.simd));
    const auto bits = static_cast<uint32_t>(codebook.bits());
    return {table.decode[std::countr_zero(bits)], kFloat32, codebook.by_byte()};
  }
};

// `elements` of each row of the output.
void gather_rows(const Way& way, std::byte* out, const Tensor& column, const IdSpan& ids,
                 int64_t elements, const GatherOptions& options, const int64_t* places = nullptr) {
  const auto out_bytes = static_cast<size_t>(ids.size() * elements) * dtype_bytes(way.dtype);
  if (out_bytes == 0) {
    return;
  }
  const int64_t row_bytes = column.row_bytes();
  way.kernel[ids.wide() ? 1 : 0]({
      reinterpret_cast<const char*>(column.data()),
      column.row_stride(),
      elements,
      row_bytes,
      ids.data(),
      ids.size(),
      reinterpret_cast<char*>(out),
      options.prefetch_rows > 0 ? options.prefetch_rows : rows_ahead(row_bytes),
      // Whole cache lines are written, so the first row must begin at one.
      out_bytes >= options.streaming_from && reinterpret_cast<uintptr_t>(out) % 64 == 0,
      way.by_byte,
      places,
  });
}

// `shape` is the shape of the output, without its number of rows.
Tensor gather_with(const Way& way, BufferPool& pool, const Tensor& column, const IdSpan& ids,
                   std::vector<int64_t> shape, const GatherOptions& options, int64_t rows,
                   SharedBytes memory) {
  int64_t elements = 1;
  for (size_t d = 1; d < shape.size(); ++d) {
    elements *= shape[d];
  }
  const auto out_bytes = static_cast<size_t>(ids.size() * elements) * dtype_bytes(way.dtype);
  shape[0] = std::max(ids.size(), rows);
  const auto all_bytes = static_cast<size_t>(shape[0] * elements) * dtype_bytes(way.dtype);
  memory = given_or_acquired(std::move(memory), pool, all_bytes);
  std::byte* const out = memory.get();
  std::fill(out + out_bytes, out + all_bytes, std::byte{0});
  gather_rows(way, out, column, ids, elements, options);
  return Tensor(std::move(memory), out, way.dtype, std::move(shape), false);
}

}  // namespace

Tensor gather(BufferPool& pool, const Tensor& column, const IdSpan& ids, DLDataType dtype,
              const GatherOptions& options, int64_t rows, SharedBytes memory) {
  return gather_with(Way::to_copy(column, dtype, options), pool, column, ids, column.shape(),
                     options, rows, std::move(memory));
}

Tensor gather_decoded(BufferPool& pool, const Tensor& codes, const Codebook& codebook,
                      const IdSpan& ids, const GatherOptions& options, int64_t rows,
                      SharedBytes memory) {
  return gather_with(Way::to_decode(codebook, options), pool, codes, ids,
                     {codes.rows(), codebook.width()}, options, rows, std::move(memory));
}

void gather_to(std::byte* out, const Tensor& column, const IdSpan& ids, DLDataType dtype,
               const GatherOptions& options, const int64_t* places) {
  gather_rows(Way::to_copy(column, dtype, options), out, column, ids, column.row_elements(),
              options, places);
}

void gather_decoded_to(std::byte* out, const Tensor& codes, const Codebook& codebook,
                       const IdSpan& ids, const GatherOptions& options, const int64_t* places) {
  gather_rows(Way::to_decode(codebook, options), out, codes, ids, codebook.width(), options,
              places);
}

void scatter_rows(std::byte* out, const std::byte* rows, int64_t row_bytes, const int64_t* places,
                  int64_t count, const GatherOptions& options) {
  std::vector<int64_t> in_turn(static_cast<size_t>(count));
  std::iota(in_turn.begin(), in_turn.end(), 0);
  const Tensor column(nullptr, rows, kUint8, {count, row_bytes});
  gather_to(out, column, {in_turn.data(), true, count}, kUint8, options, places);
}

}  // namespace gls
