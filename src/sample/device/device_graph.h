// The topologies of a dataset for a device. A topology is whole in device memory, or stays on the
// host, where the device reads it in place. In the second case, device memory also holds the
// neighbours of the hottest nodes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "device/memory/device_array.h"
#include "graph/dataset/dataset.h"
#include "graph/dataset/hotness.h"

namespace gls {

// Copies of some rows of a topology in device memory.
class HotTopology {
 public:
  // Copies `rows`, which are ascending. It uses bytes() of device memory in total.
  static Result<std::shared_ptr<const HotTopology>> make(const std::shared_ptr<Device>& device,
                                                         const Topology& topology,
                                                         const std::vector<int64_t>& rows);
  // Bytes of the table of all rows, and of one row with its entries; 0 for an invalid row.
  static uint64_t table_bytes(const Topology& topology);
  static uint64_t row_bytes(const Topology& topology, int64_t row);

  int64_t size() const { return size_; }
  void fill(device::EdgePlan* plan) const;

 private:
  HotTopology() = default;

  int64_t size_ = 0;
  std::shared_ptr<DeviceMemory> slots_;
  std::shared_ptr<DeviceMemory> rows_;
  std::shared_ptr<DeviceMemory> indices_;
  std::shared_ptr<DeviceMemory> edge_ids_;  // NULL: the topology has no edge ids
};

// The topologies and columns of a dataset on a device, which all samplers share.
class DeviceGraph : public std::enable_shared_from_this<DeviceGraph> {
 public:
  static std::shared_ptr<DeviceGraph> of(const std::shared_ptr<const Dataset>& dataset,
                                         const std::shared_ptr<Device>& device);
  struct Rows {
    std::shared_ptr<const DeviceArray> indptr;
    std::shared_ptr<const DeviceArray> indices;
    std::shared_ptr<const DeviceArray> edge_ids;
    std::shared_ptr<const HotTopology> hot;  // NULL: no hot rows

    void fill(const Topology& topology, device::EdgePlan* plan) const;
  };
  // Copies it to the device, unless that was done.
  Result<Rows> get(size_t edge_type, Layout layout);
  // Copies a column to the device, unless that was done.
  Result<std::shared_ptr<const DeviceArray>> get(const Tensor& column);
  // Copies an array that no other sampler uses. Its memory is free again after the last reference.
  Result<std::shared_ptr<const DeviceArray>> get_own(const Tensor& array);

 private:
  DeviceGraph(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Device> device);
  Status find_room();
  Result<std::shared_ptr<const HotTopology>> split(size_t edge_type, Layout layout, uint64_t* room);

  std::shared_ptr<const Dataset> dataset_;
  std::shared_ptr<Device> device_;
  std::mutex mutex_;
  bool room_known_ = false;
  uint64_t room_ = 0;
  HotNodes hot_nodes_;
  std::vector<Rows> rows_;  // [2 * edge type + layout]
  // By address and length.
  std::map<std::pair<const void*, uint64_t>, std::shared_ptr<const DeviceArray>> columns_;
};

}  // namespace gls
