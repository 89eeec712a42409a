// Gathers rows of a column by id into pooled memory, or where the caller wants them.
#pragma once

#include <cstddef>

#include "context/context.h"
#include "tensor/codebook.h"
#include "tensor/tensor.h"

namespace gls {

struct GatherOptions {
  Simd simd = Simd::kPlain;
  int64_t prefetch_rows = 0;  // 0: by the width of a row
  uint64_t streaming_from = uint64_t{4}
                            << 20;  // bytes of output from which to write past the caches

  // Of a part of an output of so many bytes: it is written as all of it would be.
  GatherOptions for_bytes(uint64_t bytes) const {
    GatherOptions out = *this;
    out.streaming_from = bytes >= streaming_from ? 0 : ~uint64_t{0};
    return out;
  }
  // As the context's settings say.
  static GatherOptions from(const Context& context);
};

// Whether `from` can be delivered as `to`: the same, or a 16-bit float widened to float32.
bool can_gather_as(DLDataType from, DLDataType to);

// out[i] = column[ids[i]], converted to `dtype`. Every id must be a row of the column. At least
// `rows` rows: zeros follow those of the ids. They lie in `memory`, from the start of a line on,
// or, where that is NULL, in the pool's.
Tensor gather(BufferPool& pool, const Tensor& column, const IdSpan& ids, DLDataType dtype,
              const GatherOptions& options, int64_t rows = 0, SharedBytes memory = nullptr);
// The same of codes, as the numbers they stand for: float32 [ids, width].
Tensor gather_decoded(BufferPool& pool, const Tensor& codes, const Codebook& codebook,
                      const IdSpan& ids, const GatherOptions& options, int64_t rows = 0,
                      SharedBytes memory = nullptr);

// The same to memory of the caller's, with room for the rows of the ids, from the start of a line.
// With `places` the row of the i-th id goes to row places[i] of `out`.
void gather_to(std::byte* out, const Tensor& column, const IdSpan& ids, DLDataType dtype,
               const GatherOptions& options, const int64_t* places = nullptr);
void gather_decoded_to(std::byte* out, const Tensor& codes, const Codebook& codebook,
                       const IdSpan& ids, const GatherOptions& options,
                       const int64_t* places = nullptr);

// Rows that lie one after the other to their places in `out`, which begins on a line.
void scatter_rows(std::byte* out, const std::byte* rows, int64_t row_bytes, const int64_t* places,
                  int64_t count, const GatherOptions& options);

}  // namespace gls
