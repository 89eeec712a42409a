// Rows of a part that another process serves, asked for in pieces that are on their way together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/served_part.h"

namespace gls {

class ServedRows {
 public:
  static Later<Tensor> ask(std::shared_ptr<const ServedPart> part, const RowQuestion& question);

 private:
  ServedRows(std::shared_ptr<const ServedPart> part, const RowQuestion& question)
      : part_(std::move(part)), question_(question), deadline_(part_->options_.timeout_ms) {}

  Status send();
  Status find_column();
  Result<Tensor> wait();
  Result<Tensor> join();
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
