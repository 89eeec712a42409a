#include "sample/neighbor/sampler_scratch.h"

namespace gls {

SamplerScratch::SamplerScratch(const Dataset& dataset)
    : tables(dataset.node_types().size()),
      expected_nodes(dataset.node_types().size(), kMinExpected),
      expected_edges(dataset.edge_types().size(), kMinExpected) {
  constexpr size_t kPicks = kernels::kChunkPicks + kernels::kSlack;
  chunk = PageBlock(kPicks * (8 + 8 + 4), dataset.context()->huge_pages());
  positions = reinterpret_cast<int64_t*>(chunk.data());
  neighbors = positions + kPicks;
  edge_trees = reinterpret_cast<uint32_t*>(positions + 2 * kPicks);
}

std::unique_ptr<SamplerScratch> ScratchPool::borrow() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto scratch = std::move(idle_.back());
      idle_.pop_back();
      return scratch;
    }
  }
  return std::make_unique<SamplerScratch>(*dataset_);
}

void ScratchPool::give_back(std::unique_ptr<SamplerScratch> scratch) const {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(scratch));
}

void ScratchPool::trim() const {
  std::vector<std::unique_ptr<SamplerScratch>> freed;
  const std::lock_guard lock(mutex_);
  freed.swap(idle_);
}

}  // namespace gls
