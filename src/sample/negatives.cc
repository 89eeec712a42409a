#include "sample/negatives.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/topology_query.h"

namespace gls {
namespace {

// The hop no sampling uses: draws of negatives share no word with those of rows.
constexpr uint32_t kNegativeHop = kMaxHops;

}  // namespace

// ---- nodes -------------------------------------------------------------------------------------

NodeDistribution::NodeDistribution(std::vector<double> weights) : cumulative_(std::move(weights)) {
  double sum = 0;
  for (size_t v = 0; v < cumulative_.size(); ++v) {
    if (cumulative_[v] > 0) {
      last_positive_ = static_cast<int64_t>(v);
    }
    sum += cumulative_[v];
    cumulative_[v] = sum;
  }
  count_ = last_positive_ < 0 ? 0 : static_cast<int64_t>(cumulative_.size());
}

int64_t NodeDistribution::draw(RowDraws& draws, uint32_t draw) const {
  if (cumulative_.empty()) {
    return static_cast<int64_t>(mul_high64(draws.u64(draw), static_cast<uint64_t>(count_)));
  }
  const double x = draws.unit(draw) * cumulative_.back();
  const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end(), x);
  return at == cumulative_.end() ? last_positive_ : at - cumulative_.begin();
}

double degree_power(int64_t degree, uint32_t quarters) {
  const auto d = static_cast<double>(degree);
  const double half = std::sqrt(d);
  const double quarter = std::sqrt(half);
  double power = 1;
  for (uint32_t i = 0; i < quarters / 4; ++i) {
    power *= d;
  }
  switch (quarters % 4) {
    case 1:
      return power * quarter;
    case 2:
      return power * half;
    case 3:
      return power * half * quarter;
    default:
      return power;
  }
}

// ---- pairs -------------------------------------------------------------------------------------

namespace {

Result<NodeDistribution> make_end(const Dataset& dataset, size_t edge_type, bool source,
                                  const NegativeOptions& options) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  const NodeType& node_type = dataset.node_types()[source ? type.source : type.target];
  const std::string& column_name = source ? options.source_weight : options.target_weight;
  const char* const argument = source ? "source_weight" : "target_weight";
  if (column_name.empty() && options.degree_quarters == 0) {
    return NodeDistribution(node_type.count);
  }
  std::vector<double> weights(static_cast<size_t>(node_type.count));
  if (column_name.empty()) {
    GLS_ASSIGN(const std::vector<int64_t> degrees,
               all_degrees(dataset, edge_type, source ? Layout::kCsr : Layout::kCsc));
    for (size_t v = 0; v < weights.size(); ++v) {
      weights[v] = degree_power(degrees[v], options.degree_quarters);
    }
  } else {
    const Column* const column = node_type.find_column(column_name);
    if (column == nullptr) {
      return not_found("{}: node type \"{}\" has no column \"{}\"", argument, node_type.name,
                       column_name)
          .with("argument", argument);
    }
    if (column->data.shape().size() != 1) {
      return invalid("{}: column \"{}\" of \"{}\" has shape {}, expected one number per node",
                     argument, column_name, node_type.name, shape_text(column->data.shape()))
          .with("argument", argument);
    }
    for (size_t v = 0; v < weights.size(); ++v) {
      weights[v] = element_as_double(
          column->data.data() + static_cast<int64_t>(v) * column->data.row_stride(),
          column->data.dtype(), 0);
      if (!(weights[v] >= 0) || std::isinf(weights[v])) {
        return corrupt(
                   "column \"{}\" of node type \"{}\": weight of node {} is {}, expected a "
                   "finite number not below 0",
                   column_name, node_type.name, v, weights[v])
            .with("column", column_name);
      }
    }
  }
  NodeDistribution out(std::move(weights));
  if (std::isinf(out.total())) {
    return corrupt("the weights of the nodes of type \"{}\" add up to infinity", node_type.name)
        .with("type", node_type.name);
  }
  return out;
}

}  // namespace

NegativeSampler::NegativeSampler(std::shared_ptr<const Dataset> dataset, size_t edge_type,
                                 const NegativeOptions& options, NodeDistribution sources,
                                 NodeDistribution targets)
    : dataset_(std::move(dataset)),
      type_(dataset_->edge_types()[edge_type]),
      options_(options),
      row_word_(row_word(kNegativeHop, static_cast<uint32_t>(edge_type))),
      sources_(std::move(sources)),
      targets_(std::move(targets)) {}

Result<std::shared_ptr<const NegativeSampler>> NegativeSampler::create(
    std::shared_ptr<const Dataset> dataset, size_t edge_type, const NegativeOptions& options) {
  GLS_ASSIGN(NodeDistribution targets, make_end(*dataset, edge_type, false, options));
  NodeDistribution sources(0);
  if (options.mode == NegativeMode::kBinary) {
    GLS_ASSIGN(sources, make_end(*dataset, edge_type, true, options));
  }
  return std::shared_ptr<const NegativeSampler>(new NegativeSampler(
      std::move(dataset), edge_type, options, std::move(sources), std::move(targets)));
}

int64_t NegativeSampler::amount(int64_t links) const {
  if (options_.mode == NegativeMode::kTriplet) {
    return static_cast<int64_t>(options_.amount);
  }
  return static_cast<int64_t>(std::ceil(static_cast<double>(links) * options_.amount));
}

Status NegativeSampler::none_found(const std::string& what) const {
  return not_found(
      "negatives: {} tries found no {} without an edge of type \"{}\"; raise tries, or allow "
      "fewer",
      options_.tries, what, type_.joined);
}

Status NegativeSampler::binary(uint64_t key, int64_t links, std::vector<int64_t>* sources,
                               std::vector<int64_t>* targets) const {
  const int64_t wanted = amount(links);
  for (int64_t i = 0; i < wanted; ++i) {
    RowDraws draws(key, row_word_, static_cast<uint64_t>(i));
    bool found = false;
    const bool possible = !sources_.empty() && !targets_.empty();
    for (uint32_t r = 0; possible && !found && r < options_.tries; ++r) {
      const int64_t source = sources_.draw(draws, 2 * r);
      const int64_t target = targets_.draw(draws, 2 * r + 1);
      bool edge = false;
      if (options_.strict) {
        GLS_ASSIGN(edge, has_edge(type_, source, target));
      }
      found = !edge;
      if (found) {
        sources->push_back(source);
        targets->push_back(target);
      }
    }
    if (!found) {
      if (!options_.allow_short) {
        return none_found("pair of nodes");
      }
      sources->push_back(-1);
      targets->push_back(-1);
    }
  }
  return {};
}

Status NegativeSampler::triplets(uint64_t key, std::span<const int64_t> sources,
                                 std::vector<int64_t>* targets) const {
  const int64_t wanted = amount(0);
  for (size_t i = 0; i < sources.size(); ++i) {
    RowDraws draws(key, row_word_, i);
    for (int64_t a = 0; a < wanted; ++a) {
      int64_t found = -1;
      for (uint32_t r = 0; !targets_.empty() && found < 0 && r < options_.tries; ++r) {
        const int64_t target = targets_.draw(draws, static_cast<uint32_t>(a) * options_.tries + r);
        bool edge = false;
        if (options_.strict) {
          GLS_ASSIGN(edge, has_edge(type_, sources[i], target));
        }
        found = edge ? -1 : target;
      }
      if (found < 0 && !options_.allow_short) {
        return none_found(formatted("node for source {}", sources[i]));
      }
      targets->push_back(found);
    }
  }
  return {};
}

}  // namespace gls
