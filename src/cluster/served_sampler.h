// A sampler of a part that another process serves: hops are asked for by its number there.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "cluster/served_part.h"

namespace gls {

class ServedSampler final : public PartSampler, public std::enable_shared_from_this<ServedSampler> {
 public:
  static Result<std::shared_ptr<const PartSampler>> open(std::shared_ptr<const ServedPart> part,
                                                         const SamplerOptions& options);
  // Not opened yet.
  static Result<std::shared_ptr<const ServedSampler>> prepare(
      std::shared_ptr<const ServedPart> part, const SamplerOptions& options);
  Later<HopPicks> ask(const HopQuestion& question) const override;

 private:
  class Asked;

  ServedSampler(std::shared_ptr<const ServedPart> part, const SamplerOptions& options)
      : part_(std::move(part)),
        fanouts_(options.pick == Pick::kLayer ? std::vector<std::vector<int64_t>>()
                                              : options.fanouts),
        pick_bytes_(cluster::pick_bytes(options, std::numeric_limits<int64_t>::max())),
        int32_(options.int32),
        edge_ids_(options.edge_ids),
        in_(options.direction == Direction::kIn) {}

  int64_t most_nodes(const HopQuestion& question) const;
  uint64_t number() const;
  Result<uint64_t> open_now(const cluster::Deadline& deadline) const;
  // Opens it, unless somebody has since it was `old`.
  Result<uint64_t> reopen(uint64_t old, const cluster::Deadline& deadline) const;
  Status check(const HopPicks& picks, const HopQuestion& question) const;

  const std::shared_ptr<const ServedPart> part_;
  const std::vector<std::vector<int64_t>> fanouts_;  // none: they do not say how many are picked
  const uint64_t pick_bytes_;
  const bool int32_;
  const bool edge_ids_;
  const bool in_;
  net::Message options_;  // as they are sent
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable bool opening_ = false;
  mutable uint64_t number_ = 0;
};

}  // namespace gls
