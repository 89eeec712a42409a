#include "store/neighbor_store.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "query/unique_ids.h"

namespace gls {

// The lists of one question, while they are fetched.
class NeighborStore::Lists {
 public:
  Lists(std::shared_ptr<NeighborStore> store, const IdSpan& given, const NeighborLimits& limits)
      : store_(std::move(store)),
        unique_(given),
        cached_(static_cast<size_t>(unique_.span().size())) {
    const IdSpan nodes = unique_.span();
    std::vector<int64_t> missing;
    missing.reserve(cached_.size());
    for (int64_t i = 0; i < nodes.size(); ++i) {
      if (!copy_cached(nodes[i], &cached_[static_cast<size_t>(i)])) {
        missing.push_back(nodes[i]);
      }
    }
    store_->note_cached(cached_.size() - missing.size());
    if (store_->cache() != nullptr) {
      missing_ = missing;
    }
    if (!missing.empty()) {
      asked_.emplace(store_, store_->cut({std::move(missing), false, nullptr, 0, nullptr, limits}));
    }
  }

  Result<NeighborLists> take() {
    GLS_TRY(asked_.has_value() ? asked_->wait() : Status());
    NeighborLists lists = store_->cache() == nullptr ? take_fetched() : take_with_cached();
    return unique_.repeats().empty() ? std::move(lists) : repeat(lists);
  }

 private:
  using List = std::vector<int64_t>;  // the neighbours of a node, then the edge ids

  NeighborLists take_with_cached() {
    const NeighborLists fetched = take_fetched();
    NeighborLists out;
    out.counts.reserve(cached_.size());
    size_t node = 0;  // of the fetched ones
    int64_t at = 0;
    for (const std::optional<List>& cached : cached_) {
      if (cached.has_value()) {
        add(*cached, &out);
        continue;
      }
      const List list = list_at(fetched, at, fetched.counts[node]);
      add(list, &out);
      store_->cache()->insert(missing_[node], std::as_bytes(std::span(list)));
      at += fetched.counts[node++];
    }
    return out;
  }
  // The lists of all nodes that were asked for, from those of the unique ones.
  NeighborLists repeat(const NeighborLists& lists) const {
    std::vector<int64_t> begins;
    begins.reserve(lists.counts.size());
    int64_t at = 0;
    for (const int64_t count : lists.counts) {
      begins.push_back(std::exchange(at, at + count));
    }
    NeighborLists out;
    for (const int64_t number : unique_.numbers()) {
      const auto i = static_cast<size_t>(number);
      add(list_at(lists, begins[i], lists.counts[i]), &out);
    }
    return out;
  }
  List list_at(const NeighborLists& lists, int64_t begin, int64_t count) const {
    List out(lists.neighbors.begin() + begin, lists.neighbors.begin() + begin + count);
    if (store_->spec().edge_ids) {
      out.insert(out.end(), lists.edge_ids.begin() + begin, lists.edge_ids.begin() + begin + count);
    }
    return out;
  }
  // The answers of all fetches as one.
  NeighborLists take_fetched() {
    NeighborLists out;
    for (size_t f = 0; asked_.has_value() && f < asked_->size(); ++f) {
      NeighborLists lists = asked_->take_lists(f);
      if (f == 0) {
        out = std::move(lists);
        continue;
      }
      append(lists.counts, &out.counts);
      append(lists.neighbors, &out.neighbors);
      append(lists.edge_ids, &out.edge_ids);
    }
    return out;
  }
  static void append(const std::vector<int64_t>& from, std::vector<int64_t>* to) {
    to->insert(to->end(), from.begin(), from.end());
  }
  bool copy_cached(int64_t node, std::optional<List>* to) const {
    return store_->cache() != nullptr &&
           store_->cache()->find(node, [to](std::span<const std::byte> bytes) {
             List& list = to->emplace(bytes.size() / sizeof(int64_t));
             std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(list)).begin());
           });
  }
  void add(const List& list, NeighborLists* out) const {
    const size_t count = store_->spec().edge_ids ? list.size() / 2 : list.size();
    const auto middle = list.begin() + static_cast<std::ptrdiff_t>(count);
    out->counts.push_back(static_cast<int64_t>(count));
    out->neighbors.insert(out->neighbors.end(), list.begin(), middle);
    out->edge_ids.insert(out->edge_ids.end(), middle, list.end());
  }

  const std::shared_ptr<NeighborStore> store_;
  const UniqueIds unique_;
  std::vector<std::optional<List>> cached_;  // by node; not set: fetched
  std::vector<int64_t> missing_;             // the fetched nodes, if there is a cache
  std::optional<Asked> asked_;
};

NeighborStore::NeighborStore(Spec spec, StoreOptions options)
    : Store(formatted("the store of neighbours of \"{}\"", spec.type.joined()), std::move(options)),
      spec_(std::move(spec)) {}

Result<std::shared_ptr<NeighborStore>> NeighborStore::create(Spec spec, StoreOptions options) {
  if (spec.num_edges < 0 || (spec.num_edges == 0 && !spec.edge_ids)) {
    return invalid("num_edges is {}, expected {}", spec.num_edges,
                   spec.edge_ids ? "0 or more" : "an estimate above 0")
        .with("argument", "num_edges");
  }
  return std::shared_ptr<NeighborStore>(new NeighborStore(std::move(spec), std::move(options)));
}

Deferred<NeighborLists> NeighborStore::ask(const IdSpan& nodes, int64_t num_neighbors) {
  const NeighborLimits limits = {num_neighbors, spec_.num_edges, spec_.edge_ids};
  auto lists = std::make_shared<Lists>(std::static_pointer_cast<NeighborStore>(shared_from_this()),
                                       nodes, limits);
  return [lists = std::move(lists)] { return lists->take(); };
}

}  // namespace gls
