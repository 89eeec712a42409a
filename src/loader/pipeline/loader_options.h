// The options of a loader.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "device/device.h"
#include "device/peer/peer_link.h"
#include "loader/columns/columns.h"
#include "loader/padding/pad_sizes.h"
#include "loader/produce/batch_finisher.h"
#include "loader/seeds/epoch_plan.h"
#include "loader/seeds/seed_list.h"
#include "loader/seeds/seed_weighting.h"
#include "sample/device/sampler_on_device.h"
#include "tensor/tensor.h"

namespace gls {

struct LoaderOptions {
  size_t node_type = 0;
  std::optional<size_t> edge_type;  // the seeds are links of this type
  SeedRuleOptions rule;
  PlanOptions plan;  // create() sets num_seeds
  uint32_t num_workers = 0;
  uint32_t prefetch = 0;
  uint64_t prefetch_bytes = 0;
  uint64_t prefetch_bytes_given = 0;  // by the caller; 0: create() chose
  std::vector<ColumnToGather> columns;
  Tensor times;   // times of the seeds, for temporal samplers; undefined: their own
  Tensor labels;  // for links
  std::optional<PadOptions> pad;
  // The user's own stage; may be empty. Several threads call it at once.
  BatchFinisher::Transform transform;
  std::vector<Tensor> anchor_labels;  // by supervision; undefined: from its edge type
  // Seeds of several types, instead of `seeds` of create() and of their type, times and labels
  // here.
  std::vector<SeedList::Given> seed_sets;
  // The graph's servers make the batches. `num_workers` is then the number of requests in flight.
  // This process only pads and transforms the batches.
  bool made_by_servers = false;
  // The device that batches are delivered to; NULL: the host.
  std::shared_ptr<Device> device;
  // The same sampler on that device; NULL: create() makes it.
  std::shared_ptr<const SamplerOnDevice> sampler_on_device;
  LocalPlace place;  // for the setting device.group
};

}  // namespace gls
