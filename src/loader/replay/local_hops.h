// Answers hops from the local topology, with its rows divided into chunks.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "loader/replay/row_chunks.h"
#include "query/hop_query.h"
#include "sample/sampler.h"

namespace gls {

// Any number of threads may use it at once.
class LocalHops {
 public:
  // `sampler`: a neighbour sampler of a local graph.
  LocalHops(std::shared_ptr<const Sampler> sampler, uint64_t chunk_bytes);

  // As answer_hop(); `rows` of the question is not set.
  Result<HopPicks> answer(const HopQuestion& question) const;
  // The chunks of the rows that an edge type's hops read, which exist. Made at first use.
  const RowChunks& chunks(size_t edge_type) const;
  // Whether rows belong to the targets of edges; else to their sources.
  bool rows_of_targets() const { return sampler_->options().direction == Direction::kIn; }
  bool reads(size_t edge_type) const { return topology(edge_type).has_value(); }
  const Dataset& dataset() const { return *sampler_->dataset(); }

 private:
  const std::optional<Topology>& topology(size_t edge_type) const;

  struct Entry {
    std::once_flag once;
    std::optional<RowChunks> chunks;
  };
  const std::shared_ptr<const Sampler> sampler_;
  const uint64_t chunk_bytes_;
  const std::unique_ptr<Entry[]> entries_;  // by edge type
};

}  // namespace gls
