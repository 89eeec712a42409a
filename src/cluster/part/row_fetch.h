// One question for rows, on its way to those who own them.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/part/scatter_gather.h"
#include "cluster/part/unique_ids.h"
#include "system/memory.h"

namespace gls {

// Rows go straight to where they belong; those of one part alone are its answer, where no memory
// was given for them.
class AskedRows {
 public:
  AskedRows(const Parts& parts, BufferPool& pool) : parts_(parts), pool_(pool) {}

  // See GraphSource::ask_rows().
  Status ask(const Book& book, const RowQuestion& given, std::vector<int64_t> shape,
             SharedBytes memory);
  Result<Tensor> take();

 private:
  const Parts& parts_;
  BufferPool& pool_;
  DistinctIds distinct_;  // of ids that may be there more than once; else of nothing
  ByOwner split_;
  std::vector<std::vector<int64_t>> places_;  // by part, where ids repeat
  Later<Tensor> whole_;
  Tensor out_;
  std::byte* out_bytes_ = nullptr;
  int64_t row_ = 0;
  std::vector<Later<Done>> asked_;
};

// See GraphSource::land_rows(): those of a part lie together, in the order of the parts.
class LandingRows {
 public:
  explicit LandingRows(const Parts& parts) : parts_(parts) {}

  Status ask(const Book& book, const RowQuestion& given, const RowLanding& landing);
  Result<LandedRows> take();

 private:
  const Parts& parts_;
  DistinctIds distinct_;
  ByOwner split_;
  std::vector<int64_t> firsts_;  // by part: the number of its first row
  int64_t num_ids_ = 0;
  bool repeats_ = false;
  std::vector<Later<bool>> asked_;
};

}  // namespace gls
