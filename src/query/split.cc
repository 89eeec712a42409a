#include "query/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/permutation.h"
#include "query/graph_query.h"

namespace gls {

Result<std::vector<uint8_t>> split_by_hash(const IdSpan& ids, uint64_t seed,
                                           std::span<const double> shares) {
  constexpr size_t kMostParts = 256;
  if (shares.empty() || shares.size() > kMostParts) {
    return invalid("shares: {} parts, expected 1 to {}", shares.size(), kMostParts)
        .with("argument", "shares");
  }
  std::vector<double> sums;
  uint8_t last = 0;
  double sum = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    sum += shares[i];
    if (!(shares[i] >= 0) || !std::isfinite(sum)) {
      return invalid("shares: {} at index {}, expected finite numbers that are not negative",
                     shares[i], i)
          .with("argument", "shares");
    }
    last = shares[i] > 0 ? static_cast<uint8_t>(i) : last;
    sums.push_back(sum);
  }
  if (sum == 0) {
    return invalid("shares: all are 0").with("argument", "shares");
  }
  std::vector<uint8_t> out(static_cast<size_t>(ids.size()));
  for (int64_t i = 0; i < ids.size(); ++i) {
    const uint64_t hash = epoch_key(seed, static_cast<uint64_t>(ids[i]), KeyDomain::kPart);
    const double x = static_cast<double>(hash >> 11) * 0x1.0p-53 * sum;
    const auto at = std::upper_bound(sums.begin(), sums.end(), x);
    out[static_cast<size_t>(i)] = at == sums.end() ? last : static_cast<uint8_t>(at - sums.begin());
  }
  return out;
}

// ---- links -------------------------------------------------------------------------------------

namespace {

// The use of an edge in a split.
enum class Use : uint8_t { kMessages, kSupervision, kValid, kTest };

// For each edge, the edge whose split it shares. That is itself, or for a pair of opposite edges
// the one from the lower to the higher node. Opposite edges are paired in ascending order of their
// ids.
Result<std::vector<int64_t>> leaders(const Dataset& dataset, size_t edge_type, bool undirected) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  std::vector<int64_t> out(static_cast<size_t>(type.count));
  std::iota(out.begin(), out.end(), int64_t{0});
  if (!undirected) {
    return out;
  }
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
  const IdSpan all(out.data(), true, type.count);
  GLS_TRY(find_edge_ends(dataset, edge_type, all, "edges", &sources, &targets));
  const auto low = [&](int64_t e) {
    return std::min(sources[static_cast<size_t>(e)], targets[static_cast<size_t>(e)]);
  };
  const auto high = [&](int64_t e) {
    return std::max(sources[static_cast<size_t>(e)], targets[static_cast<size_t>(e)]);
  };
  const auto falls = [&](int64_t e) {
    return sources[static_cast<size_t>(e)] > targets[static_cast<size_t>(e)];
  };
  // Groups edges between the same two nodes, with ascending pairs before descending ones.
  std::vector<int64_t> order = out;
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return std::tuple(low(a), high(a), falls(a), a) < std::tuple(low(b), high(b), falls(b), b);
  });
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    size_t falling = 0;
    while (end < order.size() && low(order[end]) == low(order[begin]) &&
           high(order[end]) == high(order[begin])) {
      falling += falls(order[end]) ? 1 : 0;
      ++end;
    }
    const size_t first_falling = end - falling;
    const size_t pairs = std::min(falling, first_falling - begin);
    for (size_t i = 0; i < pairs; ++i) {
      out[static_cast<size_t>(order[first_falling + i])] = order[begin + i];
    }
    begin = end;
  }
  return out;
}

// Below 1: a share, rounded down; else a whole number.
Result<uint64_t> amount(double given, uint64_t of, const char* argument) {
  const bool share = given >= 0 && given < 1;
  if (!share && !(given >= 1 && given <= static_cast<double>(of) && given == std::floor(given))) {
    return invalid("{} is {}, expected a share below 1, or a whole number of at most {} links",
                   argument, given, of)
        .with("argument", argument);
  }
  return share ? static_cast<uint64_t>(given * static_cast<double>(of))
               : static_cast<uint64_t>(given);
}

}  // namespace

Result<LinkPart> split_links(const Dataset& dataset, size_t edge_type,
                             const LinkSplitOptions& options, SplitPart part) {
  const EdgeType& type = dataset.edge_types()[edge_type];
  GLS_TRY(need_ends(type, "edge_type"));
  if (options.undirected && type.source != type.target) {
    return invalid(
               "GLS_LINK_SPLIT_UNDIRECTED is set, but \"{}\" has ends of two types, so its edges "
               "have no opposite ones",
               type.joined)
        .with("argument", "flags");
  }
  GLS_ASSIGN(const std::vector<int64_t> leader, leaders(dataset, edge_type, options.undirected));
  std::vector<int64_t> links;
  for (int64_t e = 0; e < type.count; ++e) {
    if (leader[static_cast<size_t>(e)] == e) {
      links.push_back(e);
    }
  }
  const uint64_t count = links.size();
  GLS_ASSIGN(const uint64_t valid, amount(options.valid, count, "valid"));
  GLS_ASSIGN(const uint64_t test, amount(options.test, count, "test"));
  if (valid + test >= count) {
    return invalid("valid: {} links for validation and {} for test leave none of {} for training",
                   valid, test, count)
        .with("argument", "valid");
  }
  const uint64_t train = count - valid - test;
  GLS_ASSIGN(const uint64_t supervision, amount(options.supervision, train, "supervision"));
  if (supervision == train) {
    return invalid("supervision: {} links of {} for training leave none to be sampled", supervision,
                   train)
        .with("argument", "supervision");
  }
  std::vector<Use> use(leader.size(), Use::kMessages);
  const KeyedPermutation order(count, epoch_key(options.seed, 0, KeyDomain::kLinkSplit));
  for (uint64_t i = 0; i < count; ++i) {
    use[static_cast<size_t>(links[order(i)])] = i < supervision     ? Use::kSupervision
                                                : i < train         ? Use::kMessages
                                                : i < train + valid ? Use::kValid
                                                                    : Use::kTest;
  }
  LinkPart out;
  for (int64_t e = 0; e < type.count; ++e) {
    const int64_t lead = leader[static_cast<size_t>(e)];
    const Use own = use[static_cast<size_t>(lead)];
    bool wanted = false;
    bool hidden = false;
    switch (part) {
      case SplitPart::kTrain:
        wanted = own == (supervision > 0 ? Use::kSupervision : Use::kMessages);
        hidden = own != Use::kMessages;
        break;
      case SplitPart::kValid:
        wanted = own == Use::kValid;
        hidden = own == Use::kValid || own == Use::kTest;
        break;
      case SplitPart::kTest:
        wanted = own == Use::kTest;
        hidden = own == Use::kTest;
        break;
    }
    if (wanted && lead == e) {
      out.links.push_back(e);
    }
    if (hidden) {
      out.exclude.push_back(e);
    }
  }
  return out;
}

}  // namespace gls
