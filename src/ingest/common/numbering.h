// Converts provisional ids of nodes to final ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "ingest/common/workspace.h"
#include "system/memory.h"

namespace gls {

class Numbering {
 public:
  // A table for provisional ids below `size`, and final ids below `count`.
  static Result<Numbering> create(Workspace& workspace, int64_t size, int64_t count) {
    const bool wide = count > int64_t{1} << 31;
    MemoryLease lease(workspace.budget());
    const auto bytes = static_cast<uint64_t>(size) * (wide ? 8 : 4);
    GLS_TRY(lease.add(bytes, "the table of node numbers"));
    return Numbering(PageBlock(bytes, workspace.context().huge_pages()), wide, std::move(lease));
  }

  void set(int64_t provisional, int64_t number) {
    if (wide_) {
      reinterpret_cast<int64_t*>(table_.data())[provisional] = number;
    } else {
      reinterpret_cast<int32_t*>(table_.data())[provisional] = static_cast<int32_t>(number);
    }
  }
  int64_t operator()(int64_t provisional) const {
    return wide_ ? reinterpret_cast<const int64_t*>(table_.data())[provisional]
                 : reinterpret_cast<const int32_t*>(table_.data())[provisional];
  }

 private:
  Numbering(PageBlock table, bool wide, MemoryLease lease)
      : table_(std::move(table)), wide_(wide), lease_(std::move(lease)) {}
  PageBlock table_;
  bool wide_;
  MemoryLease lease_;
};

}  // namespace gls
