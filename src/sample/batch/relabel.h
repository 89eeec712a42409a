// Maps dataset ids to local ids in the order of first visit, for one node type and one worker.
//
// The size of the graph selects one of two structures:
// - a table indexed by node, 4 bytes each. It is the fastest while it is not much larger than the
//   last-level cache, and the vector kernels work on it;
// - an open-addressing hash table sized to the batch, with 8 bytes a slot and at most half full,
//   for larger graphs. Disjoint trees need 16 bytes a slot, because their nodes are pairs.
// Neither is cleared between batches. An entry holds base + local id, and base grows by the size of
// each batch. Values below base belong to earlier batches.
#pragma once

#include <cstdint>
#include <span>

#include "sample/kernels/kernels.h"
#include "system/memory.h"

namespace gls {

class Relabel {
 public:
  enum class Kind : uint8_t { kDirect, kHash32, kHash64 };

  // `direct_limit`: largest table in bytes.
  Relabel(uint64_t num_nodes, bool disjoint, uint64_t direct_limit, bool huge_pages);

  Kind kind() const { return kind_; }
  bool wide_neighbors() const { return kind_ == Kind::kHash64; }
  // Local ids and keys must fit: fewer than 2^31 nodes per batch and type.
  static constexpr int64_t kMaxLocal = (int64_t{1} << 31) - 1;

  void begin_batch();
  void end_batch(int64_t num_nodes) { base_ += static_cast<uint32_t>(num_nodes); }

  // Converts `count` neighbours to local ids in `out`, and appends new ones to `nodes` from `next`
  // on. Returns the next free local id. `neighbors` are uint32, or uint64 when wide_neighbors().
  // Every array needs room for kernels::kSlack more elements.
  uint32_t run(kernels::RelabelFn direct, bool wide_out, const void* neighbors, int64_t count,
               uint32_t next, void* nodes, void* out);
  // As run(), with disjoint trees: edge i belongs to tree edge_trees[i]. The trees of new nodes are
  // appended to `trees`.
  uint32_t run_disjoint(bool wide_out, const uint64_t* neighbors, const uint32_t* edge_trees,
                        int64_t count, uint32_t next, void* nodes, void* trees, void* out);

  // Replaces each key by its local id in this batch, or by -1. Keys are nodes, or tree * num_nodes
  // + node with disjoint trees.
  void find(std::span<int64_t> keys) const;

  uint64_t num_nodes() const { return num_nodes_; }
  uint64_t bytes() const { return block_.size(); }

 private:
  template <typename Out>
  uint32_t run_hash32(const uint32_t* neighbors, int64_t count, uint32_t next, Out* nodes,
                      Out* out);
  template <typename Out, typename Keys>
  uint32_t run_hash64(Keys keys, int64_t count, uint32_t next, Out* nodes, Out* trees, Out* out);

  struct Slot32 {
    uint32_t key;
    uint32_t value;
  };
  struct Slot64 {
    uint64_t key;
    uint32_t value;
  };
  // Makes room for `count` more nodes after `used`, and re-enters the nodes of the batch.
  template <typename Slot, typename KeyOf>
  void grow(uint64_t used, uint64_t count, KeyOf key_of);
  template <typename Slot>
  Slot* find(uint64_t key) const;
  template <typename Slot>
  void find_all(std::span<int64_t> keys) const;
  uint64_t home(uint64_t key) const { return (key * 0x9e3779b97f4a7c15u) >> shift_; }

  Kind kind_;
  bool huge_pages_;
  uint64_t num_nodes_;
  uint32_t base_ = 0;      // values below are old; 0 only before the first batch
  uint64_t capacity_ = 0;  // hash table: slots, a power of two
  uint32_t shift_ = 64;
  PageBlock block_;
};

}  // namespace gls
