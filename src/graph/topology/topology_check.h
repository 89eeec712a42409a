// Checks the contents of a topology: everything that Topology::make() cannot check without reading
// it.
#pragma once

#include <string>

#include "graph/topology/array_check.h"
#include "graph/topology/topology.h"

namespace gls {

struct TopologyNames {
  CheckedArray indptr;
  CheckedArray indices;
  CheckedArray edge_ids;
};

// Checks that indptr never decreases, and that neighbours and edge ids are in range. Each edge id
// must occur once, which takes one bit of memory per edge. Reports the first fault in the order of
// the arrays.
Status check_topology(ThreadPool& pool, const Topology& topology, const TopologyNames& names,
                      const Progress& progress);

// Whether a checked CSC and a checked CSR hold the same edges with the same ids. Reads each once.
// Only if they differ, it uses 8 bytes per edge to find the difference.
Status check_same_edges(ThreadPool& pool, const Topology& csc, const Topology& csr,
                        const TopologyNames& csc_names, const std::string& csr_name,
                        const Progress& progress);

}  // namespace gls
