// Maps dataset ids to local ids on the device, in the order of first occurrence, for one node type.
//
// A hash table of the batch's nodes holds the local id of each node, or the first place where a new
// node occurs. A thread that lowers the first place of a node records this for the old place. So it
// is known for each place, without another look-up, whether its node occurs there first. These
// places are numbered by running sums. The order is that of a CPU that visits the ids one by one.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/primitives/id_pointer.h"

namespace gls::cuda {

// Limit of the ids at once, and of the nodes in a table.
inline constexpr int64_t kMostRelabeled = (int64_t{1} << 31) - 1;

// For at most this many nodes. Uses table_bytes() of device memory.
struct RelabelTable {
  void* slots;
  uint64_t size;  // a power of two
  bool packed;    // see fits_packed()
};
// Whether the keys of nodes, which are below this, fit in half a word, with one key free.
inline bool fits_packed(uint64_t num_keys) { return num_keys <= 0xffffffffu; }
uint64_t table_slots(int64_t most_nodes);
uint64_t table_bytes(uint64_t slots, bool packed);
// Makes a table without nodes.
cudaError_t clear_table(const RelabelTable& table, cudaStream_t stream);

// Nodes of a batch by local id, on the device.
struct NumberedNodes {
  int64_t* count;
  IdsOut ids;
  IdsOut trees;        // NULL: no disjoint trees
  uint64_t num_nodes;  // of the type
  // The new count is also written here: this many times, `also_apart` from each other.
  int64_t* also = nullptr;
  int64_t num_also = 0;
  int64_t also_apart = 0;
};

// Enters the existing nodes into an empty table; at most `most`.
cudaError_t enter_nodes(const RelabelTable& table, const NumberedNodes& nodes, int64_t most,
                        cudaStream_t stream);

struct RelabelWork {
  IdsIn ids;
  IdsIn trees;
  const int64_t* count;
  int64_t most;
  IdsOut local;  // local id of each id, from number *local_from on
  const int64_t* local_from;
  void* scratch;  // relabel_bytes(most)
};
uint64_t relabel_bytes(int64_t most);
// Appends new nodes, for which there must be room.
cudaError_t relabel(const RelabelTable& table, const NumberedNodes& nodes, const RelabelWork& work,
                    cudaStream_t stream);

// The state of a place.
enum class Met : uint8_t {
  kFirst,     // the first occurrence of a new node
  kAgain,     // another occurrence of a new node
  kNumbered,  // a node with a local id
};

// Used if ids are entered where they are made. As relabel(), but between its halves each id was
// passed to meet() of hash_table.h with its number.
struct Meetings {
  RelabelTable table;
  uint64_t num_nodes;
  IdsOut local;
  const int64_t* local_from;
  int64_t* added;    // number of new nodes
  uint32_t* places;  // slot in the table, by place
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
