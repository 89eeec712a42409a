// The data that a device needs to draw negatives of one edge type: cumulative weights, and the rows
// that tell whether a pair is an edge.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "sample/device/device_graph.h"
#include "sample/sampler.h"

namespace gls {

class DeviceNegatives {
 public:
  // Copies what is not on the device yet. For a sampler with negatives, where at least one negative
  // is possible.
  static Result<std::shared_ptr<const DeviceNegatives>> make(
      const Sampler& sampler, size_t edge_type, std::shared_ptr<const NegativeSampler> negatives,
      const std::shared_ptr<DeviceGraph>& graph);

  // Views data of this object; `links` is not 0.
  device::NegativesWork work(uint64_t key, int64_t links) const;
  const NegativeSampler& on_host() const { return *negatives_; }

 private:
  explicit DeviceNegatives(std::shared_ptr<const NegativeSampler> negatives)
      : negatives_(std::move(negatives)) {}
  Status place_edges(const Sampler& sampler, size_t edge_type, DeviceGraph& graph);

  std::shared_ptr<const NegativeSampler> negatives_;
  std::shared_ptr<const DeviceArray> source_sums_;
  std::shared_ptr<const DeviceArray> target_sums_;
  DeviceGraph::Rows rows_;
  std::optional<device::EdgePlan> edges_;  // not set: negatives may be edges
  bool rows_of_targets_ = false;
  bool ascending_ = false;
};

}  // namespace gls
