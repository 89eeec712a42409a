// Fetches the arrays that every server of a graph holds, while a client opens the graph.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cluster/discovery/discovery.h"
#include "cluster/rpc/remote_call.h"
#include "context/context.h"
#include "net/connection/peer.h"
#include "partition_generated.h"
#include "tensor/tensor.h"

namespace gls {

// One server is asked for all arrays. If its connection is lost, the next server is asked.
class ArrayFetcher {
 public:
  // `owners`: servers that hold at least one part.
  ArrayFetcher(std::shared_ptr<Context> context, const ServerDiscovery::Owners& owners,
               std::shared_ptr<const format::PartitionT> partition, cluster::Deadline deadline);
  // See fetch_array(). Retries until the deadline.
  Result<Tensor> fetch(const std::string& file);

 private:
  const std::shared_ptr<Context> context_;
  std::vector<std::shared_ptr<net::Peer>> servers_;
  const std::shared_ptr<const format::PartitionT> partition_;
  const cluster::Deadline deadline_;
  size_t asked_ = 0;
};

}  // namespace gls
