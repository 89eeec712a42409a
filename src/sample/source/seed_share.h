// Even shares of ids for trainers, each with as many of those of its own part as fit: decision
// 0082.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/status.h"
#include "tensor/tensor.h"

namespace gls {

// Whose share.
struct ShareOptions {
  uint32_t rank = 0;
  uint32_t world_size = 1;
  std::optional<IdSpan> rank_parts{};  // of each rank; else ranks are dealt to parts in order
};

// Consecutive numbers.
struct Run {
  int64_t begin = 0;
  int64_t end = 0;
  int64_t size() const { return end - begin; }
  bool has(int64_t number) const { return number >= begin && number < end; }
};

// What the i-th of n gets of `count` things: as many as the others, or one more than the later
// ones.
Run even_run(int64_t count, int64_t n, int64_t i);

Status check_share(const ShareOptions& options, uint32_t parts);

// Which ids are in the share, by their positions, ascending; `owners` are the parts of all ids.
std::vector<int64_t> share_by_owner(std::span<const int32_t> owners, uint32_t parts,
                                    const ShareOptions& options);

}  // namespace gls
