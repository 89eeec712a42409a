#include "graph/dataset/pair_search.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

namespace gls {
namespace {

using Pairs = std::span<const NodePair>;

// One bit per hash of the wanted neighbours in one row. One read rejects most neighbours of a hub.
class NeighborFilter {
 public:
  void reset(std::span<const Pairs> wanted) {  // one in 64 of the other neighbours passes
    const uint64_t bits = std::bit_ceil(std::max<uint64_t>(64 * wanted.size(), 64));
    words_.assign(bits / 64, 0);
    shift_ = 64 - static_cast<uint32_t>(std::countr_zero(bits));
    for (const Pairs same : wanted) {
      const uint64_t bit = bit_of(same[0].neighbor);
      words_[bit / 64] |= uint64_t{1} << (bit % 64);
    }
  }
  bool may_have(int64_t neighbor) const {
    const uint64_t bit = bit_of(neighbor);
    return (words_[bit / 64] >> (bit % 64) & 1) != 0;
  }

 private:
  uint64_t bit_of(int64_t neighbor) const {
    return (static_cast<uint64_t>(neighbor) * 0x9e3779b97f4a7c15u) >> shift_;
  }

  std::vector<uint64_t> words_;
  uint32_t shift_ = 58;
};

struct Scratch {
  std::vector<Pairs> wanted;
  NeighborFilter filter;
};

// The leading pairs that are equal.
Pairs first_of(Pairs pairs) {
  size_t end = 1;
  while (end < pairs.size() && pairs[end].row == pairs[0].row &&
         pairs[end].neighbor == pairs[0].neighbor) {
    ++end;
  }
  return pairs.first(end);
}

// Searches for one pair: compares many neighbours at a time, and checks a block again if it has a
// match.
template <typename Index>
Status search_one(const Index* neighbors, RowRange range, Pairs same, const PairFound& found) {
  constexpr int64_t kBlock = 512;
  if (same[0].neighbor > std::numeric_limits<Index>::max()) {
    return {};
  }
  const auto wanted = static_cast<Index>(same[0].neighbor);
  for (int64_t begin = range.begin; begin < range.end; begin += kBlock) {
    const int64_t count = std::min(kBlock, range.end - begin);
    int64_t any = 0;
    for (int64_t i = 0; i < count; ++i) {
      any |= static_cast<int64_t>(neighbors[begin + i] == wanted);
    }
    for (int64_t i = 0; any != 0 && i < count; ++i) {
      if (neighbors[begin + i] == wanted) {
        GLS_TRY(found(begin + i, same));
      }
    }
  }
  return {};
}

// `pairs` belong to one row and ascend by neighbour.
template <typename Index>
Status search_row(const Index* neighbors, RowRange range, Pairs pairs, Scratch& scratch,
                  const PairFound& found, int64_t* looked_at) {
  constexpr size_t kFew = 8;  // costs as much as one look at each neighbour
  if (pairs.size() <= kFew) {
    while (!pairs.empty()) {
      const Pairs same = first_of(pairs);
      *looked_at += range.size();
      GLS_TRY(search_one(neighbors, range, same, found));
      pairs = pairs.subspan(same.size());
    }
    return {};
  }
  // Each pair once, so that parallel edges do not repeat equal searches.
  std::vector<Pairs>& wanted = scratch.wanted;
  wanted.clear();
  while (!pairs.empty()) {
    wanted.push_back(first_of(pairs));
    pairs = pairs.subspan(wanted.back().size());
  }
  scratch.filter.reset(wanted);
  *looked_at += range.size();
  for (int64_t at = range.begin; at < range.end; ++at) {
    const auto neighbor = static_cast<int64_t>(neighbors[at]);
    if (!scratch.filter.may_have(neighbor)) {
      continue;
    }
    const auto same =
        std::lower_bound(wanted.begin(), wanted.end(), neighbor,
                         [](Pairs one, int64_t other) { return one[0].neighbor < other; });
    if (same != wanted.end() && (*same)[0].neighbor == neighbor) {
      GLS_TRY(found(at, *same));
    }
  }
  return {};
}

}  // namespace

Status find_pairs(const EdgeType& type, const Topology& topology, std::vector<NodePair> pairs,
                  const PairFound& found, int64_t* looked_at) {
  int64_t unasked = 0;
  looked_at = looked_at != nullptr ? looked_at : &unasked;
  std::sort(pairs.begin(), pairs.end(), [](const NodePair& a, const NodePair& b) {
    return std::tie(a.row, a.neighbor, a.tag) < std::tie(b.row, b.neighbor, b.tag);
  });
  Scratch scratch;
  Pairs rest = pairs;
  while (!rest.empty()) {
    const int64_t row = rest[0].row;
    size_t count = 1;
    while (count < rest.size() && rest[count].row == row) {
      ++count;
    }
    GLS_ASSIGN(const RowRange range, row_range(type, topology, row));
    const Pairs wanted = rest.first(count);
    GLS_TRY(topology.wide_indices ? search_row(static_cast<const int64_t*>(topology.indices), range,
                                               wanted, scratch, found, looked_at)
                                  : search_row(static_cast<const int32_t*>(topology.indices), range,
                                               wanted, scratch, found, looked_at));
    rest = rest.subspan(count);
  }
  return {};
}

}  // namespace gls
