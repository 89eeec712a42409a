#include "loader/columns/device_delivery.h"

#include <algorithm>
#include <utility>

#include "device/memory/transfer.h"
#include "sample/device/sampler_on_device.h"

namespace gls {

Result<std::shared_ptr<const DeviceDelivery>> DeviceDelivery::open(
    const std::shared_ptr<const Dataset>& dataset, const std::shared_ptr<Device>& device,
    const std::vector<ColumnToGather>& columns, const LocalPlace& place) {
  std::shared_ptr<DeviceDelivery> out(
      new DeviceDelivery(device, GatherOptions::from(*dataset->context())));
  if (dataset->source() != nullptr) {
    auto landings = RdmaBufferPool::make(device);
    GLS_ASSIGN(const bool lands, dataset->source()->lands(!landings->host_writes()));
    if (lands) {
      out->landings_ = std::move(landings);
      out->context_ = dataset->context();
      out->context_->log().write(GLS_LOG_INFO, "device",
                                 "rows of servers may go straight to memory of GPU {}",
                                 device->id());
    }
    return std::shared_ptr<const DeviceDelivery>(std::move(out));
  }
  GLS_TRY(HotNodes::check(*dataset));
  out->wanted_ = columns;
  out->columns_ = DeviceColumns::of(dataset, device, place);
  out->placed_.reserve(columns.size());
  for (const ColumnToGather& wanted : columns) {
    GLS_ASSIGN(std::shared_ptr<const DeviceColumn> placed, out->columns_->get(*wanted.column));
    out->placed_.push_back(std::move(placed));
  }
  return std::shared_ptr<const DeviceDelivery>(std::move(out));
}

void DeviceDelivery::note_landings(bool landed) const {
  if (landed) {
    misses_.store(0, std::memory_order_relaxed);
  } else if (misses_.fetch_add(1, std::memory_order_relaxed) + 1 == kMostMisses) {
    context_->log().write(GLS_LOG_WARN, "device",
                          "rows of servers do not reach memory of GPU {}: they go by the host",
                          device_->id());
  }
}

// Data of a batch that must live until its stream has been waited for.
struct DeviceDelivery::Run {
  // A request for rows of a column, which updates the column's cache.
  struct Request {
    RowCache* cache = nullptr;
    Tensor ids;  // on the host, or
    PinnedBuffer copy;
    IdSpan rows;
  };

  explicit Run(const DeviceStream& stream_in) : stream(stream_in) {}
  // The host's arrays must live until all reads of them are done, whatever has failed.
  ~Run() {
    if (!finished) {
      static_cast<void>(stream.finish());
    }
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const DeviceStream& stream;
  bool finished = false;
  TierCounts counts;
  std::vector<std::shared_ptr<const void>> held;
  std::vector<Request> asked;
};

Status DeviceDelivery::deliver(const std::vector<Rows>& rows, const DeviceStream& stream,
                               Batch* batch) const {
  const Batch before = *batch;
  Run run(stream);
  GLS_TRY(check());
  GLS_TRY(gather(rows, before, &run, batch));
  run.finished = true;
  GLS_TRY(stream.finish());
  GLS_TRY(check());  // rows read from another process that ended meanwhile are undefined
  batch->tiers.add(run.counts.read());
  run.held.clear();
  for (const Run::Request& asked : run.asked) {
    asked.cache->note(asked.rows);
    // A failure here leaves the cache unchanged, and the batch is still made. If the device failed,
    // the next batch reports it.
    static_cast<void>(asked.cache->adapt());
  }
  return {};
}

Status DeviceDelivery::check() const { return columns_ != nullptr ? columns_->check() : Status(); }

Status DeviceDelivery::note(const Tensor& ids, int64_t count, RowCache* cache, Run* run) {
  const RowCache::Window window = cache->window(count);
  if (window.count == 0) {
    return {};
  }
  const bool wide = same_dtype(ids.dtype(), kInt64);
  const IdSpan rows = IdSpan(ids.data(), wide, count).part(window.first, window.count);
  Run::Request asked{cache, ids, {}, rows};
  if (!ids.on_host()) {
    const uint64_t bytes = static_cast<uint64_t>(window.count) * (wide ? 8 : 4);
    GLS_ASSIGN(asked.copy, run->stream.device().pinned(bytes));
    asked.rows = IdSpan(asked.copy.data(), wide, window.count);
    // Destinations of copies stay until the copies have finished.
    run->asked.reserve(run->asked.size() + 1);
    device::GpuError failure;
    if (!run->stream.gpu().copy_out(asked.copy.data(), rows.data(), bytes, run->stream.get(),
                                    &failure)) {
      return status_of(failure);
    }
  }
  run->asked.push_back(std::move(asked));
  return {};
}

Status DeviceDelivery::gather(const std::vector<Rows>& rows, const Batch& before, Run* run,
                              Batch* batch) const {
  const DeviceStream& stream = run->stream;
  GLS_TRY(move_batch(stream, batch));
  const auto ids_of = [](const Batch& of, const ColumnToGather& wanted) {
    return wanted.of_nodes ? of.nodes[wanted.type].node : of.edges[wanted.type].edge;
  };
  const auto first = [](const Tensor& ids, int64_t count) {
    return IdSpan(ids.data(), same_dtype(ids.dtype(), kInt64), count);
  };
  GLS_TRY(run->counts.begin(
      static_cast<size_t>(std::count_if(placed_.begin(), placed_.end(),
                                        [](const auto& column) { return column->counts(); })),
      stream));
  size_t counted = 0;
  for (size_t i = 0; i < placed_.size(); ++i) {
    const ColumnToGather& wanted = wanted_[i];
    const DeviceColumn& column = *placed_[i];
    const int64_t count = rows[i].count;
    Tensor ids = ids_of(before, wanted);
    if (!ids.on_host() && column.needs_ids()) {
      GLS_TRY(stream.finish());
      Tensor* const moved[] = {&ids};
      GLS_TRY(move_out(device_, moved, nullptr));
    }
    const DeviceColumn::Notes notes = {column.counts() ? run->counts.of(counted++) : nullptr,
                                       &batch->tiers, &run->held};
    GLS_ASSIGN(Tensor gathered,
               column.gather({first(ids, count), first(ids_of(*batch, wanted), count)},
                             wanted.dtype, gather_, rows[i].rows, notes, stream, batch->readers));
    batch->columns.push_back(
        {wanted.of_nodes, wanted.type, wanted.column, wanted.seeds_only, std::move(gathered)});
    if (column.cache() != nullptr && column.cache()->adaptive()) {
      GLS_TRY(note(ids, count, column.cache(), run));
    }
  }
  return run->counts.end(stream);
}

Result<std::shared_ptr<Batch>> copy_to_host(const Batch& batch) {
  auto out = std::make_shared<Batch>(batch);
  if (batch.device != nullptr) {
    std::vector<Tensor*> arrays;
    visit_arrays(*out, [&](Tensor& array) { arrays.push_back(&array); });
    GLS_TRY(move_out(batch.device, arrays, batch.readers.get()));
    out->device = nullptr;
    out->readers = nullptr;
  }
  return out;
}

}  // namespace gls
