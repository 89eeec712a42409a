// What a server says of the graph that it has parts of, and the arrays that every client needs.
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
  std::vector<uint32_t> parts;  // of the server that was asked
  std::vector<cluster::ServerOfParts> servers;
  uint64_t host = 0;  // as cluster::Description
};

// Waits for the answers. `timeout_ms` is for all of it; negative: none.
Result<GraphDescription> describe(const std::shared_ptr<net::Peer>& peer,
                                  const std::shared_ptr<BufferPool>& pool, int64_t timeout_ms);
struct FetchOptions {
  int64_t timeout_ms = -1;  // negative: none
  bool again = true;        // a server whose connection is lost is waited for, and asked once more
  uint64_t piece_bytes = uint64_t{4} << 20;  // several pieces are on their way together
};
// An array of the folder of parts, whole and checked against its description: a book, or, below
// "whole/", an id set or keys.
Result<Tensor> fetch_array(const std::shared_ptr<net::Peer>& peer,
                           const std::shared_ptr<BufferPool>& pool,
                           const format::PartitionT& partition, const std::string& file,
                           const FetchOptions& options);

namespace cluster {

// The name of the partition as a number.
uint64_t graph_number(const format::PartitionT& partition);

}  // namespace cluster
}  // namespace gls
