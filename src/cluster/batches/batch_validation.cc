#include "cluster/batches/batch_validation.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "loader/pipeline/loader.h"
#include "sample/batch/relabel.h"

namespace gls {
namespace {

// Checks all elements, in any number of dimensions. `or_none` also allows -1.
bool ids_in_range(const Tensor& ids, int64_t limit, bool or_none = false) {
  const int64_t count = ids.rows() * ids.row_elements();
  const IdSpan span(ids.data(), same_dtype(ids.dtype(), kInt64), count);
  if (!or_none) {
    return span.find_outside(limit) < 0;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (span[i] < -1 || span[i] >= limit) {
      return false;
    }
  }
  return true;
}

// Checks rows whose columns have limits of their own, and may contain -1.
bool columns_in_range(const Tensor& ids, const std::vector<int64_t>& limits) {
  const auto width = static_cast<int64_t>(limits.size());
  const IdSpan span(ids.data(), same_dtype(ids.dtype(), kInt64), ids.rows() * width);
  for (int64_t i = 0; i < span.size(); ++i) {
    if (span[i] < -1 || span[i] >= limits[static_cast<size_t>(i % width)]) {
      return false;
    }
  }
  return true;
}

int64_t count_ids(const Tensor& ids) {
  const int64_t count = ids.rows() * ids.row_elements();
  const IdSpan span(ids.data(), same_dtype(ids.dtype(), kInt64), count);
  int64_t out = 0;
  for (int64_t i = 0; i < count; ++i) {
    out += span[i] >= 0 ? 1 : 0;
  }
  return out;
}

class MadeBatchChecker {
 public:
  MadeBatchChecker(const Batch& batch, const BatchShape& shape)
      : batch_(batch),
        shape_(shape),
        options_(shape.sampler->options()),
        inputs_(batch.inputs.size() == 1 ? batch.inputs[0].positions.rows() : -1) {}

  // Returns what is wrong; NULL: nothing.
  const char* run() const {
    const Dataset& dataset = *batch_.dataset;
    if (batch_.padding != Padding::kNone || !batch_.attached.empty()) {
      return "padding or other arrays";
    }
    if (inputs_ < 0 || batch_.inputs[0].type != shape_.seed_type ||
        batch_.links.size() != (shape_.links ? 1 : 0) || !inputs_fit()) {
      return "the seeds";
    }
    if (batch_.num_hops != num_hops()) {
      return "hops";
    }
    for (size_t t = 0; t < batch_.nodes.size(); ++t) {
      if (!nodes_fit(batch_.nodes[t], dataset.node_types()[t].count)) {
        return "nodes";
      }
    }
    for (size_t t = 0; t < batch_.edges.size(); ++t) {
      if (!edges_fit(batch_.edges[t], dataset.edge_types()[t])) {
        return "edges";
      }
    }
    return !links_fit()     ? "links"
           : !walks_fit()   ? "walks"
           : !near_fits()   ? "neighbours"
           : !labels_fit()  ? "labels"
           : !seeds_fit()   ? "seeds"
           : !columns_fit() ? "columns"
                            : nullptr;
  }

 private:
  int64_t rows_of(size_t type) const { return batch_.nodes[type].node.rows(); }

  // Ids are as wide as requested. Edge types with many edges always have wide ids.
  bool is_ids(const Tensor& tensor, size_t dims, bool wide) const {
    return tensor.defined() && tensor.shape().size() == dims &&
           same_dtype(tensor.dtype(), wide ? kInt64 : kInt32);
  }
  bool is_ids(const Tensor& tensor, size_t dims) const {
    return is_ids(tensor, dims, !options_.int32);
  }
  bool is_ids(const Tensor& tensor, size_t dims, int64_t rows) const {
    return is_ids(tensor, dims) && tensor.rows() == rows;
  }
  bool is_wide(const EdgeType& type) const {
    return !options_.int32 || type.count > Relabel::kMaxLocal;
  }

  // Positions are int64; read_batch() checked that.
  bool inputs_fit() const {
    return ids_in_range(batch_.inputs[0].positions, shape_.num_seeds) &&
           (!shape_.inputs || shape_.inputs(batch_.epoch, batch_.number) == inputs_);
  }

  size_t num_hops() const {
    return options_.importance.has_value()                         ? options_.importance->hops
           : options_.hgt.has_value()                              ? options_.hgt->num_hops
           : options_.ppr.has_value() || options_.walk.has_value() ? 1
                                                                   : options_.num_hops;
  }

  bool nodes_fit(const SampledNodes& type, int64_t count) const {
    const auto& [node, tree, seed, seed_time, num_nodes, mask, seed_mask, anchor_mask] = type;
    return num_nodes.rows() == static_cast<int64_t>(batch_.num_hops) + 1 &&
           is_ids(node, 1, sum_of_counts(num_nodes)) && ids_in_range(node, count) &&
           (!tree.defined() || is_ids(tree, 1, node.rows())) && is_ids(seed, 1) &&
           ids_in_range(seed, node.rows()) &&
           (!seed_time.defined() ||
            (is_ids(seed_time, 1, true) && seed_time.rows() == seed.rows())) &&
           !mask.defined() && !seed_mask.defined() && !anchor_mask.defined();
  }

  bool edges_fit(const SampledEdges& type, const EdgeType& of) const {
    const auto& [index, edge, num_edges, mask] = type;
    if (!is_ids(index, 2, int64_t{2}) || type.count() != sum_of_counts(num_edges)) {
      return false;
    }
    const bool back = options_.direction == Direction::kOut && options_.toward_seeds;
    const Tensor row = type.row();
    const Tensor col = type.col();
    return ids_in_range(row, rows_of(back ? of.target : of.source)) &&
           ids_in_range(col, rows_of(back ? of.source : of.target)) && !mask.defined() &&
           (edge.defined() ? is_ids(edge, 1, is_wide(of)) && edge.rows() == row.rows() &&
                                 ids_in_range(edge, of.count)
                           : !options_.edge_ids || options_.walk.has_value());
  }

  bool links_fit() const {
    if (batch_.links.empty()) {
      return true;
    }
    const auto& [type, source, target, negative, label, mask, negative_mask] = batch_.links[0];
    const EdgeType& of = batch_.dataset->edge_types()[type];
    const NegativeOptions& negatives = options_.negatives;
    const bool triplets = negatives.mode == NegativeMode::kTriplet;
    const int64_t most =
        negatives.mode == NegativeMode::kBinary ? negatives_of(negatives, inputs_) : 0;
    return type == shape_.seed_type && is_ids(source, 1) && source.rows() >= inputs_ &&
           source.rows() - inputs_ <= most && is_ids(target, 1, source.rows()) &&
           ids_in_range(source, rows_of(of.source)) && ids_in_range(target, rows_of(of.target)) &&
           negative.defined() == triplets &&
           (!triplets || (is_ids(negative, 2, inputs_) &&
                          negative.shape()[1] == negatives_of(negatives, inputs_) &&
                          ids_in_range(negative, rows_of(of.target), true))) &&
           (!label.defined() || label.rows() == source.rows()) && !mask.defined() &&
           !negative_mask.defined();
  }

  bool walks_fit() const {
    if (batch_.walks.has_value() != options_.walk.has_value()) {
      return false;
    }
    if (!batch_.walks.has_value()) {
      return true;
    }
    const auto& [type, walk, edge, mask] = *batch_.walks;
    const WalkPlan& plan = *shape_.sampler->walk_plan();
    const int64_t rows = inputs_ * static_cast<int64_t>(plan.walks);
    std::vector<int64_t> nodes;
    for (size_t column = 0; column <= plan.length; ++column) {
      nodes.push_back(rows_of(plan.type_of_column(column)));
    }
    return type == shape_.seed_type && is_ids(walk, 2, rows) &&
           walk.shape()[1] == std::ssize(nodes) && columns_in_range(walk, nodes) &&
           !mask.defined() && edge.defined() == options_.edge_ids &&
           (!edge.defined() || steps_fit(edge, rows, plan));
  }

  // Where walks restart, no column tells the step in the path.
  bool steps_fit(const Tensor& edge, int64_t rows, const WalkPlan& plan) const {
    const std::vector<EdgeType>& types = batch_.dataset->edge_types();
    bool wide = false;
    int64_t most = 0;
    for (const WalkStep& step : plan.path) {
      wide = wide || is_wide(types[step.edge_type]);
      most = std::max(most, types[step.edge_type].count);
    }
    std::vector<int64_t> edges;
    for (size_t column = 0; column < plan.length; ++column) {
      const size_t step = plan.path[column % plan.path.size()].edge_type;
      edges.push_back(plan.restart > 0 ? most : types[step].count);
    }
    return is_ids(edge, 2, wide) && edge.rows() == rows && edge.shape()[1] == std::ssize(edges) &&
           columns_in_range(edge, edges);
  }

  bool near_fits() const {
    const bool expected = options_.importance.has_value() || options_.ppr.has_value();
    if (!batch_.near.empty() != expected) {
      return false;
    }
    const size_t channels = options_.ppr.has_value() ? options_.ppr->channels.size() : 0;
    const auto width = static_cast<int64_t>(2 + 3 * channels);
    for (size_t t = 0; t < batch_.near.size(); ++t) {
      const auto& [seed, node, score, mask] = batch_.near[t];
      if (mask.defined() || node.defined() != seed.defined() || node.defined() != score.defined()) {
        return false;
      }
      if (node.defined() &&
          !(is_ids(node, 1) && is_ids(seed, 1, node.rows()) && ids_in_range(node, rows_of(t)) &&
            ids_in_range(seed, rows_of(batch_.inputs[0].type)) &&
            same_dtype(score.dtype(), kFloat32) && score.shape().size() == 2 &&
            score.rows() == node.rows() && score.shape()[1] == width)) {
        return false;
      }
    }
    return true;
  }

  bool labels_fit() const {
    if (batch_.labels.size() != options_.supervisions.size()) {
      return false;
    }
    for (size_t s = 0; s < batch_.labels.size(); ++s) {
      const auto& [type, name, negative, label] = batch_.labels[s];
      const Supervision& expected = options_.supervisions[s];
      const int64_t width = s < shape_.label_widths.size() ? shape_.label_widths[s] : -1;
      if (type != expected.node_type || name != expected.name || negative != expected.negative ||
          !is_ids(label, 2, inputs_) || !ids_in_range(label, rows_of(type), true) ||
          (width >= 0 && label.shape()[1] != width)) {
        return false;
      }
    }
    return true;
  }

  // Checks that each seed node is an input, then each label, of its type. Padding relies on it.
  bool seeds_fit() const {
    for (size_t t = 0; t < batch_.nodes.size() && batch_.links.empty(); ++t) {
      int64_t seeds = t == batch_.inputs[0].type ? inputs_ : 0;
      for (const SampledLabels& labels : batch_.labels) {
        seeds += labels.node_type == t ? count_ids(labels.label) : 0;
      }
      if (batch_.nodes[t].seed.rows() != seeds) {
        return false;
      }
    }
    return true;
  }

  bool columns_fit() const {
    if (batch_.columns.size() != shape_.columns.size()) {
      return false;
    }
    for (size_t c = 0; c < batch_.columns.size(); ++c) {
      const auto& [of_nodes, type, column, seeds_only, data] = batch_.columns[c];
      const GatheredColumn& expected = shape_.columns[c];
      if (of_nodes != expected.of_nodes || type != expected.type || column != expected.column ||
          seeds_only != expected.seeds_only || !same_dtype(data.dtype(), shape_.dtypes[c])) {
        return false;
      }
      std::vector<int64_t> shape = column->shape();
      shape[0] = !of_nodes    ? batch_.edges[type].count()
                 : seeds_only ? batch_.nodes[type].num_seeds()
                              : rows_of(type);
      if (data.shape() != shape) {
        return false;
      }
    }
    return true;
  }

  const Batch& batch_;
  const BatchShape& shape_;
  const SamplerOptions& options_;
  const int64_t inputs_;
};

}  // namespace

BatchShape BatchShape::of(const BatchRecipe& recipe) {
  BatchShape out;
  out.sampler = recipe.sampler.shared_from_this();
  out.links = recipe.seeds.links;
  out.seed_type = recipe.seeds.type;
  for (const ColumnToGather& column : recipe.columns) {
    out.columns.push_back({column.of_nodes, column.type, column.column, column.seeds_only, {}});
    out.dtypes.push_back(column.dtype);
  }
  const std::vector<Supervision>& supervisions = recipe.sampler.options().supervisions;
  for (size_t s = 0; s < supervisions.size(); ++s) {
    const std::vector<Tensor>& given = recipe.seeds.anchor_labels;
    int64_t width = supervisions[s].max_labels != 0 ? supervisions[s].max_labels : -1;
    if (!supervisions[s].edge_type.has_value() && s < given.size() && given[s].defined()) {
      width = given[s].shape()[1];
    }
    out.label_widths.push_back(width);
  }
  out.num_seeds = recipe.num_seeds;
  out.inputs = recipe.inputs;
  return out;
}

Status check_made_batch(const Batch& batch, const BatchShape& shape, uint64_t epoch,
                        uint64_t number) {
  if (batch.epoch != epoch || batch.number != number) {
    return corrupt("it answered with batch {} of epoch {}", batch.number, batch.epoch);
  }
  if (const char* const what = MadeBatchChecker(batch, shape).run(); what != nullptr) {
    return corrupt("it answered with a batch whose {} are not those that were asked for", what);
  }
  return {};
}

}  // namespace gls
