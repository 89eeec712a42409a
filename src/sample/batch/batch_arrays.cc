#include "sample/batch/batch_arrays.h"

#include <algorithm>
#include <numeric>

namespace gls {
namespace {

bool is_label(int32_t array) {
  return array == GLS_BATCH_ANCHOR_POSITIVE || array == GLS_BATCH_ANCHOR_NEGATIVE;
}

Tensor find_link_array(const Batch& batch, int32_t array, size_t type) {
  if (!batch.links.has_value() || batch.links->edge_type != type) {
    return {};
  }
  return array == GLS_BATCH_LINK_SOURCE     ? batch.links->source
         : array == GLS_BATCH_LINK_TARGET   ? batch.links->target
         : array == GLS_BATCH_LINK_NEGATIVE ? batch.links->negative
         : array == GLS_BATCH_LINK_LABEL    ? batch.links->label
         : array == GLS_BATCH_LINK_MASK     ? batch.links->mask
                                            : batch.links->negative_mask;
}

Tensor find_walk_array(const Batch& batch, int32_t array, size_t type) {
  if (!batch.walks.has_value() || batch.walks->node_type != type) {
    return {};
  }
  return array == GLS_BATCH_WALK        ? batch.walks->walk
         : array == GLS_BATCH_WALK_EDGE ? batch.walks->edge
                                        : batch.walks->mask;
}

Tensor find_near_array(const Batch& batch, int32_t array, size_t type) {
  if (batch.near.empty()) {
    return {};
  }
  const SampledNear& near = batch.near[type];
  return array == GLS_BATCH_NEAR_SEED    ? near.seed
         : array == GLS_BATCH_NEAR_NODE  ? near.node
         : array == GLS_BATCH_NEAR_SCORE ? near.score
                                         : near.mask;
}

Tensor find_label_array(const Batch& batch, int32_t array, size_t type, const char* name) {
  const bool negative = array == GLS_BATCH_ANCHOR_NEGATIVE;
  for (const SampledLabels& labels : batch.labels) {
    if (labels.negative == negative && labels.node_type == type && name != nullptr &&
        labels.name == name) {
      return labels.label;
    }
  }
  return {};
}

}  // namespace

bool is_node_array(const Batch& batch, int32_t array) {
  switch (array) {
    case GLS_BATCH_NODE:
    case GLS_BATCH_TREE:
    case GLS_BATCH_NUM_NODES:
    case GLS_BATCH_SEED:
    case GLS_BATCH_NODE_COLUMN:
    case GLS_BATCH_SEED_TIME:
    case GLS_BATCH_WALK:
    case GLS_BATCH_WALK_EDGE:
    case GLS_BATCH_NEAR_SEED:
    case GLS_BATCH_NEAR_NODE:
    case GLS_BATCH_NEAR_SCORE:
    case GLS_BATCH_ANCHOR_POSITIVE:
    case GLS_BATCH_ANCHOR_NEGATIVE:
    case GLS_BATCH_NODE_MASK:
    case GLS_BATCH_SEED_MASK:
    case GLS_BATCH_WALK_MASK:
    case GLS_BATCH_NEAR_MASK:
    case GLS_BATCH_ANCHOR_MASK:
      return true;
    case GLS_BATCH_INPUT:
      return !batch.links.has_value();
    default:
      return false;
  }
}

bool is_column(int32_t array) {
  return array == GLS_BATCH_NODE_COLUMN || array == GLS_BATCH_EDGE_COLUMN;
}

bool is_named(int32_t array) { return is_column(array) || is_label(array); }

Tensor find_batch_array(const Batch& batch, int32_t array, size_t type, const char* name) {
  switch (array) {
    case GLS_BATCH_NODE:
      return batch.nodes[type].node;
    case GLS_BATCH_TREE:
      return batch.nodes[type].tree;
    case GLS_BATCH_SEED:
      return batch.nodes[type].seed;
    case GLS_BATCH_NUM_NODES:
      return batch.nodes[type].num_nodes;
    case GLS_BATCH_SEED_TIME:
      return batch.nodes[type].seed_time;
    case GLS_BATCH_INPUT:
      return type == batch.input_type ? batch.input : Tensor();
    case GLS_BATCH_ROW:
      return batch.edges[type].row();
    case GLS_BATCH_COL:
      return batch.edges[type].col();
    case GLS_BATCH_EDGE_INDEX:
      return batch.edges[type].index;
    case GLS_BATCH_EDGE:
      return batch.edges[type].edge;
    case GLS_BATCH_NUM_EDGES:
      return batch.edges[type].num_edges;
    case GLS_BATCH_LINK_SOURCE:
    case GLS_BATCH_LINK_TARGET:
    case GLS_BATCH_LINK_NEGATIVE:
    case GLS_BATCH_LINK_LABEL:
    case GLS_BATCH_LINK_MASK:
    case GLS_BATCH_LINK_NEGATIVE_MASK:
      return find_link_array(batch, array, type);
    case GLS_BATCH_WALK:
    case GLS_BATCH_WALK_EDGE:
    case GLS_BATCH_WALK_MASK:
      return find_walk_array(batch, array, type);
    case GLS_BATCH_NEAR_SEED:
    case GLS_BATCH_NEAR_NODE:
    case GLS_BATCH_NEAR_SCORE:
    case GLS_BATCH_NEAR_MASK:
      return find_near_array(batch, array, type);
    case GLS_BATCH_ANCHOR_POSITIVE:
    case GLS_BATCH_ANCHOR_NEGATIVE:
      return find_label_array(batch, array, type, name);
    case GLS_BATCH_NODE_MASK:
      return batch.nodes[type].mask;
    case GLS_BATCH_SEED_MASK:
      return batch.nodes[type].seed_mask;
    case GLS_BATCH_ANCHOR_MASK:
      return batch.nodes[type].anchor_mask;
    case GLS_BATCH_EDGE_MASK:
      return batch.edges[type].mask;
    default:
      return {};
  }
}

BatchArrays::BatchArrays(const Batch& batch) : batch_(batch) {
  for (const bool of_nodes : {true, false}) {
    const size_t types = of_nodes ? batch.nodes.size() : batch.edges.size();
    for (size_t t = 0; t < types; ++t) {
      for (int32_t array = GLS_BATCH_NODE; array <= kLastListedArray; ++array) {
        if (!is_named(array) && is_node_array(batch, array) == of_nodes &&
            find_batch_array(batch, array, t, nullptr).defined()) {
          listed_.push_back({array, t, nullptr});
        }
      }
    }
  }
  for (const SampledLabels& labels : batch.labels) {
    listed_.push_back({labels.negative ? GLS_BATCH_ANCHOR_NEGATIVE : GLS_BATCH_ANCHOR_POSITIVE,
                       labels.node_type, labels.name.c_str()});
  }
  first_column_ = listed_.size();
  for (const GatheredColumn& column : batch.columns) {
    listed_.push_back({column.of_nodes ? GLS_BATCH_NODE_COLUMN : GLS_BATCH_EDGE_COLUMN, column.type,
                       column.column->name.c_str(), column.seeds_only});
  }
  by_type_.resize(batch.columns.size());
  std::iota(by_type_.begin(), by_type_.end(), size_t{0});
  std::stable_sort(by_type_.begin(), by_type_.end(),
                   [&](size_t a, size_t b) { return owner(a) < owner(b); });
}

ListedArray BatchArrays::at(size_t index) const {
  return index < listed_.size() ? listed_[index]
                                : ListedArray{GLS_BATCH_ATTACHED, 0,
                                              batch_.attached[index - listed_.size()].name.c_str()};
}

Tensor BatchArrays::column(int32_t array, size_t type, const char* name) const {
  const std::pair<int32_t, size_t> wanted(array, type);
  const auto first =
      std::lower_bound(by_type_.begin(), by_type_.end(), wanted,
                       [&](size_t i, const auto& value) { return owner(i) < value; });
  for (auto at = first; at != by_type_.end() && owner(*at) == wanted; ++at) {
    if (batch_.columns[*at].column->name == name) {
      return batch_.columns[*at].data;
    }
  }
  return {};
}

const BatchArrays& LazyBatchArrays::of(const Batch& batch) const {
  std::call_once(once_, [&] { arrays_.emplace(batch); });
  return *arrays_;
}

Tensor LazyBatchArrays::column(const Batch& batch, int32_t array, size_t type,
                               const char* name) const {
  constexpr size_t kFewColumns = 16;
  if (batch.columns.size() > kFewColumns) {
    return of(batch).column(array, type, name);
  }
  const bool of_nodes = array == GLS_BATCH_NODE_COLUMN;
  for (const GatheredColumn& column : batch.columns) {
    if (column.of_nodes == of_nodes && column.type == type && column.column->name == name) {
      return column.data;
    }
  }
  return {};
}

}  // namespace gls
