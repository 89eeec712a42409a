#include "cluster/client/remote_rows.h"

#include <algorithm>
#include <utility>

namespace gls {

using cluster::Call;
using cluster::Kind;

std::shared_ptr<RemoteRows> RemoteRows::send_all(std::shared_ptr<const RemotePart> part,
                                                 const RowQuestion& question, RowRoute route,
                                                 const RowTarget* target) {
  std::shared_ptr<RemoteRows> asked(new RemoteRows(std::move(part), question));
  asked->status_ = asked->send(route, target);
  return asked;
}

Deferred<Tensor> RemoteRows::ask(std::shared_ptr<const RemotePart> part,
                                 const RowQuestion& question, RowRoute route) {
  return [asked = send_all(std::move(part), question, route, nullptr)] { return asked->wait(); };
}

Deferred<Done> RemoteRows::ask_to(std::shared_ptr<const RemotePart> part,
                                  const RowQuestion& question, const RowTarget& target) {
  return [asked = send_all(std::move(part), question, RowRoute::kBest, &target),
          target]() -> Result<Done> {
    GLS_TRY(asked->wait_to(target));
    return Done{};
  };
}

Deferred<bool> RemoteRows::land(std::shared_ptr<const RemotePart> part, const RowQuestion& question,
                                const RowLanding& landing) {
  std::shared_ptr<RemoteRows> asked(new RemoteRows(std::move(part), question));
  asked->status_ = asked->send_to(landing);
  return [asked, landing] { return asked->wait_to(landing); };
}

Status RemoteRows::find_column() {
  const format::ManifestT& whole = *part_->partition_->whole;
  const size_t types = question_.of_nodes ? whole.node_types.size() : whole.edge_types.size();
  if (question_.type >= types) {
    return invalid("rows: type number {}, of {}", question_.type, types);
  }
  const auto& columns = question_.of_nodes ? whole.node_types[question_.type]->columns
                                           : whole.edge_types[question_.type]->columns;
  if (question_.column >= columns.size()) {
    return invalid("rows: column number {}, of {}", question_.column, columns.size());
  }
  const format::ColumnT& column = *columns[question_.column];
  column_ = column.name;
  shape_ = {question_.ids.size()};
  shape_.insert(shape_.end(), column.row_shape.begin(), column.row_shape.end());
  row_bytes_ = dtype_bytes(question_.dtype);
  for (const int64_t extent : column.row_shape) {
    if (extent < 0 ||
        __builtin_mul_overflow(row_bytes_, static_cast<uint64_t>(extent), &row_bytes_)) {
      return corrupt("rows of \"{}\" are described as {}", column_, shape_text(column.row_shape));
    }
  }
  return {};
}

Result<net::Message> RemoteRows::encode_piece(int64_t begin, int64_t count) const {
  return cluster::encode(
      part_->context_->buffers(),
      cluster::RowsRequest{part_->graph_, part_->number_, question_.of_nodes, question_.type,
                           column_, question_.dtype, question_.ids.part(begin, count)});
}

Status RemoteRows::send(RowRoute route, const RowTarget* target) {
  has_target_ = target != nullptr;
  GLS_TRY(find_column());
  if (route == RowRoute::kBest) {
    GLS_TRY(begin_to_read(target));
  }
  if (reading_ == nullptr) {
    begin_to_ask();
  }
  return {};
}

// Reads directly into the destination, if nothing else writes there after a failure.
Status RemoteRows::begin_to_read(const RowTarget* target) {
  if (target != nullptr) {
    GLS_TRY(check_row_bytes(target->row_bytes));
  }
  const bool straight = target != nullptr && target->owner != nullptr;
  return begin_to_read([&](size_t count) -> OneSidedRowRead::Target {
    if (straight) {
      return {target->out, target->places, target->owner};
    }
    read_to_ = std::make_shared<Buffer>(part_->context_->buffers()->acquire(count * row_bytes_));
    return {read_to_->as<>(), nullptr, read_to_};
  });
}

// `target` returns the memory for that many rows. Does nothing where the rows must be requested.
Status RemoteRows::begin_to_read(
    const std::function<OneSidedRowRead::Target(size_t count)>& target) {
  if (part_->windows_ == nullptr || question_.ids.size() == 0) {
    return {};
  }
  GLS_ASSIGN(const RemoteMemory::Readable from, part_->windows_->find(question_));
  if (from.connection != nullptr) {
    GLS_ASSIGN(const std::vector<uint64_t> rows, part_->windows_->rows_of(question_, from.window));
    reading_ = std::make_unique<OneSidedRowRead>(from, rows, target(rows.size()), deadline_);
  }
  return {};
}

Status RemoteRows::check_row_bytes(int64_t expected) const {
  return row_bytes_ == static_cast<uint64_t>(expected)
             ? Status()
             : error(GLS_ERR_INTERNAL, "rows have {} bytes, expected {}", row_bytes_, expected);
}

// False: the rows were requested, or are now, because the connection of the read was lost.
Result<bool> RemoteRows::were_read() {
  if (reading_ == nullptr) {
    return false;
  }
  Status status = reading_->wait();
  if (status.ok()) {
    return true;
  }
  if (status.code() == GLS_ERR_UNSUPPORTED) {  // nothing writes, and no repeated request is needed
    part_->windows_->refuse(question_, status);
    if (part_->windows_->insists()) {
      return status;
    }
    read_to_ = nullptr;
    begin_to_ask();
    return false;
  }
  // A later request writes to the same place.
  const bool quiet = read_to_ != nullptr || reading_->wait_until_quiet(deadline_);
  if (!quiet || !part_->options_.ask_again || deadline_.left_ms() == 0) {
    return status;
  }
  read_to_ = nullptr;
  begin_to_ask();
  return false;
}

std::shared_ptr<Buffer> RemoteRows::make_room() const {
  const uint64_t bytes = static_cast<uint64_t>(question_.ids.size()) * row_bytes_;
  return std::make_shared<Buffer>(part_->context_->buffers()->acquire(bytes));
}

void RemoteRows::begin_to_ask() {
  const int64_t count = question_.ids.size();
  if (!has_target_ && count > rows_per_call()) {
    joined_ = make_room();
  }
  ask_pieces(part_->options_.ask_again, [this](uint64_t at, uint64_t bytes) -> net::ReplyPlace {
    return joined_ != nullptr ? net::ReplyPlace{joined_, {joined_->as<>() + at, bytes}}
                              : net::ReplyPlace{};
  });
}

int64_t RemoteRows::rows_per_call() const {
  constexpr uint64_t kIdBytes = 8;  // requests are bounded, too
  const uint64_t rows = part_->options_.most_reply_bytes / std::max(row_bytes_, kIdBytes);
  return static_cast<int64_t>(std::max<uint64_t>(rows, 1));
}

// `place` returns the memory for a range of bytes, given its offset among all bytes.
void RemoteRows::ask_pieces(bool again, const Place& place) {
  rows_per_call_ = rows_per_call();
  const int64_t count = question_.ids.size();
  for (int64_t at = 0; at < count; at += rows_per_call_) {
    const int64_t rows = std::min(rows_per_call_, count - at);
    calls_.push_back(std::make_unique<Call>(
        part_->peer_, Kind::kRows, [this, at, rows] { return encode_piece(at, rows); }, deadline_,
        again,
        place(static_cast<uint64_t>(at) * row_bytes_, static_cast<uint64_t>(rows) * row_bytes_)));
  }
}

Result<Tensor> RemoteRows::join() {
  GLS_TRY(status_.copy());
  GLS_ASSIGN(const bool read, were_read());
  if (read) {
    auto* const rows = read_to_->as<>();
    return Tensor(std::move(read_to_), rows, question_.dtype, shape_, false);
  }
  if (calls_.size() != 1) {
    return join_answers();
  }
  GLS_ASSIGN(net::Message reply, calls_[0]->wait());
  GLS_TRY(
      cluster::check_rows(reply.bytes(), static_cast<uint64_t>(question_.ids.size()), row_bytes_));
  auto* const rows = reply.data();
  return Tensor(std::make_shared<net::Message>(std::move(reply)), rows, question_.dtype, shape_,
                false);
}

// Most replies arrive in their final place. A repeated request does not, and the first reply may
// still be written there. Then all rows are copied to other memory.
Result<Tensor> RemoteRows::join_answers() {
  std::shared_ptr<Buffer> out = joined_ != nullptr ? joined_ : make_room();
  GLS_TRY(take_pieces([&](int64_t begin, std::span<const std::byte> rows) {
    const uint64_t at = static_cast<uint64_t>(begin) * row_bytes_;
    if (rows.data() == out->as<>() + at) {
      return;
    }
    if (out == joined_) {
      out = make_room();
      std::copy_n(joined_->as<>(), at, out->as<>());
    }
    std::copy(rows.begin(), rows.end(), out->as<>() + at);
  }));
  joined_ = nullptr;
  auto* const rows = out->as<>();
  return Tensor(std::move(out), rows, question_.dtype, shape_, false);
}

Status RemoteRows::put_all(const RowTarget& target) {
  GLS_TRY(status_.copy());
  GLS_TRY(check_row_bytes(target.row_bytes));
  const auto count = static_cast<uint64_t>(question_.ids.size());
  const GatherOptions options = GatherOptions::from(*part_->context_).for_bytes(count * row_bytes_);
  GLS_ASSIGN(const bool read, were_read());
  if (read) {
    if (read_to_ != nullptr) {
      target.put(0, {read_to_->as<>(), count * row_bytes_}, options);
    }
    return {};
  }
  return take_pieces(
      [&](int64_t begin, std::span<const std::byte> rows) { target.put(begin, rows, options); });
}

Status RemoteRows::take_pieces(const Take& take) {
  int64_t at = 0;
  for (auto& call : calls_) {
    const int64_t rows = std::min(rows_per_call_, question_.ids.size() - at);
    GLS_ASSIGN(const net::Message reply, call->wait());
    call = nullptr;
    GLS_TRY(cluster::check_rows(reply.bytes(), static_cast<uint64_t>(rows), row_bytes_));
    take(at, reply.bytes());
    at += rows;
  }
  return {};
}

Status RemoteRows::about(Status status) const {
  return part_->about(std::move(status),
                      formatted("{} rows of {} column \"{}\"", question_.ids.size(),
                                question_.of_nodes ? "node" : "edge", column_));
}

Result<Tensor> RemoteRows::wait() {
  Result<Tensor> out = join();
  calls_.clear();  // cancels the calls that are still in flight
  return out.ok() ? std::move(out) : about(std::move(out.status()));
}

Status RemoteRows::wait_to(const RowTarget& target) {
  Status out = put_all(target);
  calls_.clear();
  return out.ok() ? std::move(out) : about(std::move(out));
}

}  // namespace gls
