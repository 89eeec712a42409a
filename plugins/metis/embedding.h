// Controls METIS on this thread: its random numbers, and how it is cancelled.
#pragma once

#include <cstdint>

#include "ingest/assign/metis_plugin.h"

namespace gls::metis {

void set_seed(uint64_t seed);

// While this object exists, METIS on this thread uses its random numbers and checks it for
// cancellation.
class Watching {
 public:
  explicit Watching(const MetisWatch* watch);
  ~Watching();
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  bool stopped() const;
};

}  // namespace gls::metis
