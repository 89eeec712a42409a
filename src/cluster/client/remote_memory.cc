#include "cluster/client/remote_memory.h"

#include <algorithm>
#include <utility>

#include "graph/topology/schema.h"
#include "net/connection/connection.h"

namespace gls {

using cluster::RemoteMemoryWindow;
using net::ChannelReads;

namespace {

constexpr int64_t kAgainMs = 10000;  // timeout for the description after a reconnect

const std::vector<std::unique_ptr<format::ColumnT>>* columns_of(const format::ManifestT& whole,
                                                                bool of_nodes, size_t type) {
  if (type >= (of_nodes ? whole.node_types.size() : whole.edge_types.size())) {
    return nullptr;
  }
  return of_nodes ? &whole.node_types[type]->columns : &whole.edge_types[type]->columns;
}

std::string type_name(const format::ManifestT& whole, bool of_nodes, size_t type) {
  if (of_nodes) {
    return whole.node_types[type]->name;
  }
  const auto& edges = *whole.edge_types[type];
  return EdgeTypeName{edges.source, edges.relation, edges.target}.joined();
}

}  // namespace

// ---- the server's description ----

net::Message RemoteMemory::request() const {
  return cluster::encode(context_->buffers(), cluster::RemoteMemoryRequest{graph_, number_});
}

Status RemoteMemory::can_read(const net::Connection& connection) const {
  const ChannelReads reads = connection.reads();
  if (reads == ChannelReads::kRdma || (insists() && reads != ChannelReads::kNone)) {
    return {};
  }
  const std::string channel = connection.channel();
  return error(GLS_ERR_UNSUPPORTED, "memory of {} is not read: data go over {}{}", connection.who(),
               channel.empty() ? "the connection" : channel,
               reads == ChannelReads::kNone ? ", which cannot" : ", which is no RDMA")
      .with("argument", "net.one_sided")
      .with("peer", connection.address());
}

// Accepts only existing columns that match the partition. Behind the part's own rows there may be
// copies of others, which are not read here.
Result<RemoteMemory::Key> RemoteMemory::check(const RemoteMemoryWindow& window) const {
  const format::ManifestT& whole = *partition_->whole;
  const auto* const columns = columns_of(whole, window.of_nodes, window.type);
  if (columns == nullptr) {
    return corrupt("a window is of type number {}", window.type);
  }
  const auto found = std::find_if(columns->begin(), columns->end(), [&](const auto& column) {
    return column->name == window.column;
  });
  if (found == columns->end() || (*found)->quantized != nullptr) {
    return corrupt("a window is of column \"{}\", which there is not, or not as numbers",
                   window.column);
  }
  const format::ColumnT& column = **found;
  uint64_t row_bytes = dtype_bytes(window.dtype);
  bool fits = column.array->dtype == dtype_name(window.dtype);
  for (const int64_t extent : column.row_shape) {
    fits = fits && extent >= 0 &&
           !__builtin_mul_overflow(row_bytes, static_cast<uint64_t>(extent), &row_bytes);
  }
  GLS_ASSIGN(const PartitionBookIndex* const ranks, ranks_->of(window.of_nodes, window.type));
  uint64_t bytes = 0;
  uint64_t end = 0;
  fits = fits && ranks != nullptr && row_bytes > 0 && row_bytes == window.row_bytes &&
         window.rows > 0 && window.rows >= static_cast<uint64_t>(ranks->owned(number_)) &&
         window.rows <= static_cast<uint64_t>(ranks->book().count()) && window.address != 0 &&
         window.row_stride >= row_bytes &&
         !__builtin_mul_overflow(window.row_stride, window.rows, &bytes) &&
         !__builtin_add_overflow(window.address, bytes, &end);
  if (!fits) {
    return corrupt("a window has {} {} rows of {} bytes, which column \"{}\" of part {} has not",
                   window.rows, dtype_name(window.dtype), window.row_bytes, window.column, number_);
  }
  return Key(window.of_nodes, window.type, static_cast<size_t>(found - columns->begin()));
}

Result<std::map<RemoteMemory::Key, RemoteMemoryWindow>> RemoteMemory::check(
    std::vector<RemoteMemoryWindow> windows) const {
  std::map<Key, RemoteMemoryWindow> out;
  for (RemoteMemoryWindow& window : windows) {
    GLS_ASSIGN(const Key key, check(window));
    if (!out.emplace(key, std::move(window)).second) {
      return corrupt("a column has two windows");
    }
  }
  return out;
}

// May run on a network thread.
void RemoteMemory::take(const std::shared_ptr<net::Connection>& connection,
                        Result<net::Message> reply) {
  const auto decode = [&]() -> Result<std::map<Key, RemoteMemoryWindow>> {
    GLS_ASSIGN(const net::Message message, std::move(reply));
    GLS_ASSIGN(std::vector<RemoteMemoryWindow> windows, cluster::decode_windows(message.bytes()));
    return check(std::move(windows));
  };
  Result<std::map<Key, RemoteMemoryWindow>> windows = decode();
  const std::lock_guard lock(mutex_);
  if (of_.lock() != connection) {
    return;
  }
  if (windows.ok()) {
    refused_ = {};
    windows_ = windows.take();
  } else {
    refused_ = std::move(windows.status())
                   .prefixed(formatted("part {} at {}, asked for {}: ", number_, peer_->address(),
                                       name_of(cluster::Kind::kWindows)));
  }
}

Status RemoteMemory::open(const cluster::Deadline& deadline) {
  const auto connection = peer_->connection();
  Status status = connection != nullptr
                      ? can_read(*connection)
                      : error(GLS_ERR_IO, "{} is not connected", peer_->address());
  if (status.ok()) {
    {
      const std::lock_guard lock(mutex_);
      of_ = connection;
    }
    const net::CallOptions options{deadline.left_ms(), true, name_of(cluster::Kind::kWindows)};
    take(connection, net::call_and_wait(*connection, static_cast<uint16_t>(cluster::Kind::kWindows),
                                        request(), options));
    const std::lock_guard lock(mutex_);
    status = refused_.copy();
  }
  if (!status.ok() && insists()) {
    return std::move(status).prefixed("net.one_sided is on: ");
  }
  context_->log().write(
      GLS_LOG_INFO, "cluster", "rows of part {} at {} are {}{}", number_, peer_->address(),
      status.ok() ? "read where it shares them" : "asked for: ", status.message());
  return {};
}

// Meanwhile rows are requested. They are also requested if this fails with the connection.
void RemoteMemory::ask_again(const std::shared_ptr<net::Connection>& connection) {
  const auto done = [self = shared_from_this(),
                     weak = std::weak_ptr(connection)](Result<net::Message> reply) {
    const auto of = weak.lock();
    if (of == nullptr) {
      return;
    }
    if (!reply.ok() && cluster::is_of_server(reply.status())) {
      self->forget(*of);  // this failure proves nothing, and the next request asks again
    } else {
      self->take(of, std::move(reply));
    }
  };
  connection->call(static_cast<uint16_t>(cluster::Kind::kWindows), request(),
                   {kAgainMs, false, name_of(cluster::Kind::kWindows)}, done);
}

void RemoteMemory::forget(const net::Connection& connection) {
  const std::lock_guard lock(mutex_);
  if (of_.lock().get() == &connection) {
    of_.reset();
  }
}

// ---- reading ----

std::map<RemoteMemory::Key, RemoteMemoryWindow> RemoteMemory::all() const {
  const std::lock_guard lock(mutex_);
  return windows_;
}

void RemoteMemory::accept(const Key& key, bool read) {
  const std::lock_guard lock(mutex_);
  if (read) {
    accepted_.insert(key);
  } else {
    accepted_.erase(key);
  }
}

bool RemoteMemory::accepts(const Key& key) const {
  const std::lock_guard lock(mutex_);
  return accepted_.contains(key);
}

void RemoteMemory::refuse(const RowQuestion& question, const Status& why) {
  const std::lock_guard lock(mutex_);
  accepted_.erase(Key(question.of_nodes, question.type, question.column));
  if (insists()) {
    refused_ = why.copy().prefixed("net.one_sided is on: ");
  }
}

Result<RemoteMemory::Readable> RemoteMemory::find(const RowQuestion& question) {
  const auto connection = peer_->connection();
  if (connection == nullptr) {
    return Readable{};
  }
  bool is_new = false;
  Readable out;
  {
    const std::lock_guard lock(mutex_);
    is_new = of_.lock() != connection;
    if (is_new) {
      of_ = connection;
      windows_.clear();
      refused_ = {};
    } else if (!refused_.ok() && insists()) {
      return refused_.copy();
    } else {
      const Key key(question.of_nodes, question.type, question.column);
      const auto found = windows_.find(key);
      if (found != windows_.end() && same_dtype(found->second.dtype, question.dtype) &&
          accepted_.contains(key)) {
        out = {connection, found->second};
      }
    }
  }
  if (is_new) {
    Status status = can_read(*connection);
    if (status.ok()) {
      ask_again(connection);
    } else if (insists()) {
      const std::lock_guard lock(mutex_);
      refused_ = status.copy();
      return status;
    }
  }
  return out;
}

Result<std::vector<uint64_t>> RemoteMemory::rows_of(const RowQuestion& question,
                                                    const RemoteMemoryWindow& window) const {
  GLS_ASSIGN(const PartitionBookIndex* const ranks, ranks_->of(question.of_nodes, question.type));
  const PartitionBook& book = ranks->book();
  const IdSpan& ids = question.ids;
  const auto name = [&] { return type_name(*partition_->whole, question.of_nodes, question.type); };
  const char* const kind = question.of_nodes ? "node" : "edge";
  if (const int64_t bad = ids.find_outside(book.count()); bad >= 0) {
    return invalid("rows: {} {} at index {} is outside 0 .. {} of type \"{}\"", kind, ids[bad], bad,
                   book.count() - 1, name())
        .with("argument", "ids");
  }
  std::vector<uint64_t> out(static_cast<size_t>(ids.size()));
  for (int64_t i = 0; i < ids.size(); ++i) {
    const bool owned = book[ids[i]] == number_;
    const auto row = static_cast<uint64_t>(owned ? ranks->rank(ids[i]) : 0);
    if (!owned || row >= window.rows) {
      return invalid("rows: {} {} of type \"{}\" is not owned by part {} of {}", kind, ids[i],
                     name(), number_, partition_->parts)
          .with("argument", "ids");
    }
    out[static_cast<size_t>(i)] = row;
  }
  return out;
}

}  // namespace gls
