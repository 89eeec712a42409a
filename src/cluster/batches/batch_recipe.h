// The loader that a client's question describes, over the graph as a server sees it.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "cluster/wire/batch_messages.h"
#include "loader/loader.h"

namespace gls::cluster {

// What a loader's batches depend on, as a question. An error: it cannot be asked.
Result<BatchesRequest> describe_batches(uint64_t graph, const BatchRecipe& recipe);
// What one of them may cost a server.
struct LoaderBounds {
  uint64_t batch_bytes = std::numeric_limits<uint64_t>::max();
  uint64_t table_bytes = std::numeric_limits<uint64_t>::max();  // beside its options
};
// `dataset`: of the graph that was asked for. Nothing that came from elsewhere is believed. Arrays
// of the request are kept as long as the loader. `tables` gets the bytes of its tables; may be
// NULL.
Result<std::shared_ptr<const Loader>> make_loader(const std::shared_ptr<const Dataset>& dataset,
                                                  BatchesRequest request,
                                                  const LoaderBounds& bounds = {},
                                                  uint64_t* tables = nullptr);

}  // namespace gls::cluster
