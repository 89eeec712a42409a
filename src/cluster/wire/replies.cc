#include <cstring>
#include <utility>

#include "cluster/wire/envelope.h"
#include "cluster/wire/messages.h"
#include "format/manifest.h"

namespace gls::cluster {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;

constexpr size_t kMostFiles = 65536;  // files of a part
constexpr size_t kMostFileName = 4096;
constexpr size_t kMostPartsNamed = size_t{1} << 20;  // parts of all servers together
constexpr const char* kUnknownSampler = "unknown_sampler";
constexpr const char* kTooLong = "too_long";
constexpr const char* kNotServed = "not_served";

void copy_to(std::byte* to, const void* from, uint64_t bytes) {
  if (bytes > 0) {
    std::memcpy(to, from, bytes);
  }
}

uint64_t bytes_of(const Tensor& tensor) {
  return static_cast<uint64_t>(tensor.rows() * tensor.row_bytes());
}

// A tensor that views a piece of the message and keeps its memory alive.
Tensor view(const std::shared_ptr<const Buffer>& owner, const void* data, DLDataType dtype,
            uint64_t count) {
  return Tensor(owner, data, dtype, {static_cast<int64_t>(count)}, false);
}

}  // namespace

// ---- descriptions ----

net::Message encode(const Pool& pool, const Description& description) {
  Builder builder;
  std::vector<flatbuffers::Offset<wire::Server>> servers;
  for (const ServerOfParts& server : description.servers) {
    const auto address = builder.CreateString(server.address);
    servers.push_back(wire::CreateServer(builder, address, builder.CreateVector(server.parts)));
  }
  const uint64_t bytes = description.partition.size();
  const auto parts = builder.CreateVector(description.parts);
  const auto body = wire::CreateDescription(builder, description.protocol, bytes, parts,
                                            builder.CreateVector(servers), description.host);
  Packed packed = pack(pool, builder, body, std::span(&bytes, 1));
  copy_to(packed.arrays[0], description.partition.data(), bytes);
  return std::move(packed.message);
}

Result<Description> decode_description(Bytes bytes) {
  Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::Description>();
  if (body == nullptr) {
    return malformed("a description");
  }
  Description out;
  out.protocol = body->protocol();
  out.host = body->host();
  const std::byte* text = nullptr;
  GLS_TRY(unpacker.take(body->partition_bytes(), 1, &text));
  GLS_TRY(unpacker.finish());
  if (body->partition_bytes() > kMaxManifestBytes) {
    return corrupt("a description has {} bytes, expected at most {}", body->partition_bytes(),
                   kMaxManifestBytes);
  }
  size_t num_parts = 0;
  const auto take_parts = [&](const flatbuffers::Vector<uint32_t>& parts) {
    num_parts += parts.size();
    return num_parts <= kMostPartsNamed ? std::vector<uint32_t>(parts.begin(), parts.end())
                                        : std::vector<uint32_t>();
  };
  out.parts = take_parts(*body->parts());
  for (const auto* server : *body->servers()) {
    if (server->address()->size() > kMostAddressBytes) {
      return corrupt("an address has {} bytes, expected at most {}", server->address()->size(),
                     kMostAddressBytes);
    }
    out.servers.push_back({server->address()->str(), take_parts(*server->parts())});
  }
  if (num_parts > kMostPartsNamed) {
    return corrupt("{} parts of servers were named, expected at most {}", num_parts,
                   kMostPartsNamed);
  }
  out.partition.assign(reinterpret_cast<const char*>(text), body->partition_bytes());
  return out;
}

// ---- arrays ----

net::Message encode_array_chunk(const Pool& pool, uint64_t total, Bytes chunk) {
  Builder builder;
  const uint64_t bytes = chunk.size();
  const auto body = wire::CreateArrayChunk(builder, total, bytes);
  Packed packed = pack(pool, builder, body, std::span(&bytes, 1));
  copy_to(packed.arrays[0], chunk.data(), bytes);
  return std::move(packed.message);
}

Result<ArrayChunk> decode_array_chunk(net::Message message) {
  Unpacker unpacker(message.bytes());
  const auto* const body = unpacker.body<wire::ArrayChunk>();
  if (body == nullptr) {
    return malformed("a piece of an array");
  }
  const std::byte* data = nullptr;
  GLS_TRY(unpacker.take(body->bytes(), 1, &data));
  GLS_TRY(unpacker.finish());
  const uint64_t total = body->total();
  const uint64_t bytes = body->bytes();
  const auto owner = std::make_shared<const Buffer>(std::move(message).take());
  return ArrayChunk{total, view(owner, data, kUint8, bytes)};
}

// ---- edges ----

net::Message encode_edges_answer(const Pool& pool, const Tensor& numbers) {
  Builder builder;
  const uint64_t bytes = bytes_of(numbers);
  const auto body = wire::CreateEdgesAnswer(builder, static_cast<uint64_t>(numbers.rows()));
  Packed packed = pack(pool, builder, body, std::span(&bytes, 1));
  copy_to(packed.arrays[0], numbers.data(), bytes);
  return std::move(packed.message);
}

Result<Tensor> decode_edges_answer(net::Message message, int64_t count) {
  Unpacker unpacker(message.bytes());
  const auto* const body = unpacker.body<wire::EdgesAnswer>();
  if (body == nullptr) {
    return malformed("an answer about edges");
  }
  const uint64_t numbers = body->numbers();
  const std::byte* data = nullptr;
  GLS_TRY(unpacker.take(numbers, sizeof(int64_t), &data));
  GLS_TRY(unpacker.finish());
  if (numbers != static_cast<uint64_t>(count)) {
    return corrupt("it answered with {} numbers, expected {}", numbers, count);
  }
  const auto owner = std::make_shared<const Buffer>(std::move(message).take());
  return view(owner, data, kInt64, numbers);
}

// ---- files ----

net::Message encode_files(const Pool& pool, const std::vector<std::string>& names) {
  Builder builder;
  const auto list = builder.CreateVectorOfStrings(names);
  Packed packed = pack(pool, builder, wire::CreateFiles(builder, list), {});
  return std::move(packed.message);
}

Result<std::vector<std::string>> decode_files(Bytes bytes) {
  const Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::Files>();
  if (body == nullptr || body->names()->size() > kMostFiles) {
    return malformed("a list of files");
  }
  GLS_TRY(unpacker.finish());
  std::vector<std::string> out;
  for (const auto* name : *body->names()) {
    if (name->size() > kMostFileName) {
      return malformed("a list of files");
    }
    out.push_back(name->str());
  }
  return out;
}

// ---- samplers ----

net::Message encode_opened(const Pool& pool, uint64_t sampler) {
  Builder builder;
  return pack(pool, builder, wire::CreateOpened(builder, sampler), {}).message;
}

Result<uint64_t> decode_opened(Bytes bytes) {
  const Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::Opened>();
  if (body == nullptr) {
    return malformed("the number of a sampler");
  }
  GLS_TRY(unpacker.finish());
  return body->sampler();
}

Status unknown_sampler(uint64_t sampler) {
  return not_found("there is no sampler number {} here", sampler).with("answer", kUnknownSampler);
}

bool is_unknown_sampler(const Status& status) { return status.has("answer", kUnknownSampler); }

Status not_served(Status status) { return std::move(status).with("answer", kNotServed); }

bool is_not_served(const Status& status) { return status.has("answer", kNotServed); }

// ---- servers ----

net::Message encode_servers(const Pool& pool, const std::vector<std::string>& addresses) {
  Builder builder;
  const auto list = builder.CreateVectorOfStrings(addresses);
  return std::move(pack(pool, builder, wire::CreateServers(builder, list), {}).message);
}

Result<std::vector<std::string>> decode_servers(Bytes bytes) {
  const Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::Servers>();
  if (body == nullptr) {
    return malformed("a list of servers");
  }
  GLS_TRY(unpacker.finish());
  if (body->addresses()->size() > kMostServersNamed) {
    return corrupt("{} servers were named, expected at most {}", body->addresses()->size(),
                   kMostServersNamed);
  }
  std::vector<std::string> out;
  for (const auto* address : *body->addresses()) {
    if (address->size() > kMostAddressBytes) {
      return corrupt("an address has {} bytes, expected at most {}", address->size(),
                     kMostAddressBytes);
    }
    out.push_back(address->str());
  }
  return out;
}

// ---- hops ----

Status too_long(int64_t nodes, uint64_t most_bytes) {
  return invalid("hop: the picks of {} {} have more than {} bytes, the most of one answer", nodes,
                 nodes == 1 ? "node" : "nodes", most_bytes)
      .with("argument", "nodes")
      .with("answer", kTooLong);
}

bool is_too_long(const Status& status) { return status.has("answer", kTooLong); }

uint64_t pick_bytes(const SamplerOptions& options, int64_t edges) {
  const auto bytes = [](bool narrow) { return narrow ? sizeof(int32_t) : sizeof(int64_t); };
  const bool narrow_edges = options.int32 && edges <= std::numeric_limits<int32_t>::max();
  return bytes(options.int32) + (options.edge_ids ? bytes(narrow_edges) : 0);
}

net::Message encode(const Pool& pool, const HopPicks& picks) {
  Builder builder;
  const bool edge_ids = picks.edge_ids.defined();
  std::vector<uint64_t> sizes = {bytes_of(picks.counts), bytes_of(picks.neighbors)};
  if (edge_ids) {
    sizes.push_back(bytes_of(picks.edge_ids));
  }
  const auto body = wire::CreateHopPicks(builder, static_cast<uint64_t>(picks.counts.rows()),
                                         static_cast<uint64_t>(picks.neighbors.rows()),
                                         same_dtype(picks.neighbors.dtype(), kInt64), edge_ids,
                                         edge_ids && same_dtype(picks.edge_ids.dtype(), kInt64));
  Packed packed = pack(pool, builder, body, sizes);
  copy_to(packed.arrays[0], picks.counts.data(), sizes[0]);
  copy_to(packed.arrays[1], picks.neighbors.data(), sizes[1]);
  if (edge_ids) {
    copy_to(packed.arrays[2], picks.edge_ids.data(), sizes[2]);
  }
  return std::move(packed.message);
}

Result<HopPicks> decode_picks(net::Message message) {
  Unpacker unpacker(message.bytes());
  const auto* const body = unpacker.body<wire::HopPicks>();
  if (body == nullptr) {
    return malformed("the picks of a hop");
  }
  IdSpan counts;
  IdSpan neighbors;
  IdSpan edge_ids;
  GLS_TRY(unpacker.take(body->nodes(), false, &counts));
  GLS_TRY(unpacker.take(body->picks(), body->wide(), &neighbors));
  const bool has_edges = body->edge_ids();
  if (has_edges) {
    GLS_TRY(unpacker.take(body->picks(), body->wide_edge_ids(), &edge_ids));
  }
  GLS_TRY(unpacker.finish());
  int64_t sum = 0;
  int64_t signs = 0;
  const auto* const of = static_cast<const int32_t*>(counts.data());
  for (int64_t i = 0; i < counts.size(); ++i) {
    sum += of[i];
    signs |= of[i];
  }
  if (signs < 0 || sum != neighbors.size()) {
    return corrupt("counts of picks add up to {}{}, expected {}", sum,
                   signs < 0 ? ", and some are negative" : "", neighbors.size());
  }
  const auto owner = std::make_shared<const Buffer>(std::move(message).take());
  const auto ids = [&](const IdSpan& span) {
    return view(owner, span.data(), span.wide() ? kInt64 : kInt32,
                static_cast<uint64_t>(span.size()));
  };
  HopPicks out;
  out.counts = ids(counts);
  out.neighbors = ids(neighbors);
  if (has_edges) {
    out.edge_ids = ids(edge_ids);
  }
  return out;
}

// ---- rows ----

Status check_rows(Bytes bytes, uint64_t rows, uint64_t row_bytes) {
  uint64_t expected = 0;
  if (__builtin_mul_overflow(rows, row_bytes, &expected) || bytes.size() != expected) {
    return corrupt("rows of {} bytes were answered, expected {} of {}", bytes.size(), rows,
                   row_bytes);
  }
  return {};
}

}  // namespace gls::cluster
