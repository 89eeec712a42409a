// The gather as one plain function, so that a Python process that holds a peer's gather can time
// both in one run:
//
//   double gls_bench_gather(table, rows, row_bytes, stride, ids, count)
//
// gathers `count` rows, named by 64-bit ids, of a table whose rows begin every `stride` bytes, into
// pooled memory; returns the bytes gathered.
#include "feature/gather.h"
#include "system/cpu.h"

extern "C" __attribute__((visibility("default"))) double gls_bench_gather(
    const void* table, int64_t rows, int64_t row_bytes, int64_t stride, const int64_t* ids,
    int64_t count) {
  static const auto pool = std::make_shared<gls::BufferPool>(true, uint64_t{4} << 30);
  const gls::Tensor column(nullptr, table, gls::kUint8, {rows, row_bytes}, stride, true);
  const gls::Tensor out =
      gls::gather(*pool, column, gls::IdSpan(ids, true, count), gls::kUint8, {gls::detect_simd()});
  return static_cast<double>(out.span_bytes());
}
