// The plugin "metis"; src/ingest/assign/metis_plugin.h describes its function.
//
// Source: Karypis, Kumar, "A fast and high quality multilevel scheme for partitioning irregular
// graphs", SIAM J. Scientific Computing 20:1, 1998; with several constraints: "Multilevel
// algorithms for multi-constraint graph partitioning", SC'98.
#include <gls.h>
#include <metis.h>

#include "embedding.h"
#include "ingest/assign/metis_plugin.h"

#define GLS_TEXT_(x) #x
#define GLS_TEXT(x) GLS_TEXT_(x)

namespace gls {
namespace {

static_assert(sizeof(idx_t) == sizeof(int32_t) && sizeof(real_t) == sizeof(float));

MetisOutcome partition(MetisGraph* graph, int32_t parts, uint64_t seed, const MetisWatch* watch,
                       int32_t* owners) {
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x7fffffff);
  metis::set_seed(seed);
  idx_t cut = 0;
  const metis::Watching watching(watch);
  const int status = METIS_PartGraphKway(
      &graph->nodes, &graph->classes, graph->offsets, graph->neighbors, graph->node_weights,
      nullptr, graph->edge_weights, &parts, nullptr, graph->imbalance, options, &cut, owners);
  return watching.stopped()             ? MetisOutcome::kStopped
         : status == METIS_OK           ? MetisOutcome::kDone
         : status == METIS_ERROR_MEMORY ? MetisOutcome::kNoMemory
                                        : MetisOutcome::kFailed;
}

}  // namespace
}  // namespace gls

extern "C" __attribute__((visibility("default"))) const gls::MetisPlugin gls_plugin = {
    {gls::kMetisInterface,
     GLS_TEXT(GLS_VERSION_MAJOR) "." GLS_TEXT(GLS_VERSION_MINOR) "." GLS_TEXT(GLS_VERSION_PATCH)},
    gls::partition,
};
