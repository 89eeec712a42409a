// A request for rows that was sent to the parts that own them.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/part/scatter_gather.h"
#include "query/unique_ids.h"
#include "system/memory.h"

namespace gls {

// Rows are written directly to their final place. If one part owns all rows and the caller gave no
// memory, the answer of that part is the result.
class RowFetch {
 public:
  RowFetch(const Parts& parts, BufferPool& pool) : parts_(parts), pool_(pool) {}

  // See GraphSource::ask_rows().
  Status ask(const PartitionBook& book, const RowQuestion& given, std::vector<int64_t> shape,
             SharedBytes memory);
  Result<Tensor> take();

 private:
  const Parts& parts_;
  BufferPool& pool_;
  UniqueIds distinct_;  // the unique ids where ids may repeat; else unused
  SplitByOwner split_;
  std::vector<std::vector<int64_t>> places_;  // by part, where ids repeat
  Deferred<Tensor> whole_;
  Tensor out_;
  std::byte* out_bytes_ = nullptr;
  int64_t row_ = 0;
  std::vector<Deferred<Done>> asked_;
};

// Fetches rows for GraphSource::land_rows(). The rows of each part are consecutive, in the order of
// the parts.
class DeviceRowFetch {
 public:
  explicit DeviceRowFetch(const Parts& parts) : parts_(parts) {}

  Status ask(const PartitionBook& book, const RowQuestion& given, const RowLanding& landing);
  Result<LandedRows> take();

 private:
  const Parts& parts_;
  UniqueIds distinct_;
  SplitByOwner split_;
  std::vector<int64_t> firsts_;  // by part: the number of its first row
  int64_t num_ids_ = 0;
  bool repeats_ = false;
  std::vector<Deferred<bool>> asked_;
};

}  // namespace gls
