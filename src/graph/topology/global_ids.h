// Maps the ids in a part to global ids: docs/decisions/0033-parts.md.
#pragma once

#include <cstdint>

#include "graph/topology/array_check.h"
#include "graph/topology/rank_bitset.h"
#include "tensor/tensor.h"

namespace gls {

class GlobalIds {
 public:
  // `ids` is int64 [count], owned ids first; `index` covers the owned ids, in the format of
  // RankBitset. Shapes are checked here; check() checks the contents.
  static Result<GlobalIds> make(Tensor ids, Tensor index, int64_t count, int64_t owned,
                                int64_t whole_count);

  // For a graph without parts: its ids are the global ids, and there are no arrays.
  static GlobalIds all(int64_t count) {
    GlobalIds out;
    out.owned_ = out.whole_count_ = count;
    return out;
  }

  bool is_all() const { return !ids_.defined(); }
  // Owned ids ascend, so in this case they equal the global ids.
  bool owns_all() const { return owned_ == whole_count_; }
  int64_t owned() const { return owned_; }
  int64_t whole_count() const { return whole_count_; }
  const Tensor& ids() const { return ids_; }
  const Tensor& index() const { return index_; }

  // `local` is an id of the part.
  int64_t whole_of(int64_t local) const { return is_all() ? local : ids_.as<int64_t>()[local]; }
  // The id in the part of a global id, which is below whole_count(); -1: this part does not own it.
  int64_t local_of_owned(int64_t whole) const {
    if (owns_all()) {
      return whole;
    }
    const int64_t rank = rank_in(index_.as<uint64_t>(), whole);
    return rank < owned_ ? rank : -1;  // also protects against a damaged index
  }
  // As local_of_owned() for many ids; `out` has room for them.
  void locals_of_owned(const IdSpan& whole, int64_t* out) const;

  // Reads and checks both arrays: ids are in range, ascending and unique, and the index matches
  // them.
  Status check(const CheckRun& run, const CheckedArray& ids, const CheckedArray& index) const;

 private:
  Status check_ids(const CheckRun& run, const CheckedArray& array) const;
  Status check_others(const CheckRun& run, const CheckedArray& array) const;
  Status check_index(const CheckRun& run, const CheckedArray& array) const;

  Tensor ids_;
  Tensor index_;
  int64_t owned_ = 0;
  int64_t whole_count_ = 0;
};

}  // namespace gls
