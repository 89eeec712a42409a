// The input of one batch on a device, prepared on the host: seeds (also those of links and
// anchors), times and excluded edges.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "device/gpu.h"
#include "sample/batch/batch.h"
#include "sample/device/device_negatives.h"
#include "sample/links/links.h"
#include "sample/neighbor/anchors.h"
#include "sample/sampler.h"

namespace gls {

// How a device draws negatives.
struct DeviceDrawing {
  // The data for an edge type; NULL: the host draws them.
  std::function<Result<const DeviceNegatives*>(size_t edge_type)> negatives;
  // Draws before the batch is made, and waits for that; used if the number of seeds depends on the
  // negatives.
  std::function<Result<DrawnNegatives>(const device::NegativesWork& work,
                                       std::span<const int64_t> sources)>
      ahead;
};

class DeviceRequest {
 public:
  // Checks the request. Draws the labels of anchors, and negatives that the device does not draw.
  // The sampler and the request must outlive the result.
  static Result<DeviceRequest> of(const Sampler& sampler, const SampleRequest& request,
                                  const DeviceDrawing& drawing);

  // Views data of this object.
  device::SampleWork work() const;
  bool excludes(size_t edge_type) const {
    return !filters_.empty() && filters_[edge_type].count > 0;
  }
  // Lists of positions. For links, by edge type: source, target and, with triplets, negative. For
  // anchors: one list of labels for each supervision.
  size_t num_places() const { return places_.size(); }
  // Adds the arrays of the batch that the host knows. `at_places` has the local ids of each list of
  // positions.
  void complete(const std::vector<Tensor>& at_places, Batch* batch) const;
  // The error that the device found no negative for a number.
  Status no_negative(int64_t number) const;

 private:
  DeviceRequest(const Sampler& sampler, const SampleRequest& request)
      : sampler_(&sampler), request_(&request) {}
  Status find_seeds(const DeviceDrawing& drawing);
  Status find_links(const DeviceDrawing& drawing);
  Result<DrawnNegatives> draw(const NegativeSampler& on_host, const LinkSet& links,
                              std::span<const int64_t> sources, const DeviceDrawing& drawing);
  std::span<const int64_t> link_sources() const;
  Status add_seeds(const SeedSet& set);
  void add_places(size_t node_type, const std::vector<int64_t>& places);
  Status find_filters();
  std::vector<Tensor> seed_times() const;

  const Sampler* sampler_;
  const SampleRequest* request_;
  uint64_t key_ = 0;
  uint64_t hgt_key_ = 0;
  std::vector<std::vector<int64_t>> ids_;  // seeds of each list
  std::vector<int64_t> times_;             // of all lists, one after another
  std::vector<device::SeedsOfType> seeds_;
  std::vector<device::SeedPlaces> places_;
  LinkSeedSets links_;
  // Negatives drawn together with the batch, and their positions; not set: none.
  const DeviceNegatives* negatives_ = nullptr;
  std::optional<device::NegativesWork> drawn_;
  int64_t first_source_ = 0;
  int64_t first_target_ = 0;
  std::optional<AnchorSeeds> anchors_;
  std::vector<ExcludedEdges> excluded_;  // by edge type; empty: no exclusion
  std::vector<device::ExclusionFilter> filters_;
  device::NumberKeys numbers_;
};

}  // namespace gls
