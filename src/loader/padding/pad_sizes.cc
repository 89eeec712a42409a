#include "loader/padding/pad_sizes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/dataset/unknown_name.h"
#include "sample/links/negatives.h"

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

Status check_names(const Dataset& dataset, const PadOptions& options) {
  for (const std::pair<std::string, int64_t>& size : options.sizes) {
    const std::string& name = size.first;
    const bool node = std::any_of(dataset.node_types().begin(), dataset.node_types().end(),
                                  [&](const NodeType& type) { return type.name == name; });
    const bool edge = std::any_of(dataset.edge_types().begin(), dataset.edge_types().end(),
                                  [&](const EdgeType& type) { return type.joined == name; });
    if (!node && !edge) {
      return no_type("pad", dataset, name);
    }
  }
  return {};
}

// Mean and standard deviation of observed counts.
struct Moments {
  double sum = 0;
  double squares = 0;

  void add(int64_t count) {
    const auto value = static_cast<double>(count);
    sum += value;
    squares += value * value;
  }
  // Includes one row of padding.
  int64_t size(const PadOptions& options, uint32_t seen) const {
    const double mean = sum / seen;
    const double variance = std::max(0.0, squares / seen - mean * mean);
    const double rows = std::ceil(mean + options.sigma * std::sqrt(variance)) + 1;
    const double multiple = options.multiple;
    const double rounded = std::ceil(rows / multiple) * multiple;
    return static_cast<int64_t>(std::min(rounded, static_cast<double>(kMostRows)));
  }
};

// Whether such a batch can have edges.
bool has_edges(const SamplerOptions& options) {
  if (options.importance.has_value() || options.ppr.has_value()) {
    return false;
  }
  return !options.walk.has_value() || options.subgraph == Subgraph::kInduced;
}

// Whether such a batch can have importance neighbours of a node type.
bool has_near(const PadSubject& subject, size_t type) {
  const SamplerOptions& options = subject.sampler.options();
  return options.ppr.has_value() || (options.importance.has_value() && type == subject.input_type);
}

Status estimate(const PadSubject& subject, const PadOptions& options, PadSizes* out) {
  const auto seen = static_cast<uint32_t>(std::min<uint64_t>(options.batches, subject.num_batches));
  if (seen == 0) {
    return invalid("pad: there are no batches to estimate sizes from").with("argument", "pad");
  }
  std::vector<Moments> nodes(out->nodes.size());
  std::vector<Moments> edges(out->edges.size());
  std::vector<Moments> near(out->near.size());
  for (uint32_t i = 0; i < seen; ++i) {
    GLS_ASSIGN(const std::shared_ptr<Batch> batch, subject.sample(i * subject.num_batches / seen));
    for (size_t t = 0; t < nodes.size(); ++t) {
      nodes[t].add(batch->nodes[t].node.rows());
    }
    for (size_t t = 0; t < edges.size(); ++t) {
      edges[t].add(batch->edges[t].count());
    }
    for (size_t t = 0; t < batch->near.size(); ++t) {
      near[t].add(batch->near[t].node.defined() ? batch->near[t].node.rows() : 0);
    }
  }
  for (size_t t = 0; t < nodes.size(); ++t) {
    out->nodes[t] = out->nodes[t] > 0 ? out->nodes[t] : nodes[t].size(options, seen);
  }
  if (has_edges(subject.sampler.options())) {
    for (size_t t = 0; t < edges.size(); ++t) {
      out->edges[t] = out->edges[t] > 0 ? out->edges[t] : edges[t].size(options, seen);
    }
  }
  for (size_t t = 0; t < near.size(); ++t) {
    out->near[t] = has_near(subject, t) ? near[t].size(options, seen) : 0;
  }
  return {};
}

// Sums and products of sizes, each of which must be a valid number of rows.
class Rows {
 public:
  void add(int64_t count, int64_t of_each = 1) {
    // Neither is above 2^31, and their sum fits.
    sum_ = std::min(sum_ + count * of_each, kMostRows + 1);
  }
  Result<int64_t> of(std::string_view what) const {
    if (sum_ > kMostRows) {
      return error(GLS_ERR_UNSUPPORTED,
                   "pad: a full batch has more than {} {}; use smaller batches", kMostRows, what)
          .with("argument", "pad");
    }
    return sum_;
  }

 private:
  int64_t sum_ = 0;
};

Status size_links(const PadSubject& subject, PadSizes* out) {
  const NegativeOptions& drawn = subject.sampler.options().negatives;
  const EdgeType& type = subject.sampler.dataset()->edge_types()[subject.input_type];
  const bool triplets = drawn.mode == NegativeMode::kTriplet;
  const bool pairs = drawn.mode == NegativeMode::kBinary;
  const int64_t amount = triplets || pairs ? negatives_of(drawn, out->inputs) : 0;
  std::vector<Rows> seeds(out->seeds.size());
  seeds[type.source].add(out->inputs);
  seeds[type.target].add(out->inputs);
  Rows negatives;
  if (pairs) {
    negatives.add(std::min(amount, kMostRows + 1));
    seeds[type.source].add(std::min(amount, kMostRows + 1));
    seeds[type.target].add(std::min(amount, kMostRows + 1));
  } else if (triplets) {
    seeds[type.target].add(out->inputs, amount);
  }
  out->seeded[type.source] = true;
  out->seeded[type.target] = true;
  GLS_ASSIGN(out->negatives, negatives.of("negatives"));
  for (const size_t t : {type.source, type.target}) {
    GLS_ASSIGN(out->seeds[t], seeds[t].of("seeds, their negatives counted"));
  }
  return {};
}

Status size_anchors(const PadSubject& subject, PadSizes* out) {
  const std::vector<Supervision>& all = subject.sampler.options().supervisions;
  std::vector<Rows> seeds(out->seeds.size());
  seeds[subject.input_type].add(out->inputs);
  for (size_t s = 0; s < all.size(); ++s) {
    int64_t width = all[s].max_labels;
    if (!all[s].edge_type.has_value()) {
      width = subject.label_widths[s];
    } else if (width == 0) {
      return invalid(
                 "pad: supervision \"{}\" has no max_labels, without which rows of labels are not "
                 "as "
                 "long in every batch",
                 all[s].name)
          .with("argument", "pad");
    }
    seeds[all[s].node_type].add(out->inputs, std::min(width, kMostRows + 1));
    out->seeded[all[s].node_type] = true;
  }
  for (size_t t = 0; t < seeds.size(); ++t) {
    GLS_ASSIGN(out->seeds[t], seeds[t].of("seeds, their labels counted"));
  }
  return {};
}

Status size_seeds(const PadSubject& subject, PadSizes* out) {
  if (subject.links) {
    return size_links(subject, out);
  }
  out->seeds[subject.input_type] = out->inputs;
  out->seeded[subject.input_type] = true;
  const SamplerOptions& options = subject.sampler.options();
  if (options.walk.has_value()) {
    Rows walks;
    walks.add(out->inputs, static_cast<int64_t>(options.walk->walks));
    GLS_ASSIGN(out->walks, walks.of("walks"));
  }
  return options.supervisions.empty() ? Status() : size_anchors(subject, out);
}

}  // namespace

Result<PadSizes> pad_sizes(const PadSubject& subject, const PadOptions& options) {
  const Dataset& dataset = *subject.sampler.dataset();
  const SamplerOptions& sampling = subject.sampler.options();
  const size_t node_types = dataset.node_types().size();
  PadSizes out;
  bool all_given = !sampling.importance.has_value() && !sampling.ppr.has_value();
  for (const NodeType& type : dataset.node_types()) {
    GLS_ASSIGN(const std::optional<int64_t> given, size_of(options, type.name));
    all_given &= given.has_value();
    out.nodes.push_back(given.value_or(0));
  }
  for (const EdgeType& type : dataset.edge_types()) {
    GLS_ASSIGN(const std::optional<int64_t> given, size_of(options, type.joined));
    all_given &= given.has_value() || !has_edges(sampling);
    out.edges.push_back(given.value_or(0));
  }
  GLS_TRY(check_names(dataset, options));
  out.near.assign(node_types, 0);
  out.seeds.assign(node_types, 0);
  out.seeded.assign(node_types, false);
  // Checks that can fail come before batches are made.
  out.inputs = subject.clusters ? 1 : subject.batch_size;
  GLS_TRY(size_seeds(subject, &out));
  if (!all_given) {
    GLS_TRY(estimate(subject, options, &out));
  }
  if (subject.clusters) {
    out.inputs = out.nodes[subject.input_type];
    GLS_TRY(size_seeds(subject, &out));
  }
  return out;
}

}  // namespace gls
