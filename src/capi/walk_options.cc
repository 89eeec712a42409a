#include "capi/walk_options.h"

#include "capi/support.h"

namespace gls::capi {
namespace {

Status only_of_neighbors(const char* argument, const char* what) {
  return invalid("{}, but kind is {}; walks have no such option", what, GLS_SAMPLER_WALK + 0)
      .with("argument", argument);
}

Status refuse_others(const gls_sampler_options_t& given) {
  if (given.num_fanouts != 0) {
    return only_of_neighbors("fanouts", "fanouts are given");
  }
  if ((given.flags & GLS_SAMPLE_DISJOINT) != 0) {
    return only_of_neighbors("flags", "flags have GLS_SAMPLE_DISJOINT");
  }
  if ((given.flags & GLS_SAMPLE_TOWARD_SEEDS) != 0) {
    return only_of_neighbors("flags", "flags have GLS_SAMPLE_TOWARD_SEEDS");
  }
  if ((given.flags & GLS_SAMPLE_TIME_STRICT) != 0) {
    return only_of_neighbors("flags", "flags have GLS_SAMPLE_TIME_STRICT");
  }
  if ((given.flags & GLS_SAMPLE_EXCLUDE_LINKS) != 0) {
    return only_of_neighbors("flags", "flags have GLS_SAMPLE_EXCLUDE_LINKS");
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
  if (given.negatives != nullptr && given.negatives->mode != GLS_NEGATIVE_NONE) {
    return only_of_neighbors("negatives", "negatives are asked for");
  }
  return {};
}

}  // namespace

Status read_walks(const Dataset& dataset, const gls_sampler_options_t& given, SamplerOptions* out) {
  if (given.walk == nullptr) {
    return invalid("walk is NULL, but kind is {}, which needs it", given.kind)
        .with("argument", "walk");
  }
  GLS_TRY(refuse_others(given));
  gls_walk_options_t walk;
  GLS_TRY(read_options(given.walk, "walk", &walk));
  WalkOptions& read = out->walk.emplace();
  read.length = walk.length;
  read.walks = walk.walks != 0 ? walk.walks : 1;
  read.p = walk.p != 0 ? walk.p : 1;
  read.q = walk.q != 0 ? walk.q : 1;
  read.restart = walk.restart;
  read.stop = walk.stop;
  if (walk.path_length > 0 && walk.path == nullptr) {
    return null_argument("path");
  }
  for (size_t i = 0; i < walk.path_length; ++i) {
    Result<size_t> type = dataset.edge_type_index(walk.path[i]);
    if (!type.ok()) {
      return std::move(type.status())
          .prefixed(formatted("path: entry {}: ", i))
          .with("argument", "path");
    }
    read.path.push_back(*type);
  }
  return {};
}

}  // namespace gls::capi
