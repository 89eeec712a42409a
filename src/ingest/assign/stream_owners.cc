#include "ingest/assign/stream_owners.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/philox.h"
#include "ingest/assign/placement.h"
#include "ingest/common/neighbor_rows.h"

namespace gls {
namespace {

constexpr int kMostPasses = 10;
// The last pass is one that changes the share of neighbours in the same part by less than this. In
// the first few passes the share may stay equal or sink.
constexpr int kLeastPasses = 5;
constexpr double kLeastChange = 0.001;

uint64_t all_nodes(const Dataset& dataset) {
  uint64_t out = 0;
  for (const NodeType& type : dataset.node_types()) {
    out += static_cast<uint64_t>(type.count);
  }
  return out;
}

// Counts nodes and reports them now and then.
class NodeProgress {
 public:
  NodeProgress(const Progress& progress, const char* stage, uint64_t total)
      : progress_(progress), stage_(stage), total_(total) {}
  Status next() {
    ++done_;
    return done_ % kNodesPerReport == 0 || done_ == total_
               ? report(progress_, stage_, done_, total_, "nodes")
               : Status();
  }

 private:
  const Progress& progress_;
  const char* stage_;
  uint64_t total_;
  uint64_t done_ = 0;
};

// For node types without rows of their own: the part of most rows that name the node, if it is more
// than half. Source: Boyer, Moore, "MJRTY: a fast majority vote algorithm", 1981.
template <typename Owner>
struct Majority {
  std::vector<Owner> part;
  std::vector<uint16_t> lead;

  void vote(int64_t node, Owner owner) {
    const auto at = static_cast<size_t>(node);
    if (lead[at] == 0) {
      part[at] = owner;
      lead[at] = 1;
    } else if (part[at] != owner) {
      --lead[at];
    } else if (lead[at] < std::numeric_limits<uint16_t>::max()) {
      ++lead[at];
    }
  }
};

template <typename Owner>
class Stream {
 public:
  Stream(const Dataset& dataset, const Balance& balance, uint64_t seed, OwnerArrays<Owner>* owners)
      : types_(dataset.node_types()),
        balance_(balance),
        owners_(*owners),
        placement_(balance),
        rows_(neighbor_rows(dataset, false)),
        majorities_(types_.size()),
        total_(all_nodes(dataset)) {
    // The random seed only determines the start of the stream, which continues circularly.
    for (size_t t = 0; t < types_.size(); ++t) {
      first_.push_back(static_cast<int64_t>(mul_high64(epoch_key(seed, t, KeyDomain::kOwner),
                                                       static_cast<uint64_t>(types_[t].count))));
    }
    for (const bool with_rows : {true, false}) {
      for (size_t t = 0; t < types_.size(); ++t) {
        if (rows_[t].empty() != with_rows) {
          order_.push_back(t);
        }
      }
    }
  }

  // Neighbours found in the part of their node, out of `met`.
  struct Gain {
    uint64_t together = 0;
    uint64_t met = 0;
  };
  Result<Gain> pass(bool first, const Progress& progress) {
    placement_.clear();
    for (size_t t = 0; t < types_.size(); ++t) {
      if (rows_[t].empty()) {
        const auto count = static_cast<size_t>(types_[t].count);
        majorities_[t] = {std::vector<Owner>(count), std::vector<uint16_t>(count)};
      }
    }
    Gain gain;
    NodeProgress counted(progress, "partitioning", total_);
    for (const size_t t : order_) {
      const int64_t count = types_[t].count;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t node = i < count - first_[t] ? first_[t] + i : first_[t] + i - count;
        GLS_TRY(place(t, node, i, first, &gain));
        GLS_TRY(counted.next());
      }
    }
    return gain;
  }

 private:
  Status place(size_t t, int64_t node, int64_t i, bool first, Gain* gain) {
    for (const NeighborRows& rows : rows_[t]) {
      const bool same = rows.other == t;
      const bool rowless = rows_[rows.other].empty();
      const bool known = !first || (!same && rows.other < t && !rowless);
      const std::vector<Owner>& owners = owners_[rows.other];
      GLS_TRY(for_each_neighbor(rows, node, [&](int64_t other) {
        if (same && other == node) {
          return;
        }
        if (known || (same && before(t, other, i))) {
          placement_.meet(owners[static_cast<size_t>(other)]);
          ++gain->met;
        }
      }));
    }
    if (rows_[t].empty() && majorities_[t].lead[static_cast<size_t>(node)] > 0) {
      placement_.meet(majorities_[t].part[static_cast<size_t>(node)]);
    }
    const PlacedNode placed = {balance_.class_of(t, node),
                               balance_.edges() ? balance_.in_edges(t, node) : 0};
    // Without other information, nodes with close ids go together.
    const auto start = static_cast<uint32_t>(static_cast<unsigned __int128>(i) * balance_.parts() /
                                             static_cast<uint64_t>(types_[t].count));
    const uint32_t part = placement_.choose(placed, start);
    gain->together += rows_[t].empty() ? 0 : placement_.near(part);
    placement_.forget();
    placement_.put(placed, part);
    owners_[t][static_cast<size_t>(node)] = static_cast<Owner>(part);
    for (const NeighborRows& rows : rows_[t]) {
      if (rows_[rows.other].empty()) {
        GLS_TRY(for_each_neighbor(rows, node, [&](int64_t other) {
          majorities_[rows.other].vote(other, static_cast<Owner>(part));
        }));
      }
    }
    return {};
  }

  // Whether the stream reached `node` before its step `i`.
  bool before(size_t t, int64_t node, int64_t i) const {
    const int64_t step = node - first_[t];
    return (step < 0 ? step + types_[t].count : step) < i;
  }

  const std::vector<NodeType>& types_;
  const Balance& balance_;
  OwnerArrays<Owner>& owners_;
  Placement placement_;
  std::vector<std::vector<NeighborRows>> rows_;
  std::vector<Majority<Owner>> majorities_;
  uint64_t total_;
  std::vector<int64_t> first_;
  std::vector<size_t> order_;  // of types: those without rows come last
};

}  // namespace

template <typename Owner>
Status stream_owners(const Dataset& dataset, const Balance& balance, uint64_t seed,
                     const Progress& progress, OwnerArrays<Owner>* owners) {
  Stream<Owner> stream(dataset, balance, seed, owners);
  double share = 0;
  for (int number = 0; number < kMostPasses; ++number) {
    GLS_ASSIGN(const auto gain, stream.pass(number == 0, progress));
    const double now =
        gain.met == 0 ? 1.0 : static_cast<double>(gain.together) / static_cast<double>(gain.met);
    if (number + 1 >= kLeastPasses && std::abs(now - share) < kLeastChange) {
      break;
    }
    share = now;
  }
  return {};
}

template <typename Owner>
Status move_into_bounds(const Dataset& dataset, const Balance& balance, const Progress& progress,
                        OwnerArrays<Owner>* owners) {
  Placement placement(balance);
  const auto placed = [&](size_t t, int64_t node) {
    return PlacedNode{balance.class_of(t, node), balance.edges() ? balance.in_edges(t, node) : 0};
  };
  for (size_t t = 0; t < owners->size(); ++t) {
    for (int64_t node = 0; node < dataset.node_types()[t].count; ++node) {
      placement.put(placed(t, node), (*owners)[t][static_cast<size_t>(node)]);
    }
  }
  const auto rows = neighbor_rows(dataset, false);
  // First the nodes whose move loses no neighbours.
  for (const bool free_only : {true, false}) {
    NodeProgress counted(progress, "balancing", all_nodes(dataset));
    for (size_t t = 0; t < owners->size(); ++t) {
      for (int64_t node = 0; node < dataset.node_types()[t].count; ++node) {
        GLS_TRY(counted.next());
        Owner& owner = (*owners)[t][static_cast<size_t>(node)];
        const PlacedNode own = placed(t, node);
        if (!placement.too_full(own, owner)) {
          continue;
        }
        for (const NeighborRows& row : rows[t]) {
          const std::vector<Owner>& others = (*owners)[row.other];
          GLS_TRY(for_each_neighbor(row, node, [&](int64_t other) {
            if (row.other != t || other != node) {
              placement.meet(others[static_cast<size_t>(other)]);
            }
          }));
        }
        const auto start = static_cast<uint32_t>((owner + 1u) % balance.parts());
        const uint32_t part = placement.choose(own, start);
        if (!free_only || placement.near(part) >= placement.near(owner)) {
          placement.take(own, owner);
          placement.put(own, part);
          owner = static_cast<Owner>(part);
        }
        placement.forget();
      }
    }
  }
  return {};
}

template Status stream_owners(const Dataset&, const Balance&, uint64_t, const Progress&,
                              OwnerArrays<uint8_t>*);
template Status stream_owners(const Dataset&, const Balance&, uint64_t, const Progress&,
                              OwnerArrays<uint16_t>*);
template Status move_into_bounds(const Dataset&, const Balance&, const Progress&,
                                 OwnerArrays<uint8_t>*);
template Status move_into_bounds(const Dataset&, const Balance&, const Progress&,
                                 OwnerArrays<uint16_t>*);

}  // namespace gls
