#include "graph/topology/global_ids.h"

#include <algorithm>
#include <utility>

namespace gls {

Result<GlobalIds> GlobalIds::make(Tensor ids, Tensor index, int64_t count, int64_t owned,
                                  int64_t whole_count) {
  const auto is = [](const Tensor& tensor, DLDataType dtype, const std::vector<int64_t>& shape) {
    return same_dtype(tensor.dtype(), dtype) && tensor.shape() == shape && tensor.contiguous();
  };
  const auto bad = [](const char* what, const Tensor& tensor, const char* dtype,
                      const std::vector<int64_t>& shape) {
    return corrupt("{}: {} are {} {}, expected {} {}", tensor.file(), what,
                   dtype_name(tensor.dtype()), shape_text(tensor.shape()), dtype, shape_text(shape))
        .with("file", tensor.file());
  };
  if (owned < 0 || owned > count || count > whole_count) {
    return corrupt("{} ids of which {} are owned, of {} in the whole", count, owned, whole_count);
  }
  if (!is(ids, kInt64, {count})) {
    return bad("ids of the whole", ids, "int64", {count});
  }
  const std::vector<int64_t> lines = {lines_of_ids(whole_count), kWordsPerLine};
  if (!is(index, kUint64, lines)) {
    return bad("lines of the index", index, "uint64", lines);
  }
  GlobalIds out;
  out.ids_ = std::move(ids);
  out.index_ = std::move(index);
  out.owned_ = owned;
  out.whole_count_ = whole_count;
  return out;
}

void GlobalIds::locals_of_owned(const IdSpan& whole, int64_t* out) const {
  if (owns_all()) {
    for (int64_t i = 0; i < whole.size(); ++i) {
      out[i] = whole[i];
    }
    return;
  }
  ranks_in(index_.as<uint64_t>(), whole, out);
  for (int64_t i = 0; i < whole.size(); ++i) {
    out[i] = out[i] < owned_ ? out[i] : -1;  // the index may be damaged
  }
}

Status GlobalIds::check(const CheckRun& run, const CheckedArray& ids,
                        const CheckedArray& index) const {
  GLS_TRY(run.ids(IdSpan(ids_.data(), true, ids_.rows()), whole_count_, "id of the whole", ids));
  GLS_TRY(check_ids(run, ids));
  GLS_TRY(check_index(run, index));
  return check_others(run, ids);
}

// Owned ids ascend; the others follow in one or two ascending runs.
Status GlobalIds::check_ids(const CheckRun& run, const CheckedArray& array) const {
  const auto* const ids = ids_.as<int64_t>();
  return run.range(ids_.rows(), [&](int64_t begin, int64_t end) -> Status {
    for (int64_t i = std::max<int64_t>(begin, 1); i < std::min(end, owned_); ++i) {
      if (ids[i] <= ids[i - 1]) {
        return array_fault(array, i,
                           formatted("id {} at position {} is not above the one before it ({})",
                                     ids[i], i, ids[i - 1]));
      }
    }
    return {};
  });
}

Status GlobalIds::check_others(const CheckRun& run, const CheckedArray& array) const {
  const auto* const ids = ids_.as<int64_t>();
  GLS_TRY(run.range(ids_.rows() - owned_, [&](int64_t begin, int64_t end) -> Status {
    for (int64_t i = owned_ + begin; i < owned_ + end; ++i) {
      if (local_of_owned(ids[i]) >= 0) {
        return array_fault(
            array, i, formatted("id {} at position {} is owned, and so occurs twice", ids[i], i));
      }
    }
    return {};
  }));
  const int64_t* const begin = ids + owned_;
  const int64_t* const end = ids + ids_.rows();
  const int64_t* const middle = std::is_sorted_until(begin, end);
  const int64_t* const last = std::is_sorted_until(middle, end);
  if (last != end) {
    return array_fault(array, last - ids,
                       formatted("id {} at position {} is below the one before it, for the second "
                                 "time since the owned",
                                 *last, last - ids));
  }
  const int64_t* one = begin;
  const int64_t* two = middle;
  for (int64_t before = -1; one != middle || two != end;) {
    const bool first = two == end || (one != middle && *one <= *two);
    const int64_t* const at = first ? one++ : two++;
    if (*at == before) {
      return array_fault(array, at - ids,
                         formatted("id {} at position {} occurs twice", *at, at - ids));
    }
    before = *at;
  }
  return {};
}

// Compares each line with the owned ids; a bisection finds the first ones of each piece.
Status GlobalIds::check_index(const CheckRun& run, const CheckedArray& array) const {
  const auto* const ids = ids_.as<int64_t>();
  const auto* const lines = index_.as<uint64_t>();
  return run.range(index_.rows(), [&](int64_t begin, int64_t end) -> Status {
    const int64_t* at = std::lower_bound(ids, ids + owned_, begin * kIdsPerLine);
    for (int64_t line = begin; line < end; ++line) {
      uint64_t expected[kWordsPerLine] = {static_cast<uint64_t>(at - ids)};
      for (; at < ids + owned_ && *at < (line + 1) * kIdsPerLine; ++at) {
        const int64_t in_line = *at - line * kIdsPerLine;
        expected[1 + in_line / 64] |= uint64_t{1} << (in_line % 64);
      }
      if (!std::equal(expected, expected + kWordsPerLine, lines + line * kWordsPerLine)) {
        return array_fault(array, line,
                           formatted("line {} does not say which of the ids from {} are owned",
                                     line, line * kIdsPerLine));
      }
    }
    return {};
  });
}

}  // namespace gls
