#include "ingest/common/edge_source.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace gls {
namespace {

void copy_ids(const IdSpan& ids, int64_t begin, size_t count, int64_t* out) {
  if (out == nullptr) {
    return;
  }
  if (ids.wide()) {
    std::memcpy(out, static_cast<const int64_t*>(ids.data()) + begin, count * sizeof(int64_t));
  } else {
    const int32_t* const from = static_cast<const int32_t*>(ids.data()) + begin;
    std::copy(from, from + count, out);
  }
}

void read_numbered(const IdSpool& spool, const Numbering* numbers, int64_t begin, size_t count,
                   int64_t* out) {
  if (out == nullptr) {
    return;
  }
  spool.read(begin, {out, count});
  if (numbers != nullptr) {
    std::transform(out, out + count, out, [&](int64_t id) { return (*numbers)(id); });
  }
}

}  // namespace

void EdgeSource::read_ids(int64_t begin, size_t count, int64_t* ids) const {
  std::iota(ids, ids + count, begin);
}

ArrayEdges::ArrayEdges(Tensor source, Tensor target)
    : source_tensor_(std::move(source)),
      target_tensor_(std::move(target)),
      sources_(span_of(source_tensor_)),
      targets_(span_of(target_tensor_)) {}

void ArrayEdges::read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const {
  copy_ids(sources_, begin, count, sources);
  copy_ids(targets_, begin, count, targets);
}

void SpooledEdges::read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const {
  read_numbered(source_, source_numbers_, begin, count, sources);
  read_numbered(target_, target_numbers_, begin, count, targets);
}

void DoubledEdges::read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const {
  const int64_t half = edges_->size();
  size_t forward = 0;
  if (begin < half) {
    forward = std::min(count, static_cast<size_t>(half - begin));
    edges_->read(begin, forward, sources, targets);
  }
  if (forward < count) {
    edges_->read(begin + static_cast<int64_t>(forward) - half, count - forward,
                 targets == nullptr ? nullptr : targets + forward,
                 sources == nullptr ? nullptr : sources + forward);
  }
}

void TopologyEdges::read(int64_t begin, size_t count, int64_t* sources, int64_t* targets) const {
  int64_t* const rows = layout_ == Layout::kCsc ? targets : sources;
  int64_t* const neighbors = layout_ == Layout::kCsc ? sources : targets;
  copy_ids({topology_.indices, topology_.wide_indices, topology_.num_edges}, begin, count,
           neighbors);
  if (rows == nullptr) {
    return;
  }
  const int64_t* const indptr = topology_.indptr;
  // The last row that begins at or before `begin`; empty rows before it begin there, too.
  int64_t row = std::upper_bound(indptr, indptr + topology_.num_rows + 1, begin) - indptr - 1;
  for (size_t i = 0; i < count; ++i) {
    while (indptr[row + 1] <= begin + static_cast<int64_t>(i)) {
      ++row;
    }
    rows[i] = row;
  }
}

void TopologyEdges::read_ids(int64_t begin, size_t count, int64_t* ids) const {
  if (!has_ids()) {
    EdgeSource::read_ids(begin, count, ids);
    return;
  }
  copy_ids({topology_.edge_ids, topology_.wide_edge_ids, topology_.num_edges}, begin, count, ids);
}

}  // namespace gls
