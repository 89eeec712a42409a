// The rows of a table that this process holds, and their optimiser state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "context/thread_pool.h"
#include "system/memory.h"
#include "table/table_options.h"
#include "tensor/tensor.h"

namespace gls::table {

// The gradients of one trainer for a step: at most one sum for each row, rows ascending.
struct Gradients {
  std::vector<int64_t> rows;
  std::vector<float> sums;                     // [rows, width]
  std::vector<int32_t> counts;                 // how many gradients were summed; only for the mean
  std::shared_ptr<const void> room = nullptr;  // the reservation of its memory
};

// The gradients of all trainers by row, and memory for the sums.
struct StepPlan {
  struct Piece {
    int64_t row = 0;
    uint32_t trainer = 0;
    uint32_t at = 0;
  };
  std::vector<const Gradients*> trainers;
  std::vector<Piece> pieces;   // by row, then in the order of the trainers
  std::vector<size_t> firsts;  // of each row
  std::vector<float> sums;     // [rows, width]
};

// Two threads may use it at a time only to read.
class RowTable {
 public:
  // `id_of(row)` is the global id, which determines the initial values of a row in any process.
  static Result<std::unique_ptr<RowTable>> create(const std::string& name,
                                                  const TableOptions& options, int64_t rows,
                                                  const std::function<int64_t(int64_t)>& id_of,
                                                  ThreadPool& pool);

  const TableOptions& options() const { return options_; }
  int64_t rows() const { return rows_; }
  // NULL: the table has no such array.
  const ArrayForm* form(Array array) const;

  // `rows` are in range, and the array exists; rows are written one after another.
  void read(Array array, IdSpan rows, std::byte* out) const;
  void write(Array array, IdSpan rows, const std::byte* in);
  StepPlan plan(std::vector<const Gradients*> trainers) const;
  // Sums the gradients of all trainers in order, and changes each row once. `step` is the number of
  // this step, from 1 on. An error changes nothing.
  Status apply(StepPlan* plan, double learning_rate, int64_t step, ThreadPool& pool);
  // Frees the memory; the table then has no rows.
  void free() { blocks_.clear(); }

 private:
  RowTable(const TableOptions& options, int64_t rows);
  std::byte* row_of(Array array, int64_t row) const;
  void draw(uint64_t key, int64_t row, int64_t id);

  const TableOptions options_;
  const int64_t rows_;
  const std::vector<ArrayForm> forms_;
  std::vector<PageBlock> blocks_;  // for each entry of forms_
};

}  // namespace gls::table
