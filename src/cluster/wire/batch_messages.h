// What a client asks of servers that make its batches, and what they answer: docs/decisions/0046.
// What was decoded was verified against the bytes; whether it fits the graph is checked by who uses
// it.
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

// Of BatchesRequest. Grows with each option that batches depend on, so that a server that does not
// know it refuses, and does not make other batches.
inline constexpr uint32_t kBatchesVersion = 1;
inline constexpr size_t kMostNext = 256;  // batches that are said to be asked for soon

// All that the batches of a loader depend on; types are numbers of the graph.
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
  std::string id_set;  // in place of the ids of `seeds`; empty: none
  SeedList::Given seeds;
  SeedRuleOptions rule;
  uint64_t batch_size = 0;
  bool shuffle = false;
  bool drop_last = false;
  std::vector<WantedColumn> columns;
};

struct BatchRequest {
  uint64_t batches = 0;  // the number that opening them was answered with
  uint64_t epoch = 0;
  uint64_t number = 0;
  std::vector<uint64_t> next;  // that will be asked for soon
};

// Answered as a sampler that was opened (encode_opened()).
Result<net::Message> encode(const Pool& pool, const BatchesRequest& request);
// Its arrays view the bytes, which `owner` keeps.
Result<BatchesRequest> decode_batches_request(Bytes bytes,
                                              const std::shared_ptr<const void>& owner);
net::Message encode(const Pool& pool, const BatchRequest& request);
Result<BatchRequest> decode_batch_request(Bytes bytes);

net::Message encode_batch(const Pool& pool, const BatchLayout& layout);
// A batch whose arrays have the memory of the message, as read_batch() checks it.
Result<std::shared_ptr<Batch>> decode_batch(net::Message message,
                                            const std::shared_ptr<const Dataset>& names);

// The error of a server that does not know such batches, or not any more.
Status unknown_batches(uint64_t number);
bool is_unknown_batches(const Status& status);
// The error of a server that has as many questions of this client as it takes at once.
Status too_many_asked(size_t most);
bool is_too_many_asked(const Status& status);
// The same of one that has as many batches opened as it keeps, all of them in use, or has not sent
// what it answered before.
Status too_many_opened(uint64_t bytes);
Status too_many_unread(uint64_t bytes);

}  // namespace gls::cluster
