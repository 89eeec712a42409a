// Gathers rows of a column by id into pooled memory.
#pragma once

#include "base/context.h"
#include "tensor/tensor.h"

namespace gls {

struct GatherOptions {
  Simd simd = Simd::kPlain;
  int64_t prefetch_rows = 0;  // 0: by the width of a row
  bool streaming = false;     // write past the caches

  // As the context's settings say; `sharers` is how many threads gather at the same time.
  static GatherOptions from(const Context& context, unsigned sharers);
};

// Whether `from` can be delivered as `to`: the same, or a 16-bit float widened to float32.
bool can_gather_as(DLDataType from, DLDataType to);

// out[i] = column[ids[i]], converted to `dtype`. Every id must be a row of the column.
Tensor gather(BufferPool& pool, const Tensor& column, const IdSpan& ids, DLDataType dtype,
              const GatherOptions& options);

}  // namespace gls
