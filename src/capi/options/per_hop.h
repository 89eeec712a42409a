// Numbers by type and hop, as fanouts and samples of nodes are given: an entry for a type, or one
// for all types without their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"

namespace gls::capi {

struct PerHopEntry {
  const char* type;  // NULL: for all
  const int64_t* per_hop;
  size_t num_hops;
};

struct PerHop {
  size_t num_hops = 0;
  std::vector<const PerHopEntry*> own;  // by type; NULL: it has none
  const PerHopEntry* for_all = nullptr;
};

// What they are called in errors, and how types are found.
struct PerHopWords {
  const char* argument;
  const char* kind;  // of type
  size_t num_types;
  std::function<Result<size_t>(const char*)> find_type;
};

// There must be at least one entry; `entries` must outlive the result.
Result<PerHop> read_per_hop(const std::vector<PerHopEntry>& entries, const PerHopWords& words);

}  // namespace gls::capi
