// What one batch asks of a device, as found on the host: its seeds, which links and anchors stand
// for, too, and times and the edges that are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "device/gpu.h"
#include "sample/anchors.h"
#include "sample/batch.h"
#include "sample/links.h"
#include "sample/sampler.h"

namespace gls {

class DeviceRequest {
 public:
  // Checks the request; the negatives of links and the labels of anchors are drawn here. Both must
  // outlive it.
  static Result<DeviceRequest> of(const Sampler& sampler, const SampleRequest& request);

  // Views what is in here.
  device::SampleWork work() const;
  bool leaves_out(size_t edge_type) const {
    return !left_out_.empty() && left_out_[edge_type].count > 0;
  }
  // Places of links: source, target and, for triplets, negative; or of labels, by supervision.
  size_t num_places() const { return places_.size(); }
  // Arrays of the batch that the host knows. `at_places` has the local ids of each list of places.
  void complete(const std::vector<Tensor>& at_places, Batch* batch) const;

 private:
  DeviceRequest(const Sampler& sampler, const SampleRequest& request)
      : sampler_(&sampler), request_(&request) {}
  Status find_seeds();
  Status add_seeds(const SeedSet& set);
  void add_places(size_t node_type, const std::vector<int64_t>& places);
  Status find_left_out();
  std::vector<Tensor> seed_times() const;

  const Sampler* sampler_;
  const SampleRequest* request_;
  uint64_t key_ = 0;
  std::vector<std::vector<int64_t>> ids_;  // of seeds, by list
  std::vector<int64_t> times_;             // of all of them in turn
  std::vector<device::SeedsOfType> seeds_;
  std::vector<device::SeedPlaces> places_;
  std::optional<LinkSeeds> links_;
  std::optional<AnchorSeeds> anchors_;
  std::vector<ExcludedEdges> excluded_;  // by edge type; empty: none
  std::vector<device::LeftOut> left_out_;
  device::NumberKeys numbers_;
};

}  // namespace gls
