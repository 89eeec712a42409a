#include "table/optimizer.h"

#include <algorithm>
#include <cmath>

namespace gls::table {
namespace {

// By squaring, because math libraries round pow() differently.
double power(double base, int64_t exponent) {
  double out = 1;
  for (; exponent > 0; exponent >>= 1) {
    out *= (exponent & 1) != 0 ? base : 1;
    base *= base;
  }
  return out;
}

}  // namespace

RowUpdate::RowUpdate(const TableOptions& options, double learning_rate, int64_t step)
    : options_(options),
      rate_(static_cast<float>(learning_rate)),
      epsilon_(static_cast<float>(options.epsilon)),
      first_share_(static_cast<float>(1 - options.beta1)),
      second_share_(static_cast<float>(1 - options.beta2)) {
  if (options.optimizer == Optimizer::kAdam && !options.row_steps) {
    rate_ = static_cast<float>(learning_rate * std::sqrt(1 - power(options.beta2, step)) /
                               (1 - power(options.beta1, step)));
  }
}

void RowUpdate::operator()(const Row& row, const float* gradient) const {
  switch (options_.optimizer) {
    case Optimizer::kNone:
      return;
    case Optimizer::kSgd:
      for (int64_t i = 0; i < options_.width; ++i) {
        row.values[i] -= rate_ * gradient[i];
      }
      return;
    case Optimizer::kAdagrad:
      for (int64_t i = 0; i < options_.width; ++i) {
        row.first[i] += gradient[i] * gradient[i];
        row.values[i] -= rate_ * (gradient[i] / (std::sqrt(row.first[i]) + epsilon_));
      }
      return;
    case Optimizer::kAdam:
      if (options_.row_steps) {
        adam_of_row(row, gradient);
      } else {
        adam(row, gradient);
      }
      return;
  }
}

void RowUpdate::adam(const Row& row, const float* gradient) const {
  for (int64_t i = 0; i < options_.width; ++i) {
    const float g = gradient[i];
    row.first[i] += (g - row.first[i]) * first_share_;
    row.second[i] += (g * g - row.second[i]) * second_share_;
    row.values[i] -= rate_ * (row.first[i] / (std::sqrt(row.second[i]) + epsilon_));
  }
}

void RowUpdate::adam_of_row(const Row& row, const float* gradient) const {
  const int64_t step = int64_t{std::max(*row.steps, 0)} + 1;  // a user may have written it
  *row.steps = static_cast<int32_t>(step < INT32_MAX ? step : INT32_MAX);
  const auto first_scale = static_cast<float>(1 - power(options_.beta1, step));
  const auto second_scale = static_cast<float>(1 - power(options_.beta2, step));
  for (int64_t i = 0; i < options_.width; ++i) {
    const float g = gradient[i];
    row.first[i] += (g - row.first[i]) * first_share_;
    row.second[i] += (g * g - row.second[i]) * second_share_;
    row.values[i] -= rate_ * ((row.first[i] / first_scale) /
                              (std::sqrt(row.second[i] / second_scale) + epsilon_));
  }
}

}  // namespace gls::table
