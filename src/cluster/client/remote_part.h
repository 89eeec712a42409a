// A part of a graph that a server holds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/remote_memory.h"
#include "cluster/part/part.h"
#include "cluster/rpc/remote_call.h"
#include "context/context.h"
#include "net/connection/peer.h"
#include "partition_generated.h"

namespace gls {

struct RemotePartOptions {
  int64_t timeout_ms = 30000;  // of each request, including a retry; negative: no limit
  // Bytes of rows in one reply; a single row may be longer.
  uint64_t most_reply_bytes = uint64_t{4} << 20;
  // Bytes of picks in one reply, as far as fanouts bound them. If a server finds more, the client
  // asks for halves.
  uint64_t most_hop_bytes = uint64_t{64} << 20;
  bool ask_again = true;  // once, when a reply was lost with its connection
  // Whether rows are read from the server's memory. Values other than kOff need ranks.
  net::OneSided one_sided = net::OneSided::kOff;
  std::shared_ptr<const RowRanks> ranks{};
};

class RemotePart final : public Part, public std::enable_shared_from_this<RemotePart> {
 public:
  // `partition` as the peer describes it. Sends nothing. An error: the part `number` does not
  // exist.
  static Result<std::shared_ptr<const RemotePart>> create(
      std::shared_ptr<Context> context, std::shared_ptr<net::Peer> peer,
      std::shared_ptr<const format::PartitionT> partition, uint32_t number,
      const RemotePartOptions& options = {});

  // Waits for the server.
  Result<std::shared_ptr<const PartSampler>> open_sampler(
      const SamplerOptions& options) const override;
  // Asks what can be read from the server's memory, and measures reading against requesting. Both
  // must give the same rows. Unless `one_sided` is on, columns that are slower to read are
  // requested.
  Status open_windows(const cluster::Deadline& deadline) const;
  Deferred<Tensor> ask_rows(const RowQuestion& question) const override;
  Deferred<Done> ask_rows_to(const RowQuestion& question, const RowTarget& target) const override;
  Deferred<bool> land_rows(const RowQuestion& question, const RowLanding& landing) const override;
  Deferred<Tensor> ask_edges(const EdgeQuestion& question) const override;
  bool is_local() const override { return false; }
  const std::string& address() const { return peer_->address(); }
  const net::Peer* server() const { return peer_.get(); }

 private:
  friend class RemoteSampler;
  friend class RemoteRows;
  // The counts that replies are checked against.
  struct EdgeTypeCounts {
    std::string name;
    int64_t sources = 0;
    int64_t targets = 0;
    int64_t edges = 0;
  };

  RemotePart(std::shared_ptr<Context> context, std::shared_ptr<net::Peer> peer,
             std::shared_ptr<const format::PartitionT> partition, uint32_t number,
             const RemotePartOptions& options);
  Status compare(const RemoteMemory::Key& key, const cluster::RemoteMemoryWindow& window) const;
  Status check_edges(const Tensor& numbers, const EdgeQuestion& question) const;
  // Adds the server and the request to an error.
  Status about(Status status, const std::string& what) const;

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<net::Peer> peer_;
  const std::shared_ptr<const format::PartitionT> partition_;
  const uint32_t number_;
  const uint64_t graph_;
  const RemotePartOptions options_;
  std::vector<EdgeTypeCounts> edge_types_;
  std::shared_ptr<RemoteMemory> windows_;  // null: rows are requested
};

}  // namespace gls
