// Gathers rows of a column by id, into pooled memory or the caller's memory.
#pragma once

#include <cstddef>

#include "context/context.h"
#include "tensor/codebook.h"
#include "tensor/tensor.h"

namespace gls {

struct GatherOptions {
  Simd simd = Simd::kPlain;
  int64_t prefetch_rows = 0;  // 0: chosen by the width of a row
  uint64_t streaming_from = uint64_t{4}
                            << 20;  // bytes of output from which writes bypass the caches

  // Options for a part of an output of `bytes` bytes, so that the part is written like the whole.
  GatherOptions for_bytes(uint64_t bytes) const {
    GatherOptions out = *this;
    out.streaming_from = bytes >= streaming_from ? 0 : ~uint64_t{0};
    return out;
  }
  // From the context's settings.
  static GatherOptions from(const Context& context);
};

// Whether `from` can be returned as `to`: equal types, or a 16-bit float widened to float32.
bool can_gather_as(DLDataType from, DLDataType to);

// out[i] = column[ids[i]], converted to `dtype`. Every id must be a row of the column. The result
// has at least `rows` rows, with zeros after those of the ids. It uses `memory`, from the start of
// a cache line on, or if that is NULL the pool's memory.
Tensor gather(BufferPool& pool, const Tensor& column, const IdSpan& ids, DLDataType dtype,
              const GatherOptions& options, int64_t rows = 0, SharedBytes memory = nullptr);
// As gather(), for codes, which are returned as numbers: float32 [ids, width].
Tensor gather_decoded(BufferPool& pool, const Tensor& codes, const Codebook& codebook,
                      const IdSpan& ids, const GatherOptions& options, int64_t rows = 0,
                      SharedBytes memory = nullptr);

// As gather(), into the caller's memory, which has room for the rows and begins at a cache line.
// With `places`, the row of the i-th id goes to row places[i] of `out`.
void gather_to(std::byte* out, const Tensor& column, const IdSpan& ids, DLDataType dtype,
               const GatherOptions& options, const int64_t* places = nullptr);
void gather_decoded_to(std::byte* out, const Tensor& codes, const Codebook& codebook,
                       const IdSpan& ids, const GatherOptions& options,
                       const int64_t* places = nullptr);

// Copies consecutive rows to their places in `out`, which begins at a cache line.
void scatter_rows(std::byte* out, const std::byte* rows, int64_t row_bytes, const int64_t* places,
                  int64_t count, const GatherOptions& options);

}  // namespace gls
