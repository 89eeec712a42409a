#include "capi/options/per_hop.h"

#include <utility>

#include "capi/support/support.h"

namespace gls::capi {

Result<PerHop> read_per_hop(const std::vector<PerHopEntry>& entries, const PerHopWords& words) {
  PerHop out;
  out.own.resize(words.num_types);
  const auto named = [&](const PerHopEntry& entry) {
    return entry.type == nullptr ? formatted("the entry for all {}s", words.kind)
                                 : formatted("{} \"{}\"", words.kind, entry.type);
  };
  for (size_t i = 0; i < entries.size(); ++i) {
    const PerHopEntry& entry = entries[i];
    if (entry.num_hops == 0) {
      return invalid("{}: {} has no hops, expected at least 1", words.argument, named(entry))
          .with("argument", words.argument);
    }
    if (entry.num_hops != entries[0].num_hops) {
      return invalid("{}: {} has {} hops and {} has {}, expected as many", words.argument,
                     named(entry), entry.num_hops, named(entries[0]), entries[0].num_hops)
          .with("argument", words.argument);
    }
    if (entry.per_hop == nullptr) {
      return null_argument(formatted("{}[].per_hop", words.argument).c_str());
    }
    const PerHopEntry** slot = &out.for_all;
    if (entry.type != nullptr) {
      Result<size_t> type = words.find_type(entry.type);
      if (!type.ok()) {
        return std::move(type.status())
            .prefixed(formatted("{}: ", words.argument))
            .with("argument", words.argument);
      }
      slot = &out.own[*type];
    }
    if (*slot != nullptr) {
      return invalid("{}: {} \"{}\" has two entries", words.argument, words.kind,
                     entry.type == nullptr ? "(all)" : entry.type)
          .with("argument", words.argument);
    }
    *slot = &entry;
  }
  out.num_hops = entries[0].num_hops;
  return out;
}

}  // namespace gls::capi
