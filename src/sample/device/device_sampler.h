// Sampling on a device: what a sampler does, as far as a device does it, with the batch's arrays
// made there. The bytes are those of the sampler.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "sample/device/device_graph.h"
#include "sample/device/device_negatives.h"
#include "sample/neighbor/sampler.h"

namespace gls {

class DeviceSampler {
 public:
  // What of the sampler a device does not do; empty: nothing.
  static std::string_view beyond(const Sampler& sampler);
  // Of a sampler that has nothing of the kind.
  static Result<std::shared_ptr<const DeviceSampler>> create(std::shared_ptr<const Sampler> sampler,
                                                             std::shared_ptr<Device> device);
  ~DeviceSampler();
  DeviceSampler(const DeviceSampler&) = delete;
  DeviceSampler& operator=(const DeviceSampler&) = delete;

  // What negatives of links of a type take is made now, and not during the first batch.
  Status prepare_negatives(size_t edge_type) const;
  // Not of a request that leaves out edges where only options were to, if rows of tables are all
  // that the device has of weights.
  bool takes(const SampleRequest& request) const;
  // As Sampler::sample(), of a sampler that is not beyond it. What it reads and writes is queued on
  // the stream, but for the sizes, which it waits for. Any number of threads at once, each with a
  // stream of its own.
  Result<std::shared_ptr<Batch>> sample(const SampleRequest& request,
                                        const DeviceStream& stream) const;

 private:
  DeviceSampler(std::shared_ptr<const Sampler> sampler, std::shared_ptr<Device> device)
      : sampler_(std::move(sampler)), device_(std::move(device)) {}
  // Of walks and of personalised PageRank there is one, which follows no edge type.
  size_t num_hops() const {
    const SamplerOptions& options = sampler_->options();
    return options.walk.has_value() || options.ppr.has_value() ? 1
           : options.hgt.has_value()                           ? options.hgt->num_hops
                                                               : sampler_->num_hops();
  }
  Status place();
  void plan_pushes();
  Status place_times(const TimeRule& rule, int64_t num_rows, device::TimesOfType* out);
  Status place_weights(size_t edge_type, const Topology& topology, device::WeightsOfType* out);
  Status place_left_out(const ExcludedEdges& edges, device::LeftOut* out);
  Result<device::GpuSampler*> borrow() const;
  void give_back(device::GpuSampler* sampler) const;
  // See DeviceDrawing.
  Result<const DeviceNegatives*> negatives(size_t edge_type) const;
  Result<DrawnNegatives> draw(const device::NegativesWork& work, std::span<const int64_t> sources,
                              const DeviceStream& stream) const;
  bool wide_edge_ids(size_t edge_type) const;
  // Whether edges of a type are picked from tables that have them all.
  bool by_tables_alone(size_t edge_type) const;

  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<DeviceGraph> graph_;
  std::vector<DeviceGraph::Rows> rows_;  // by edge type; those that are not used are empty
  std::vector<std::shared_ptr<const DeviceArray>> left_out_;  // of all batches
  std::vector<std::shared_ptr<const DeviceArray>> times_;
  std::vector<std::shared_ptr<const DeviceArray>> weights_;
  std::vector<std::shared_ptr<DeviceMemory>> row_states_;
  std::vector<device::EdgePlan> edges_;
  std::vector<int64_t> no_fanouts_;  // of walks, budgets and pushes, by hop
  std::vector<int64_t> samples_;     // of budgets, by node type and hop
  std::vector<int64_t> node_counts_;
  std::vector<uint32_t> path_;       // of walks
  std::vector<size_t> push_begins_;  // as PprPlan has them
  std::vector<uint32_t> push_steps_;
  std::vector<int32_t> mirrors_;  // by edge type; empty: edges are not both ways
  struct Negatives {
    bool known = false;
    std::shared_ptr<const DeviceNegatives> on_device;
  };
  mutable std::mutex negatives_mutex_;
  mutable std::vector<Negatives> negatives_;  // by edge type, once they are asked for
  mutable std::mutex mutex_;
  mutable std::vector<device::GpuSampler*> idle_;
};

}  // namespace gls
