// A sampler of a part that another process serves: hops are asked for by its number there.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "cluster/client/remote_part.h"

namespace gls {

class ServedSampler final : public PartSampler, public std::enable_shared_from_this<ServedSampler> {
 public:
  // Without a word to the server: it is opened there when it is first asked.
  static Result<std::shared_ptr<const ServedSampler>> prepare(
      std::shared_ptr<const ServedPart> part, const SamplerOptions& options);
  // The same, as another one of the same part of the graph.
  static std::shared_ptr<const ServedSampler> like(const ServedSampler& other,
                                                   std::shared_ptr<const ServedPart> part);

  // Waits for the server, unless it is open.
  Status open() const;
  const std::shared_ptr<const ServedPart>& part() const { return part_; }
  Later<HopPicks> ask(const HopQuestion& question) const override;

 private:
  class Asked;

  struct Checked {  // what answers are checked against, and how long they may get
    bool int32;
    bool edge_ids;
    bool in;
    std::vector<std::vector<int64_t>> fanouts;  // none: they do not say how many are picked
    uint64_t pick_bytes;
  };
  ServedSampler(std::shared_ptr<const ServedPart> part, Checked checked,
                std::shared_ptr<const net::Message> options)
      : part_(std::move(part)), checked_(std::move(checked)), options_(std::move(options)) {}

  int64_t most_nodes(const HopQuestion& question) const;
  uint64_t number() const;
  Result<uint64_t> open_now(const cluster::Deadline& deadline) const;
  // Opens it, unless somebody has since it was `old`.
  Result<uint64_t> reopen(uint64_t old, const cluster::Deadline& deadline) const;
  Status check(const HopPicks& picks, const HopQuestion& question) const;

  const std::shared_ptr<const ServedPart> part_;
  const Checked checked_;
  const std::shared_ptr<const net::Message> options_;  // as they are sent
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable bool opening_ = false;
  mutable uint64_t number_ = 0;
};

}  // namespace gls
