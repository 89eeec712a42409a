#include "loader/padding.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace gls {
namespace {

constexpr DLDataType kBool = {kDLBool, 8, 1};

// Where the real rows of an array go: the first `head` stay, the others follow from `rest` on, and
// all else is added.
struct Places {
  int64_t real = 0;
  int64_t head = 0;
  int64_t rest = 0;
  int64_t rows = 0;

  static Places front(int64_t real, int64_t rows) { return {real, real, real, rows}; }
};

// With the same rows as `from` has, but as many as `places` says; `fill` writes what is added, from
// one row up to another.
template <typename Fill>
Tensor spread(BufferPool& pool, const Tensor& from, const Places& places, Fill fill) {
  std::vector<int64_t> shape = from.shape();
  shape[0] = places.rows;
  const auto width = static_cast<size_t>(from.row_bytes());
  const size_t bytes = static_cast<size_t>(places.rows) * width;
  auto owner = std::make_shared<Buffer>(pool.acquire(std::max<size_t>(bytes, 1)));
  auto* const out = owner->as<std::byte>();
  const auto keep = [&](int64_t begin, int64_t end, int64_t to) {
    if (begin < end && width > 0) {
      std::memcpy(out + static_cast<size_t>(to) * width,
                  from.data() + static_cast<size_t>(begin) * width,
                  static_cast<size_t>(end - begin) * width);
    }
  };
  keep(0, places.head, 0);
  keep(places.head, places.real, places.rest);
  fill(out, places.head, places.rest);
  fill(out, places.rest + places.real - places.head, places.rows);
  return Tensor(std::move(owner), out, from.dtype(), std::move(shape), false);
}

// `value` in every column of the rows that are added; `first` in the first column.
Tensor filled(BufferPool& pool, const Tensor& from, const Places& places, int64_t first,
              int64_t value) {
  const auto columns =
      from.row_bytes() / static_cast<int64_t>(std::max<size_t>(dtype_bytes(from.dtype()), 1));
  const bool wide = dtype_bytes(from.dtype()) == 8;
  return spread(pool, from, places, [&](std::byte* out, int64_t begin, int64_t end) {
    const auto write = [&](auto* ids) {
      using Id = std::remove_pointer_t<decltype(ids)>;
      std::fill(ids + begin * columns, ids + end * columns, static_cast<Id>(value));
      for (int64_t i = begin; columns > 0 && i < end; ++i) {
        ids[i * columns] = static_cast<Id>(first);
      }
    };
    if (wide) {
      write(reinterpret_cast<int64_t*>(out));
    } else {
      write(reinterpret_cast<int32_t*>(out));
    }
  });
}
Tensor filled(BufferPool& pool, const Tensor& from, const Places& places, int64_t value) {
  return filled(pool, from, places, value, value);
}

// Numbers of any kind.
Tensor with_zeros(BufferPool& pool, const Tensor& from, const Places& places) {
  const auto width = static_cast<size_t>(from.row_bytes());
  return spread(pool, from, places, [&](std::byte* out, int64_t begin, int64_t end) {
    if (begin < end) {
      std::memset(out + static_cast<size_t>(begin) * width, 0,
                  static_cast<size_t>(end - begin) * width);
    }
  });
}

Tensor bools(BufferPool& pool, std::vector<int64_t> shape, std::byte** data) {
  size_t count = 1;
  for (const int64_t dim : shape) {
    count *= static_cast<size_t>(dim);
  }
  auto owner = std::make_shared<Buffer>(pool.acquire(std::max<size_t>(count, 1)));
  *data = owner->as<std::byte>();
  std::memset(*data, 0, count);
  const std::byte* const begin = *data;
  return Tensor(std::move(owner), begin, kBool, std::move(shape), false);
}

Tensor mask(BufferPool& pool, const Places& places) {
  std::byte* out = nullptr;
  Tensor tensor = bools(pool, {places.rows}, &out);
  std::fill(out, out + places.head, std::byte{1});
  std::fill(out + places.rest, out + places.rest + places.real - places.head, std::byte{1});
  return tensor;
}

bool fits(const PadSizes& sizes, const Batch& batch) {
  const auto rows = [](const Tensor& tensor) { return tensor.defined() ? tensor.rows() : 0; };
  for (size_t t = 0; t < batch.nodes.size(); ++t) {
    // Of labels each anchor may have as many as there is room for, but of clusters no batch size
    // says how many seeds there are.
    if (batch.nodes[t].node.rows() >= sizes.nodes[t] ||
        (sizes.seeded[t] && batch.nodes[t].seed.rows() > sizes.seeds[t])) {
      return false;
    }
  }
  for (size_t t = 0; t < batch.edges.size(); ++t) {
    if (batch.edges[t].row.rows() > sizes.edges[t]) {
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

// One batch, of which nothing is added to what does not fit.
class Padder {
 public:
  Padder(const PadSizes& sizes, BufferPool& pool, Batch* batch)
      : sizes_(sizes), pool_(pool), batch_(*batch), fit_(fits(sizes, *batch)) {
    for (const SampledNodes& type : batch_.nodes) {
      spare_.push_back(type.node.rows());
      num_trees_ += type.seed.rows();
    }
  }

  void run(bool toward_seeds) {
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
    // Last, as it tells how many nodes or links there are.
    if (fit_) {
      batch_.input = filled(pool_, batch_.input, front(batch_.input.rows(), sizes_.inputs), -1);
    }
  }

 private:
  Places front(int64_t real, int64_t rows) const { return Places::front(real, fit_ ? rows : real); }

  void pad_nodes(size_t t) {
    SampledNodes& type = batch_.nodes[t];
    const Places places = front(type.node.rows(), sizes_.nodes[t]);
    type.mask = mask(pool_, places);
    if (!fit_) {
      return;
    }
    type.node = filled(pool_, type.node, places, -1);
    if (type.tree.defined()) {
      type.tree = filled(pool_, type.tree, places, num_trees_);
    }
  }

  void pad_seeds(size_t t) {
    SampledNodes& type = batch_.nodes[t];
    Places places = front(type.seed.rows(), sizes_.seeds[t]);
    if (fit_ && !batch_.labels.empty() && t == batch_.input_type) {
      // Anchors are the first, whatever their number, and labels follow them.
      places.head = batch_.input.rows();
      places.rest = sizes_.inputs;
    }
    type.seed_mask = mask(pool_, places);
    if (!fit_) {
      return;
    }
    type.seed = filled(pool_, type.seed, places, spare_[t]);
    if (type.seed_time.defined()) {
      type.seed_time = filled(pool_, type.seed_time, places, 0);
    }
  }

  void pad_edges(size_t t, bool toward_seeds) {
    SampledEdges& type = batch_.edges[t];
    const Places places = front(type.row.rows(), sizes_.edges[t]);
    type.mask = mask(pool_, places);
    if (!fit_) {
      return;
    }
    const EdgeType& of = batch_.dataset->edge_types()[t];
    // Against the edges' direction, rows are the targets.
    const auto [row_type, col_type] =
        toward_seeds ? std::pair(of.target, of.source) : std::pair(of.source, of.target);
    type.row = filled(pool_, type.row, places, spare_[row_type]);
    type.col = filled(pool_, type.col, places, spare_[col_type]);
    if (type.edge.defined()) {
      type.edge = filled(pool_, type.edge, places, -1);
    }
  }

  void pad_links(SampledLinks& links) {
    const EdgeType& of = batch_.dataset->edge_types()[links.edge_type];
    const int64_t count = batch_.input.rows();
    const int64_t real = links.source.rows();
    Places places = front(real, real);
    if (fit_) {
      // Pairs drawn for links begin at one place, however many links there are.
      places = {real, count, sizes_.inputs, sizes_.inputs + sizes_.negatives};
    }
    links.mask = mask(pool_, places);
    if (links.negative.defined()) {
      pad_negatives(links, of);
    }
    if (!fit_) {
      return;
    }
    links.source = filled(pool_, links.source, places, spare_[of.source]);
    links.target = filled(pool_, links.target, places, spare_[of.target]);
    if (links.label.defined()) {
      links.label = with_zeros(pool_, links.label, places);
    }
  }

  void pad_negatives(SampledLinks& links, const EdgeType& of) {
    const Tensor real = links.negative;
    const Places places = front(real.rows(), sizes_.inputs);
    std::byte* out = nullptr;
    links.negative_mask = bools(pool_, {places.rows, real.shape()[1]}, &out);
    const int64_t count = real.rows() * real.shape()[1];
    const IdSpan ids(real.data(), same_dtype(real.dtype(), kInt64), count);
    for (int64_t i = 0; i < count; ++i) {
      out[i] = std::byte{ids[i] >= 0};
    }
    if (fit_) {
      links.negative = filled(pool_, real, places, spare_[of.target]);
    }
  }

  // Walks that ended where they began.
  void pad_walks(SampledWalks& walks) {
    const Places places = front(walks.walk.rows(), sizes_.walks);
    walks.mask = mask(pool_, places);
    if (!fit_) {
      return;
    }
    walks.walk = filled(pool_, walks.walk, places, spare_[walks.node_type], -1);
    if (walks.edge.defined()) {
      walks.edge = filled(pool_, walks.edge, places, -1);
    }
  }

  void pad_near(size_t t) {
    SampledNear& near = batch_.near[t];
    if (!near.node.defined()) {
      return;
    }
    const Places places = front(near.node.rows(), sizes_.near[t]);
    near.mask = mask(pool_, places);
    if (!fit_) {
      return;
    }
    near.seed = filled(pool_, near.seed, places, spare_[batch_.input_type]);
    near.node = filled(pool_, near.node, places, spare_[t]);
    near.score = with_zeros(pool_, near.score, places);
  }

  // Anchors that have none.
  void pad_labels() {
    const Places places = front(batch_.input.rows(), sizes_.inputs);
    batch_.nodes[batch_.input_type].anchor_mask = mask(pool_, places);
    if (!fit_) {
      return;
    }
    for (SampledLabels& labels : batch_.labels) {
      labels.label = filled(pool_, labels.label, places, -1);
    }
  }

  const PadSizes& sizes_;
  BufferPool& pool_;
  Batch& batch_;
  const bool fit_;
  std::vector<int64_t> spare_;  // the first row added, of each node type
  int64_t num_trees_ = 0;
};

}  // namespace

void pad_batch(const PadSizes& sizes, bool toward_seeds, BufferPool& pool, Batch* batch) {
  Padder(sizes, pool, batch).run(toward_seeds);
}

void pad_columns(BufferPool& pool, Batch* batch) {
  if (batch->padding != Padding::kFits) {
    return;
  }
  for (GatheredColumn& column : batch->columns) {
    const Tensor& of = !column.of_nodes    ? batch->edges[column.type].row
                       : column.seeds_only ? batch->nodes[column.type].seed
                                           : batch->nodes[column.type].node;
    const int64_t rows = std::max(of.rows(), column.data.rows());
    column.data = with_zeros(pool, column.data, Places::front(column.data.rows(), rows));
  }
}

}  // namespace gls
