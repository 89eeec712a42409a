// Which columns of a part are read out of the memory of its server: docs/decisions/0049. What the
// server has said of its memory belongs to one connection, and is asked again over the next.
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
#include "sample/source/graph_source.h"

namespace gls {

class PartWindows : public std::enable_shared_from_this<PartWindows> {
 public:
  // Of nodes, the type, the column by its number.
  using Key = std::tuple<bool, size_t, size_t>;

  PartWindows(std::shared_ptr<Context> context, std::shared_ptr<net::Peer> peer,
              std::shared_ptr<const format::PartitionT> partition, uint32_t number, uint64_t graph,
              std::shared_ptr<const RowRanks> ranks, net::OneSided wanted)
      : context_(std::move(context)),
        peer_(std::move(peer)),
        partition_(std::move(partition)),
        number_(number),
        graph_(graph),
        ranks_(std::move(ranks)),
        wanted_(wanted) {}

  // Waits for what the server has to say, for a first time. An error where one_sided is on: the
  // lane cannot read, or the server shares nothing.
  Status open(const cluster::Deadline& deadline);
  // Those there are now.
  std::map<Key, cluster::Window> all() const;
  // A column that is to be read, if it can be. Others are asked for, also when they can be read
  // after the server was started again: nobody has compared them.
  void accept(const Key& key, bool read);
  bool accepts(const Key& key) const;
  // It was said that it can be read, and cannot.
  void refuse(const RowQuestion& question, const Status& why);
  bool insists() const { return wanted_ == net::OneSided::kOn; }

  // A column that can be read now.
  struct Readable {
    std::shared_ptr<net::Connection> connection;  // null: rows are to be asked for
    cluster::Window window;
  };
  // Of another dtype than is stored, rows are asked for. An error where one_sided is on: after the
  // server was started again it shares nothing any more.
  Result<Readable> find(const RowQuestion& question);
  // The rows of ids of the whole. An error: an id that there is not, or that the part does not own.
  Result<std::vector<uint64_t>> rows_of(const RowQuestion& question,
                                        const cluster::Window& window) const;

 private:
  net::Message request() const;
  Status can_read(const net::Connection& connection) const;
  Result<std::map<Key, cluster::Window>> check(std::vector<cluster::Window> windows) const;
  Result<Key> check(const cluster::Window& window) const;
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
  std::weak_ptr<net::Connection> of_;  // that the windows are of, or were asked over
  std::map<Key, cluster::Window> windows_;
  std::set<Key> accepted_;
  Status refused_;
};

}  // namespace gls
