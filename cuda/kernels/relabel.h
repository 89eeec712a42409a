// From dataset ids to local ids on the device, in the order nodes are met, for one node type.
//
// A hash table of the nodes of a batch says for each its local id or, while it has none, the first
// place where it is met. Whoever takes a place there from another says so of that one, so that it
// is known of each place, without a further look at the table, whether a node is met there first.
// These are numbered by running sums, and the order is that of a processor which goes over them one
// by one.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/id_pointer.h"

namespace gls::cuda {

// Ids at once, and nodes of a table, are fewer.
inline constexpr int64_t kMostRelabeled = (int64_t{1} << 31) - 1;

// For so many nodes at most. Memory of the device of table_bytes().
struct RelabelTable {
  void* slots;
  uint64_t size;  // a power of two
  bool packed;    // see fits_packed()
};
// Whether the keys of nodes, which are below this, fit into half a word, and one of them is free.
inline bool fits_packed(uint64_t num_keys) { return num_keys <= 0xffffffffu; }
uint64_t table_slots(int64_t most_nodes);
uint64_t table_bytes(uint64_t slots, bool packed);
// A table without nodes.
cudaError_t clear_table(const RelabelTable& table, cudaStream_t stream);

// Nodes of a batch by local id, on the device.
struct NumberedNodes {
  int64_t* count;
  IdsOut ids;
  IdsOut trees;        // NULL: nodes are not told apart by trees
  uint64_t num_nodes;  // of the type
  // What the count becomes is also written here: so many times, `also_apart` from each other.
  int64_t* also = nullptr;
  int64_t num_also = 0;
  int64_t also_apart = 0;
};

// Enters the nodes there are into an empty table; `most` of them at most.
cudaError_t enter_nodes(const RelabelTable& table, const NumberedNodes& nodes, int64_t most,
                        cudaStream_t stream);

struct RelabelWork {
  IdsIn ids;
  IdsIn trees;
  const int64_t* count;
  int64_t most;
  IdsOut local;  // of each, from number *local_from on
  const int64_t* local_from;
  void* scratch;  // relabel_bytes(most)
};
uint64_t relabel_bytes(int64_t most);
// New nodes are appended, for which there must be room.
cudaError_t relabel(const RelabelTable& table, const NumberedNodes& nodes, const RelabelWork& work,
                    cudaStream_t stream);

// What is known of a place.
enum class Met : uint8_t {
  kFirst,     // a node that is new, and is met here first
  kAgain,     // a new one
  kNumbered,  // one that had a local id
};

// Ids that are met where they are made: relabel(), but that between its halves each was given to
// meet() of slots.h with its number.
struct Meetings {
  RelabelTable table;
  uint64_t num_nodes;
  IdsOut local;
  const int64_t* local_from;
  int64_t* added;    // new nodes
  uint32_t* places;  // in the table, by place
  Met* met;          // by place; kFirst at first
};
cudaError_t begin_meetings(const RelabelTable& table, const NumberedNodes& nodes,
                           const RelabelWork& work, Meetings* out, cudaStream_t stream);
cudaError_t number_met(const Meetings& meetings, const NumberedNodes& nodes,
                       const RelabelWork& work, cudaStream_t stream);

// out[i] = from[places[i]], or -1 where the place is.
cudaError_t take_at(const IdsIn& from, const int64_t* places, int64_t count, const IdsOut& out,
                    cudaStream_t stream);

}  // namespace gls::cuda
