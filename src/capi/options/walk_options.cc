#include "capi/options/walk_options.h"

#include "capi/support/support.h"

namespace gls::capi {
const char* kind_name(int32_t kind) {
  static const char* const names[] = {"neighbor", "walk", "importance", "ppr", "hgt"};
  return names[kind];
}

Status refuse_neighbor_options(const gls_sampler_options_t& given) {
  const auto only_of_neighbors = [&given](const char* argument, const char* what) -> Status {
    return invalid("{}, but a sampler of kind {} has no such option", what, kind_name(given.kind))
        .with("argument", argument);
  };
  if (given.num_fanouts != 0) {
    return only_of_neighbors("fanouts", "fanouts are given");
  }
  if ((given.flags & GLS_SAMPLE_DISJOINT) != 0) {
    return only_of_neighbors("flags", "GLS_SAMPLE_DISJOINT is set");
  }
  if ((given.flags & GLS_SAMPLE_TOWARD_SEEDS) != 0) {
    return only_of_neighbors("flags", "GLS_SAMPLE_TOWARD_SEEDS is set");
  }
  if ((given.flags & GLS_SAMPLE_TIME_STRICT) != 0) {
    return only_of_neighbors("flags", "GLS_SAMPLE_TIME_STRICT is set");
  }
  if ((given.flags & GLS_SAMPLE_EXCLUDE_LINKS) != 0) {
    return only_of_neighbors("flags", "GLS_SAMPLE_EXCLUDE_LINKS is set");
  }
  if ((given.flags & GLS_SAMPLE_LAYER_DEPENDENT) != 0) {
    return only_of_neighbors("flags", "GLS_SAMPLE_LAYER_DEPENDENT is set");
  }
  if (given.replace != GLS_REPLACE_NEVER) {
    return only_of_neighbors("replace", "replace is set");
  }
  if (given.node_time != nullptr) {
    return only_of_neighbors("node_time", "node_time is given");
  }
  if (given.edge_time != nullptr) {
    return only_of_neighbors("edge_time", "edge_time is given");
  }
  if (given.time_window != 0) {
    return only_of_neighbors("time_window", "time_window is set");
  }
  if (given.time_strategy != GLS_TIME_UNIFORM) {
    return only_of_neighbors("time_strategy", "time_strategy is set");
  }
  if (given.subgraph == GLS_SUBGRAPH_BIDIRECTIONAL) {
    return only_of_neighbors("subgraph", "subgraph is GLS_SUBGRAPH_BIDIRECTIONAL");
  }
  if (given.pick != GLS_PICK_INDEPENDENT) {
    return only_of_neighbors("pick", "pick is set");
  }
  if (given.batch_dependency != 0) {
    return only_of_neighbors("batch_dependency", "batch_dependency is set");
  }
  if (given.negatives != nullptr && given.negatives->mode != GLS_NEGATIVE_NONE) {
    return only_of_neighbors("negatives", "negatives are asked for");
  }
  if (given.num_supervisions != 0) {
    return only_of_neighbors("supervisions", "supervisions are given");
  }
  return {};
}

Result<std::vector<size_t>> read_edge_types(const Dataset& dataset, const char* const* types,
                                            size_t count, const char* argument) {
  if (count > 0 && types == nullptr) {
    return null_argument(argument);
  }
  std::vector<size_t> out;
  for (size_t i = 0; i < count; ++i) {
    Result<size_t> type = dataset.edge_type_index(types[i]);
    if (!type.ok()) {
      return std::move(type.status())
          .prefixed(formatted("{}: entry {}: ", argument, i))
          .with("argument", argument);
    }
    out.push_back(*type);
  }
  return out;
}

Status read_walks(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out) {
  if (given.walk == nullptr) {
    return invalid("walk is NULL, but a sampler of kind walk needs it").with("argument", "walk");
  }
  GLS_TRY(refuse_neighbor_options(given));
  gls_walk_options_t walk;
  GLS_TRY(read_options(given.walk, "walk", &walk));
  WalkOptions& read = out->walk.emplace();
  read.length = walk.length;
  read.walks = walk.walks != 0 ? walk.walks : 1;
  read.p = walk.p != 0 ? walk.p : 1;
  read.q = walk.q != 0 ? walk.q : 1;
  read.restart = walk.restart;
  read.stop = walk.stop;
  GLS_ASSIGN(read.path, read_edge_types(dataset, walk.path, walk.path_length, "path"));
  return {};
}

}  // namespace gls::capi
