// Asks a server to describe its graph and its parts, and fetches the arrays that every client
// needs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/wire/messages.h"
#include "net/connection/peer.h"
#include "partition_generated.h"
#include "system/memory.h"
#include "tensor/tensor.h"

namespace gls {

struct GraphDescription {
  std::shared_ptr<const format::PartitionT> partition;
  std::vector<uint32_t> parts;  // of the server that answered
  std::vector<cluster::ServerOfParts> servers;
  uint64_t host = 0;  // as in cluster::Description
};

// Waits for the answers. `timeout_ms` covers all of them; negative: no limit.
Result<GraphDescription> describe(const std::shared_ptr<net::Peer>& peer,
                                  const std::shared_ptr<BufferPool>& pool, int64_t timeout_ms);
struct FetchOptions {
  int64_t timeout_ms = -1;  // negative: no limit
  bool again = true;        // waits for a server whose connection is lost, and asks it once more
  uint64_t piece_bytes = uint64_t{4} << 20;  // several pieces are in flight together
};
// Fetches a whole array from the folder of parts and checks it against its description. The array
// is a partition book, or, below "whole/", an id set or node keys.
Result<Tensor> fetch_array(const std::shared_ptr<net::Peer>& peer,
                           const std::shared_ptr<BufferPool>& pool,
                           const format::PartitionT& partition, const std::string& file,
                           const FetchOptions& options);

namespace cluster {

// The number that names the partition.
uint64_t graph_number(const format::PartitionT& partition);

}  // namespace cluster
}  // namespace gls
