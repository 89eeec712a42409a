// Tracks which columns of a part the client reads directly from the server's memory:
// docs/decisions/0049. A server's description of its memory belongs to one connection. The client
// asks for it again after each reconnect.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "cluster/part/row_ranks.h"
#include "cluster/rpc/remote_call.h"
#include "cluster/wire/remote_memory_messages.h"
#include "context/context.h"
#include "net/connection/peer.h"
#include "partition_generated.h"
#include "query/graph_source.h"

namespace gls {

class RemoteMemory : public std::enable_shared_from_this<RemoteMemory> {
 public:
  // Whether it belongs to nodes, the type, and the number of the column.
  using Key = std::tuple<bool, size_t, size_t>;

  RemoteMemory(std::shared_ptr<Context> context, std::shared_ptr<net::Peer> peer,
               std::shared_ptr<const format::PartitionT> partition, uint32_t number, uint64_t graph,
               std::shared_ptr<const RowRanks> ranks, net::OneSided wanted)
      : context_(std::move(context)),
        peer_(std::move(peer)),
        partition_(std::move(partition)),
        number_(number),
        graph_(graph),
        ranks_(std::move(ranks)),
        wanted_(wanted) {}

  // Waits for the first description of the server's memory. An error where one_sided is on: the
  // data channel cannot read, or the server shares nothing.
  Status open(const cluster::Deadline& deadline);
  // The current descriptions.
  std::map<Key, cluster::RemoteMemoryWindow> all() const;
  // Decides whether a column is read, if it can be. Columns without a decision are requested as
  // rows, also if a restarted server shares them, because the two ways were not compared.
  void accept(const Key& key, bool read);
  bool accepts(const Key& key) const;
  // Reports that a described column could not be read.
  void refuse(const RowQuestion& question, const Status& why);
  bool insists() const { return wanted_ == net::OneSided::kOn; }

  // A column that can be read now.
  struct Readable {
    std::shared_ptr<net::Connection> connection;  // null: the rows must be requested
    cluster::RemoteMemoryWindow window;
  };
  // Rows are requested if their dtype differs from the stored one. An error where one_sided is on:
  // the server shares nothing after its restart.
  Result<Readable> find(const RowQuestion& question);
  // The row numbers of global ids. An error: an id does not exist, or the part does not own it.
  Result<std::vector<uint64_t>> rows_of(const RowQuestion& question,
                                        const cluster::RemoteMemoryWindow& window) const;

 private:
  net::Message request() const;
  Status can_read(const net::Connection& connection) const;
  Result<std::map<Key, cluster::RemoteMemoryWindow>> check(
      std::vector<cluster::RemoteMemoryWindow> windows) const;
  Result<Key> check(const cluster::RemoteMemoryWindow& window) const;
  void take(const std::shared_ptr<net::Connection>& connection, Result<net::Message> reply);
  void forget(const net::Connection& connection);
  void ask_again(const std::shared_ptr<net::Connection>& connection);

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<net::Peer> peer_;
  const std::shared_ptr<const format::PartitionT> partition_;
  const uint32_t number_;
  const uint64_t graph_;
  const std::shared_ptr<const RowRanks> ranks_;
  const net::OneSided wanted_;

  mutable std::mutex mutex_;
  // The connection that the windows belong to, or were requested over.
  std::weak_ptr<net::Connection> of_;
  std::map<Key, cluster::RemoteMemoryWindow> windows_;
  std::set<Key> accepted_;
  Status refused_;
};

}  // namespace gls
