#include "loader/padding/padding.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "loader/padding/pad_fill.h"

namespace gls {
namespace {

bool fits(const PadSizes& sizes, const Batch& batch) {
  const auto rows = [](const Tensor& tensor) { return tensor.defined() ? tensor.rows() : 0; };
  for (size_t t = 0; t < batch.nodes.size(); ++t) {
    // Each anchor may have as many labels as fit. For clusters, the batch size does not limit the
    // number of seeds.
    if (batch.nodes[t].node.rows() >= sizes.nodes[t] ||
        (sizes.seeded[t] && batch.nodes[t].seed.rows() > sizes.seeds[t])) {
      return false;
    }
  }
  for (size_t t = 0; t < batch.edges.size(); ++t) {
    if (batch.edges[t].count() > sizes.edges[t]) {
      return false;
    }
  }
  for (size_t t = 0; t < batch.near.size(); ++t) {
    if (rows(batch.near[t].node) > sizes.near[t]) {
      return false;
    }
  }
  return batch.input.rows() <= sizes.inputs;
}

// Pads one batch; a batch that does not fit gets no padding.
class Padder {
 public:
  Padder(const PadSizes& sizes, BufferPool& pool, const DeviceStream* stream, Batch* batch)
      : sizes_(sizes), batch_(*batch), fill_(pool, stream), fit_(fits(sizes, *batch)) {
    for (const SampledNodes& type : batch_.nodes) {
      spare_.push_back(type.node.rows());
      num_trees_ += type.seed.rows();
    }
  }

  Status run(bool toward_seeds) {
    batch_.padding = fit_ ? Padding::kFits : Padding::kOverflow;
    for (size_t t = 0; t < batch_.nodes.size(); ++t) {
      pad_nodes(t);
      if (sizes_.seeded[t]) {
        pad_seeds(t);
      }
    }
    for (size_t t = 0; t < batch_.edges.size(); ++t) {
      pad_edges(t, toward_seeds);
    }
    if (batch_.links.has_value()) {
      pad_links(*batch_.links);
    }
    if (batch_.walks.has_value()) {
      pad_walks(*batch_.walks);
    }
    for (size_t t = 0; t < batch_.near.size(); ++t) {
      pad_near(t);
    }
    if (!batch_.labels.empty()) {
      pad_labels();
    }
    // Last, because it contains the number of nodes or links.
    if (fit_) {
      fill_.ids(front(batch_.input.rows(), sizes_.inputs), -1, &batch_.input);
    }
    return fill_.finish(batch_.readers);
  }

 private:
  PadPlaces front(int64_t real, int64_t rows) const {
    return PadPlaces::front(real, fit_ ? rows : real);
  }

  void pad_nodes(size_t t) {
    SampledNodes& type = batch_.nodes[t];
    const PadPlaces places = front(type.node.rows(), sizes_.nodes[t]);
    fill_.mask(places, &type.mask);
    if (!fit_) {
      return;
    }
    fill_.ids(places, -1, &type.node);
    if (type.tree.defined()) {
      fill_.ids(places, num_trees_, &type.tree);
    }
  }

  void pad_seeds(size_t t) {
    SampledNodes& type = batch_.nodes[t];
    PadPlaces places = front(type.seed.rows(), sizes_.seeds[t]);
    if (fit_ && !batch_.labels.empty() && t == batch_.input_type) {
      // Anchors come first, in any number, and labels follow them.
      places.head = batch_.input.rows();
      places.rest = sizes_.inputs;
    }
    fill_.mask(places, &type.seed_mask);
    if (!fit_) {
      return;
    }
    fill_.ids(places, spare_[t], &type.seed);
    if (type.seed_time.defined()) {
      fill_.ids(places, 0, &type.seed_time);
    }
  }

  void pad_edges(size_t t, bool toward_seeds) {
    SampledEdges& type = batch_.edges[t];
    const PadPlaces places = front(type.count(), sizes_.edges[t]);
    fill_.mask(places, &type.mask);
    if (!fit_) {
      return;
    }
    const EdgeType& of = batch_.dataset->edge_types()[t];
    // Against the direction of edges, rows are the targets.
    const auto [row_type, col_type] =
        toward_seeds ? std::pair(of.target, of.source) : std::pair(of.source, of.target);
    fill_.ends(places, spare_[row_type], spare_[col_type], &type.index);
    if (type.edge.defined()) {
      fill_.ids(places, -1, &type.edge);
    }
  }

  void pad_links(SampledLinks& links) {
    const EdgeType& of = batch_.dataset->edge_types()[links.edge_type];
    const int64_t count = batch_.input.rows();
    const int64_t real = links.source.rows();
    PadPlaces places = front(real, real);
    if (fit_) {
      // Negatives of links begin at a fixed position, for any number of links.
      places = {real, count, sizes_.inputs, sizes_.inputs + sizes_.negatives};
    }
    fill_.mask(places, &links.mask);
    if (links.negative.defined()) {
      pad_negatives(links, of);
    }
    if (!fit_) {
      return;
    }
    fill_.ids(places, spare_[of.source], &links.source);
    fill_.ids(places, spare_[of.target], &links.target);
    if (links.label.defined()) {
      fill_.zeros(places, &links.label);
    }
  }

  void pad_negatives(SampledLinks& links, const EdgeType& of) {
    const Tensor real = links.negative;
    const PadPlaces places = front(real.rows(), sizes_.inputs);
    fill_.found(places, real, &links.negative_mask);
    if (fit_) {
      fill_.ids(places, spare_[of.target], &links.negative);
    }
  }

  // Adds walks that end at their start.
  void pad_walks(SampledWalks& walks) {
    const PadPlaces places = front(walks.walk.rows(), sizes_.walks);
    fill_.mask(places, &walks.mask);
    if (!fit_) {
      return;
    }
    fill_.ids(places, spare_[walks.node_type], -1, &walks.walk);
    if (walks.edge.defined()) {
      fill_.ids(places, -1, &walks.edge);
    }
  }

  void pad_near(size_t t) {
    SampledNear& near = batch_.near[t];
    if (!near.node.defined()) {
      return;
    }
    const PadPlaces places = front(near.node.rows(), sizes_.near[t]);
    fill_.mask(places, &near.mask);
    if (!fit_) {
      return;
    }
    fill_.ids(places, spare_[batch_.input_type], &near.seed);
    fill_.ids(places, spare_[t], &near.node);
    fill_.zeros(places, &near.score);
  }

  // Adds anchors without labels.
  void pad_labels() {
    const PadPlaces places = front(batch_.input.rows(), sizes_.inputs);
    fill_.mask(places, &batch_.nodes[batch_.input_type].anchor_mask);
    if (!fit_) {
      return;
    }
    for (SampledLabels& labels : batch_.labels) {
      fill_.ids(places, -1, &labels.label);
    }
  }

  const PadSizes& sizes_;
  Batch& batch_;
  PadFill fill_;
  const bool fit_;
  std::vector<int64_t> spare_;  // the first padding row of each node type
  int64_t num_trees_ = 0;
};

}  // namespace

Status pad_batch(const PadSizes& sizes, bool toward_seeds, BufferPool& pool,
                 const DeviceStream* stream, Batch* batch) {
  return Padder(sizes, pool, stream, batch).run(toward_seeds);
}

void pad_columns(BufferPool& pool, Batch* batch) {
  if (batch->padding != Padding::kFits) {
    return;
  }
  PadFill fill(pool, nullptr);
  for (GatheredColumn& column : batch->columns) {
    const int64_t all = !column.of_nodes    ? batch->edges[column.type].count()
                        : column.seeds_only ? batch->nodes[column.type].seed.rows()
                                            : batch->nodes[column.type].node.rows();
    const int64_t rows = std::max(all, column.data.rows());
    fill.zeros(PadPlaces::front(column.data.rows(), rows), &column.data);
  }
}

}  // namespace gls
