#include "loader/padding.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace gls {
namespace {

constexpr int64_t kMostRows = std::numeric_limits<int32_t>::max();

// The size given for a type.
Result<std::optional<int64_t>> size_of(const PadOptions& options, const std::string& type) {
  std::optional<int64_t> found;
  for (const auto& [name, rows] : options.sizes) {
    if (name != type) {
      continue;
    }
    if (found.has_value() || rows < 1 || rows > kMostRows) {
      return invalid("pad: {} rows for \"{}\"{}, expected 1 to {}, once", rows, type,
                     found.has_value() ? " again" : "", kMostRows)
          .with("argument", "pad");
    }
    found = rows;
  }
  return found;
}

// Mean and spread of counts seen.
struct Moments {
  double sum = 0;
  double squares = 0;

  void add(int64_t count) {
    const auto value = static_cast<double>(count);
    sum += value;
    squares += value * value;
  }
  // With room for a row that is added.
  int64_t size(const PadOptions& options, uint32_t seen) const {
    const double mean = sum / seen;
    const double variance = std::max(0.0, squares / seen - mean * mean);
    const double rows = std::ceil(mean + options.sigma * std::sqrt(variance)) + 1;
    const double multiple = options.multiple;
    const double rounded = std::ceil(rows / multiple) * multiple;
    return static_cast<int64_t>(std::min(rounded, static_cast<double>(kMostRows)));
  }
};

Tensor filled(BufferPool& pool, const Tensor& from, int64_t rows, int64_t value) {
  const DLDataType dtype = from.dtype();
  const size_t width = dtype_bytes(dtype);
  auto owner = std::make_shared<Buffer>(pool.acquire(static_cast<size_t>(rows) * width));
  auto* const out = owner->as<std::byte>();
  const int64_t kept = from.rows();
  if (kept > 0) {
    std::memcpy(out, from.data(), static_cast<size_t>(kept) * width);
  }
  if (width == 8) {
    std::fill(owner->as<int64_t>() + kept, owner->as<int64_t>() + rows, value);
  } else {
    std::fill(owner->as<int32_t>() + kept, owner->as<int32_t>() + rows,
              static_cast<int32_t>(value));
  }
  return Tensor(std::move(owner), out, dtype, {rows}, false);
}

Tensor mask(BufferPool& pool, int64_t real, int64_t rows) {
  constexpr DLDataType kBool = {kDLBool, 8, 1};
  auto owner = std::make_shared<Buffer>(pool.acquire(static_cast<size_t>(rows)));
  auto* const out = owner->as<std::byte>();
  std::fill(out, out + real, std::byte{1});
  std::fill(out + real, out + rows, std::byte{0});
  return Tensor(std::move(owner), out, kBool, {rows}, false);
}

bool fits(const PadSizes& sizes, const Batch& batch) {
  for (size_t t = 0; t < batch.nodes.size(); ++t) {
    if (batch.nodes[t].node.rows() >= sizes.nodes[t]) {
      return false;
    }
  }
  for (size_t t = 0; t < batch.edges.size(); ++t) {
    if (batch.edges[t].row.rows() > sizes.edges[t]) {
      return false;
    }
  }
  return true;
}

}  // namespace

Result<PadSizes> pad_sizes(const Dataset& dataset, const PadOptions& options, uint64_t num_batches,
                           const std::function<Result<std::shared_ptr<Batch>>(uint64_t)>& sample) {
  PadSizes out;
  std::vector<Moments> nodes(dataset.node_types().size());
  std::vector<Moments> edges(dataset.edge_types().size());
  bool all_given = true;
  for (const NodeType& type : dataset.node_types()) {
    GLS_ASSIGN(const std::optional<int64_t> given, size_of(options, type.name));
    all_given &= given.has_value();
    out.nodes.push_back(given.value_or(0));
  }
  for (const EdgeType& type : dataset.edge_types()) {
    GLS_ASSIGN(const std::optional<int64_t> given, size_of(options, type.joined));
    all_given &= given.has_value();
    out.edges.push_back(given.value_or(0));
  }
  for (const std::pair<std::string, int64_t>& size : options.sizes) {
    const std::string& name = size.first;
    const bool node = std::any_of(dataset.node_types().begin(), dataset.node_types().end(),
                                  [&](const NodeType& type) { return type.name == name; });
    const bool edge = std::any_of(dataset.edge_types().begin(), dataset.edge_types().end(),
                                  [&](const EdgeType& type) { return type.joined == name; });
    if (!node && !edge) {
      return not_found("pad: there is no type \"{}\"", name).with("argument", "pad");
    }
  }
  if (all_given) {
    return out;
  }
  const auto seen = static_cast<uint32_t>(std::min<uint64_t>(options.batches, num_batches));
  if (seen == 0) {
    return invalid("pad: there are no batches to estimate sizes from").with("argument", "pad");
  }
  for (uint32_t i = 0; i < seen; ++i) {
    GLS_ASSIGN(const std::shared_ptr<Batch> batch, sample(i * num_batches / seen));
    for (size_t t = 0; t < nodes.size(); ++t) {
      nodes[t].add(batch->nodes[t].node.rows());
    }
    for (size_t t = 0; t < edges.size(); ++t) {
      edges[t].add(batch->edges[t].row.rows());
    }
  }
  for (size_t t = 0; t < nodes.size(); ++t) {
    out.nodes[t] = out.nodes[t] > 0 ? out.nodes[t] : nodes[t].size(options, seen);
  }
  for (size_t t = 0; t < edges.size(); ++t) {
    out.edges[t] = out.edges[t] > 0 ? out.edges[t] : edges[t].size(options, seen);
  }
  return out;
}

void pad_batch(const PadSizes& sizes, int64_t batch_size, bool toward_seeds, BufferPool& pool,
               Batch* batch) {
  const bool fit = fits(sizes, *batch);
  batch->padding = fit ? Padding::kFits : Padding::kOverflow;
  std::vector<int64_t> spare;  // the first row added, of each node type
  int64_t num_trees = 0;
  for (const SampledNodes& type : batch->nodes) {
    num_trees += type.seed.rows();
  }
  for (size_t t = 0; t < batch->nodes.size(); ++t) {
    SampledNodes& type = batch->nodes[t];
    const int64_t real = type.node.rows();
    const int64_t rows = fit ? sizes.nodes[t] : real;
    spare.push_back(real);
    type.mask = mask(pool, real, rows);
    const bool seeded = t == batch->input_type;
    if (seeded) {
      type.seed_mask = mask(pool, type.seed.rows(), fit ? batch_size : type.seed.rows());
    }
    if (!fit) {
      continue;
    }
    type.node = filled(pool, type.node, rows, -1);
    if (type.tree.defined()) {
      type.tree = filled(pool, type.tree, rows, num_trees);
    }
    if (seeded) {
      type.seed = filled(pool, type.seed, batch_size, real);
      if (type.seed_time.defined()) {
        type.seed_time = filled(pool, type.seed_time, batch_size, 0);
      }
    }
  }
  for (size_t t = 0; t < batch->edges.size(); ++t) {
    SampledEdges& type = batch->edges[t];
    const int64_t real = type.row.rows();
    const int64_t rows = fit ? sizes.edges[t] : real;
    type.mask = mask(pool, real, rows);
    if (!fit) {
      continue;
    }
    const EdgeType& of = batch->dataset->edge_types()[t];
    // Against the edges' direction, rows are the targets.
    const auto [row_type, col_type] =
        toward_seeds ? std::pair(of.target, of.source) : std::pair(of.source, of.target);
    type.row = filled(pool, type.row, rows, spare[row_type]);
    type.col = filled(pool, type.col, rows, spare[col_type]);
    if (type.edge.defined()) {
      type.edge = filled(pool, type.edge, rows, -1);
    }
  }
  if (fit) {
    batch->input = filled(pool, batch->input, batch_size, -1);
  }
}

}  // namespace gls
