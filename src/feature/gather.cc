#include "feature/gather.h"

#include <algorithm>

#include "feature/gather_kernels.h"

namespace gls {
namespace {

// Enough rows ahead to keep about a hundred lines on the way.
int64_t rows_ahead(int64_t row_bytes) {
  constexpr int64_t kLinesOnTheWay = 112;
  const int64_t lines = row_bytes / 64 + 1;
  return std::clamp<int64_t>(kLinesOnTheWay / lines, 2, 64);
}

}  // namespace

GatherOptions GatherOptions::from(const Context& context, unsigned sharers) {
  const Settings& settings = context.settings();
  const size_t streaming = settings.choice(Setting::kGatherStreaming);  // auto, on, off
  return {context.simd(), settings.integer(Setting::kGatherPrefetchRows),
          streaming == 1 || (streaming == 0 && sharers > 1)};
}

bool can_gather_as(DLDataType from, DLDataType to) {
  return same_dtype(from, to) ||
         (same_dtype(to, kFloat32) && (same_dtype(from, kFloat16) || same_dtype(from, kBfloat16)));
}

Tensor gather(BufferPool& pool, const Tensor& column, const IdSpan& ids, DLDataType dtype,
              const GatherOptions& options) {
  const int64_t elements = column.row_elements();
  const auto out_bytes = static_cast<size_t>(ids.size() * elements) * dtype_bytes(dtype);
  auto buffer = std::make_shared<Buffer>(pool.acquire(out_bytes));
  std::vector<int64_t> shape = column.shape();
  shape[0] = ids.size();
  char* const out = buffer->as<char>();
  if (out_bytes > 0) {
    const int64_t row_bytes = column.row_bytes();
    const kernels::GatherArgs args = {
        reinterpret_cast<const char*>(column.data()),
        column.row_stride(),
        elements,
        row_bytes,
        ids.data(),
        ids.size(),
        out,
        options.prefetch_rows > 0 ? options.prefetch_rows : rows_ahead(row_bytes),
        options.streaming && out_bytes > (size_t{8} << 20),
    };
    const kernels::GatherTable& table = kernels::gather_table_for(static_cast<int>(options.simd));
    const auto& kernel = same_dtype(column.dtype(), dtype)      ? table.copy
                         : same_dtype(column.dtype(), kFloat16) ? table.half
                                                                : table.bfloat;
    kernel[ids.wide() ? 1 : 0](args);
  }
  return Tensor(std::move(buffer), out, dtype, std::move(shape), false);
}

}  // namespace gls
