#include "cluster/part/global_to_local.h"

#include <algorithm>
#include <utility>

namespace gls {

GlobalToLocal::GlobalToLocal(const GlobalIds& ids) : ids_(ids) {
  if (!ids.is_all()) {
    begin_ = ids.ids().as<int64_t>() + ids.owned();
    end_ = ids.ids().as<int64_t>() + ids.ids().rows();
    middle_ = std::is_sorted_until(begin_, end_);
  }
}

int64_t GlobalToLocal::local_of(int64_t whole) const {
  if (const int64_t owned = ids_.local_of_owned(whole); owned >= 0) {
    return owned;
  }
  for (const auto& [first, last] : {std::pair(begin_, middle_), std::pair(middle_, end_)}) {
    const int64_t* const found = std::lower_bound(first, last, whole);
    if (found != last && *found == whole) {
      return found - ids_.ids().as<int64_t>();
    }
  }
  return -1;
}

}  // namespace gls
