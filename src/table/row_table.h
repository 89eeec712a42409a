// The rows of a table that this process holds, and what its optimiser keeps of them.
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

// What one trainer has for a step: of each row at most one sum, rows ascending.
struct Gradients {
  std::vector<int64_t> rows;
  std::vector<float> sums;                     // [rows, width]
  std::vector<int32_t> counts;                 // of what was summed; for the mean alone
  std::shared_ptr<const void> room = nullptr;  // what their memory is counted by
};

// What all trainers have, by row, and memory for the sums.
struct StepPlan {
  struct Piece {
    int64_t row = 0;
    uint32_t trainer = 0;
    uint32_t at = 0;
  };
  std::vector<const Gradients*> trainers;
  std::vector<Piece> pieces;   // by row, and then in the order of the trainers
  std::vector<size_t> firsts;  // of each row
  std::vector<float> sums;     // [rows, width]
};

// Not for two threads at a time, unless both read.
class RowTable {
 public:
  // `id_of(row)` is the id in the whole, by which a row begins the same wherever it is held.
  static Result<std::unique_ptr<RowTable>> create(const std::string& name,
                                                  const TableOptions& options, int64_t rows,
                                                  const std::function<int64_t(int64_t)>& id_of,
                                                  ThreadPool& pool);

  const TableOptions& options() const { return options_; }
  int64_t rows() const { return rows_; }
  // NULL: the table has no such array.
  const ArrayForm* form(Array array) const;

  // `rows` are in range and `array` is there; rows lie one after another.
  void read(Array array, IdSpan rows, std::byte* out) const;
  void write(Array array, IdSpan rows, const std::byte* in);
  StepPlan plan(std::vector<const Gradients*> trainers) const;
  // Sums what all trainers have, in their order, and changes each row once. `step` is the number of
  // this one, from 1 on. An error changes nothing.
  Status apply(StepPlan* plan, double learning_rate, int64_t step, ThreadPool& pool);
  // Gives the memory back; then there are no rows.
  void free() { blocks_.clear(); }

 private:
  RowTable(const TableOptions& options, int64_t rows);
  std::byte* row_of(Array array, int64_t row) const;
  void draw(uint64_t key, int64_t row, int64_t id);

  const TableOptions options_;
  const int64_t rows_;
  const std::vector<ArrayForm> forms_;
  std::vector<PageBlock> blocks_;  // of forms_
};

}  // namespace gls::table
