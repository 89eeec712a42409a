// One part of a graph that several servers have. One is asked; when it fails, another is, with the
// same question: a part's answers do not depend on who gives them.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/context.h"
#include "cluster/served_part.h"

namespace gls {

class ReplicatedPart final : public Part, public std::enable_shared_from_this<ReplicatedPart> {
 public:
  // At least one, none of which asks again by itself. `first`: who is asked until it fails.
  // `timeout_ms` is of each question, however many are asked it; negative: none.
  ReplicatedPart(std::shared_ptr<Context> context,
                 std::vector<std::shared_ptr<const ServedPart>> replicas, size_t first,
                 int64_t timeout_ms);

  Result<std::shared_ptr<const PartSampler>> open_sampler(
      const SamplerOptions& options) const override;
  Later<Tensor> ask_rows(const RowQuestion& question) const override;
  Later<Done> ask_rows_to(const RowQuestion& question, const RowTarget& target) const override;
  Later<Tensor> ask_edges(const EdgeQuestion& question) const override;
  bool here() const override { return false; }

 private:
  friend class ReplicatedSampler;
  // `ask` gives what was asked of the replica with this number.
  template <typename T>
  Later<T> ask_any(std::function<Later<T>(size_t replica)> ask) const;
  // From now on `replica` is asked, which answered when the one that was asked first failed.
  void prefer(size_t replica, size_t failed, const Status& why) const;

  const std::shared_ptr<Context> context_;
  const std::vector<std::shared_ptr<const ServedPart>> replicas_;
  const int64_t timeout_ms_;
  mutable std::atomic<size_t> asked_;
};

}  // namespace gls
