// The interface of one part of a graph. The part is in this process (local_part.h), or a server
// holds it (remote_part.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "feature/gather.h"
#include "graph/dataset/dataset.h"
#include "query/graph_source.h"

namespace gls {

// A sampler of one part, which answers its hops.
class PartSampler {
 public:
  virtual ~PartSampler() = default;
  // As HopSource::ask(), for nodes that this part owns or has in its halo. The answer has a count
  // for each node and as many picks as the counts add up to. The sampler's options determine the
  // dtypes.
  virtual Deferred<HopPicks> ask(const HopQuestion& question) const = 0;
  // Checks a question before picking. Returns cluster::too_long() if the answer may need more
  // bytes. The answer for a single node may be as long as a message. ask() reports other errors of
  // the question.
  virtual Status check_size(const HopQuestion& question, uint64_t most_bytes) const {
    static_cast<void>(question);
    static_cast<void>(most_bytes);
    return {};
  }
};

// The result of an operation without another result.
struct Done {};

// Where rows go: the row of ids[i] goes to places[i].
struct RowTarget {
  std::byte* out = nullptr;  // begins at a cache line
  const int64_t* places = nullptr;
  int64_t row_bytes = 0;
  // Owner of `out`, where other threads or devices may write until they release it; null: only the
  // waiting thread writes.
  std::shared_ptr<const void> owner{};
  // Writes the consecutive rows of the ids from `i` on.
  void put(int64_t i, std::span<const std::byte> rows, const GatherOptions& options) const {
    if (row_bytes > 0) {
      const auto count = static_cast<int64_t>(rows.size()) / row_bytes;
      scatter_rows(out, rows.data(), row_bytes, places + i, count, options);
    }
  }
};

// One part of a graph. Questions use global ids.
class Part {
 public:
  virtual ~Part() = default;
  virtual Result<std::shared_ptr<const PartSampler>> open_sampler(
      const SamplerOptions& options) const = 0;
  // Tells whether the halo of this part has the whole row of another part's node, in a layout of an
  // edge type. The part can then be asked for that row. Empty: it has no halo there.
  virtual std::function<bool(int64_t node)> halo(size_t edge_type, Layout layout) const {
    static_cast<void>(edge_type);
    static_cast<void>(layout);
    return {};
  }
  // As gather(), for ids that this part owns or has copies of: [ids, ...].
  virtual Deferred<Tensor> ask_rows(const RowQuestion& question) const = 0;
  // Tells whether this part has a copy of the row of another part's id, so that it can be asked for
  // it. Empty: it has no copies in this column.
  virtual std::function<bool(int64_t id)> copies(const RowQuestion& question) const {
    static_cast<void>(question);
    return {};
  }
  // Writes the rows to memory of the caller. The waiting thread writes them, perhaps more than
  // once.
  virtual Deferred<Done> ask_rows_to(const RowQuestion& question,
                                     const RowTarget& target) const = 0;
  // Writes the rows to the memory of a GraphSource::land_rows() call. False: the rows did not
  // arrive, and the memory may still be written to.
  virtual Deferred<bool> land_rows(const RowQuestion& question, const RowLanding& landing) const {
    return [later = ask_rows(question), landing]() -> Result<bool> {
      GLS_ASSIGN(const Tensor rows, later());
      const auto bytes = static_cast<size_t>(rows.rows() * rows.row_bytes());
      GLS_TRY(landing.put(landing.data, {rows.data(), bytes}));
      return true;
    };
  }
  // int64, as GraphSource::ask_edges(). The ends of edges that other parts own are -1. In a layout
  // that is not stored, degrees count the edges that this part owns. For pairs, this part owns the
  // node whose row is stored (in CSC, if that is stored), or has it in its halo.
  virtual Deferred<Tensor> ask_edges(const EdgeQuestion& question) const = 0;
  // Whether the part is local: asking returns at once, and waiting does the work.
  virtual bool is_local() const = 0;
  // The mapped arrays that it reads; empty where another process answers.
  virtual std::vector<ArrayFile> files() const { return {}; }
};

}  // namespace gls
