// How a loader makes a batch: sampling, padding, columns, and delivery to a device. loader.cc
// decides when that happens, and returns batches in order.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "device/memory/transfer.h"
#include "loader/columns/column_rows.h"
#include "loader/columns/device_fetch.h"
#include "loader/loader.h"
#include "loader/padding/padding.h"

namespace gls {
namespace {

constexpr uint64_t kNextBatches = 32;  // announced to servers

IdSpan ids_to_gather(const Batch& batch, const ColumnToGather& wanted, int64_t count) {
  const Tensor& ids =
      wanted.of_nodes ? batch.nodes[wanted.type].node : batch.edges[wanted.type].edge;
  return {ids.data(), same_dtype(ids.dtype(), kInt64), count};
}

}  // namespace

Status Loader::pad(const DeviceStream* stream, Batch* batch) const {
  const SamplerOptions& options = sampler_->options();
  return pad_batch(*pad_sizes_, options.direction == Direction::kOut && options.toward_seeds,
                   *sampler_->dataset()->context()->buffers(), stream, batch);
}

Result<std::shared_ptr<Batch>> Loader::make(const EpochPlan& plan, uint64_t number,
                                            const Look& look) const {
  std::shared_ptr<Batch> batch;
  if (maker_ == nullptr) {
    GLS_ASSIGN(batch, make_here(plan, number, look));
  } else {
    GLS_ASSIGN(batch, maker_by_number_->make({plan.epoch(), number, {}, 0}));
  }
  GLS_TRY(pad_and_transform(batch));
  return batch;
}

Result<std::shared_ptr<Batch>> Loader::make_in_turn(const EpochPlan& plan, uint64_t step,
                                                    uint64_t round) {
  if (maker_ == nullptr) {
    return make(plan, plan.batch(step));
  }
  std::array<uint64_t, kNextBatches> next;  // after those requested by then
  size_t known = 0;
  for (uint64_t at = step + options_.num_workers; known < next.size() && at < plan.steps(); ++at) {
    next[known++] = plan.batch(at);
  }
  GLS_ASSIGN(std::shared_ptr<Batch> batch,
             maker_->make({plan.epoch(), plan.batch(step), std::span(next).first(known), round}));
  GLS_TRY(pad_and_transform(batch));
  return batch;
}

Status Loader::pad_and_transform(const std::shared_ptr<Batch>& batch) const {
  // Rows of columns were read after sampling.
  GLS_TRY(sampler_->dataset()->check_files());
  if (maker_ != nullptr) {
    batch->tiers.elsewhere = batch->gathered_rows();
  }
  if (maker_ != nullptr && pad_sizes_.has_value()) {
    // Otherwise it was padded before its columns were gathered.
    GLS_TRY(pad(nullptr, batch.get()));
    pad_columns(*sampler_->dataset()->context()->buffers(), batch.get());
  }
  if (maker_ != nullptr && delivery_ != nullptr) {
    GLS_ASSIGN(const DeviceStream stream, delivery_->device()->stream());
    GLS_TRY(delivery_->deliver({}, stream, batch.get()));
  }
  return options_.transform ? options_.transform(batch) : Status();
}

Result<std::shared_ptr<Batch>> Loader::make_here(const EpochPlan& plan, uint64_t number,
                                                 const Look& look) const {
  if (device_sampler_ != nullptr) {
    return make_there(plan, number, look);
  }
  const uint64_t started = now_ns();
  GLS_ASSIGN(std::shared_ptr<Batch> batch, sample_batch(plan, number));
  if (pad_sizes_.has_value()) {
    GLS_TRY(pad(nullptr, batch.get()));
  }
  if (look) {
    GLS_TRY(look(*batch, column_bytes(*batch)));
  }
  const uint64_t sampled = now_ns();
  if (delivery_ != nullptr) {
    GLS_ASSIGN(const DeviceStream stream, delivery_->device()->stream());
    if (sampler_->dataset()->source() != nullptr) {
      batch->readers = std::make_shared<StreamReaders>();
      GLS_TRY(gather_columns({}, &stream, *batch));
    }
    GLS_TRY(deliver(stream, *batch));
  } else if (columns_later_) {
    describe_columns(*batch);
  } else {
    GLS_TRY(gather_columns({}, nullptr, *batch));
  }
  batch->sample_ns = sampled - started;
  batch->gather_ns = now_ns() - sampled;
  return batch;
}

// Samples on the device, except for the work on a few hundred seeds.
Result<std::shared_ptr<Batch>> Loader::make_there(const EpochPlan& plan, uint64_t number,
                                                  const Look& look) const {
  const uint64_t started = now_ns();
  GLS_ASSIGN(const DeviceStream stream, delivery_->device()->stream());
  GLS_ASSIGN(std::shared_ptr<Batch> batch, sample_there(plan, number, stream));
  if (pad_sizes_.has_value()) {
    GLS_TRY(pad(&stream, batch.get()));
  }
  if (look) {
    GLS_TRY(look(*batch, column_bytes(*batch)));
  }
  const uint64_t sampled = now_ns();
  GLS_TRY(deliver(stream, *batch));
  batch->sample_ns = sampled - started;
  batch->gather_ns = now_ns() - sampled;
  return batch;
}

Result<std::shared_ptr<Batch>> Loader::sample_there(const EpochPlan& plan, uint64_t number,
                                                    const DeviceStream& stream) const {
  return sample_seeds(plan, number, [&](const SampleRequest& request) {
    return device_sampler_->sample(request, stream);
  });
}

// A batch whose array shapes determine the sizes of padded batches, from the producer of the other
// batches.
Result<std::shared_ptr<Batch>> Loader::sample_sizes(const EpochPlan& plan, uint64_t number) const {
  if (device_sampler_ == nullptr) {
    return sample_batch(plan, number);
  }
  GLS_ASSIGN(const DeviceStream stream, delivery_->device()->stream());
  return sample_there(plan, number, stream);
}

Result<std::shared_ptr<Batch>> Loader::sample_batch(const EpochPlan& plan, uint64_t number) const {
  if (maker_ != nullptr) {
    GLS_ASSIGN(std::shared_ptr<Batch> batch, maker_by_number_->make({plan.epoch(), number, {}, 0}));
    batch->columns.clear();
    return batch;
  }
  return sample_seeds(plan, number,
                      [&](const SampleRequest& request) { return sampler_->sample(request); });
}

Result<std::shared_ptr<Batch>> Loader::sample_seeds(const EpochPlan& plan, uint64_t number,
                                                    const Sample& sample) const {
  const int64_t count = rule_->count(plan, number);
  BufferPool& pool = *sampler_->dataset()->context()->buffers();
  std::vector<int64_t> positions(static_cast<size_t>(count));
  rule_->fill(plan, number, positions.data());
  SampleRequest request;
  request.epoch = plan.epoch();
  request.batch = number;
  SeedSets::Chosen chosen;
  std::vector<SampledInput> inputs;
  seeds_.choose(positions, pool, &chosen, &request, &inputs);
  GLS_ASSIGN(std::shared_ptr<Batch> batch, sample(request));
  batch->inputs = std::move(inputs);
  return batch;
}

Result<std::shared_ptr<Batch>> Loader::sample(uint64_t epoch, uint64_t batch,
                                              const Look& look) const {
  if (const uint64_t count = EpochPlan::num_batches(options_.plan); batch >= count) {
    return invalid("batch is {}, but an epoch has {} batches", batch, count)
        .with("argument", "batch");
  }
  return make(EpochPlan(options_.plan, sampler_->options().seed, epoch, 0), batch, look);
}

Result<std::shared_ptr<Batch>> Loader::sample_only(uint64_t epoch, uint64_t batch) const {
  return sample_batch(EpochPlan(options_.plan, sampler_->options().seed, epoch, 0), batch);
}

int64_t Loader::rows_of(const Batch& batch, const ColumnToGather& wanted) {
  if (!wanted.of_nodes) {
    return batch.edges[wanted.type].edge.rows();
  }
  const SampledNodes& type = batch.nodes[wanted.type];
  if (!wanted.seeds_only) {
    return type.node.rows();
  }
  // Without padding, only unique seeds have rows.
  return batch.padding == Padding::kFits ? type.seed.rows() : type.num_seeds();
}

uint64_t Loader::column_bytes(const Batch& batch) const {
  uint64_t sum = 0;
  for (const ColumnToGather& wanted : options_.columns) {
    const std::vector<int64_t>& shape = wanted.column->shape();
    uint64_t row = dtype_bytes(wanted.dtype);
    for (size_t d = 1; d < shape.size(); ++d) {
      row *= static_cast<uint64_t>(shape[d]);
    }
    sum += row * static_cast<uint64_t>(rows_of(batch, wanted));
  }
  return sum;
}

DeviceDelivery::Rows Loader::rows_to_gather(const Batch& batch, const ColumnToGather& wanted) {
  const int64_t real = wanted.seeds_only
                           ? batch.nodes[wanted.type].num_seeds()
                           : sum_of_counts(wanted.of_nodes ? batch.nodes[wanted.type].num_nodes
                                                           : batch.edges[wanted.type].num_edges);
  return {real, rows_of(batch, wanted)};
}

Status Loader::deliver(const DeviceStream& stream, Batch& batch) const {
  std::vector<DeviceDelivery::Rows> rows;
  if (sampler_->dataset()->source() == nullptr) {
    rows.reserve(options_.columns.size());
    for (const ColumnToGather& wanted : options_.columns) {
      rows.push_back(rows_to_gather(batch, wanted));
      if (batch.device == nullptr) {  // otherwise the dataset is not a part of a graph
        GLS_TRY(check_rows(*sampler_->dataset(), wanted,
                           ids_to_gather(batch, wanted, rows.back().count), "columns"));
      }
    }
  }
  return delivery_->deliver(rows, stream, &batch);
}

// `stream`, if not NULL, belongs to the device that receives remote rows.
Status Loader::gather_columns(std::span<const SharedBytes> memory, const DeviceStream* stream,
                              Batch& batch) const {
  const Dataset& dataset = *sampler_->dataset();
  const GraphSource* const source = dataset.source().get();
  std::vector<Deferred<Tensor>> asked;
  std::optional<DeviceFetch> landed;
  if (stream != nullptr && delivery_->landings() != nullptr) {
    landed.emplace(*source, *delivery_->landings(), *stream, batch.readers);
  }
  for (const ColumnToGather& wanted : options_.columns) {
    const auto [count, rows] = rows_to_gather(batch, wanted);
    const IdSpan ids = ids_to_gather(batch, wanted, count);
    const SharedBytes to = memory.empty() ? nullptr : memory[batch.columns.size()];
    batch.columns.push_back({wanted.of_nodes, wanted.type, wanted.column, wanted.seeds_only, {}});
    (source != nullptr ? batch.tiers.elsewhere : batch.tiers.host) += static_cast<uint64_t>(count);
    if (source != nullptr) {
      const bool in_trees = std::any_of(batch.nodes.begin(), batch.nodes.end(),
                                        [](const auto& of) { return of.tree.defined(); });
      const RowQuestion question = row_question(dataset, wanted, ids, in_trees);
      if (landed.has_value()) {
        GLS_TRY(landed->ask(question, rows, wanted.column->shape()));
      } else {
        asked.push_back(source->ask_rows(question, rows, to));
      }
    } else {
      GLS_ASSIGN(batch.columns.back().data,
                 gather_here(dataset, wanted, ids, gather_, "columns", rows, to));
    }
  }
  for (size_t i = 0; landed.has_value() && i < batch.columns.size(); ++i) {
    GLS_ASSIGN(batch.columns[i].data, landed->take());
  }
  if (landed.has_value() && !batch.columns.empty()) {
    delivery_->note_landings(landed->num_landed() > 0);
  }
  for (size_t i = 0; i < asked.size(); ++i) {
    GLS_ASSIGN(batch.columns[i].data, asked[i]());
    if (stream != nullptr) {  // while the next ones are in flight
      Tensor* const moved[] = {&batch.columns[i].data};
      GLS_TRY(move_in(*stream, moved, batch.readers));
    }
  }
  return {};
}

void Loader::describe_columns(Batch& batch) const {
  for (const ColumnToGather& wanted : options_.columns) {
    std::vector<int64_t> shape = wanted.column->shape();
    const auto [count, rows] = rows_to_gather(batch, wanted);
    shape[0] = std::max(count, rows);
    batch.columns.push_back({wanted.of_nodes, wanted.type, wanted.column, wanted.seeds_only,
                             Tensor(nullptr, nullptr, wanted.dtype, std::move(shape), false)});
  }
}

}  // namespace gls
