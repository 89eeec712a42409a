// The optimisers of tables: how a step changes one row.
//
// Sources: Duchi, Hazan, Singer, "Adaptive subgradient methods", JMLR 12 (2011); Kingma, Ba,
// "Adam", ICLR 2015, for the rows of a step only.
#pragma once

#include <cstdint>

#include "table/table_options.h"

namespace gls::table {

// Pointers to a row and to its optimiser state; NULL where the optimiser has no such state.
struct Row {
  float* values = nullptr;
  float* first = nullptr;
  float* second = nullptr;
  int32_t* steps = nullptr;
};

class RowUpdate {
 public:
  // `step`: the number of the step, from 1 on.
  RowUpdate(const TableOptions& options, double learning_rate, int64_t step);
  // The thread must be in DefaultFloatMode.
  void operator()(const Row& row, const float* gradient) const;

 private:
  void adam(const Row& row, const float* gradient) const;
  void adam_of_row(const Row& row, const float* gradient) const;

  const TableOptions& options_;
  float rate_ = 0;
  float epsilon_ = 0;
  float first_share_ = 0;   // 1 - beta1
  float second_share_ = 0;  // 1 - beta2
};

}  // namespace gls::table
