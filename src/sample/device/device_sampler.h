// Samples on a device, for the methods and options that a device supports. The batch's arrays are
// made on the device, and have the same bytes as those of the CPU sampler.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "sample/device/device_graph.h"
#include "sample/device/device_negatives.h"
#include "sample/sampler.h"

namespace gls {

class DeviceSampler {
 public:
  // Names an option of the sampler that a device does not support; empty: it supports all.
  static std::string_view beyond(const Sampler& sampler);
  // For a sampler whose beyond() is empty.
  static Result<std::shared_ptr<const DeviceSampler>> create(std::shared_ptr<const Sampler> sampler,
                                                             std::shared_ptr<Device> device);
  ~DeviceSampler();
  DeviceSampler(const DeviceSampler&) = delete;
  DeviceSampler& operator=(const DeviceSampler&) = delete;

  // Prepares the data for negatives of an edge type, so that the first batch need not.
  Status prepare_negatives(size_t edge_type) const;
  // False if the request excludes edges where only options were expected to, and the device has
  // only alias tables of the weights.
  bool takes(const SampleRequest& request) const;
  // As Sampler::sample(), for a sampler whose beyond() is empty. Reads and writes are queued on the
  // stream; only the sizes are waited for. Any number of threads may call it at once, each with a
  // stream of its own.
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request,
                                        const DeviceStream& stream) const;

 private:
  DeviceSampler(std::shared_ptr<const Sampler> sampler, std::shared_ptr<Device> device)
      : sampler_(std::move(sampler)), device_(std::move(device)) {}
  Status place();
  void plan_pushes();
  Status place_times(const TimeRule& rule, int64_t num_rows, device::TimesOfType* out);
  Status place_weights(size_t edge_type, const Topology& topology, device::WeightsOfType* out);
  Status place_excluded(const ExcludedEdges& edges, device::ExclusionFilter* out);
  Result<device::GpuSampler*> borrow() const;
  void give_back(device::GpuSampler* sampler) const;
  // See DeviceDrawing.
  Result<const DeviceNegatives*> negatives(size_t edge_type) const;
  Result<DrawnNegatives> draw(const device::NegativesWork& work, std::span<const int64_t> sources,
                              const DeviceStream& stream) const;
  bool wide_edge_ids(size_t edge_type) const;
  // Whether edges of a type are picked only from alias tables, which have all edges.
  bool by_tables_alone(size_t edge_type) const;

  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<DeviceGraph> graph_;
  std::vector<DeviceGraph::Rows> rows_;                       // by edge type; unused ones are empty
  std::vector<std::shared_ptr<const DeviceArray>> excluded_;  // excluded edges of all batches
  std::vector<std::shared_ptr<const DeviceArray>> times_;
  std::vector<std::shared_ptr<const DeviceArray>> weights_;
  std::vector<std::shared_ptr<DeviceMemory>> row_states_;
  std::vector<device::EdgePlan> edges_;
  std::vector<int64_t> no_fanouts_;  // by hop, for walks, HGT and pushes
  std::vector<int64_t> samples_;     // for HGT, by node type and hop
  std::vector<int64_t> node_counts_;
  std::vector<uint32_t> path_;       // for walks
  std::vector<size_t> push_begins_;  // as in PprPlan
  std::vector<uint32_t> push_steps_;
  std::vector<int32_t> mirrors_;  // by edge type; empty: not bidirectional
  struct Negatives {
    bool known = false;
    std::shared_ptr<const DeviceNegatives> on_device;
  };
  mutable std::mutex negatives_mutex_;
  mutable std::vector<Negatives> negatives_;  // by edge type, made at first use
  mutable std::mutex mutex_;
  mutable std::vector<device::GpuSampler*> idle_;
};

}  // namespace gls
