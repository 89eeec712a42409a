// How a loader is created: its options are checked, and the producer of its batches is chosen.
#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "loader/pipeline/loader.h"
#include "loader/planned/planned_producer.h"
#include "loader/produce/device_producer.h"
#include "loader/produce/host_producer.h"
#include "loader/produce/server_producer.h"
#include "loader/replay/pass_sampler.h"
#include "sample/pick/excluded_edges.h"
#include "system/cpu.h"

namespace gls {
namespace {

constexpr uint64_t kMaxBatchSize = uint64_t{1} << 30;
// Requests to servers in flight; a thread waits for each.
constexpr uint32_t kDefaultRequests = 8;
constexpr uint32_t kMostRequests = 32;
// For sampling on a GPU. One batch is sampled while rows of another arrive and the host prepares a
// third. The GPU runs no more at once, and each batch needs memory.
constexpr uint32_t kDeviceWorkers = 3;
constexpr uint32_t kDevicePrefetch = 4;

Status check_plan(const PlanOptions& plan) {
  if (plan.batch_size == 0 || plan.batch_size > kMaxBatchSize) {
    return invalid("batch_size is {}, expected 1 to {}", plan.batch_size, kMaxBatchSize)
        .with("argument", "batch_size");
  }
  if (plan.world_size == 0 || plan.rank >= plan.world_size) {
    return invalid("rank is {}, expected 0 to {} for world_size {}", plan.rank,
                   static_cast<int64_t>(plan.world_size) - 1, plan.world_size)
        .with("argument", "rank");
  }
  return {};
}

// Refuses options that seeds of several types do not have.
Status check_options_of_several(const LoaderOptions& options) {
  const auto refused = [](const char* argument, std::string_view what) {
    return error(GLS_ERR_UNSUPPORTED, "{}: with seeds of several types, {}", argument, what)
        .with("argument", argument);
  };
  if (options.rule.by != SeedsBy::kOrder) {
    return refused("seed_rule", "each is taken once in an epoch; draws and clusters are of one");
  }
  if (options.pad.has_value()) {
    return refused("pad", "batches are not padded");
  }
  if (options.made_by_servers) {
    return refused("made_by", "servers make no batches; make them here");
  }
  return {};
}

Result<SeedSets> find_seeds(const Sampler& sampler, Tensor seeds, LoaderOptions* options) {
  std::vector<SeedList::Given> sets = std::move(options->seed_sets);
  if (sets.empty()) {
    SeedList::Given& given = sets.emplace_back();
    given.links = options->edge_type.has_value();
    given.type = options->edge_type.value_or(options->node_type);
    given.ids = std::move(seeds);
    given.times = std::move(options->times);
    given.labels = std::move(options->labels);
    given.anchor_labels = std::move(options->anchor_labels);
  } else if (sets.size() > 1) {
    GLS_TRY(check_options_of_several(*options));
  }
  return SeedSets::create(sampler, std::move(sets));
}

// Batches in work at once whose rows or edges a source fetches; a thread waits for each.
constexpr uint32_t kMostWaiting = 32;
uint32_t waiting_batches(const Dataset& dataset) {
  const uint32_t questions =
      dataset.source() != nullptr ? dataset.source()->questions_at_once() : 0;
  return std::min(questions, kMostWaiting);
}

// Threads for more batches than the context's threads make. NULL: these suffice.
Result<std::shared_ptr<ThreadPool>> waiting_threads(const Dataset& dataset, uint32_t num_workers) {
  const uint32_t count = std::min(num_workers, kMostWaiting);
  if (waiting_batches(dataset) == 0 || count <= dataset.context()->pool().size()) {
    return std::shared_ptr<ThreadPool>();
  }
  try {
    return std::make_shared<ThreadPool>(count);
  } catch (const std::system_error& e) {
    return error(GLS_ERR_OUT_OF_MEMORY, "{} threads that wait for stores: {}", count, e.what());
  }
}

// Sets what the caller left to the loader.
void set_defaults(const Dataset& dataset, LoaderOptions* options) {
  if (options->made_by_servers) {
    options->num_workers = options->num_workers == 0
                               ? kDefaultRequests
                               : std::min(options->num_workers, kMostRequests);
  }
  if (options->num_workers == 0) {
    options->num_workers = std::max(dataset.context()->pool().size(), waiting_batches(dataset));
  }
  if (options->prefetch == 0) {
    constexpr uint32_t kMost = ~uint32_t{0};
    options->prefetch = options->num_workers < kMost / 2 ? 2 * options->num_workers : kMost;
  }
  options->prefetch_bytes = ahead_bytes(options->prefetch_bytes);
}

Result<std::unique_ptr<BatchProducer>> open_servers(const Sampler& sampler,
                                                    const std::shared_ptr<const BatchSeeds>& seeds,
                                                    const LoaderOptions& options) {
  const SeedSets& sets = seeds->sets();
  auto inputs = [seeds, plan = options.plan, seed = sampler.options().seed](uint64_t epoch,
                                                                            uint64_t number) {
    return seeds->rule().count(EpochPlan(plan, seed, epoch, 0), number);
  };
  return ServerProducer::open({sampler, sets[0].given(), options.rule, options.plan,
                               options.columns, sets.size(), std::move(inputs)},
                              options.num_workers);
}

// Samples windows where the topology does not fit into memory; NULL: it does, or this is not
// possible.
Result<std::shared_ptr<const WindowSampler>> open_passes(
    const std::shared_ptr<const Sampler>& sampler, const std::shared_ptr<const BatchSeeds>& seeds,
    const LoaderOptions& options, const StorageOptions& storage) {
  const std::shared_ptr<const WindowSampler> none;
  const uint64_t topology = topology_bytes(*sampler);
  if (storage.way == StorageWay::kMapped || !samples_in_passes(topology, storage.memory) ||
      !has_topology_in_files(*sampler) ||
      (storage.way == StorageWay::kAuto &&
       topology + file_bytes(options.columns) <= storage.memory)) {
    return none;
  }
  if (const char* const why = PassSampler::why_not(*sampler); why != nullptr) {
    sampler->dataset()->context()->log().write(
        GLS_LOG_WARN, "loader",
        "sampling may be slow: it reads {} bytes of topology page by page with {} bytes of memory. "
        "Passes over the topology are not possible with this sampler: {}",
        topology, storage.memory, why);
    return none;
  }
  GLS_ASSIGN(std::shared_ptr<const PassSampler> passes,
             PassSampler::open(sampler, seeds, pass_chunk_bytes(storage.memory)));
  return std::shared_ptr<const WindowSampler>(std::move(passes));
}

// A producer of the same batches that plans its reads, where columns or a topology in files need
// that; else `host`.
Result<std::unique_ptr<BatchProducer>> plan_reads(const std::shared_ptr<const Sampler>& sampler,
                                                  const std::shared_ptr<const BatchSeeds>& seeds,
                                                  std::unique_ptr<BatchProducer> host,
                                                  LoaderOptions* options) {
  const StorageOptions storage = StorageOptions::from(sampler->dataset()->context()->settings());
  GLS_ASSIGN(std::vector<PlannedColumn> planned, plan_columns(*sampler, options->columns, storage));
  GLS_ASSIGN(std::shared_ptr<const WindowSampler> passes,
             open_passes(sampler, seeds, *options, storage));
  if (planned.empty() && passes == nullptr) {
    return host;
  }
  options->prefetch_bytes = planned_ahead_bytes(options->prefetch_bytes_given, storage.memory);
  return PlannedProducer::open(*sampler, std::move(host), options->columns, std::move(planned),
                               std::move(passes), storage, options->prefetch_bytes,
                               options->num_workers);
}

// NULL: batches stay on the host.
Result<std::shared_ptr<const DeviceDelivery>> open_delivery(
    const std::shared_ptr<const Dataset>& dataset, const LoaderOptions& options) {
  const std::shared_ptr<Device>& device = options.device;
  if (device == nullptr) {
    return std::shared_ptr<const DeviceDelivery>();
  }
  const uint64_t kept = dataset->context()->settings().bytes(Setting::kDeviceKeptMemory);
  GLS_TRY(device->keep_free(kept != 0 ? kept : device::kept_by_default(device->info())));
  return DeviceDelivery::open(dataset, device, options.columns, options.place);
}

// NULL: the host samples.
Result<std::shared_ptr<const DeviceSampler>> find_device_sampler(
    const std::shared_ptr<const Sampler>& sampler, const LoaderOptions& options) {
  if (options.device == nullptr) {
    return std::shared_ptr<const DeviceSampler>();
  }
  std::shared_ptr<const SamplerOnDevice> on_device = options.sampler_on_device;
  if (on_device == nullptr) {
    GLS_ASSIGN(on_device, SamplerOnDevice::open(sampler, options.device));
  }
  return on_device->device_sampler();
}

// Sizes from the producer of the loader's batches.
Result<std::optional<PadSizes>> find_pad_sizes(const Sampler& sampler, const SeedSets& seeds,
                                               const LoaderOptions& options,
                                               const BatchProducer& producer) {
  if (!options.pad.has_value()) {
    return std::optional<PadSizes>();
  }
  const EpochPlan plan(options.plan, sampler.options().seed, 0, 0);
  const auto make = [&](uint64_t number) -> Result<std::shared_ptr<Batch>> {
    if (producer.brings_columns()) {
      return producer.make_on_host(plan, number);  // sizes need no rows
    }
    GLS_ASSIGN(ProducedBatch produced, producer.make(plan, number));
    return std::move(produced.batch);
  };
  const PadSubject subject = {sampler,
                              seeds[0].type(),
                              seeds.of_links(),
                              options.rule.by == SeedsBy::kCluster,
                              static_cast<int64_t>(options.plan.batch_size),
                              seeds[0].label_widths(),
                              EpochPlan::num_batches(options.plan),
                              make};
  GLS_ASSIGN(PadSizes sizes, pad_sizes(subject, *options.pad));
  return std::optional(std::move(sizes));
}

}  // namespace

Result<std::shared_ptr<Loader>> Loader::create(std::shared_ptr<const Sampler> sampler, Tensor seeds,
                                               LoaderOptions options,
                                               std::unique_ptr<BatchProducer> producer) {
  GLS_TRY(check_plan(options.plan));
  GLS_ASSIGN(SeedSets sets, find_seeds(*sampler, std::move(seeds), &options));
  GLS_TRY(check_exclusion(sampler->options(), sampler->names_excluded(), sets.of_links()));
  GLS_ASSIGN(std::unique_ptr<const SeedRule> rule,
             SeedRule::create(*sampler, sets, options.rule, options.plan));
  options.plan.num_seeds = rule->size();
  const auto own = std::make_shared<const BatchSeeds>(std::move(sets), std::move(rule));
  const std::shared_ptr<const Dataset>& dataset = sampler->dataset();
  const bool workers_chosen = options.num_workers != 0;
  const bool prefetch_chosen = options.prefetch != 0;
  options.prefetch_bytes_given = options.prefetch_bytes;
  set_defaults(*dataset, &options);
  if (options.made_by_servers) {
    GLS_ASSIGN(producer, open_servers(*sampler, own, options));
  }
  GLS_ASSIGN(std::shared_ptr<const DeviceDelivery> delivery, open_delivery(dataset, options));
  if (options.made_by_servers) {
    GLS_TRY(delivery != nullptr ? SamplerOnDevice::check_device_may_not(*dataset->context(),
                                                                        "servers make the batches")
                                : Status());
  } else if (producer == nullptr) {
    GLS_ASSIGN(std::shared_ptr<const DeviceSampler> device_sampler,
               find_device_sampler(sampler, options));
    if (device_sampler == nullptr) {
      GLS_ASSIGN(auto threads, waiting_threads(*dataset, options.num_workers));
      producer = std::make_unique<HostProducer>(sampler, own, std::move(threads));
      GLS_ASSIGN(producer, plan_reads(sampler, own, std::move(producer), &options));
    } else {
      GLS_ASSIGN(producer,
                 DeviceProducer::open(sampler, std::move(device_sampler), options.device, own));
      if (!workers_chosen) {
        options.num_workers = std::min(options.num_workers, kDeviceWorkers);
        options.prefetch = prefetch_chosen ? options.prefetch : kDevicePrefetch;
      }
    }
  }
  GLS_ASSIGN(std::optional<PadSizes> sizes,
             find_pad_sizes(*sampler, own->sets(), options, *producer));
  BatchFinisher finisher(sampler, options.columns, std::move(delivery), options.transform,
                         std::move(sizes));
  return std::shared_ptr<Loader>(new Loader(std::move(sampler), own, std::move(options),
                                            std::move(finisher), std::move(producer)));
}

std::shared_ptr<Loader> Loader::share(const Share& share) const {
  LoaderOptions options = options_;
  options.plan.rank = share.rank;
  options.plan.world_size = share.world_size;
  options.plan.part = share.part;
  options.plan.parts = share.parts;
  options.prefetch = share.prefetch;
  set_defaults(*sampler_->dataset(), &options);
  const bool rows = !share.columns_later || producer_->brings_columns();
  return std::shared_ptr<Loader>(new Loader(sampler_, seeds_, std::move(options),
                                            finisher_.with_rows(rows), producer_->share()));
}

}  // namespace gls
