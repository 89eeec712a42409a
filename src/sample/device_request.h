// What one batch asks of a device, as found on the host: its seeds, which links and anchors stand
// for, too, and times and the edges that are left out.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "device/gpu.h"
#include "sample/anchors.h"
#include "sample/batch.h"
#include "sample/device_negatives.h"
#include "sample/links.h"
#include "sample/sampler.h"

namespace gls {

// What a device does about negatives.
struct DeviceDrawing {
  // Of an edge type; NULL: the processor draws them.
  std::function<Result<const DeviceNegatives*>(size_t edge_type)> negatives;
  // Draws before the batch is made, for which it waits: where only then is known how many seeds
  // there are.
  std::function<Result<DrawnNegatives>(const device::NegativesWork& work,
                                       std::span<const int64_t> sources)>
      ahead;
};

class DeviceRequest {
 public:
  // Checks the request; the labels of anchors are drawn here, and negatives that the device does
  // not draw. The sampler and the request must outlive it.
  static Result<DeviceRequest> of(const Sampler& sampler, const SampleRequest& request,
                                  const DeviceDrawing& drawing);

  // Views what is in here.
  device::SampleWork work() const;
  bool leaves_out(size_t edge_type) const {
    return !left_out_.empty() && left_out_[edge_type].count > 0;
  }
  // Places of links, by edge type: source, target and, for triplets, negative; or of labels, by
  // supervision.
  size_t num_places() const { return places_.size(); }
  // Arrays of the batch that the host knows. `at_places` has the local ids of each list of places.
  void complete(const std::vector<Tensor>& at_places, Batch* batch) const;
  // That the device found none for a number.
  Status no_negative(int64_t number) const;

 private:
  DeviceRequest(const Sampler& sampler, const SampleRequest& request)
      : sampler_(&sampler), request_(&request) {}
  Status find_seeds(const DeviceDrawing& drawing);
  Status find_links(const DeviceDrawing& drawing);
  Result<DrawnNegatives> draw(const NegativeSampler& on_host, const LinkSet& links,
                              std::span<const int64_t> sources, const DeviceDrawing& drawing);
  std::span<const int64_t> link_sources() const;
  Status find_budget_seeds();
  Status add_seeds(const SeedSet& set);
  void add_places(size_t node_type, const std::vector<int64_t>& places);
  Status find_left_out();
  std::vector<Tensor> seed_times() const;

  const Sampler* sampler_;
  const SampleRequest* request_;
  uint64_t key_ = 0;
  uint64_t budget_key_ = 0;
  std::vector<std::vector<int64_t>> ids_;  // of seeds, by list
  std::vector<int64_t> times_;             // of all of them in turn
  std::vector<device::SeedsOfType> seeds_;
  std::vector<device::SeedPlaces> places_;
  LinkSeedSets links_;
  // What is drawn with the batch, and where it goes; none: nothing.
  const DeviceNegatives* negatives_ = nullptr;
  std::optional<device::NegativesWork> drawn_;
  int64_t first_source_ = 0;
  int64_t first_target_ = 0;
  std::optional<AnchorSeeds> anchors_;
  std::vector<ExcludedEdges> excluded_;  // by edge type; empty: none
  std::vector<device::LeftOut> left_out_;
  device::NumberKeys numbers_;
};

}  // namespace gls
