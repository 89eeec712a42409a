// Batches that servers make, each asked for with one question. Any server makes any of them, so
// another is asked when one fails.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "context/context.h"
#include "loader/batch_producer.h"
#include "net/connection/peer.h"

namespace gls {

class ServedBatches {
 public:
  struct Way {
    std::shared_ptr<Context> context;
    // Those that there are now, at least one; any thread.
    std::function<std::vector<std::shared_ptr<net::Peer>>()> servers;
    uint64_t graph = 0;          // names the partition
    int64_t timeout_ms = 30000;  // of each batch, whoever is asked; negative: none
  };
  // Waits for one of the servers, which says what is wrong with the recipe.
  static Result<std::shared_ptr<BatchMaker>> open(Way way, const BatchRecipe& recipe);
};

}  // namespace gls
