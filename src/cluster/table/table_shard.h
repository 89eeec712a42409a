// The rows of a table that one process holds: this process, or a server for one part.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/part/part.h"
#include "cluster/rpc/part_functions.h"
#include "cluster/wire/table_messages.h"
#include "graph/dataset/dataset.h"
#include "query/graph_source.h"
#include "table/shared_table.h"

namespace gls {

struct TableRank {
  uint32_t rank = 0;
  uint32_t world_size = 1;
};

// The name of a table and its options. Without options, the table must exist.
struct TableSpec {
  Dataset::TypeIndex type{};
  std::string name;
  std::optional<table::TableOptions> options;
};

// As table::Turn, with global ids. The ids and other data must outlive the wait.
struct TableTurn {
  bool loads = false;
  int64_t step = 0;
  TableRank rank;
  double learning_rate = 0;
  uint64_t token = 0;
  IdSpan ids;  // ascending, without repeats
  const float* sums = nullptr;
  const int32_t* counts = nullptr;
};

struct Withdrawn {
  bool taken = false;             // taken earlier, so it was not withdrawn
  std::vector<uint32_t> missing;  // the ranks that it waited for
};

// Ids and rows that a request views must outlive the wait.
class TableShard {
 public:
  virtual ~TableShard() = default;
  virtual const table::TableOptions& options() const = 0;
  virtual uint64_t number() const = 0;
  virtual int64_t step() const = 0;  // the step when it was opened
  virtual Deferred<Done> ask_read(table::Array array, IdSpan ids, std::byte* out) const = 0;
  virtual Deferred<Done> ask_write(table::Array array, IdSpan ids, const std::byte* rows) const = 0;
  // An error: the step does not fit into one request.
  virtual Status check_size(const TableTurn& turn) const = 0;
  // Announces a step, waits until it is taken, and withdraws it.
  virtual Deferred<Done> ask_come(const TableTurn& turn) const = 0;
  virtual Deferred<Done> ask_wait(const TableTurn& turn, int64_t timeout_ms) const = 0;
  virtual Deferred<Withdrawn> ask_withdraw(const TableTurn& turn) const = 0;
  virtual Deferred<Done> ask_begin_load(TableRank rank) const = 0;
  virtual Deferred<table::TableState> ask_state() const = 0;
  virtual Deferred<Done> ask_drop() const = 0;
};

using TableShards = std::vector<std::unique_ptr<const TableShard>>;

// Opens a table in memory of this process, which lives as long as the dataset.
Result<TableShards> open_local_table(const Dataset& dataset, const TableSpec& asked);
// Opens a table on servers, with one shard for each part.
Result<TableShards> open_remote_table(const std::shared_ptr<const Dataset>& dataset,
                                      const group::PartFunctions& servers, const TableSpec& asked,
                                      int64_t timeout_ms);

}  // namespace gls
