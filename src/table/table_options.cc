#include "table/table_options.h"

#include <cmath>

#include "base/text.h"

namespace gls::table {
namespace {

Status check_beta(double beta, const char* name) {
  if (!(beta >= 0 && beta < 1)) {
    return invalid("{} is {}, expected less than 1", name, beta).with("argument", name);
  }
  return {};
}

}  // namespace

const char* name_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::kNone:
      return "none";
    case Optimizer::kSgd:
      return "SGD";
    case Optimizer::kAdagrad:
      return "Adagrad";
    case Optimizer::kAdam:
      return "Adam";
  }
  return "none";
}

Status check(const TableOptions& options) {
  if (options.width < 1 || options.width > kMostWidth) {
    return invalid("width is {}, expected 1 to {}", options.width, kMostWidth)
        .with("argument", "width");
  }
  if (!dtype_supported(options.dtype)) {
    return error(GLS_ERR_UNSUPPORTED, "dtype is {}", dtype_name(options.dtype))
        .with("argument", "dtype");
  }
  const bool is_float = same_dtype(options.dtype, kFloat32);
  if (options.optimizer != Optimizer::kNone && !is_float) {
    return error(GLS_ERR_UNSUPPORTED, "optimizer: {} changes float32 alone, and dtype is {}",
                 name_of(options.optimizer), dtype_name(options.dtype))
        .with("argument", "dtype");
  }
  constexpr double kMost = 1e38;
  if (!(std::abs(options.low) <= kMost)) {
    return invalid("low is {}", options.low).with("argument", "low");
  }
  if (!(options.high >= options.low && options.high <= kMost)) {
    return invalid("high is {}, and low is {}", options.high, options.low).with("argument", "high");
  }
  if (!is_float && (options.low != 0 || options.high != 0)) {
    return error(GLS_ERR_UNSUPPORTED, "low and high are of float32 alone, and dtype is {}",
                 dtype_name(options.dtype))
        .with("argument", "low");
  }
  if (!std::isfinite(options.epsilon) || options.epsilon < 0) {
    return invalid("epsilon is {}", options.epsilon).with("argument", "epsilon");
  }
  GLS_TRY(check_beta(options.beta1, "beta1"));
  return check_beta(options.beta2, "beta2");
}

std::string difference(const TableOptions& is, const TableOptions& wanted) {
  const auto differs = [](const char* what, const auto& there, const auto& here) {
    return formatted("{} is {} there, and {} is wanted", what, there, here);
  };
  if (!same_dtype(is.dtype, wanted.dtype)) {
    return differs("dtype", dtype_name(is.dtype), dtype_name(wanted.dtype));
  }
  if (is.optimizer != wanted.optimizer) {
    return differs("optimizer", name_of(is.optimizer), name_of(wanted.optimizer));
  }
  struct Number {
    const char* name;
    double is;
    double wanted;
  };
  for (const Number& number :
       {Number{"low", is.low, wanted.low}, Number{"high", is.high, wanted.high},
        Number{"epsilon", is.epsilon, wanted.epsilon}, Number{"beta1", is.beta1, wanted.beta1},
        Number{"beta2", is.beta2, wanted.beta2}}) {
    if (number.is != number.wanted) {
      return differs(number.name, number.is, number.wanted);
    }
  }
  if (is.width != wanted.width) {
    return differs("width", is.width, wanted.width);
  }
  if (is.seed != wanted.seed) {
    return differs("seed", is.seed, wanted.seed);
  }
  if (is.mean != wanted.mean) {
    return differs("GLS_TABLE_MEAN", is.mean, wanted.mean);
  }
  return is.row_steps != wanted.row_steps
             ? differs("GLS_TABLE_ROW_STEPS", is.row_steps, wanted.row_steps)
             : std::string();
}

std::vector<ArrayForm> arrays_of(const TableOptions& options) {
  std::vector<ArrayForm> out = {{Array::kValues, options.dtype, options.width, "rows"}};
  if (options.optimizer == Optimizer::kAdagrad || options.optimizer == Optimizer::kAdam) {
    out.push_back({Array::kFirst, kFloat32, options.width,
                   options.optimizer == Optimizer::kAdam ? "m" : "sum"});
  }
  if (options.optimizer == Optimizer::kAdam) {
    out.push_back({Array::kSecond, kFloat32, options.width, "v"});
    if (options.row_steps) {
      out.push_back({Array::kSteps, kInt32, 1, "steps"});
    }
  }
  return out;
}

const ArrayForm* find_form(const std::vector<ArrayForm>& forms, Array array) {
  for (const ArrayForm& form : forms) {
    if (form.array == array) {
      return &form;
    }
  }
  return nullptr;
}

int64_t bytes_per_row(const TableOptions& options) {
  int64_t out = 0;
  for (const ArrayForm& form : arrays_of(options)) {
    out += form.row_bytes();
  }
  return out;
}

}  // namespace gls::table
