// Describes a loader in a message, and builds the same loader at a server from that message.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "cluster/wire/batch_messages.h"
#include "loader/pipeline/loader.h"
#include "loader/produce/batch_servers.h"

namespace gls::cluster {

// Describes everything that a loader's batches depend on. An error: the loader cannot be described.
Result<BatchesRequest> describe_batches(uint64_t graph, const BatchRecipe& recipe);
// Limits of what one loader may cost a server.
struct LoaderBounds {
  uint64_t batch_bytes = std::numeric_limits<uint64_t>::max();
  uint64_t table_bytes = std::numeric_limits<uint64_t>::max();  // in addition to its options
};
// `dataset`: the graph that the client named. Values from the client are checked before use. The
// loader keeps the arrays of the request alive. `tables` receives the bytes of the loader's tables;
// may be NULL.
Result<std::shared_ptr<const Loader>> make_loader(const std::shared_ptr<const Dataset>& dataset,
                                                  BatchesRequest request,
                                                  const LoaderBounds& bounds = {},
                                                  uint64_t* tables = nullptr);

}  // namespace gls::cluster
