// Requests batches from servers, one request for each batch. Any server can make any batch, so
// another server is asked when one fails.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "context/context.h"
#include "loader/produce/batch_servers.h"
#include "net/connection/peer.h"

namespace gls {

class RemoteBatches {
 public:
  struct Route {
    std::shared_ptr<Context> context;
    // The current servers, at least one; called on any thread.
    std::function<std::vector<std::shared_ptr<net::Peer>>()> servers;
    uint64_t graph = 0;          // names the partition
    int64_t timeout_ms = 30000;  // for each batch, over all servers asked; negative: no limit
  };
  // Waits for one of the servers, which reports errors in the recipe.
  static Result<std::unique_ptr<BatchClient>> open(Route route, const BatchRecipe& recipe);
};

}  // namespace gls
