#include "sample/links/negatives.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "graph/dataset/topology_query.h"
#include "rules/negative_rule.h"
#include "sample/source/graph_query.h"

namespace gls {

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

int64_t NegativeSampler::wanted(int64_t links) const {
  return negatives_of(options_, links) * (of_pairs() ? 1 : links);
}

bool NegativeSampler::possible() const {
  return !targets_.empty() && (!of_pairs() || !sources_.empty());
}

device::NegativeDraws NegativeSampler::draws(uint64_t key) const {
  device::NegativeDraws out;
  out.key = key;
  out.row_word = row_word_;
  out.tries = options_.tries;
  out.each = of_pairs() ? 0 : static_cast<uint64_t>(negatives_of(options_, 0));
  out.sources = sources_.chances();
  out.targets = targets_.chances();
  return out;
}

Status NegativeSampler::none_found(int64_t number, std::span<const int64_t> sources) const {
  const std::string what =
      of_pairs() ? "pair of nodes"
                 : formatted("node for source {}",
                             sources[static_cast<size_t>(number / negatives_of(options_, 0))]);
  return not_found(
      "negatives: {} tries found no {} without an edge of type \"{}\"; raise tries, or allow "
      "fewer",
      options_.tries, what, type_.joined);
}

// Tests many pairs at once, because the graph may be remote, and a long row is then read once for
// all of them.
Result<std::vector<uint8_t>> NegativeSampler::are_edges(const DrawnNegatives& pairs,
                                                        int64_t* looked_at) const {
  if (!options_.strict) {
    return std::vector<uint8_t>(pairs.targets.size());
  }
  const auto count = static_cast<int64_t>(pairs.targets.size());
  const IdSpan from(pairs.sources.data(), true, count);
  const IdSpan to(pairs.targets.data(), true, count);
  return dataset_->source() == nullptr ? has_edges(*dataset_, edge_type_, from, to, looked_at)
                                       : find_edges_between(*dataset_, edge_type_, from, to);
}

// Draws again for the numbers in `open` until no pair is an edge. `open` keeps the numbers without
// a result. A hub's row is read once per round, and not once per try.
Status NegativeSampler::draw_rounds(const device::NegativeDraws& draws,
                                    std::span<const int64_t> sources, std::vector<size_t>* open,
                                    DrawnNegatives* out, int64_t* looked_at) const {
  constexpr size_t kMostAtOnce = size_t{1} << 20;  // of pairs
  DrawnNegatives tried;
  for (uint32_t done = 0; done < draws.tries && !open->empty();) {
    const uint32_t tries = tries_of_round(done, draws.tries);
    const size_t together = std::max<size_t>(1, kMostAtOnce / tries);
    size_t still = 0;
    for (size_t first = 0; first < open->size(); first += together) {
      const std::span<const size_t> numbers =
          std::span(*open).subspan(first, std::min(together, open->size() - first));
      tried.sources.clear();
      tried.targets.clear();
      for (const size_t i : numbers) {
        const int64_t source = of_pairs() ? -1 : sources[link_of_negative(draws, i)];
        for (uint32_t t = 0; t < tries; ++t) {
          const NegativePair pair = negative_of_try(draws, i, done + t, source);
          tried.sources.push_back(pair.source);
          tried.targets.push_back(pair.target);
        }
      }
      GLS_ASSIGN(const std::vector<uint8_t> edges, are_edges(tried, looked_at));
      for (size_t k = 0; k < numbers.size(); ++k) {
        const size_t i = numbers[k];
        const auto own = edges.begin() + static_cast<std::ptrdiff_t>(k * tries);
        const auto good = std::find(own, own + tries, uint8_t{0});
        if (good == own + tries) {
          (*open)[still++] = i;
          continue;
        }
        const auto at = static_cast<size_t>(good - edges.begin());
        out->targets[i] = tried.targets[at];
        if (of_pairs()) {
          out->sources[i] = tried.sources[at];
        }
      }
    }
    open->resize(still);
    done += tries;
  }
  return {};
}

Result<DrawnNegatives> NegativeSampler::draw(uint64_t key, std::span<const int64_t> sources,
                                             int64_t* looked_at) const {
  const auto count = static_cast<size_t>(wanted(static_cast<int64_t>(sources.size())));
  DrawnNegatives out;
  out.targets.assign(count, -1);
  out.sources.assign(of_pairs() ? count : 0, -1);
  std::vector<size_t> open(count);
  std::iota(open.begin(), open.end(), size_t{0});
  if (possible()) {
    GLS_TRY(draw_rounds(draws(key), sources, &open, &out, looked_at));
  }
  if (!open.empty() && !options_.allow_short) {
    return none_found(static_cast<int64_t>(open[0]), sources);
  }
  return out;
}

}  // namespace gls
