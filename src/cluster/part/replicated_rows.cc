#include "cluster/part/replicated_rows.h"

#include <algorithm>

namespace gls {

ReplicatedRows::ReplicatedRows(const GlobalIds& ids)
    : owned_(ids.owned()), ranks_(ids.whole_count()) {
  if (!ids.is_all()) {
    const auto* const known = ids.ids().as<int64_t>();
    const int64_t* const begin = known + owned_;
    const int64_t* const end = std::is_sorted_until(begin, known + ids.ids().rows());
    for (const int64_t* id = begin; id != end; ++id) {
      if (*id >= 0 && *id < ids.whole_count()) {
        // Otherwise the part is damaged, and the id does not exist.
        ranks_.add(*id);
      }
    }
  }
  ranks_.finish();
}

}  // namespace gls
