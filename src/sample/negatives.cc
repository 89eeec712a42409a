#include "sample/negatives.h"

#include <cmath>
#include <utility>

#include "graph/topology_query.h"

namespace gls {
namespace {

// The hop no sampling uses: draws of negatives share no word with those of rows.
constexpr uint32_t kNegativeHop = kMaxHops;

}  // namespace

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

Result<Distribution> make_end(const Dataset& dataset, size_t edge_type, bool source,
                              const NegativeOptions& options) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  const NodeType& node_type = dataset.node_types()[source ? type.source : type.target];
  const std::string& column_name = source ? options.source_weight : options.target_weight;
  const WeightOwner owner = {source ? "source_weight" : "target_weight", "node", node_type.name};
  if (column_name.empty() && options.degree_quarters == 0) {
    return Distribution(node_type.count);
  }
  std::vector<double> weights(static_cast<size_t>(node_type.count));
  if (column_name.empty()) {
    GLS_ASSIGN(const std::vector<int64_t> degrees,
               all_degrees(dataset, edge_type, source ? Layout::kCsr : Layout::kCsc));
    for (size_t v = 0; v < weights.size(); ++v) {
      weights[v] = degree_power(degrees[v], options.degree_quarters);
    }
  } else {
    GLS_ASSIGN(const WeightColumn column,
               WeightColumn::open(node_type.find_column(column_name), column_name, owner));
    for (size_t v = 0; v < weights.size(); ++v) {
      GLS_ASSIGN(weights[v], column.at(static_cast<int64_t>(v)));
    }
  }
  return make_distribution(std::move(weights), owner);
}

}  // namespace

NegativeSampler::NegativeSampler(std::shared_ptr<const Dataset> dataset, size_t edge_type,
                                 const NegativeOptions& options, Distribution sources,
                                 Distribution targets)
    : dataset_(std::move(dataset)),
      type_(dataset_->edge_types()[edge_type]),
      options_(options),
      row_word_(row_word(kNegativeHop, static_cast<uint32_t>(edge_type))),
      sources_(std::move(sources)),
      targets_(std::move(targets)) {}

Result<std::shared_ptr<const NegativeSampler>> NegativeSampler::create(
    std::shared_ptr<const Dataset> dataset, size_t edge_type, const NegativeOptions& options) {
  if (options.strict) {
    GLS_TRY(need_topology(dataset->edge_types()[edge_type], "negatives"));
  }
  GLS_ASSIGN(Distribution targets, make_end(*dataset, edge_type, false, options));
  Distribution sources(0);
  if (options.mode == NegativeMode::kBinary) {
    GLS_ASSIGN(sources, make_end(*dataset, edge_type, true, options));
  }
  return std::shared_ptr<const NegativeSampler>(new NegativeSampler(
      std::move(dataset), edge_type, options, std::move(sources), std::move(targets)));
}

int64_t negatives_of(const NegativeOptions& options, int64_t links) {
  if (options.mode == NegativeMode::kTriplet) {
    return static_cast<int64_t>(options.amount);
  }
  return static_cast<int64_t>(std::ceil(static_cast<double>(links) * options.amount));
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
