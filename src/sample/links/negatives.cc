#include "sample/links/negatives.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "graph/dataset/topology_query.h"
#include "host_device/negative_rule.h"
#include "query/graph_query.h"

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

// The order in time of what is drawn at one end. NULL: there are no times.
Result<std::shared_ptr<const NodeTimes>> times_of_end(const Dataset& dataset, size_t node_type,
                                                      const NegativeTime& time) {
  if (time.column.empty() || dataset.node_types()[node_type].find_column(time.column) == nullptr) {
    return std::shared_ptr<const NodeTimes>();
  }
  return NodeTimes::of(dataset, node_type, time.column);
}

Result<NegativeEnd> make_end(const Dataset& dataset, size_t edge_type, bool source,
                             const NegativeOptions& options, const NegativeTime& time) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  const NodeType& node_type = dataset.node_types()[source ? type.source : type.target];
  const std::string& column_name = source ? options.source_weight : options.target_weight;
  const WeightOwner owner = {source ? "source_weight" : "target_weight", "node", node_type.name};
  std::shared_ptr<const NodeTimes> times;
  if (options.in_time) {
    GLS_ASSIGN(times, times_of_end(dataset, source ? type.source : type.target, time));
  }
  if (column_name.empty() && options.degree_quarters == 0) {
    return NegativeEnd(SeedDistribution(node_type.count), std::move(times), time.strict);
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
  if (times != nullptr) {
    std::vector<double> in_order(weights.size());
    for (size_t k = 0; k < weights.size(); ++k) {
      in_order[k] = weights[static_cast<size_t>(times->node(static_cast<int64_t>(k)))];
    }
    weights = std::move(in_order);
  }
  GLS_ASSIGN(SeedDistribution nodes, make_distribution(std::move(weights), owner));
  return NegativeEnd(std::move(nodes), std::move(times), time.strict);
}

}  // namespace

device::NodeChances NegativeEnd::chances_at(int64_t time, bool oldest) const {
  if (!timed()) {
    return nodes_.empty() ? device::NodeChances{0, -1, nullptr} : nodes_.chances();
  }
  device::NodeChances out = {times_->count_until(time, strict_), -1, nullptr};
  if (!nodes_.sums().empty()) {
    out.sums = nodes_.sums().data();
    out.count = out.count > 0 && out.sums[out.count - 1] > 0 ? out.count : 0;
    if (out.count > 0) {
      const double* const end = out.sums + out.count;
      out.last = std::lower_bound(out.sums, end, end[-1]) - out.sums;
    }
  }
  if (out.count == 0 && oldest && times_->count() > 0) {
    return {1, 0, nullptr};
  }
  return out;
}

NegativeSampler::NegativeSampler(std::shared_ptr<const Dataset> dataset, size_t edge_type,
                                 const NegativeOptions& options, NegativeEnd sources,
                                 NegativeEnd targets)
    : dataset_(std::move(dataset)),
      edge_type_(edge_type),
      type_(dataset_->edge_types()[edge_type]),
      options_(options),
      row_word_(row_word(kNegativeHop, static_cast<uint32_t>(edge_type))),
      sources_(std::move(sources)),
      targets_(std::move(targets)) {}

Result<std::shared_ptr<const NegativeSampler>> NegativeSampler::create(
    std::shared_ptr<const Dataset> dataset, size_t edge_type, const NegativeOptions& options,
    const NegativeTime& time) {
  if (options.strict && dataset->topology_source() == nullptr) {
    GLS_TRY(need_topology(dataset->edge_types()[edge_type], "negatives"));
  }
  GLS_ASSIGN(NegativeEnd targets, make_end(*dataset, edge_type, false, options, time));
  NegativeEnd sources{SeedDistribution(0)};
  if (options.mode == NegativeMode::kBinary) {
    GLS_ASSIGN(sources, make_end(*dataset, edge_type, true, options, time));
  }
  if (options.in_time && !targets.timed() && !sources.timed()) {
    return invalid(
               "GLS_NEGATIVE_IN_TIME is set, but no node type that negatives of \"{}\" are drawn "
               "from has the column \"{}\" of node_time",
               dataset->edge_types()[edge_type].joined, time.column)
        .with("argument", "flags");
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

Result<NegativeSampler::LinkDraws> NegativeSampler::draws_of(uint64_t key, int64_t links,
                                                             const IdSpan& times) const {
  if (!options_.in_time) {
    return LinkDraws(1, possible() ? draws(key) : device::NegativeDraws{});
  }
  if (times.size() != links) {
    return invalid("times: {} for {} links, expected one each, as negatives are in time",
                   times.size(), links)
        .with("argument", "times");
  }
  device::NegativeDraws all;
  all.key = key;
  all.row_word = row_word_;
  all.tries = options_.tries;
  all.each = of_pairs() ? 0 : static_cast<uint64_t>(negatives_of(options_, 0));
  LinkDraws out(static_cast<size_t>(links), all);
  for (size_t i = 0; i < out.size(); ++i) {
    const int64_t time = times[static_cast<int64_t>(i)];
    out[i].targets = targets_.chances_at(time, options_.oldest);
    if (of_pairs()) {
      out[i].sources = sources_.chances_at(time, options_.oldest);
    }
  }
  return out;
}

// That each link has something to draw; an error names the first that has not.
Status NegativeSampler::check_found(const LinkDraws& draws, const IdSpan& times) const {
  const auto drawn =
      std::min(draws.size(), static_cast<size_t>(wanted(static_cast<int64_t>(draws.size()))));
  for (size_t i = 0; i < drawn; ++i) {
    const bool no_source = of_pairs() && draws[i].sources.count == 0;
    if (!no_source && draws[i].targets.count > 0) {
      continue;
    }
    const NegativeEnd& end = no_source ? sources_ : targets_;
    const NodeType& type = dataset_->node_types()[no_source ? type_.source : type_.target];
    const std::string oldest = end.timed() && end.times()->count() > 0
                                   ? formatted("; the first is of time {}", end.times()->time(0))
                                   : std::string();
    return not_found(
               "negatives: link {} has the time {}, and no node of type \"{}\" that could be "
               "drawn exists then{}; allow fewer, or take the oldest",
               i, times[static_cast<int64_t>(i)], type.name, oldest)
        .with("argument", "links");
  }
  return {};
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
  return dataset_->topology_source() == nullptr
             ? has_edges(*dataset_, edge_type_, from, to, looked_at)
             : find_edges_between(*dataset_, edge_type_, from, to);
}

// Draws again for the numbers in `open` until no pair is an edge. `open` keeps the numbers without
// a result. A hub's row is read once per round, and not once per try.
Status NegativeSampler::draw_rounds(const LinkDraws& draws, std::span<const int64_t> sources,
                                    std::vector<size_t>* open, DrawnNegatives* out,
                                    int64_t* looked_at) const {
  constexpr size_t kMostAtOnce = size_t{1} << 20;  // of pairs
  DrawnNegatives tried;
  const uint32_t most_tries = options_.tries;
  for (uint32_t done = 0; done < most_tries && !open->empty();) {
    const uint32_t tries = tries_of_round(done, most_tries);
    const size_t together = std::max<size_t>(1, kMostAtOnce / tries);
    size_t still = 0;
    for (size_t first = 0; first < open->size(); first += together) {
      const std::span<const size_t> numbers =
          std::span(*open).subspan(first, std::min(together, open->size() - first));
      tried.sources.clear();
      tried.targets.clear();
      for (const size_t i : numbers) {
        const size_t link = of_pairs() ? i % sources.size() : link_of_negative(draws[0], i);
        const device::NegativeDraws& of_link = draws.size() == 1 ? draws[0] : draws[link];
        for (uint32_t t = 0; t < tries; ++t) {
          const NegativePair pair =
              negative_of_try(of_link, i, done + t, of_pairs() ? -1 : sources[link]);
          tried.sources.push_back(of_pairs() ? sources_.node(pair.source) : pair.source);
          tried.targets.push_back(targets_.node(pair.target));
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
                                             const IdSpan& times, int64_t* looked_at) const {
  const auto count = static_cast<size_t>(wanted(static_cast<int64_t>(sources.size())));
  DrawnNegatives out;
  out.targets.assign(count, -1);
  out.sources.assign(of_pairs() ? count : 0, -1);
  std::vector<size_t> open(count);
  std::iota(open.begin(), open.end(), size_t{0});
  if (count > 0 && (options_.in_time || possible())) {
    GLS_ASSIGN(const LinkDraws draws, draws_of(key, static_cast<int64_t>(sources.size()), times));
    if (options_.in_time && !options_.allow_short) {
      GLS_TRY(check_found(draws, times));
    }
    std::vector<size_t> none;  // numbers whose links have nothing to draw
    if (options_.in_time) {
      std::vector<size_t> possible;
      for (const size_t i : open) {
        const size_t link = of_pairs() ? i % sources.size() : link_of_negative(draws[0], i);
        const bool nothing =
            draws[link].targets.count == 0 || (of_pairs() && draws[link].sources.count == 0);
        (nothing ? none : possible).push_back(i);
      }
      open = std::move(possible);
    }
    GLS_TRY(draw_rounds(draws, sources, &open, &out, looked_at));
    open.insert(open.end(), none.begin(), none.end());
  }
  if (!open.empty() && !options_.allow_short) {
    return none_found(static_cast<int64_t>(open[0]), sources);
  }
  return out;
}

}  // namespace gls
