#include "ingest/assign/balance.h"

#include <algorithm>
#include <array>

#include "graph/dataset/topology_query.h"
#include "graph/dataset/unknown_name.h"

namespace gls {

Result<Balance> Balance::make(const Dataset& dataset, uint32_t parts, double imbalance,
                              const std::vector<std::string>& sets, bool edges) {
  Balance out;
  out.parts_ = parts;
  out.types_.resize(dataset.node_types().size());
  GLS_TRY(out.add_sets(dataset, sets));
  out.add_classes(dataset, imbalance);
  if (edges) {
    GLS_TRY(out.add_edges(dataset, imbalance));
  }
  return out;
}

Status Balance::add_sets(const Dataset& dataset, const std::vector<std::string>& sets) {
  if (sets.size() > kMostSets) {
    return invalid("balance_sets: {} sets, expected at most {}", sets.size(), kMostSets)
        .with("argument", "balance_sets");
  }
  for (size_t s = 0; s < sets.size(); ++s) {
    GLS_ASSIGN(const std::vector<Tensor> found, balance_set(dataset, sets[s]));
    for (size_t t = 0; t < found.size(); ++t) {
      if (!found[t].defined()) {
        continue;
      }
      const NodeType& type = dataset.node_types()[t];
      GLS_ASSIGN(const IdSpan ids, set_ids(type, sets[s], found[t]));
      std::vector<uint8_t>& masks = types_[t].masks;
      masks.resize(static_cast<size_t>(type.count));
      for (int64_t i = 0; i < ids.size(); ++i) {
        masks[static_cast<size_t>(ids[i])] |= static_cast<uint8_t>(1u << s);
      }
    }
  }
  return {};
}

void Balance::add_classes(const Dataset& dataset, double imbalance) {
  const auto parts = static_cast<int64_t>(parts_);
  int64_t first = 0;  // the part that gets the first surplus node
  for (size_t t = 0; t < types_.size(); ++t) {
    TypeClasses& of = types_[t];
    std::array<int64_t, size_t{1} << kMostSets> counts{};
    if (of.masks.empty()) {
      counts[0] = dataset.node_types()[t].count;
    }
    for (const uint8_t mask : of.masks) {
      ++counts[mask];
    }
    of.by_mask.resize(counts.size());
    const bool alone =
        std::count(counts.begin(), counts.end(), 0) >= static_cast<int64_t>(counts.size()) - 1;
    for (size_t mask = 0; mask < counts.size(); ++mask) {
      const int64_t count = counts[mask];
      of.by_mask[mask] = counts_.size();
      if (count == 0) {
        continue;
      }
      counts_.push_back(count);
      const double free = imbalance * static_cast<double>(count) / static_cast<double>(parts);
      const auto slack = static_cast<int64_t>(std::min(free, static_cast<double>(count)));
      // When all parts have equal numbers, the remaining nodes go to parts in turn, class after
      // class. Otherwise small classes would all go to the first part. The limit of a type with one
      // class may be rounded up.
      const int64_t over = count % parts;
      for (int64_t p = 0; p < parts; ++p) {
        const bool more = over > 0 && (alone || (p - first + parts) % parts < over);
        most_.push_back(std::min(count, count / parts + (more ? 1 : 0) + slack));
      }
      first = (first + over) % parts;
    }
  }
}

Status Balance::add_edges(const Dataset& dataset, double imbalance) {
  edges_ = true;
  double all = 0;
  for (size_t e = 0; e < dataset.edge_types().size(); ++e) {
    const EdgeType& type = dataset.edge_types()[e];
    all += static_cast<double>(type.count);
    TypeClasses& of = types_[type.target];
    if (type.csc) {
      of.indptrs.push_back(type.csc->indptr);
    } else {
      GLS_ASSIGN(std::vector<int64_t> degrees, all_degrees(dataset, e, Layout::kCsc));
      of.degrees.push_back(std::move(degrees));
    }
  }
  most_edges_ = all / static_cast<double>(parts_) * (1 + imbalance);
  return {};
}

int64_t Balance::in_edges(size_t type, int64_t node) const {
  int64_t out = 0;
  for (const int64_t* const indptr : types_[type].indptrs) {
    out += indptr[node + 1] - indptr[node];
  }
  for (const std::vector<int64_t>& degrees : types_[type].degrees) {
    out += degrees[static_cast<size_t>(node)];
  }
  return out;
}

Result<IdSpan> set_ids(const NodeType& type, const std::string& name, const Tensor& ids) {
  GLS_ASSIGN(const IdSpan out, IdSpan::of(ids, "balance_sets"));
  if (const int64_t bad = out.find_outside(type.count); bad >= 0) {
    return corrupt("id set \"{}\" of node type \"{}\": node {} at index {}, expected 0 .. {}", name,
                   type.name, out[bad], bad, type.count - 1)
        .with("type", type.name);
  }
  return out;
}

Result<std::vector<Tensor>> balance_set(const Dataset& dataset, const std::string& name) {
  std::vector<Tensor> out;
  bool found = false;
  for (const NodeType& type : dataset.node_types()) {
    out.emplace_back();
    for (const IdSet& set : type.id_sets) {
      if (set.name == name) {
        out.back() = set.ids;
        found = true;
      }
    }
  }
  if (!found) {
    return no_id_set("balance_sets", dataset, name);
  }
  return out;
}

}  // namespace gls
