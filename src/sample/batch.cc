#include "sample/batch.h"

namespace gls {

int64_t Batch::num_nodes() const {
  int64_t sum = 0;
  for (const SampledNodes& type : nodes) {
    sum += type.node.rows();
  }
  return sum;
}

int64_t Batch::num_edges() const {
  int64_t sum = 0;
  for (const SampledEdges& type : edges) {
    sum += type.row.rows();
  }
  return sum;
}

uint64_t Batch::bytes() const {
  uint64_t sum = input.span_bytes();
  for (const SampledNodes& type : nodes) {
    sum += type.node.span_bytes() + type.tree.span_bytes() + type.seed.span_bytes() +
           type.seed_time.span_bytes();
  }
  for (const SampledEdges& type : edges) {
    sum += type.row.span_bytes() + type.col.span_bytes() + type.edge.span_bytes();
  }
  if (links.has_value()) {
    sum += links->source.span_bytes() + links->target.span_bytes() + links->negative.span_bytes() +
           links->label.span_bytes();
  }
  for (const GatheredColumn& column : columns) {
    sum += column.data.span_bytes();
  }
  return sum;
}

}  // namespace gls
