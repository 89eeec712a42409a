// The random numbers of METIS on this thread, and how it is stopped.
#pragma once

#include <cstdint>

#include "ingest/assign/metis_plugin.h"

namespace gls::metis {

void set_seed(uint64_t seed);

// What METIS asks on this thread while it runs, until the object is gone.
class Watching {
 public:
  explicit Watching(const MetisWatch* watch);
  ~Watching();
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  bool stopped() const;
};

}  // namespace gls::metis
