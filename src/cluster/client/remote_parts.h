// Parts of a graph that servers have, and the endpoint that these are reached from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/client/membership.h"
#include "cluster/client/remote_part.h"
#include "cluster/discovery/discovery.h"
#include "cluster/part/partitioned_source.h"
#include "net/connection/endpoint.h"

namespace gls {

struct ServedPartsOptions {
  bool same_host = false;  // whether parts of servers on this host are mapped from their files
  ServedPartOptions part;
};

// Parts of servers that are followed.
struct FollowedParts {
  std::map<uint32_t, std::shared_ptr<const Part>> parts;
  std::shared_ptr<ServerFollower> follower;
};

// Each by whom it is best asked of: its files, where a server gives them, or its servers, those
// that come later, too. `way`: what is not of the parts; its endpoint rings the bell.
Result<FollowedParts> served_parts(ServerFollower::Way way, const ServerSearch::Owners& owners,
                                   const std::shared_ptr<const Partition>& partition,
                                   const ServedPartsOptions& options,
                                   const cluster::Deadline& deadline);

// Asks parts, and keeps the endpoint that they are reached from.
class EndpointSource : public GraphSource {
 public:
  // `follower`: null where nobody else has a part.
  EndpointSource(std::shared_ptr<net::Endpoint> endpoint, std::shared_ptr<ServerFollower> follower,
                 std::unique_ptr<const PartsSource> parts,
                 net::DeviceMemory device_memory = net::DeviceMemory::kOff)
      : endpoint_(std::move(endpoint)),
        follower_(std::move(follower)),
        parts_(std::move(parts)),
        device_memory_(device_memory) {}

  Result<std::shared_ptr<const HopSource>> open_hops(const SamplerOptions& options) const override {
    return parts_->open_hops(options);
  }
  Later<Tensor> ask_rows(const RowQuestion& question, int64_t rows,
                         SharedBytes memory) const override {
    return parts_->ask_rows(question, rows, std::move(memory));
  }
  Result<bool> lands(bool on_gpu) const override;
  Later<LandedRows> land_rows(const RowQuestion& question,
                              const RowLanding& landing) const override {
    return parts_->land_rows(question, landing);
  }
  Later<Tensor> ask_edges(const EdgeQuestion& question) const override {
    return parts_->ask_edges(question);
  }
  const Book* book(bool of_nodes, size_t type) const override {
    return parts_->book(of_nodes, type);
  }
  uint32_t parts() const override { return parts_->parts(); }
  std::vector<uint32_t> parts_here() const override { return parts_->parts_here(); }

 private:
  const std::shared_ptr<net::Endpoint> endpoint_;  // outlives those who ask
  const std::shared_ptr<ServerFollower> follower_;
  const std::unique_ptr<const PartsSource> parts_;
  const net::DeviceMemory device_memory_;
};

}  // namespace gls
