#include "sample/drivers/importance_method.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/float_mode.h"
#include "sample/drivers/virtual_neighbor_batch.h"
#include "sample/methods/importance.h"

namespace gls {
namespace {

class ImportanceBatch final : public VirtualNeighborBatch {
 public:
  using VirtualNeighborBatch::VirtualNeighborBatch;

 private:
  Status find() override;
  std::vector<int64_t> ids_of(int64_t begin, int64_t end) const;
};

std::vector<int64_t> ImportanceBatch::ids_of(int64_t begin, int64_t end) const {
  std::vector<int64_t> ids;
  for (int64_t local = begin; local < end; ++local) {
    ids.push_back(numbering_.id(seed_type_, local));
  }
  return ids;
}

Status ImportanceBatch::find() {
  const WalkPlan& plan = *plan_.walk_plan();
  ImportanceRows& rows = scratch_.rows[seed_type_];
  MostVisited finder(plan, *plan_.options().importance,
                     {dataset_, plan, plan_.options().direction, plan_.weights(), plan_.excluded(),
                      excluded_, plan_.kernels(), key_},
                     pool_);
  IdArray nodes(pool_, wide_, 0);
  int64_t done = 0;  // rows that have local ids
  int64_t begin = 0;
  for (size_t hop = 0; hop < plan_.num_hops(); ++hop) {
    const int64_t end = numbering_.count(seed_type_);
    const std::vector<int64_t> frontier = ids_of(begin, end);
    for (int64_t from = 0; from < end - begin; from += kMostNodesUnchecked) {
      const int64_t count = std::min(kMostNodesUnchecked, end - begin - from);
      const auto part =
          std::span(frontier).subspan(static_cast<size_t>(from), static_cast<size_t>(count));
      GLS_TRY(finder.find(part, begin + from, static_cast<uint32_t>(hop), &rows));
      GLS_TRY(check_size());
    }
    const int64_t found = rows.size() - done;
    const Tensor local =
        numbering_.number(seed_type_, IdSpan(rows.node.data() + done, true, found));
    nodes.reserve(rows.size(), done);
    if (found > 0) {
      std::memcpy(nodes.at(done), local.data(), static_cast<size_t>(found * (wide_ ? 8 : 4)));
    }
    done = rows.size();
    for (size_t t = 0; t < per_hop_.size(); ++t) {
      per_hop_[t].push_back(t == seed_type_ ? numbering_.count(t) - end : 0);
    }
    begin = end;
  }
  node_[seed_type_] = nodes.finish(done);
  return {};
}

}  // namespace

Result<std::shared_ptr<Batch>> ImportanceMethod::sample(const SampleRequest& request,
                                                        SamplerScratch& scratch) const {
  const DefaultFloatMode float_mode;
  return ImportanceBatch(plan(), scratch, request).run();
}

Result<std::optional<std::vector<SeedSet>>> ImportanceMethod::node_seeds(
    const SampleRequest& request, std::vector<std::vector<int64_t>>* memory) const {
  static_cast<void>(memory);
  GLS_ASSIGN(const SeedSet seeds, seeds_of_one_type(plan(), request));
  return std::optional(std::vector{seeds});
}

}  // namespace gls
