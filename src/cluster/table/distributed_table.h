// A table as who trains sees it: all its rows, wherever they are held.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/random_number.h"
#include "cluster/table/table_shard.h"

namespace gls {

class WholeTable {
 public:
  // Without options the table is there, and takes no steps by this. An error: see gls.h.
  static Result<std::unique_ptr<WholeTable>> open(std::shared_ptr<const Dataset> dataset,
                                                  TableAsked asked, TableRank rank,
                                                  int64_t timeout_ms);

  const Dataset& dataset() const { return *dataset_; }
  const std::string& name() const { return asked_.name; }
  const std::string& type_name() const { return dataset_->type_name(asked_.type); }
  const table::TableOptions& options() const { return shards_.front()->options(); }
  int64_t rows() const { return dataset_->type_count(asked_.type); }
  TableRank rank() const { return rank_; }
  int64_t step() const { return step_; }

  // The same for all trainers, and of no other table.
  uint64_t number() const;
  // Of all parts now. An error: they are at different steps, or nobody knows what became of one of
  // this handle.
  Result<int64_t> common_step() const;

  Result<Tensor> find_rows(IdSpan ids) const;
  Status write_rows(IdSpan ids, const Tensor& rows) const;
  // Not two of these at a time.
  Status take_step(IdSpan ids, const Tensor& gradients, double learning_rate, int64_t timeout_ms);
  // There are no steps until all trainers have finished it.
  Status begin_load();
  // That this trainer has written its share of what was saved after a step.
  Status finish_load(int64_t step, int64_t timeout_ms);
  Status drop() const;

  // Rows of any array that the table has, of ids from `begin` on, one after another.
  Status read(table::Array array, int64_t begin, int64_t count, std::byte* out) const;
  Status write(table::Array array, int64_t begin, int64_t count, const std::byte* rows) const;

 private:
  // What a trainer has for one part.
  struct Share {
    std::vector<int64_t> ids;
    std::vector<float> sums;
    std::vector<int32_t> counts;
  };
  WholeTable() = default;
  Status read_ids(table::Array array, IdSpan ids, std::byte* out) const;
  // `row(i)` is the row of ids[i]; each id is there once.
  template <typename Row>
  Status write_ids(table::Array array, IdSpan ids, const Row& row) const;
  Status can_step() const;
  Result<std::vector<Share>> sum_up(IdSpan ids, const Tensor& gradients) const;
  Status take_turn(const TableTurn& turn, const std::vector<Share>& shares, int64_t timeout_ms);
  Status give_up(const std::vector<TableTurn>& turns, Status why);

  std::shared_ptr<const Dataset> dataset_;
  TableAsked asked_;
  TableRank rank_;
  bool takes_steps_ = false;
  bool served_ = false;
  const Book* book_ = nullptr;  // NULL: there is one shard
  TableShards shards_;
  std::vector<table::ArrayForm> forms_;
  std::atomic<int64_t> step_ = 0;
  bool steps_differ_ = false;
  // Of the turn that comes next, or of one of which nobody knows whether all parts took it: that
  // may only be asked again.
  uint64_t token_ = random_number();
  std::optional<uint64_t> undecided_;  // a hash of what it was
};

}  // namespace gls
