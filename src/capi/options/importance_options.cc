#include "capi/options/importance_options.h"

#include "capi/options/walk_options.h"
#include "capi/support/support.h"

namespace gls::capi {
namespace {

Status refuse_others(const gls_sampler_options_t& given) {
  GLS_TRY(refuse_neighbor_options(given));
  if (given.subgraph != GLS_SUBGRAPH_SAMPLED) {
    return invalid("subgraph is set, but a sampler of kind {} has no such option",
                   kind_name(given.kind))
        .with("argument", "subgraph");
  }
  if ((given.flags & GLS_SAMPLE_EDGE_IDS) != 0) {
    return invalid("GLS_SAMPLE_EDGE_IDS is set, but a sampler of kind {} reports no edges",
                   kind_name(given.kind))
        .with("argument", "flags");
  }
  return {};
}

Status read_importance(const Dataset& dataset, const gls_sampler_options_t& given,
                       SamplerOptions* out) {
  gls_importance_options_t importance;
  GLS_TRY(read_options(given.importance, "importance", &importance));
  ImportanceOptions& read = out->importance.emplace();
  read.neighbors = importance.neighbors;
  read.walks = importance.walks != 0 ? importance.walks : read.walks;
  read.traversals = importance.traversals != 0 ? importance.traversals : read.traversals;
  read.hops = importance.hops != 0 ? importance.hops : read.hops;
  read.stop = importance.stop;
  GLS_ASSIGN(read.path, read_edge_types(dataset, importance.path, importance.path_length, "path"));
  return {};
}

Result<std::vector<PprChannel>> read_channels(const Dataset& dataset,
                                              const gls_ppr_channel_t* channels, size_t count) {
  if (count > 0 && channels == nullptr) {
    return null_argument("channels");
  }
  std::vector<PprChannel> out;
  for (size_t c = 0; c < count; ++c) {
    const gls_ppr_channel_t& given = channels[c];
    GLS_TRY(check_reserved(static_cast<int64_t>(given.reserved)));
    Result<std::vector<size_t>> edge_types =
        read_edge_types(dataset, given.edge_types, given.num_edge_types, "edge_types");
    if (!edge_types.ok()) {
      return std::move(edge_types.status()).prefixed(formatted("channels: entry {}: ", c));
    }
    out.push_back({edge_types.take(), given.share});
  }
  return out;
}

Status read_ppr(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out) {
  gls_ppr_options_t ppr;
  GLS_TRY(read_options(given.ppr, "ppr", &ppr));
  GLS_TRY(check_flags(ppr.flags, GLS_PPR_NO_TOP_UP, "flags"));
  GLS_TRY(check_reserved(ppr.reserved));
  PprOptions& read = out->ppr.emplace();
  read.neighbors = ppr.neighbors != 0 ? ppr.neighbors : read.neighbors;
  read.alpha = ppr.alpha != 0 ? ppr.alpha : read.alpha;
  read.epsilon = ppr.epsilon != 0 ? ppr.epsilon : read.epsilon;
  read.max_edges = ppr.max_edges != 0 ? ppr.max_edges : read.max_edges;
  read.row_limit = ppr.row_limit;
  read.top_up = (ppr.flags & GLS_PPR_NO_TOP_UP) == 0;
  GLS_ASSIGN(read.edge_types,
             read_edge_types(dataset, ppr.edge_types, ppr.num_edge_types, "edge_types"));
  GLS_ASSIGN(read.channels, read_channels(dataset, ppr.channels, ppr.num_channels));
  return {};
}

}  // namespace

Status read_near(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out) {
  const bool importance = given.kind == GLS_SAMPLER_IMPORTANCE;
  const char* const name = importance ? "importance" : "ppr";
  if ((importance ? static_cast<const void*>(given.importance) : given.ppr) == nullptr) {
    return invalid("{} is NULL, but a sampler of kind {} needs it", name, name)
        .with("argument", name);
  }
  GLS_TRY(refuse_others(given));
  return importance ? read_importance(dataset, given, out) : read_ppr(dataset, given, out);
}

}  // namespace gls::capi
