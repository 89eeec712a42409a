// Messages by which a client asks servers to make its batches. See docs/decisions/0046. Decoding
// verifies a message against its bytes. The code that uses it checks that it fits the graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/wire/messages.h"
#include "loader/batch_layout.h"
#include "loader/seeds/seed_list.h"
#include "loader/seeds/seed_weighting.h"

namespace gls::cluster {

// Version of BatchesRequest. It grows with each option that batches depend on. A server that does
// not know the version refuses, instead of making different batches.
inline constexpr uint32_t kBatchesVersion = 1;
inline constexpr size_t kMostNext = 256;  // batches announced for later requests

// Everything that the batches of a loader depend on. Types are numbers in the graph.
struct BatchesRequest {
  struct WantedColumn {
    bool of_nodes = true;
    size_t type = 0;
    std::string name;
    bool seeds_only = false;
    DLDataType dtype{};
  };
  uint64_t graph = 0;
  SamplerOptions sampler;
  std::string id_set;  // replaces the ids of `seeds`; empty: not used
  SeedList::Given seeds;
  SeedRuleOptions rule;
  uint64_t batch_size = 0;
  bool shuffle = false;
  bool drop_last = false;
  std::vector<WantedColumn> columns;
};

struct BatchRequest {
  uint64_t batches = 0;  // the number in the reply to opening them
  uint64_t epoch = 0;
  uint64_t number = 0;
  std::vector<uint64_t> next;  // that the client will request soon
};

// The reply is that of an opened sampler (encode_opened()).
Result<net::Message> encode(const Pool& pool, const BatchesRequest& request);
// The arrays view the bytes, which `owner` keeps alive.
Result<BatchesRequest> decode_batches_request(Bytes bytes,
                                              const std::shared_ptr<const void>& owner);
net::Message encode(const Pool& pool, const BatchRequest& request);
Result<BatchRequest> decode_batch_request(Bytes bytes);

net::Message encode_batch(const Pool& pool, const BatchLayout& layout);
// A batch whose arrays share the memory of the message; read_batch() checks it.
Result<std::shared_ptr<Batch>> decode_batch(net::Message message,
                                            const std::shared_ptr<const Dataset>& names);

// The error of a server that does not know these batches, or dropped them.
Status unknown_batches(uint64_t number);
bool is_unknown_batches(const Status& status);
// The error of a server that already has as many requests of this client as it accepts.
Status too_many_asked(size_t most);
bool is_too_many_asked(const Status& status);
// The error of a server that cannot open more batches. All that it keeps are in use, or earlier
// replies are still unsent.
Status too_many_opened(uint64_t bytes);
Status too_many_unread(uint64_t bytes);

}  // namespace gls::cluster
