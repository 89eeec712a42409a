#include "table/row_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <utility>

#include "base/checksum.h"
#include "base/float_mode.h"
#include "base/philox.h"
#include "context/parallel.h"
#include "table/optimizer.h"

namespace gls::table {
namespace {

constexpr size_t kRowsAtOnce = 4096;
constexpr size_t kNumbersAtOnce = size_t{1} << 16;

size_t grain(int64_t width) {
  return std::clamp(kNumbersAtOnce / static_cast<size_t>(width), size_t{1}, kRowsAtOnce);
}

uint64_t beginning_key(const std::string& name, uint64_t seed) {
  const uint64_t hash = hash64(std::as_bytes(std::span(name)));
  return key_of(
      philox(lo32(hash), hi32(hash), static_cast<uint32_t>(KeyDomain::kTable), kContractTag, seed));
}

}  // namespace

RowTable::RowTable(const TableOptions& options, int64_t rows)
    : options_(options), rows_(rows), forms_(arrays_of(options_)) {
  for (const ArrayForm& form : forms_) {
    blocks_.emplace_back(static_cast<size_t>(std::max<int64_t>(rows * form.row_bytes(), 1)), true);
  }
}

Result<std::unique_ptr<RowTable>> RowTable::create(const std::string& name,
                                                   const TableOptions& options, int64_t rows,
                                                   const std::function<int64_t(int64_t)>& id_of,
                                                   ThreadPool& pool) {
  GLS_TRY(check(options));
  int64_t bytes = 0;
  bool fits = !__builtin_mul_overflow(rows, bytes_per_row(options), &bytes);
  std::unique_ptr<RowTable> out;
  try {
    out.reset(fits ? new RowTable(options, rows) : nullptr);
  } catch (const std::bad_alloc&) {
    fits = false;
  }
  if (!fits) {
    return error(GLS_ERR_OUT_OF_MEMORY, "{} rows of {} bytes have no room", rows,
                 bytes_per_row(options));
  }
  if (options.low != 0 || options.high != 0) {
    const uint64_t key = beginning_key(name, options.seed);
    GLS_TRY(parallel_try(pool, static_cast<size_t>(rows), grain(options.width),
                         [&](size_t begin, size_t end) -> Status {
                           const DefaultFloatMode mode;
                           for (auto row = static_cast<int64_t>(begin);
                                row < static_cast<int64_t>(end); ++row) {
                             out->draw(key, row, id_of(row));
                           }
                           return {};
                         }));
  }
  return out;
}

void RowTable::draw(uint64_t key, int64_t row, int64_t id) {
  auto* const values = reinterpret_cast<float*>(row_of(Array::kValues, row));
  const auto low = static_cast<float>(options_.low);
  if (options_.low == options_.high) {
    std::fill_n(values, options_.width, low);
    return;
  }
  const double range = options_.high - options_.low;
  const float most = std::nextafterf(static_cast<float>(options_.high), low);
  RowDraws draws(key, 0, static_cast<uint64_t>(id));
  for (int64_t i = 0; i < options_.width; ++i) {
    const double share = (draws.u32(static_cast<uint32_t>(i)) >> 8) * 0x1p-24;
    values[i] = std::min(static_cast<float>(options_.low + range * share), std::max(most, low));
  }
}

const ArrayForm* RowTable::form(Array array) const { return find_form(forms_, array); }

std::byte* RowTable::row_of(Array array, int64_t row) const {
  for (size_t f = 0; f < forms_.size(); ++f) {
    if (forms_[f].array == array) {
      return blocks_[f].data() + row * forms_[f].row_bytes();
    }
  }
  return nullptr;
}

void RowTable::read(Array array, IdSpan rows, std::byte* out) const {
  const auto bytes = static_cast<size_t>(form(array)->row_bytes());
  const std::byte* const begin = row_of(array, 0);
  for (int64_t i = 0; i < rows.size(); ++i) {
    std::memcpy(out + static_cast<size_t>(i) * bytes, begin + static_cast<size_t>(rows[i]) * bytes,
                bytes);
  }
}

void RowTable::write(Array array, IdSpan rows, const std::byte* in) {
  const auto bytes = static_cast<size_t>(form(array)->row_bytes());
  std::byte* const begin = row_of(array, 0);
  for (int64_t i = 0; i < rows.size(); ++i) {
    std::memcpy(begin + static_cast<size_t>(rows[i]) * bytes, in + static_cast<size_t>(i) * bytes,
                bytes);
  }
}

StepPlan RowTable::plan(std::vector<const Gradients*> trainers) const {
  StepPlan out;
  out.trainers = std::move(trainers);
  size_t count = 0;
  for (const Gradients* own : out.trainers) {
    count += own->rows.size();
  }
  out.pieces.reserve(count);
  for (uint32_t t = 0; t < out.trainers.size(); ++t) {
    const auto& rows = out.trainers[t]->rows;
    for (uint32_t i = 0; i < rows.size(); ++i) {
      out.pieces.push_back({rows[i], t, i});
    }
  }
  std::sort(out.pieces.begin(), out.pieces.end(),
            [](const StepPlan::Piece& a, const StepPlan::Piece& b) {
              return std::pair(a.row, a.trainer) < std::pair(b.row, b.trainer);
            });
  for (size_t p = 0; p < out.pieces.size(); ++p) {
    if (p == 0 || out.pieces[p].row != out.pieces[p - 1].row) {
      out.firsts.push_back(p);
    }
  }
  out.sums.resize(out.firsts.size() * static_cast<size_t>(options_.width));
  return out;
}

Status RowTable::apply(StepPlan* plan, double learning_rate, int64_t step, ThreadPool& pool) {
  const DefaultFloatMode as_everywhere;
  const RowUpdate update(options_, learning_rate, step);
  const auto width = static_cast<size_t>(options_.width);
  const auto change = [&](size_t begin, size_t end) -> Status {
    const DefaultFloatMode mode;
    for (size_t r = begin; r < end; ++r) {
      const size_t last = r + 1 < plan->firsts.size() ? plan->firsts[r + 1] : plan->pieces.size();
      float* const sum = plan->sums.data() + r * width;
      int64_t count = 0;
      for (size_t p = plan->firsts[r]; p < last; ++p) {
        const StepPlan::Piece& piece = plan->pieces[p];
        const Gradients& own = *plan->trainers[piece.trainer];
        const float* const part = own.sums.data() + piece.at * width;
        for (size_t i = 0; i < width; ++i) {
          sum[i] += part[i];
        }
        count += own.counts.empty() ? 1 : own.counts[piece.at];
      }
      for (size_t i = 0; i < width && options_.mean; ++i) {
        sum[i] /= static_cast<float>(count);
      }
      const int64_t row = plan->pieces[plan->firsts[r]].row;
      update({reinterpret_cast<float*>(row_of(Array::kValues, row)),
              reinterpret_cast<float*>(row_of(Array::kFirst, row)),
              reinterpret_cast<float*>(row_of(Array::kSecond, row)),
              reinterpret_cast<int32_t*>(row_of(Array::kSteps, row))},
             sum);
    }
    return {};
  };
  return parallel_try(pool, plan->firsts.size(), grain(options_.width), change);
}

}  // namespace gls::table
