// A question that is split by owner: asking the parts, and waiting for them.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/by_owner.h"
#include "cluster/part.h"

namespace gls {

using Parts = std::vector<std::shared_ptr<const Part>>;

inline bool any_elsewhere(const Parts& parts) {
  return std::any_of(parts.begin(), parts.end(), [](const auto& part) { return !part->here(); });
}

// Asks each part that owns something; those who take longest first.
template <typename Ask>
void ask_all(const Parts& parts, const ByOwner& split, const Ask& ask) {
  for (const bool here : {false, true}) {
    for (size_t p = 0; p < parts.size(); ++p) {
      if (parts[p]->here() == here && !split.shares()[p].ids.empty()) {
        ask(p, split.shares()[p]);
      }
    }
  }
}

// Waits for what was asked of each part: for the others after the work of those that are here.
template <typename T>
Status take_all(const Parts& parts, std::vector<Later<T>>* asked, std::vector<T>* out) {
  out->resize(asked->size());
  for (const bool here : {true, false}) {
    for (size_t p = 0; p < asked->size(); ++p) {
      if (parts[p]->here() == here && (*asked)[p]) {
        GLS_ASSIGN((*out)[p], (*asked)[p]());
        (*asked)[p] = nullptr;
      }
    }
  }
  return {};
}

}  // namespace gls
