// Rows of a part that another process serves, asked for in pieces that are on their way together.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cluster/served_part.h"

namespace gls {

class ServedRows {
 public:
  static Later<Tensor> ask(std::shared_ptr<const ServedPart> part, const RowQuestion& question);
  static Later<Done> ask_to(std::shared_ptr<const ServedPart> part, const RowQuestion& question,
                            const RowTarget& target);

 private:
  ServedRows(std::shared_ptr<const ServedPart> part, const RowQuestion& question)
      : part_(std::move(part)), question_(question), deadline_(part_->options_.timeout_ms) {}

  Status send();
  Status find_column();
  static std::shared_ptr<ServedRows> send_all(std::shared_ptr<const ServedPart> part,
                                              const RowQuestion& question);
  Result<Tensor> wait();
  Status wait_to(const RowTarget& target);
  Result<Tensor> join();
  Status put_all(const RowTarget& target);
  // Gives the rows from `begin` on, piece by piece, as they come.
  using Take = std::function<void(int64_t begin, std::span<const std::byte> rows)>;
  Status take_pieces(const Take& take);
  Status about(Status status) const;
  Result<net::Message> encode_piece(int64_t begin, int64_t count) const;

  const std::shared_ptr<const ServedPart> part_;
  const RowQuestion question_;
  const cluster::Deadline deadline_;
  std::string column_;
  std::vector<int64_t> shape_;
  uint64_t row_bytes_ = 0;
  int64_t rows_per_call_ = 0;
  Status status_;  // of what was wrong before anything was sent
  std::vector<std::unique_ptr<cluster::Call>> calls_;
};

}  // namespace gls
