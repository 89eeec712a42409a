// Divides ids evenly among trainers. Each trainer gets as many ids of its own part as fit: decision
// 0082.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "tensor/tensor.h"

namespace gls {

// The rank, the number of ranks, and their parts.
struct ShareOptions {
  uint32_t rank = 0;
  uint32_t world_size = 1;
  // The part of each rank; not set: ranks are assigned to parts in order.
  std::optional<IdSpan> rank_parts{};
};

// Consecutive numbers.
struct Run {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  bool has(int64_t number) const { return number >= begin && number < end; }
};

// The range that the i-th of n gets of `count` things. Sizes differ by at most one, and larger
// ranges come first.
Run even_run(int64_t count, int64_t n, int64_t i);

Status check_share(const ShareOptions& options, uint32_t parts);

// The positions of the ids in the share, ascending; `owners` are the parts of all ids.
std::vector<int64_t> share_by_owner(std::span<const int32_t> owners, uint32_t parts,
                                    const ShareOptions& options);

}  // namespace gls
