#include "ingest/common/part_ids.h"

#include <algorithm>
#include <numeric>

namespace gls {
namespace {

Status add_all(const RankBitset& from, RankBitset* to) {
  return from.each([&](int64_t id) -> Status {
    to->add(id);
    return {};
  });
}

class Finder {
 public:
  Finder(const Dataset& dataset, const std::vector<PartitionBook>& owners, uint32_t number,
         const PartIdOptions& options)
      : dataset_(dataset), owners_(owners), options_(options) {
    out_.number = number;
  }

  Result<PartIds> find() {
    for (size_t t = 0; t < dataset_.node_types().size(); ++t) {
      add_owned(t);
    }
    for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
      GLS_TRY(find_rows(layout));
    }
    for (const EdgeType& type : dataset_.edge_types()) {
      GLS_TRY(add_edges(type));
    }
    for (TypeIds& ids : out_.nodes) {
      ids.others.finish();
    }
    Visits visits;
    if (options_.visits && (options_.hot_rows > 0 || options_.hot_fraction > 0)) {
      GLS_ASSIGN(visits, options_.visits(owners_, out_.number));
    }
    for (size_t t = 0; t < out_.nodes.size(); ++t) {
      if (visits.empty()) {
        GLS_TRY(choose_hot(t));
      } else {
        choose_visited(t, visits[t]);
      }
    }
    return std::move(out_);
  }

 private:
  void add_owned(size_t type) {
    const PartitionBook& book = owners_[type];
    TypeIds& ids = out_.nodes.emplace_back(book.count());
    for (int64_t id = 0; id < book.count(); ++id) {
      if (book[id] == out_.number) {
        ids.owned.add(id);
      }
    }
    ids.owned.finish();
  }

  std::vector<RankBitset>& rows(Layout layout) {
    return layout == Layout::kCsc ? out_.in_rows : out_.out_rows;
  }
  static size_t row_type(const EdgeType& type, Layout layout) {
    return layout == Layout::kCsc ? type.target : type.source;
  }
  static size_t neighbor_type(const EdgeType& type, Layout layout) {
    return layout == Layout::kCsc ? type.source : type.target;
  }

  // Adds the owned nodes, and their neighbours hop by hop.
  Status find_rows(Layout layout) {
    std::vector<RankBitset>& known = rows(layout);
    std::vector<RankBitset> frontier;
    for (const TypeIds& ids : out_.nodes) {
      known.emplace_back(ids.owned.limit());
      GLS_TRY(add_all(ids.owned, &known.back()));
      frontier.push_back(ids.owned);
    }
    for (uint32_t hop = 0; hop < options_.halo_hops; ++hop) {
      std::vector<RankBitset> met;
      met.reserve(known.size());
      for (const RankBitset& ids : known) {
        met.emplace_back(ids.limit());
      }
      for (const EdgeType& type : dataset_.edge_types()) {
        if (const std::optional<Topology>& topology = type.topology(layout)) {
          const size_t to = neighbor_type(type, layout);
          GLS_TRY(frontier[row_type(type, layout)].each([&](int64_t row) -> Status {
            for (int64_t at = topology->indptr[row]; at < topology->indptr[row + 1]; ++at) {
              const int64_t neighbor = topology->neighbor(at);
              if (!known[to].has(neighbor)) {
                known[to].add(neighbor);
                met[to].add(neighbor);
              }
            }
            return {};
          }));
        }
      }
      frontier = std::move(met);
    }
    return {};
  }

  // Adds the edges of complete rows, and the nodes at their ends. The part owns an edge if it owns
  // its row in the deciding layout.
  Status add_edges(const EdgeType& type) {
    TypeIds& edges = out_.edges.emplace_back(type.count);
    for (const Layout layout : {Layout::kCsc, Layout::kCsr}) {
      const std::optional<Topology>& topology = type.topology(layout);
      if (!topology) {
        continue;
      }
      TypeIds& of_rows = out_.nodes[row_type(type, layout)];
      TypeIds& of_neighbors = out_.nodes[neighbor_type(type, layout)];
      const bool decides = layout == owning_layout(type);
      GLS_TRY(rows(layout)[row_type(type, layout)].each([&](int64_t row) -> Status {
        const bool row_owned = of_rows.owned.has(row);
        if (!row_owned) {
          of_rows.others.add(row);
        }
        for (int64_t at = topology->indptr[row]; at < topology->indptr[row + 1]; ++at) {
          const int64_t neighbor = topology->neighbor(at);
          const bool neighbor_owned = of_neighbors.owned.has(neighbor);
          if (!neighbor_owned) {
            of_neighbors.others.add(neighbor);
          }
          const bool owned = decides ? row_owned : neighbor_owned;
          (owned ? edges.owned : edges.others).add(topology->edge_id(at));
        }
        return {};
      }));
    }
    edges.owned.finish();
    edges.others.finish();
    return {};
  }

  int64_t hot_wanted(size_t type) const {
    const std::vector<Column>& columns = dataset_.node_types()[type].columns;
    const bool useful = std::any_of(columns.begin(), columns.end(),
                                    [](const Column& c) { return kept_for_owned(c.role); });
    if (!useful) {
      return 0;
    }
    if (options_.hot_rows > 0) {
      return options_.hot_rows;
    }
    const double wanted =
        options_.hot_fraction * static_cast<double>(out_.nodes[type].owned.count());
    const int64_t most = dataset_.node_types()[type].count;
    return wanted < static_cast<double>(most) ? static_cast<int64_t>(wanted) : most;
  }

  // Chooses the other nodes that are visited most, stored in the part or not; among equal ones,
  // lower ids first.
  void choose_visited(size_t type, const std::vector<uint32_t>& visits) {
    TypeIds& ids = out_.nodes[type];
    const auto each_other = [&](const auto& body) {
      for (size_t id = 0; id < visits.size(); ++id) {
        if (visits[id] > 0 && !ids.owned.has(static_cast<int64_t>(id))) {
          body(static_cast<int64_t>(id), visits[id]);
        }
      }
    };
    std::vector<int64_t> nodes_with;  // number of visits
    each_other([&](int64_t, uint32_t count) {
      nodes_with.resize(std::max<size_t>(nodes_with.size(), size_t{count} + 1));
      ++nodes_with[count];
    });
    int64_t room = hot_wanted(type);
    size_t least = nodes_with.size();  // all nodes with at least this many visits fit
    while (least > 1 && nodes_with[least - 1] <= room) {
      room -= nodes_with[--least];
    }
    each_other([&](int64_t id, uint32_t count) {
      if (count >= least || (count + size_t{1} == least && room-- > 0)) {
        ids.hot.add(id);
        ids.others.remove(id);
      }
    });
    ids.hot.finish();
    ids.others.finish();
  }

  // Chooses the other nodes at the ends of the most edges of owned rows.
  Status choose_hot(size_t type) {
    TypeIds& ids = out_.nodes[type];
    const int64_t wanted = std::min(hot_wanted(type), ids.others.count());
    if (wanted == 0) {
      return {};
    }
    std::vector<int64_t> asked(static_cast<size_t>(ids.others.count()));
    for (const EdgeType& edges : dataset_.edge_types()) {
      const Layout layout = owning_layout(edges);
      if (neighbor_type(edges, layout) != type) {
        continue;
      }
      const Topology& topology = *edges.topology(layout);
      GLS_TRY(out_.nodes[row_type(edges, layout)].owned.each([&](int64_t row) -> Status {
        for (int64_t at = topology.indptr[row]; at < topology.indptr[row + 1]; ++at) {
          if (const int64_t rank = ids.others.rank(topology.neighbor(at)); rank >= 0) {
            ++asked[static_cast<size_t>(rank)];
          }
        }
        return {};
      }));
    }
    std::vector<int64_t> order(asked.size());
    std::iota(order.begin(), order.end(), 0);
    const auto more = [&](int64_t a, int64_t b) {
      const int64_t of_a = asked[static_cast<size_t>(a)];
      const int64_t of_b = asked[static_cast<size_t>(b)];
      return of_a != of_b ? of_a > of_b : a < b;
    };
    std::nth_element(order.begin(), order.begin() + (wanted - 1), order.end(), more);
    std::vector<bool> chosen(asked.size());
    for (int64_t i = 0; i < wanted; ++i) {
      chosen[static_cast<size_t>(order[static_cast<size_t>(i)])] =
          asked[static_cast<size_t>(order[static_cast<size_t>(i)])] > 0;
    }
    size_t rank = 0;
    GLS_TRY(ids.others.each([&](int64_t id) -> Status {
      if (chosen[rank++]) {
        ids.hot.add(id);
      }
      return {};
    }));
    GLS_TRY(ids.hot.each([&](int64_t id) -> Status {
      ids.others.remove(id);
      return {};
    }));
    ids.hot.finish();
    ids.others.finish();
    return {};
  }

  const Dataset& dataset_;
  const std::vector<PartitionBook>& owners_;
  const PartIdOptions& options_;
  PartIds out_;
};

}  // namespace

Result<PartIds> find_part_ids(const Dataset& dataset, const std::vector<PartitionBook>& owners,
                              uint32_t number, const PartIdOptions& options) {
  return Finder(dataset, owners, number, options).find();
}

}  // namespace gls
