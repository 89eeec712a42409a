// Checks the contents of a topology: everything that Topology::make() cannot see without reading
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

// indptr never decreases, neighbours and edge ids are in range, each edge id occurs once (which
// takes a bit of memory per edge). Reports the first fault in the order of the arrays.
Status check_topology(ThreadPool& pool, const Topology& topology, const TopologyNames& names,
                      const Progress& progress);

// Whether a CSC and a CSR, each checked, hold the same edges under the same ids. Reads each once;
// only when they differ, 8 bytes per edge of memory are used to find out where.
Status check_same_edges(ThreadPool& pool, const Topology& csc, const Topology& csr,
                        const TopologyNames& csc_names, const std::string& csr_name,
                        const Progress& progress);

}  // namespace gls
