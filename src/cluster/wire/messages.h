// Requests of clients to servers of parts of a graph, and the replies: docs/decisions/0038.
// Decoding verifies a message against its bytes. The code that uses it checks that it fits the
// graph.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "net/core/descriptors.h"
#include "net/core/message.h"
#include "query/graph_source.h"
#include "system/memory.h"

namespace gls::cluster {

inline constexpr uint32_t kPartProtocol = 1;
inline constexpr size_t kMostAddressBytes = 512;    // in the address of a server
inline constexpr size_t kMostServersNamed = 65536;  // in one reply

// Kinds of requests in frame headers. Never renumber.
enum class Kind : uint16_t {
  kDescribe = 16,
  kArray = 17,
  kOpenSampler = 18,
  kHop = 19,
  kRows = 20,
  kFiles = 21,
  kEdges = 22,
  kOpenBatches = 23,  // see batch_messages.h
  kBatch = 24,
  kWindows = 25,      // see remote_memory_messages.h
  kServers = 26,      // see server_list.h
  kMoreServers = 27,  // from a server to its clients: see announcer.h
};
// The name of the request, for errors.
const char* name_of(Kind kind);

using Bytes = std::span<const std::byte>;
using Pool = std::shared_ptr<BufferPool>;

// ---- requests ----

struct ArrayRequest {
  uint64_t graph = 0;
  std::string file;
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

struct OpenRequest {
  uint64_t graph = 0;
  uint32_t part = 0;
  SamplerOptions options;  // only the options that the picks of a hop depend on are sent
};

struct HopRequest {
  uint64_t sampler = 0;
  HopQuestion question;
};

struct RowsRequest {
  uint64_t graph = 0;
  uint32_t part = 0;
  bool of_nodes = true;
  size_t type = 0;
  std::string column;
  DLDataType dtype{};
  IdSpan ids;
};

struct EdgesRequest {
  uint64_t graph = 0;
  uint32_t part = 0;
  EdgeQuestion question;
};

struct FilesRequest {
  uint64_t graph = 0;
  uint32_t part = 0;
  net::InboxAddress inbox;
  bool of_partition = false;  // true: books, id sets and keys; false: files of a part
};

// Asks for the other servers of the graph.
struct ServersRequest {
  uint64_t graph = 0;
  std::string address;  // the address that the asking server serves at; empty: a client asks
};

// Decoded values view the bytes.
net::Message encode_describe(const Pool& pool);
Status decode_describe(Bytes bytes);
net::Message encode(const Pool& pool, const ArrayRequest& request);
Result<ArrayRequest> decode_array_request(Bytes bytes);
Result<net::Message> encode(const Pool& pool, const OpenRequest& request);
Result<OpenRequest> decode_open_request(Bytes bytes);
Result<net::Message> encode(const Pool& pool, const HopRequest& request);
Result<HopRequest> decode_hop_request(Bytes bytes);
net::Message encode(const Pool& pool, const RowsRequest& request);
Result<RowsRequest> decode_rows_request(Bytes bytes);
net::Message encode(const Pool& pool, const EdgesRequest& request);
Result<EdgesRequest> decode_edges_request(Bytes bytes);
net::Message encode(const Pool& pool, const FilesRequest& request);
Result<FilesRequest> decode_files_request(Bytes bytes);
net::Message encode(const Pool& pool, const ServersRequest& request);
Result<ServersRequest> decode_servers_request(Bytes bytes);

// ---- replies ----

struct ServerOfParts {
  std::string address;
  std::vector<uint32_t> parts;
};

struct Description {
  uint32_t protocol = kPartProtocol;
  std::string partition;        // the text of partition.json
  std::vector<uint32_t> parts;  // that the server serves
  std::vector<ServerOfParts> servers;
  uint64_t host = 0;  // of processes that get its files, as net::host_number(); 0: it gives none
};

struct ArrayChunk {
  uint64_t total = 0;
  Tensor bytes;  // uint8 [bytes]
};

net::Message encode(const Pool& pool, const Description& description);
Result<Description> decode_description(Bytes bytes);
net::Message encode_array_chunk(const Pool& pool, uint64_t total, Bytes chunk);
Result<ArrayChunk> decode_array_chunk(net::Message message);
net::Message encode_opened(const Pool& pool, uint64_t sampler);
Result<uint64_t> decode_opened(Bytes bytes);
net::Message encode(const Pool& pool, const HopPicks& picks);
// Checks that the counts add up, but not the ids. The tensors share the memory of the message.
Result<HopPicks> decode_picks(net::Message message);

// Checks a reply to a RowsRequest, which is packed rows only, so it may be received in its final
// place. An error: the number of bytes differs.
Status check_rows(Bytes bytes, uint64_t rows, uint64_t row_bytes);
net::Message encode_edges_answer(const Pool& pool, const Tensor& numbers);
// int64 [count], in the memory of the message.
Result<Tensor> decode_edges_answer(net::Message message, int64_t count);
net::Message encode_files(const Pool& pool, const std::vector<std::string>& names);
Result<std::vector<std::string>> decode_files(Bytes bytes);
net::Message encode_servers(const Pool& pool, const std::vector<std::string>& addresses);
Result<std::vector<std::string>> decode_servers(Bytes bytes);

// The error for a hop that is too long: the client asks again in pieces.
Status too_long(int64_t nodes, uint64_t most_bytes);
bool is_too_long(const Status& status);
inline constexpr uint64_t kMostBytesOfANode = (uint64_t{1} << 30) - (uint64_t{1} << 16);
// Bytes of one neighbour in a reply, with its edge id if the sampler reports it. `edges`: of the
// whole graph.
uint64_t pick_bytes(const SamplerOptions& options, int64_t edges);

// The error of a server that does not know a sampler, or dropped it.
Status unknown_sampler(uint64_t sampler);
bool is_unknown_sampler(const Status& status);
// The error of a server that serves another graph: its address now belongs to another server.
Status not_served(Status status);
bool is_not_served(const Status& status);

}  // namespace gls::cluster
