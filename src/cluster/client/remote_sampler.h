// A sampler of a remote part. The client requests hops by the number of the sampler at the server.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "cluster/client/remote_part.h"

namespace gls {

class RemoteSampler final : public PartSampler, public std::enable_shared_from_this<RemoteSampler> {
 public:
  // Sends nothing: the server opens it at its first use.
  static Result<std::shared_ptr<const RemoteSampler>> prepare(
      std::shared_ptr<const RemotePart> part, const SamplerOptions& options);
  // Makes a sampler with the same options, for the same part at another server.
  static std::shared_ptr<const RemoteSampler> like(const RemoteSampler& other,
                                                   std::shared_ptr<const RemotePart> part);

  // Waits for the server, unless the sampler is open.
  Status open() const;
  const std::shared_ptr<const RemotePart>& part() const { return part_; }
  Deferred<HopPicks> ask(const HopQuestion& question) const override;

 private:
  class PendingHop;

  struct Checked {  // what replies are checked against, and how long they may be
    bool int32;
    bool edge_ids;
    bool in;
    std::vector<std::vector<int64_t>> fanouts;  // empty: no limit on picks
    uint64_t pick_bytes;
  };
  RemoteSampler(std::shared_ptr<const RemotePart> part, Checked checked,
                std::shared_ptr<const net::Message> options)
      : part_(std::move(part)), checked_(std::move(checked)), options_(std::move(options)) {}

  int64_t most_nodes(const HopQuestion& question) const;
  uint64_t number() const;
  Result<uint64_t> open_now(const cluster::Deadline& deadline) const;
  // Opens it again, unless another thread has done so since the number was `old`.
  Result<uint64_t> reopen(uint64_t old, const cluster::Deadline& deadline) const;
  Status check(const HopPicks& picks, const HopQuestion& question) const;

  const std::shared_ptr<const RemotePart> part_;
  const Checked checked_;
  const std::shared_ptr<const net::Message> options_;  // as they are sent
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable bool opening_ = false;
  mutable uint64_t number_ = 0;
};

}  // namespace gls
