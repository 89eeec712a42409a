// The struct that the plugin "metis" exports as `gls_plugin`. C types only.
#pragma once

#include "system/plugin.h"

namespace gls {

inline constexpr uint32_t kMetisInterface = 2;

// An undirected graph. Each edge is in the rows of both its ends; loops and repeats do not occur.
struct MetisGraph {
  int32_t nodes;
  int32_t classes;
  int32_t* offsets;       // [nodes + 1]
  int32_t* neighbors;     // [offsets[nodes]]
  int32_t* edge_weights;  // [offsets[nodes]]
  int32_t* node_weights;  // [nodes][classes]; NULL: all are 1, in one class
  float* imbalance;       // [classes], heaviest part over the mean
};

enum class MetisOutcome : int32_t { kDone = 0, kNoMemory = 1, kFailed = 2, kStopped = 3 };

// Called on the calling thread many times while METIS runs: 0 ends the work. It must not throw.
struct MetisWatch {
  int32_t (*keep_going)(void* user_data);
  void* user_data;
};

struct MetisPlugin {
  PluginHeader header;
  // Fills owners[nodes] with 0 .. parts - 1; does not change the graph. From any thread. If it is
  // cancelled, METIS has freed its memory.
  MetisOutcome (*partition)(MetisGraph* graph, int32_t parts, uint64_t seed,
                            const MetisWatch* watch, int32_t* owners);
};

}  // namespace gls
