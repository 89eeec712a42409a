#include "sample/negatives.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "graph/topology_query.h"
#include "sample/graph_query.h"

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
               find_all_degrees(dataset, edge_type, source ? Layout::kCsr : Layout::kCsc));
    for (size_t v = 0; v < weights.size(); ++v) {
      weights[v] = degree_power(degrees[v], options.degree_quarters);
    }
  } else {
    GLS_ASSIGN(
        const WeightColumn column,
        WeightColumn::open(dataset, true, source ? type.source : type.target, column_name, owner));
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
      edge_type_(edge_type),
      type_(dataset_->edge_types()[edge_type]),
      options_(options),
      row_word_(row_word(kNegativeHop, static_cast<uint32_t>(edge_type))),
      sources_(std::move(sources)),
      targets_(std::move(targets)) {}

Result<std::shared_ptr<const NegativeSampler>> NegativeSampler::create(
    std::shared_ptr<const Dataset> dataset, size_t edge_type, const NegativeOptions& options) {
  if (options.strict && dataset->source() == nullptr) {
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

// All of a round at once: the graph may be elsewhere, and a long row is read once for all of them.
Result<std::vector<uint8_t>> NegativeSampler::are_edges(const std::vector<int64_t>& sources,
                                                        const std::vector<int64_t>& targets,
                                                        int64_t* looked_at) const {
  if (!options_.strict) {
    return std::vector<uint8_t>(sources.size());
  }
  const auto count = static_cast<int64_t>(sources.size());
  const IdSpan from(sources.data(), true, count);
  const IdSpan to(targets.data(), true, count);
  return dataset_->source() == nullptr ? has_edges(*dataset_, edge_type_, from, to, looked_at)
                                       : find_edges_between(*dataset_, edge_type_, from, to);
}

// Draws for each of `count` negatives until it is no edge. `draw` gives the pair of a try; `found`
// gets the first good one. Those that nothing was found for are returned. A round has as many tries
// for each as all rounds before it together: so there are few rounds, and the row of a hub is read
// for each of these, and not for each try.
template <typename Draw, typename Found>
Result<std::vector<size_t>> NegativeSampler::draw_rounds(size_t count, const Draw& draw,
                                                         const Found& found,
                                                         int64_t* looked_at) const {
  constexpr size_t kMostAtOnce = size_t{1} << 20;  // of pairs, unless one try of each is more
  std::vector<size_t> open(count);
  std::iota(open.begin(), open.end(), size_t{0});
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  for (uint32_t done = 0; done < options_.tries && !open.empty();) {
    const auto most = static_cast<uint32_t>(std::max<size_t>(1, kMostAtOnce / open.size()));
    const uint32_t tries = std::min({std::max(done, 1u), options_.tries - done, most});
    sources.clear();
    targets.clear();
    for (const size_t i : open) {
      for (uint32_t t = 0; t < tries; ++t) {
        const auto [source, target] = draw(i, done + t);
        sources.push_back(source);
        targets.push_back(target);
      }
    }
    GLS_ASSIGN(const std::vector<uint8_t> edges, are_edges(sources, targets, looked_at));
    size_t still = 0;
    for (size_t k = 0; k < open.size(); ++k) {
      const auto own = edges.begin() + static_cast<std::ptrdiff_t>(k * tries);
      const auto good = std::find(own, own + tries, uint8_t{0});
      if (good == own + tries) {
        open[still++] = open[k];
      } else {
        const auto at = static_cast<size_t>(good - edges.begin());
        found(open[k], sources[at], targets[at]);
      }
    }
    open.resize(still);
    done += tries;
  }
  return open;
}

Status NegativeSampler::binary(uint64_t key, int64_t links, std::vector<int64_t>* sources,
                               std::vector<int64_t>* targets, int64_t* looked_at) const {
  const auto wanted = static_cast<size_t>(amount(links));
  sources->assign(wanted, -1);
  targets->assign(wanted, -1);
  const bool possible = !sources_.empty() && !targets_.empty();
  const auto draw = [&](size_t i, uint32_t round) {
    RowDraws draws(key, row_word_, i);
    const int64_t source = sources_.draw(draws, 2 * round);
    return std::pair(source, targets_.draw(draws, 2 * round + 1));
  };
  const auto found = [&](size_t i, int64_t source, int64_t target) {
    (*sources)[i] = source;
    (*targets)[i] = target;
  };
  std::vector<size_t> missing(possible ? 0 : wanted);
  if (possible) {
    GLS_ASSIGN(missing, draw_rounds(wanted, draw, found, looked_at));
  }
  if (!missing.empty() && !options_.allow_short) {
    return none_found("pair of nodes");
  }
  return {};
}

Status NegativeSampler::triplets(uint64_t key, std::span<const int64_t> sources,
                                 std::vector<int64_t>* targets, int64_t* looked_at) const {
  const auto each = static_cast<size_t>(amount(0));
  const size_t wanted = sources.size() * each;
  targets->assign(wanted, -1);
  const auto draw = [&](size_t i, uint32_t round) {
    RowDraws draws(key, row_word_, i / each);
    const auto first = static_cast<uint32_t>(i % each) * options_.tries;
    return std::pair(sources[i / each], targets_.draw(draws, first + round));
  };
  const auto found = [&](size_t i, int64_t, int64_t target) { (*targets)[i] = target; };
  std::vector<size_t> missing;
  if (targets_.empty()) {
    missing.resize(wanted);
  } else {
    GLS_ASSIGN(missing, draw_rounds(wanted, draw, found, looked_at));
  }
  if (!missing.empty() && !options_.allow_short) {
    return none_found(formatted("node for source {}", sources[missing[0] / each]));
  }
  return {};
}

}  // namespace gls
