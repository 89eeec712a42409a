#include "query/graph_source.h"

namespace gls {
namespace {

Status check_range(const Tensor& tensor, const char* what, int64_t limit, const EdgeType& type) {
  GLS_ASSIGN(const IdSpan ids, IdSpan::of(tensor, what));
  if (const int64_t at = ids.find_outside(limit); at >= 0) {
    return corrupt("picks of edge type \"{}\": {} {} at index {} is outside 0 .. {}", type.joined,
                   what, ids[at], at, limit - 1)
        .with("type", type.joined);
  }
  return {};
}

}  // namespace

Status check_picks(const HopPicks& picks, const EdgeType& type, int64_t neighbors) {
  GLS_TRY(check_range(picks.neighbors, "neighbor", neighbors, type));
  return picks.edge_ids.defined() ? check_range(picks.edge_ids, "edge id", type.count, type)
                                  : Status();
}

}  // namespace gls
