// What the plugin "metis" exports as `gls_plugin`. Types of C only.
#pragma once

#include "system/plugin.h"

namespace gls {

inline constexpr uint32_t kMetisInterface = 2;

// An undirected graph, each edge in the rows of both its ends, without loops and with none twice.
struct MetisGraph {
  int32_t nodes;
  int32_t classes;
  int32_t* offsets;       // [nodes + 1]
  int32_t* neighbors;     // [offsets[nodes]]
  int32_t* edge_weights;  // [offsets[nodes]]
  int32_t* node_weights;  // [nodes][classes]; NULL: all are 1, of one class
  float* imbalance;       // [classes], of the heaviest part to the mean
};

enum class MetisOutcome : int32_t { kDone = 0, kNoMemory = 1, kFailed = 2, kStopped = 3 };

// Asked on the calling thread, many times while METIS runs: 0 ends the work. It must not throw.
struct MetisWatch {
  int32_t (*keep_going)(void* user_data);
  void* user_data;
};

struct MetisPlugin {
  PluginHeader header;
  // Fills owners[nodes] with 0 .. parts - 1; leaves the graph as it was. From any thread. When it
  // is stopped, METIS has freed what it had.
  MetisOutcome (*partition)(MetisGraph* graph, int32_t parts, uint64_t seed,
                            const MetisWatch* watch, int32_t* owners);
};

}  // namespace gls
