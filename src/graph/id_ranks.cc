#include "graph/id_ranks.h"

#include <memory>

#include "base/memory.h"

namespace gls {

IdRanks::IdRanks(int64_t limit) : limit_(limit) {
  const int64_t lines = lines_of_ids(limit);
  auto block = std::make_shared<PageBlock>(static_cast<size_t>(lines) * 64, false);
  lines_ = reinterpret_cast<uint64_t*>(block->data());
  tensor_ = Tensor(std::move(block), lines_, kUint64, {lines, kWordsPerLine}, false);
}

void IdRanks::finish() {
  uint64_t before = 0;
  for (int64_t line = 0; line < lines_of_ids(limit_); ++line) {
    uint64_t* const words = lines_ + line * kWordsPerLine;
    words[0] = before;
    for (int64_t w = 1; w < kWordsPerLine; ++w) {
      before += static_cast<uint64_t>(std::popcount(words[w]));
    }
  }
  count_ = static_cast<int64_t>(before);
}

}  // namespace gls
