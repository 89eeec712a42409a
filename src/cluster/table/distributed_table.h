// A table as a trainer uses it: all of its rows, in this process or on servers.
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

class DistributedTable {
 public:
  // Without options, the table must exist, and this handle takes no steps. Errors: see gls.h.
  static Result<std::unique_ptr<DistributedTable>> open(std::shared_ptr<const Dataset> dataset,
                                                        TableSpec asked, TableRank rank,
                                                        int64_t timeout_ms);

  const Dataset& dataset() const { return *dataset_; }
  const std::string& name() const { return asked_.name; }
  const std::string& type_name() const { return dataset_->type_name(asked_.type); }
  const table::TableOptions& options() const { return shards_.front()->options(); }
  int64_t rows() const { return dataset_->type_count(asked_.type); }
  TableRank rank() const { return rank_; }
  int64_t step() const { return step_; }

  // The same for all trainers, and different for every other table.
  uint64_t number() const;
  // The step of all parts. An error: parts are at different steps, or the outcome of a step by this
  // handle is unknown.
  Result<int64_t> common_step() const;

  Result<Tensor> find_rows(IdSpan ids) const;
  Status write_rows(IdSpan ids, const Tensor& rows) const;
  // Only one call at a time.
  Status take_step(IdSpan ids, const Tensor& gradients, double learning_rate, int64_t timeout_ms);
  // No steps are taken until all trainers have finished the load.
  Status begin_load();
  // Reports that this trainer has written its share of a table that was saved after `step`.
  Status finish_load(int64_t step, int64_t timeout_ms);
  Status drop() const;

  // Reads consecutive rows of any array of the table, from id `begin` on.
  Status read(table::Array array, int64_t begin, int64_t count, std::byte* out) const;
  Status write(table::Array array, int64_t begin, int64_t count, const std::byte* rows) const;

 private:
  // What a trainer sends to one part.
  struct Share {
    std::vector<int64_t> ids;
    std::vector<float> sums;
    std::vector<int32_t> counts;
  };
  DistributedTable() = default;
  Status read_ids(table::Array array, IdSpan ids, std::byte* out) const;
  // `row(i)` is the row of ids[i]; each id occurs once.
  template <typename Row>
  Status write_ids(table::Array array, IdSpan ids, const Row& row) const;
  Status can_step() const;
  Result<std::vector<Share>> sum_up(IdSpan ids, const Tensor& gradients) const;
  Status take_turn(const TableTurn& turn, const std::vector<Share>& shares, int64_t timeout_ms);
  Status give_up(const std::vector<TableTurn>& turns, Status why);

  std::shared_ptr<const Dataset> dataset_;
  TableSpec asked_;
  TableRank rank_;
  bool takes_steps_ = false;
  bool served_ = false;
  const PartitionBook* book_ = nullptr;  // NULL: one shard holds all rows
  TableShards shards_;
  std::vector<table::ArrayForm> forms_;
  std::atomic<int64_t> step_ = 0;
  bool steps_differ_ = false;
  // Identifies the next step. If it is unknown whether all parts took a step, only that step may be
  // repeated.
  uint64_t token_ = random_number();
  std::optional<uint64_t> undecided_;  // a hash of the step
};

}  // namespace gls
