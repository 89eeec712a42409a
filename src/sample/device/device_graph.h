// Topologies of a dataset as a device reads them: each whole in its memory, or on the host, where
// the device reads it in place, with the neighbours of the hottest nodes in its memory as well.
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

// Rows of a topology once more, in memory of a device.
class HotTopology {
 public:
  // Those of `rows`, which are ascending. All that it takes are bytes().
  static Result<std::shared_ptr<const HotTopology>> make(const std::shared_ptr<Device>& device,
                                                         const Topology& topology,
                                                         const std::vector<int64_t>& rows);
  // Of the table of all rows, and of a row with its entries; 0 where it is no row.
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
  std::shared_ptr<DeviceMemory> edge_ids_;  // NULL: the topology has none
};

// Those of a dataset, which all samplers share.
class DeviceGraph : public std::enable_shared_from_this<DeviceGraph> {
 public:
  static std::shared_ptr<DeviceGraph> of(const std::shared_ptr<const Dataset>& dataset,
                                         const std::shared_ptr<Device>& device);
  struct Rows {
    std::shared_ptr<const DeviceArray> indptr;
    std::shared_ptr<const DeviceArray> indices;
    std::shared_ptr<const DeviceArray> edge_ids;
    std::shared_ptr<const HotTopology> hot;  // NULL: none

    void fill(const Topology& topology, device::EdgePlan* plan) const;
  };
  // Reads it, unless it is there.
  Result<Rows> get(size_t edge_type, Layout layout);
  // The same of a column.
  Result<std::shared_ptr<const DeviceArray>> get(const Tensor& column);
  // Of an array that no other sampler has: its room is free again when it is let go.
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
  // By where they begin, and how long they are.
  std::map<std::pair<const void*, uint64_t>, std::shared_ptr<const DeviceArray>> columns_;
};

}  // namespace gls
