// One part of a graph, wherever it is: in this process (local_part.h) or served by another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "feature/gather.h"
#include "graph/dataset/dataset.h"
#include "sample/source/graph_source.h"

namespace gls {

class PartSampler {
 public:
  virtual ~PartSampler() = default;
  // As HopSource::ask(), of nodes that are all owned by this part or in its halo. There is a count
  // for each node and as many picks as they say, of the dtypes that the sampler's options mean.
  virtual Later<HopPicks> ask(const HopQuestion& question) const = 0;
  // Before anything is picked: an error, cluster::too_long(), if the answer may take more bytes.
  // That of one node may take as many as fit a message. Any question: ask() says what is wrong with
  // it.
  virtual Status check_size(const HopQuestion& question, uint64_t most_bytes) const {
    static_cast<void>(question);
    static_cast<void>(most_bytes);
    return {};
  }
};

// Of what has no other answer.
struct Done {};

// Where rows go: the one of id i to the place places[i].
struct RowTarget {
  std::byte* out = nullptr;  // begins on a line of memory
  const int64_t* places = nullptr;
  int64_t row_bytes = 0;
  // What owns `out`, where others than who waits may write there until it is let go; null: nobody.
  std::shared_ptr<const void> owner{};
  // Those of the ids from i on, one after the other.
  void put(int64_t i, std::span<const std::byte> rows, const GatherOptions& options) const {
    if (row_bytes > 0) {
      const auto count = static_cast<int64_t>(rows.size()) / row_bytes;
      scatter_rows(out, rows.data(), row_bytes, places + i, count, options);
    }
  }
};

class Part {
 public:
  virtual ~Part() = default;
  virtual Result<std::shared_ptr<const PartSampler>> open_sampler(
      const SamplerOptions& options) const = 0;
  // Whether it has the whole row of a node that another part owns, in a layout of an edge type, so
  // that it can be asked about that, too, from now on. Empty: of none.
  virtual std::function<bool(int64_t node)> halo(size_t edge_type, Layout layout) const {
    static_cast<void>(edge_type);
    static_cast<void>(layout);
    return {};
  }
  // As gather(), of ids that are all owned by this part, or of which it has copies: [ids, ...].
  virtual Later<Tensor> ask_rows(const RowQuestion& question) const = 0;
  // Whether it has the row of an id that another part owns, so that it can be asked for that, too.
  // Empty: of none in this column.
  virtual std::function<bool(int64_t id)> copies(const RowQuestion& question) const {
    static_cast<void>(question);
    return {};
  }
  // The same to memory of the caller's, which is written by who waits, maybe more than once.
  virtual Later<Done> ask_rows_to(const RowQuestion& question, const RowTarget& target) const = 0;
  // To where GraphSource::land_rows() has room for them; false: they are not there, and the landing
  // may still be written to.
  virtual Later<bool> land_rows(const RowQuestion& question, const RowLanding& landing) const {
    return [later = ask_rows(question), landing]() -> Result<bool> {
      GLS_ASSIGN(const Tensor rows, later());
      const auto bytes = static_cast<size_t>(rows.rows() * rows.row_bytes());
      GLS_TRY(landing.put(landing.data, {rows.data(), bytes}));
      return true;
    };
  }
  // int64, as GraphSource::ask_edges(). Of edges that are not owned by this part the ends are -1;
  // degrees in a layout that is not stored are of the edges that it owns; of pairs, the node whose
  // row is stored, in CSC where that is, is owned by this part or in its halo.
  virtual Later<Tensor> ask_edges(const EdgeQuestion& question) const = 0;
  // Whether asking is only a call, and waiting is the work itself.
  virtual bool here() const = 0;
  // The mapped arrays that it answers from; none where another process answers.
  virtual std::vector<ArrayFile> files() const { return {}; }
};

}  // namespace gls
