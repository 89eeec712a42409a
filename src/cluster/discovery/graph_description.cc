#include "cluster/discovery/graph_description.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
#include <utility>

#include "base/checksum.h"
#include "cluster/rpc/remote_call.h"
#include "format/partition_file.h"
#include "graph/partition/partition.h"

namespace gls {
namespace {

using cluster::Call;
using cluster::Deadline;
using cluster::Kind;

Status about(Status status, const std::string& peer, const std::string& what) {
  Status out = std::move(status).prefixed(formatted("{} of {}: ", what, peer));
  return out.detail("peer") != nullptr ? std::move(out) : std::move(out).with("peer", peer);
}

Status check(const cluster::Description& description, const format::PartitionT& partition) {
  const auto known = [&](uint32_t part) { return part < partition.parts; };
  if (!std::all_of(description.parts.begin(), description.parts.end(), known)) {
    return corrupt("a part has a number beyond the {} that there are", partition.parts);
  }
  for (const cluster::ServerOfParts& server : description.servers) {
    if (!std::all_of(server.parts.begin(), server.parts.end(), known)) {
      return corrupt("a part of {} has a number beyond the {} that there are", server.address,
                     partition.parts);
    }
  }
  return {};
}

Result<GraphDescription> ask_description(const std::shared_ptr<net::Peer>& peer,
                                         const std::shared_ptr<BufferPool>& pool,
                                         int64_t timeout_ms) {
  Call call(
      peer, Kind::kDescribe,
      [&]() -> Result<net::Message> { return cluster::encode_describe(pool); },
      Deadline(timeout_ms));
  GLS_ASSIGN(const net::Message reply, call.wait());
  GLS_ASSIGN(cluster::Description description, cluster::decode_description(reply.bytes()));
  if (description.protocol != cluster::kPartProtocol) {
    return error(GLS_ERR_UNSUPPORTED, "it serves parts by version {} of the protocol, expected {}",
                 description.protocol, cluster::kPartProtocol);
  }
  GLS_ASSIGN(format::PartitionT partition, parse_partition(description.partition, kPartitionFile));
  GLS_TRY(check(description, partition));
  return GraphDescription{std::make_shared<const format::PartitionT>(std::move(partition)),
                          std::move(description.parts), std::move(description.servers),
                          description.host};
}

// Fetches one array piece by piece.
class Fetch {
 public:
  Fetch(std::shared_ptr<net::Peer> peer, std::shared_ptr<BufferPool> pool, uint64_t graph,
        const SharedArray& shared, const FetchOptions& options)
      : peer_(std::move(peer)),
        pool_(std::move(pool)),
        graph_(graph),
        file_(shared.file),
        array_(*shared.array),
        piece_(std::max<uint64_t>(options.piece_bytes, 1)),
        again_(options.again),
        deadline_(options.timeout_ms) {}

  Result<Tensor> run() {
    GLS_ASSIGN(const DLDataType dtype, parse_dtype(array_.dtype));
    GLS_TRY(find_size(dtype));
    ask(0, std::min(piece_, size_));
    // Learns the size before it allocates memory.
    GLS_ASSIGN(const cluster::ArrayChunk first, next());
    auto buffer = std::make_shared<Buffer>(pool_->acquire(size_));
    auto* const out = buffer->as<>();
    GLS_TRY(take(first, 0, out));
    uint64_t asked = piece_;
    for (uint64_t at = piece_; at < size_; at += piece_) {
      for (; asked < size_ && calls_.size() < kInFlight; asked += piece_) {
        ask(asked, std::min(piece_, size_ - asked));
      }
      GLS_ASSIGN(const cluster::ArrayChunk chunk, next());
      GLS_TRY(take(chunk, at, out));
    }
    GLS_TRY(check_sum({out, size_}));
    return Tensor(std::move(buffer), out, dtype, array_.shape).with_file(file_);
  }

 private:
  static constexpr size_t kInFlight = 8;

  Status find_size(DLDataType dtype) {
    size_ = dtype_bytes(dtype);
    for (const int64_t extent : array_.shape) {
      if (extent < 0 || __builtin_mul_overflow(size_, static_cast<uint64_t>(extent), &size_)) {
        return corrupt("it is described as {} {}", array_.dtype, shape_text(array_.shape));
      }
    }
    return {};
  }

  void ask(uint64_t offset, uint64_t bytes) {
    const cluster::ArrayRequest request{graph_, file_, offset, bytes};
    calls_.push_back(std::make_unique<Call>(
        peer_, Kind::kArray,
        [this, request]() -> Result<net::Message> { return cluster::encode(pool_, request); },
        deadline_, again_));
  }

  Result<cluster::ArrayChunk> next() {
    GLS_ASSIGN(net::Message reply, calls_.front()->wait());
    calls_.pop_front();
    GLS_ASSIGN(cluster::ArrayChunk chunk, cluster::decode_array_chunk(std::move(reply)));
    if (chunk.total != size_) {
      return corrupt("it has {} bytes, expected {}, as it is described", chunk.total, size_);
    }
    return chunk;
  }

  // A server may send fewer bytes at once than the client requested.
  Status take(const cluster::ArrayChunk& first, uint64_t offset, std::byte* out) {
    const uint64_t end = std::min(offset + piece_, size_);
    cluster::ArrayChunk chunk = first;
    for (uint64_t at = offset; at < end;) {
      const auto bytes = static_cast<uint64_t>(chunk.bytes.rows());
      if (bytes == 0 || bytes > end - at) {
        return corrupt("{} bytes came from {} on, expected up to {}", bytes, at, end - at);
      }
      std::memcpy(out + at, chunk.bytes.data(), bytes);
      at += bytes;
      if (at < end) {
        ask(at, end - at);
        calls_.push_front(std::move(calls_.back()));
        calls_.pop_back();
        GLS_ASSIGN(chunk, next());
      }
    }
    return {};
  }

  Status check_sum(std::span<const std::byte> bytes) const {
    Checksum sum;
    sum.update(bytes);
    if (!array_.xxh3.empty() && sum.hex() != array_.xxh3) {
      return corrupt("its checksum is {}, expected {}, as it is described", sum.hex(), array_.xxh3);
    }
    return {};
  }

  const std::shared_ptr<net::Peer> peer_;
  const std::shared_ptr<BufferPool> pool_;
  const uint64_t graph_;
  const std::string file_;
  const format::ArrayT& array_;
  const uint64_t piece_;
  const bool again_;
  const Deadline deadline_;
  uint64_t size_ = 0;
  std::deque<std::unique_ptr<Call>> calls_;  // in the order of the pieces
};

}  // namespace

namespace cluster {

uint64_t graph_number(const format::PartitionT& partition) {
  uint64_t number = 0;  // the digits were checked when the partition was read
  std::from_chars(partition.graph.data(), partition.graph.data() + partition.graph.size(), number,
                  16);
  return number;
}

}  // namespace cluster

Result<GraphDescription> describe(const std::shared_ptr<net::Peer>& peer,
                                  const std::shared_ptr<BufferPool>& pool, int64_t timeout_ms) {
  Result<GraphDescription> out = ask_description(peer, pool, timeout_ms);
  if (!out.ok()) {
    return about(std::move(out.status()), peer->address(), "the description of the graph");
  }
  return out;
}

Result<Tensor> fetch_array(const std::shared_ptr<net::Peer>& peer,
                           const std::shared_ptr<BufferPool>& pool,
                           const format::PartitionT& partition, const std::string& file,
                           const FetchOptions& options) {
  const auto arrays = shared_arrays(partition);
  const auto found = std::find_if(arrays.begin(), arrays.end(),
                                  [&](const auto& shared) { return shared.file == file; });
  if (found == arrays.end()) {
    return not_found("\"{}\" is no array that the partition names", file).with("file", file);
  }
  Result<Tensor> out = Fetch(peer, pool, cluster::graph_number(partition), *found, options).run();
  if (!out.ok()) {
    return about(std::move(out.status()), peer->address(), formatted("array \"{}\"", file));
  }
  return out;
}

}  // namespace gls
