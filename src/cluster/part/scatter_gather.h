// Asks the parts that a question was split over, and waits for their answers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/part/part.h"
#include "cluster/part/split_by_owner.h"

namespace gls {

using Parts = std::vector<std::shared_ptr<const Part>>;

inline bool any_remote(const Parts& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [](const auto& part) { return !part->is_local(); });
}

// Redirects ids to a local part that has copies of them, so that no other part is asked.
// `copies_of(part)` tests whether the part has an id that it does not own; empty: it has none.
template <typename CopiesOf>
SplitByOwner::Instead local_instead(const Parts& parts, const CopiesOf& copies_of) {
  std::vector<std::pair<uint32_t, std::function<bool(int64_t)>>> copies;
  for (size_t p = 0; p < parts.size(); ++p) {
    if (auto has = parts[p]->is_local() ? copies_of(*parts[p]) : nullptr; has) {
      copies.emplace_back(static_cast<uint32_t>(p), std::move(has));
    }
  }
  if (copies.empty()) {
    return {};
  }
  return [&parts, copies = std::move(copies)](int64_t id, uint32_t owner) {
    for (size_t c = 0; c < copies.size() && !parts[owner]->is_local(); ++c) {
      if (copies[c].second(id)) {
        return copies[c].first;
      }
    }
    return owner;
  };
}

// Redirects nodes whose whole rows, in a layout of an edge type, are in the halo of a local part.
inline SplitByOwner::Instead local_halos(const Parts& parts, size_t edge_type, Layout layout) {
  if (!any_remote(parts)) {
    return {};
  }
  return local_instead(parts, [&](const Part& part) { return part.halo(edge_type, layout); });
}

// Asks each part that owns some ids. The slowest parts are asked first.
template <typename Ask>
void ask_all(const Parts& parts, const SplitByOwner& split, const Ask& ask) {
  for (const bool local : {false, true}) {
    for (size_t p = 0; p < parts.size(); ++p) {
      if (parts[p]->is_local() == local && !split.shares()[p].ids.empty()) {
        ask(p, split.shares()[p]);
      }
    }
  }
}

// Waits for the answer of each part. Local parts do their work first; then the others are waited
// for.
template <typename T>
Status take_all(const Parts& parts, std::vector<Deferred<T>>* asked, std::vector<T>* out) {
  out->resize(asked->size());
  for (const bool local : {true, false}) {
    for (size_t p = 0; p < asked->size(); ++p) {
      if (parts[p]->is_local() == local && (*asked)[p]) {
        GLS_ASSIGN((*out)[p], (*asked)[p]());
        (*asked)[p] = nullptr;
      }
    }
  }
  return {};
}

}  // namespace gls
