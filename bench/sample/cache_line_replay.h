// The memory limit of any way of sampling: the cache lines that its batches cannot do without,
// replayed with nothing else. A way is asked for its batches, which tell whose rows were read, what
// was picked from them and how much was written; the rest follows. It is a lower bound: what a way
// looks at besides, and all that it computes, is left out.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/dataset/dataset.h"
#include "sample/sampler.h"
#include "system/memory.h"

namespace gls::bench {

// What a way reads of the rows of the nodes it expands, beyond the batch's own edges.
enum class RowsRead {
  kPicks,    // what was picked, nothing else
  kColumn,   // of a column of the edges all of the row, as weights or times have to be
  kChoice,   // all of a row that is longer than the fanout: numbers of all neighbours are compared
  kInduced,  // all of the rows of all nodes
  kSome      // as many as are considered, spread over the row
};

struct Reads {
  RowsRead rows = RowsRead::kPicks;
  const void* column =
      nullptr;       // of 4 bytes an edge, read where the row is, or where it was picked
  int64_t most = 0;  // of kSome
};

// Lines of one array, in the order in which they are touched, each once where it is touched again
// at once.
class Stream {
 public:
  Stream(std::byte* base, size_t size, bool write) : base_(base), size_(size), write_(write) {}
  void touch(int64_t element) {
    const auto line = static_cast<uint32_t>(static_cast<size_t>(element) * size_ / 64);
    if (lines_.empty() || lines_.back() != line) {
      lines_.push_back(line);
    }
  }
  void touch(int64_t begin, int64_t end);
  // Chooses how far ahead lines are asked for.
  void tune();
  uint64_t replay() const { return replay(ahead_); }
  size_t lines() const { return lines_.size(); }

 private:
  uint64_t replay(size_t ahead) const;

  std::byte* base_;
  size_t size_;
  bool write_;
  size_t ahead_ = 64;
  std::vector<uint32_t> lines_;
};

// What batches touch, and a replay of it.
class CacheLineReplay {
 public:
  // `table` has an entry of 4 bytes for each node.
  CacheLineReplay(const Dataset& dataset, PageBlock* table, Reads reads);
  // A batch that was sampled with edge ids, which are positions in the rows.
  void add(const Batch& batch, const Sampler& sampler);
  // What the way's own batch writes.
  void add_output(const Batch& batch);
  void tune();
  void replay();

 private:
  void pick(int64_t position);
  void expand(int64_t node, int64_t fanout);

  const Topology& rows_;
  Reads reads_;
  Stream indptr_;
  Stream indices_;
  Stream column_;
  Stream table_;
  size_t output_bytes_ = 0;
  std::vector<std::byte> output_;
};

}  // namespace gls::bench
