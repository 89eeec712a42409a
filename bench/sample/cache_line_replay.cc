#include "bench/sample/cache_line_replay.h"

#include <algorithm>
#include <cstring>

#include "bench/support/harness.h"

namespace gls::bench {
namespace {

constexpr size_t kDistances[] = {16, 32, 64, 128, 256};

thread_local volatile uint64_t sink;  // keeps the reads

// All ids of an array, row by row.
IdSpan flat(const Tensor& ids) {
  if (!ids.defined()) {
    return {};
  }
  return {ids.data(), same_dtype(ids.dtype(), kInt64),
          ids.rows() * (ids.shape().size() > 1 ? ids.shape()[1] : 1)};
}

size_t bytes_of(const Tensor& tensor) {
  return tensor.defined() ? static_cast<size_t>(tensor.rows() * tensor.row_bytes()) : 0;
}

std::byte* memory_of(const void* data) {
  return const_cast<std::byte*>(
      static_cast<const std::byte*>(data));  // streams that read do not write
}

}  // namespace

void Stream::touch(int64_t begin, int64_t end) {
  for (int64_t element = begin; element < end; element += static_cast<int64_t>(64 / size_)) {
    touch(element);
  }
  if (begin < end) {
    touch(end - 1);
  }
}

uint64_t Stream::replay(size_t ahead) const {
  const size_t count = lines_.size();
  uint64_t sum = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t next = std::min(i + ahead, count - 1);
    if (write_) {
      __builtin_prefetch(base_ + size_t{64} * lines_[next], 1);
      auto* const entry = reinterpret_cast<uint32_t*>(base_ + size_t{64} * lines_[i]);
      *entry = std::max(*entry, static_cast<uint32_t>(i));
    } else {
      __builtin_prefetch(base_ + size_t{64} * lines_[next], 0, 2);
      sum += static_cast<uint64_t>(base_[size_t{64} * lines_[i]]);
    }
  }
  return sum;
}

void Stream::tune() {
  uint64_t best = UINT64_MAX;
  for (int round = 0; round < 2; ++round) {
    for (const size_t ahead : kDistances) {
      const uint64_t begin = now_ns();
      sink = replay(ahead);
      if (const uint64_t taken = now_ns() - begin; taken < best) {
        best = taken;
        ahead_ = ahead;
      }
    }
  }
}

CacheLineReplay::CacheLineReplay(const Dataset& dataset, PageBlock* table, Reads reads)
    : rows_(*dataset.edge_types()[0].csc),
      reads_(reads),
      indptr_(memory_of(rows_.indptr), 8, false),
      indices_(memory_of(rows_.indices), rows_.wide_indices ? 8 : 4, false),
      column_(memory_of(reads.column), 4, false),
      table_(reinterpret_cast<std::byte*>(table->data()), 4, true) {}

void CacheLineReplay::pick(int64_t position) {
  indices_.touch(position);
  if (reads_.column != nullptr && reads_.rows == RowsRead::kPicks) {
    column_.touch(position);
  }
  table_.touch(rows_.neighbor(position));
}

void CacheLineReplay::expand(int64_t node, int64_t fanout) {
  indptr_.touch(node, node + 2);
  const int64_t begin = rows_.indptr[node];
  const int64_t end = rows_.indptr[node + 1];
  const bool longer = fanout >= 0 && end - begin > fanout;
  switch (reads_.rows) {
    case RowsRead::kPicks:
      break;
    case RowsRead::kColumn:
      column_.touch(begin, end);
      break;
    case RowsRead::kChoice:
      if (longer) {
        indices_.touch(begin, end);
        if (reads_.column != nullptr) {
          column_.touch(begin, end);
        }
      }
      break;
    case RowsRead::kInduced:
      indices_.touch(begin, end);
      for (int64_t at = begin; at < end; ++at) {
        table_.touch(rows_.neighbor(at));
      }
      break;
    case RowsRead::kSome: {
      const int64_t count = std::min(end - begin, reads_.most);
      for (int64_t j = 0; j < count; ++j) {
        const int64_t at = begin + j * (end - begin) / count;
        indices_.touch(at);
        table_.touch(rows_.neighbor(at));
      }
    }
  }
}

void CacheLineReplay::add(const Batch& batch, const Sampler& sampler) {
  const SamplerOptions& options = sampler.options();
  const IdSpan nodes = flat(batch.nodes[0].node);
  const auto* const per_hop = batch.nodes[0].num_nodes.as<int64_t>();
  if (batch.walks.has_value()) {  // each step is from a row of its own
    const IdSpan walked = flat(batch.walks->walk);
    const IdSpan edges = flat(batch.walks->edge);
    const int64_t length = batch.walks->edge.shape()[1];
    for (int64_t i = 0; i < edges.size(); ++i) {
      const int64_t from = walked[i / length * (length + 1) + i % length];
      if (from >= 0 && edges[i] >= 0) {
        indptr_.touch(nodes[from], nodes[from] + 2);
        pick(edges[i]);
      }
    }
  }
  const bool all = options.subgraph == Subgraph::kInduced || options.ppr.has_value();
  const bool none = options.walk.has_value() && !all;
  int64_t local = 0;
  for (size_t hop = 0; hop < (all ? 1 : batch.num_hops) && !none; ++hop) {
    const bool drawn = !options.fanouts.empty() && hop < options.fanouts[0].size();
    const int64_t end = all ? nodes.size() : local + per_hop[hop];
    for (; local < end; ++local) {
      expand(nodes[local], drawn ? options.fanouts[0][hop] : -1);
    }
  }
  if (reads_.rows != RowsRead::kInduced && reads_.rows != RowsRead::kSome) {
    const IdSpan edges = flat(batch.edges[0].edge);
    for (int64_t e = 0; e < edges.size(); ++e) {
      pick(edges[e]);
    }
  }
}

void CacheLineReplay::add_output(const Batch& batch) {
  const SampledNodes& nodes = batch.nodes[0];
  const SampledEdges& edges = batch.edges[0];
  output_bytes_ += bytes_of(nodes.node) + bytes_of(nodes.tree) + bytes_of(nodes.seed) +
                   bytes_of(edges.row()) + bytes_of(edges.col());
  if (batch.walks.has_value()) {
    output_bytes_ += bytes_of(batch.walks->walk);
  }
  for (const SampledNear& near : batch.near) {
    output_bytes_ += bytes_of(near.seed) + bytes_of(near.node) + bytes_of(near.score);
  }
}

void CacheLineReplay::tune() {
  output_.resize(output_bytes_);
  for (Stream* const stream : {&indptr_, &indices_, &column_, &table_}) {
    if (stream->lines() > 0) {
      stream->tune();
    }
  }
}

void CacheLineReplay::replay() {
  uint64_t sum = 0;
  for (const Stream* const stream : {&indptr_, &indices_, &column_, &table_}) {
    sum += stream->lines() > 0 ? stream->replay() : 0;
  }
  std::memset(output_.data(), static_cast<int>(sum & 1), output_.size());
  sink = sum + static_cast<uint64_t>(output_.empty() ? std::byte{0} : output_.back());
}

}  // namespace gls::bench
