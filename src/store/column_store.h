// A column whose rows a store has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "feature/gather.h"
#include "query/graph_source.h"
#include "store/store.h"
#include "system/memory.h"

namespace gls {

class ColumnStore final : public Store {
 public:
  struct Spec {
    std::string type;  // empty: the only node type
    std::string name;
    int32_t role = GLS_ROLE_FEATURE;
    DLDataType dtype{};
    std::vector<int64_t> row_shape;
  };
  static Result<std::shared_ptr<ColumnStore>> create(Spec spec, StoreOptions options);

  const Spec& spec() const { return spec_; }
  int64_t row_bytes() const { return row_bytes_; }
  // As GraphSource::ask_rows(). The ids are in range.
  Deferred<Tensor> ask(BufferPool& pool, const RowQuestion& question, int64_t rows,
                       SharedBytes memory, const GatherOptions& options);

 private:
  class Rows;
  ColumnStore(Spec spec, int64_t row_bytes, StoreOptions options);
  // Rows as stored, for unique ids.
  Deferred<Tensor> ask_stored(BufferPool& pool, const IdSpan& ids, int64_t rows, SharedBytes memory,
                              const GatherOptions& options);

  const Spec spec_;
  const int64_t row_bytes_;
};

}  // namespace gls
