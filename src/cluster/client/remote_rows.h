// Fetches rows of a remote part. They are read from the server's memory where that was faster.
// Otherwise the client requests them in pieces that are in flight together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster/client/one_sided_row_read.h"
#include "cluster/client/remote_part.h"

namespace gls {

// How to fetch rows: the best way, or, to compare, always by request.
enum class RowRoute : uint8_t { kBest, kByRequest };

class RemoteRows {
 public:
  static Deferred<Tensor> ask(std::shared_ptr<const RemotePart> part, const RowQuestion& question,
                              RowRoute route = RowRoute::kBest);
  static Deferred<Done> ask_to(std::shared_ptr<const RemotePart> part, const RowQuestion& question,
                               const RowTarget& target);
  // See Part::land_rows().
  static Deferred<bool> land(std::shared_ptr<const RemotePart> part, const RowQuestion& question,
                             const RowLanding& landing);

 private:
  RemoteRows(std::shared_ptr<const RemotePart> part, const RowQuestion& question)
      : part_(std::move(part)), question_(question), deadline_(part_->options_.timeout_ms) {}

  Status send(RowRoute route, const RowTarget* target);
  Status send_to(const RowLanding& landing);
  Status begin_to_read(const RowTarget* target);
  Status begin_to_read(const std::function<OneSidedRowRead::Target(size_t count)>& target);
  Status check_row_bytes(int64_t expected) const;
  Result<bool> were_read();
  void begin_to_ask();
  int64_t rows_per_call() const;
  using Place = std::function<net::ReplyPlace(uint64_t at, uint64_t bytes)>;
  void ask_pieces(bool again, const Place& place);
  Status find_column();
  static std::shared_ptr<RemoteRows> send_all(std::shared_ptr<const RemotePart> part,
                                              const RowQuestion& question, RowRoute route,
                                              const RowTarget* target);
  Result<Tensor> wait();
  Status wait_to(const RowTarget& target);
  Result<bool> wait_to(const RowLanding& landing);
  Result<bool> land_all(const RowLanding& landing);
  Result<bool> land_pieces(const RowLanding& landing);
  Result<bool> not_received(Status why) const;
  Result<Tensor> join();
  Result<Tensor> join_answers();
  std::shared_ptr<Buffer> make_room() const;
  Status put_all(const RowTarget& target);
  // Receives the rows from `begin` on, piece by piece, as they arrive.
  using Take = std::function<void(int64_t begin, std::span<const std::byte> rows)>;
  Status take_pieces(const Take& take);
  Status about(Status status) const;
  Result<net::Message> encode_piece(int64_t begin, int64_t count) const;

  const std::shared_ptr<const RemotePart> part_;
  const RowQuestion question_;
  const cluster::Deadline deadline_;
  std::string column_;
  std::vector<int64_t> shape_;
  uint64_t row_bytes_ = 0;
  int64_t rows_per_call_ = 0;
  bool has_target_ = false;  // false: the rows become a new array
  Status status_;            // an error found before anything was sent
  std::vector<std::unique_ptr<cluster::Call>> calls_;
  std::shared_ptr<Buffer> joined_;            // null: each reply has memory of its own
  std::unique_ptr<OneSidedRowRead> reading_;  // used instead of calls
  std::shared_ptr<Buffer> read_to_;           // null: the rows are read into the target
};

}  // namespace gls
