// The remote parts of a graph, and the endpoint through which the client reaches their servers.
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

struct RemotePartsOptions {
  bool same_host = false;  // whether to map the files of parts from servers on this host
  RemotePartOptions part;
};

// Remote parts, and the follower that tracks their servers.
struct FollowedParts {
  std::map<uint32_t, std::shared_ptr<const Part>> parts;
  std::shared_ptr<MembershipFollower> follower;
};

// Opens each part in the best way: its files, where a server gives them, or else its servers,
// including later ones. `route`: settings that are not specific to parts; its endpoint rings the
// bell.
Result<FollowedParts> served_parts(MembershipFollower::Route route,
                                   const ServerDiscovery::Owners& owners,
                                   const std::shared_ptr<const Partition>& partition,
                                   const RemotePartsOptions& options,
                                   const cluster::Deadline& deadline);

// A source that asks remote parts and keeps their endpoint alive.
class EndpointSource : public GraphSource {
 public:
  // `follower`: null where no server is followed.
  EndpointSource(std::shared_ptr<net::Endpoint> endpoint,
                 std::shared_ptr<MembershipFollower> follower,
                 std::unique_ptr<const PartitionedSource> parts,
                 net::DeviceMemory device_memory = net::DeviceMemory::kOff)
      : endpoint_(std::move(endpoint)),
        follower_(std::move(follower)),
        parts_(std::move(parts)),
        device_memory_(device_memory) {}

  Result<std::shared_ptr<const HopSource>> open_hops(const SamplerOptions& options) const override {
    return parts_->open_hops(options);
  }
  Deferred<Tensor> ask_rows(const RowQuestion& question, int64_t rows,
                            SharedBytes memory) const override {
    return parts_->ask_rows(question, rows, std::move(memory));
  }
  Result<bool> lands(bool on_gpu) const override;
  Deferred<LandedRows> land_rows(const RowQuestion& question,
                                 const RowLanding& landing) const override {
    return parts_->land_rows(question, landing);
  }
  Deferred<Tensor> ask_edges(const EdgeQuestion& question) const override {
    return parts_->ask_edges(question);
  }
  const PartitionBook* book(bool of_nodes, size_t type) const override {
    return parts_->book(of_nodes, type);
  }
  uint32_t parts() const override { return parts_->parts(); }
  std::vector<uint32_t> local_parts() const override { return parts_->local_parts(); }

 private:
  const std::shared_ptr<net::Endpoint> endpoint_;  // outlives the parts
  const std::shared_ptr<MembershipFollower> follower_;
  const std::unique_ptr<const PartitionedSource> parts_;
  const net::DeviceMemory device_memory_;
};

}  // namespace gls
