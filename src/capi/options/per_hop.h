// Reads numbers by type and hop, such as fanouts and samples of nodes. There is one entry for a
// type, or one for all types without their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/status.h"

namespace gls::capi {

struct PerHopEntry {
  const char* type;  // NULL: for all types
  const int64_t* per_hop;
  size_t num_hops;
};

struct PerHop {
  size_t num_hops = 0;
  std::vector<const PerHopEntry*> own;  // by type; NULL: it has no entry
  const PerHopEntry* for_all = nullptr;
};

// Their names in errors, and the function that finds types.
struct PerHopWords {
  const char* argument;
  const char* kind;  // kind of type
  size_t num_types;
  std::function<Result<size_t>(const char*)> find_type;
};

// There must be at least one entry; `entries` must outlive the result.
Result<PerHop> read_per_hop(const std::vector<PerHopEntry>& entries, const PerHopWords& words);

}  // namespace gls::capi
