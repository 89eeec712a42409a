#include "sample/device/device_graph.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "device/memory/device_memory.h"
#include "device/memory/staging.h"

namespace gls {
namespace {

uint64_t id_bytes(bool wide) { return wide ? 8 : 4; }

bool has_row(const Topology& topology, int64_t row) {
  const int64_t begin = topology.indptr[row];
  const int64_t end = topology.indptr[row + 1];
  return begin >= 0 && begin <= end && end <= topology.num_edges;
}

// Copies host memory to device memory.
Result<std::shared_ptr<DeviceMemory>> copied(const DeviceStream& stream, const void* from,
                                             uint64_t bytes) {
  GLS_ASSIGN(std::shared_ptr<DeviceMemory> out, stream.device().allocate(bytes, stream));
  const auto* const first = static_cast<const std::byte*>(from);
  GLS_TRY(copy_in_pieces(stream, out->data(), bytes, 1,
                         [first](uint64_t offset, uint64_t size, std::byte* to) {
                           std::memcpy(to, first + offset, size);
                         }));
  return out;
}

// The entries of rows, one row after the other.
Result<std::shared_ptr<DeviceMemory>> copied_rows(const DeviceStream& stream, const void* from,
                                                  uint64_t width,
                                                  std::span<const device::HotRow> rows,
                                                  uint64_t entries) {
  const uint64_t bytes = entries * width;
  GLS_ASSIGN(std::shared_ptr<DeviceMemory> out, stream.device().allocate(bytes, stream));
  const auto* const all = static_cast<const std::byte*>(from);
  size_t row = 0;
  GLS_TRY(copy_in_pieces(
      stream, out->data(), bytes, width, [&](uint64_t offset, uint64_t size, std::byte* to) {
        for (const uint64_t end = offset + size; offset < end;) {
          const device::HotRow& from_row = rows[row];
          const auto first = static_cast<uint64_t>(from_row.place) * width;
          const auto length = static_cast<uint64_t>(from_row.end - from_row.begin) * width;
          const uint64_t piece = std::min(first + length, end) - offset;
          std::memcpy(to, all + static_cast<uint64_t>(from_row.begin) * width + (offset - first),
                      piece);
          to += piece;
          offset += piece;
          if (offset == first + length) {
            ++row;
          }
        }
      }));
  return out;
}

}  // namespace

// ---- hot rows ----------------------------------------------------------------------------------

uint64_t HotTopology::table_bytes(const Topology& topology) {
  return static_cast<uint64_t>(topology.num_rows) * sizeof(int32_t);
}

uint64_t HotTopology::row_bytes(const Topology& topology, int64_t row) {
  if (!has_row(topology, row)) {
    return 0;
  }
  const auto degree = static_cast<uint64_t>(topology.indptr[row + 1] - topology.indptr[row]);
  const uint64_t entry = id_bytes(topology.wide_indices) +
                         (topology.edge_ids != nullptr ? id_bytes(topology.wide_edge_ids) : 0);
  return sizeof(device::HotRow) + degree * entry;
}

Result<std::shared_ptr<const HotTopology>> HotTopology::make(const std::shared_ptr<Device>& device,
                                                             const Topology& topology,
                                                             const std::vector<int64_t>& rows) {
  std::vector<int32_t> slots(static_cast<size_t>(topology.num_rows), -1);
  std::vector<device::HotRow> hot;
  hot.reserve(rows.size());
  int64_t entries = 0;
  for (const int64_t row : rows) {
    slots[static_cast<size_t>(row)] = static_cast<int32_t>(hot.size());
    hot.push_back({topology.indptr[row], topology.indptr[row + 1], entries});
    entries += hot.back().end - hot.back().begin;
  }
  std::shared_ptr<HotTopology> out(new HotTopology);
  out->size_ = static_cast<int64_t>(hot.size());
  GLS_ASSIGN(const DeviceStream stream, device->stream());
  GLS_ASSIGN(out->slots_, copied(stream, slots.data(), slots.size() * sizeof(int32_t)));
  GLS_ASSIGN(out->rows_, copied(stream, hot.data(), hot.size() * sizeof(device::HotRow)));
  const auto all = static_cast<uint64_t>(entries);
  GLS_ASSIGN(out->indices_,
             copied_rows(stream, topology.indices, id_bytes(topology.wide_indices), hot, all));
  if (topology.edge_ids != nullptr) {
    GLS_ASSIGN(out->edge_ids_,
               copied_rows(stream, topology.edge_ids, id_bytes(topology.wide_edge_ids), hot, all));
  }
  return std::shared_ptr<const HotTopology>(std::move(out));
}

void HotTopology::fill(device::EdgePlan* plan) const {
  plan->hot_slots = static_cast<const int32_t*>(slots_->data());
  plan->hot_rows = static_cast<const device::HotRow*>(rows_->data());
  plan->hot_indices = indices_->data();
  plan->hot_edge_ids = edge_ids_ != nullptr ? edge_ids_->data() : nullptr;
}

// ---- of a dataset ------------------------------------------------------------------------------

DeviceGraph::DeviceGraph(std::shared_ptr<const Dataset> dataset, std::shared_ptr<Device> device)
    : dataset_(std::move(dataset)),
      device_(std::move(device)),
      rows_(2 * dataset_->edge_types().size()) {}

std::shared_ptr<DeviceGraph> DeviceGraph::of(const std::shared_ptr<const Dataset>& dataset,
                                             const std::shared_ptr<Device>& device) {
  // The entries keep their dataset and device alive, so that no other object has these addresses.
  static std::mutex mutex;
  static std::map<std::pair<const Dataset*, const Device*>, std::weak_ptr<DeviceGraph>> known;
  const std::lock_guard lock(mutex);
  std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
  std::weak_ptr<DeviceGraph>& entry = known[{dataset.get(), device.get()}];
  std::shared_ptr<DeviceGraph> graph = entry.lock();
  if (graph == nullptr) {
    graph.reset(new DeviceGraph(dataset, device));
    entry = graph;
  }
  return graph;
}

void DeviceGraph::Rows::fill(const Topology& topology, device::EdgePlan* plan) const {
  plan->indptr = static_cast<const int64_t*>(indptr->data());
  plan->indices = indices->data();
  plan->edge_ids = edge_ids->data();
  if (hot != nullptr) {
    hot->fill(plan);
  }
  plan->wide_indices = topology.wide_indices;
  plan->wide_edge_ids = topology.wide_edge_ids;
  plan->num_rows = static_cast<uint64_t>(topology.num_rows);
  plan->num_edges = static_cast<uint64_t>(topology.num_edges);
  plan->num_neighbors = static_cast<uint64_t>(topology.num_neighbors);
}

Result<DeviceGraph::Rows> DeviceGraph::get(size_t edge_type, Layout layout) {
  const std::lock_guard lock(mutex_);
  Rows& rows = rows_[2 * edge_type + static_cast<size_t>(layout)];
  if (rows.indptr != nullptr) {
    return rows;
  }
  GLS_TRY(find_room());
  const Topology& topology = *dataset_->edge_types()[edge_type].topology(layout);
  const uint64_t bytes = topology.indptr_tensor.span_bytes() +
                         topology.indices_tensor.span_bytes() +
                         (topology.edge_ids != nullptr ? topology.edge_ids_tensor.span_bytes() : 0);
  Rows placed;
  uint64_t none = 0;
  uint64_t left = room_;  // a failed allocation uses none of it
  uint64_t* room = &left;
  if (bytes > room_ && dataset_->context()->settings().flag(Setting::kDeviceSplitGraph)) {
    GLS_ASSIGN(placed.hot, split(edge_type, layout, &left));
    room = &none;
  }
  const MostPinned most_pinned = PinnedPages::most(dataset_->context()->settings());
  const Log* const log = &dataset_->context()->log();
  // The array with the most reads comes first.
  GLS_ASSIGN(placed.indptr,
             DeviceArray::place(device_, topology.indptr_tensor, room, most_pinned, log));
  GLS_ASSIGN(placed.indices,
             DeviceArray::place(device_, topology.indices_tensor, room, most_pinned, log));
  GLS_ASSIGN(placed.edge_ids,
             DeviceArray::place(device_, topology.edge_ids_tensor, room, most_pinned, log));
  rows = placed;
  room_ = left;
  return placed;
}

Result<std::shared_ptr<const DeviceArray>> DeviceGraph::get(const Tensor& column) {
  const std::lock_guard lock(mutex_);
  // Columns may begin at the same address and have different lengths.
  std::shared_ptr<const DeviceArray>& placed = columns_[{column.data(), column.span_bytes()}];
  if (placed == nullptr) {
    GLS_TRY(find_room());
    GLS_ASSIGN(placed, DeviceArray::place(device_, column, &room_,
                                          PinnedPages::most(dataset_->context()->settings()),
                                          &dataset_->context()->log()));
  }
  return placed;
}

Result<std::shared_ptr<const DeviceArray>> DeviceGraph::get_own(const Tensor& array) {
  const std::lock_guard lock(mutex_);
  GLS_TRY(find_room());
  GLS_ASSIGN(
      std::shared_ptr<const DeviceArray> placed,
      DeviceArray::place(device_, array, &room_, PinnedPages::most(dataset_->context()->settings()),
                         &dataset_->context()->log()));
  const uint64_t used = placed->copied() ? array.span_bytes() : 0;
  const DeviceArray* const seen = placed.get();
  return std::shared_ptr<const DeviceArray>(
      seen,
      [graph = shared_from_this(), placed = std::move(placed), used](const DeviceArray*) mutable {
        placed.reset();
        const std::lock_guard back(graph->mutex_);
        graph->room_ += used;
      });
}

Status DeviceGraph::find_room() {
  if (!room_known_) {
    room_ = dataset_->context()->settings().bytes(Setting::kDeviceGraphMemory);
    if (room_ == 0) {
      GLS_ASSIGN(const uint64_t free, device_->free_memory());
      room_ = free / 2;
    }
    room_known_ = true;
  }
  return {};
}

// NULL: there is no room for hot rows.
Result<std::shared_ptr<const HotTopology>> DeviceGraph::split(size_t edge_type, Layout layout,
                                                              uint64_t* room) {
  std::shared_ptr<const HotTopology> none;
  const EdgeType& type = dataset_->edge_types()[edge_type];
  const Topology& topology = *type.topology(layout);
  const uint64_t table = HotTopology::table_bytes(topology);
  if (*room <= table) {
    return none;
  }
  GLS_ASSIGN(const HotNodes::Order* const order,
             hot_nodes_.of(*dataset_, layout == Layout::kCsc ? type.target : type.source));
  HotQuestion question;
  question.rows = topology.num_rows;
  question.hotness = order->hotness;
  question.first = order->first;
  question.room = *room - table;
  question.bytes_of = [&topology](int64_t row) { return HotTopology::row_bytes(topology, row); };
  std::vector<int64_t> rows = hottest_rows(question);
  rows.resize(std::min<size_t>(rows.size(), std::numeric_limits<int32_t>::max()));
  if (rows.empty()) {
    return none;
  }
  auto made = HotTopology::make(device_, topology, rows);
  if (!made.ok() && found_no_room(made.status(), *device_, &dataset_->context()->log(), room)) {
    return split(edge_type, layout, room);  // tries with less memory, down to none
  }
  GLS_ASSIGN(std::shared_ptr<const HotTopology> out, std::move(made));
  uint64_t used = table;
  for (const int64_t row : rows) {
    used += HotTopology::row_bytes(topology, row);
  }
  *room -= used;
  return out;
}

}  // namespace gls
