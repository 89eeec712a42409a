#include <cmath>
#include <deque>

#include "capi/options/supervision_options.h"
#include "capi/options/transform.h"
#include "capi/support/arrays.h"
#include "capi/support/devices.h"
#include "capi/support/support.h"
#include "graph/dataset/unknown_name.h"
#include "loader/columns/columns.h"
#include "loader/forecast/epoch_forecast.h"
#include "loader/saint_norms.h"
#include "sample/neighbor/anchors.h"

namespace gls {
namespace {

using capi::check_enum;

constexpr uint32_t kLoaderFlags = GLS_LOADER_SHUFFLE | GLS_LOADER_DROP_LAST | GLS_LOADER_NO_COLUMNS;
constexpr uint32_t kDefaultBatchSize = 1024;

Result<std::vector<ColumnToGather>> choose_columns(const gls_loader_options_t& given,
                                                   const Sampler& sampler) {
  if (given.num_columns == 0) {
    return (given.flags & GLS_LOADER_NO_COLUMNS) != 0 ? std::vector<ColumnToGather>()
                                                      : default_columns(sampler);
  }
  GLS_REQUIRE(given.columns);
  ColumnChoice choice(sampler);
  for (size_t i = 0; i < given.num_columns; ++i) {
    const gls_column_request_t& request = given.columns[i];
    GLS_REQUIRE(request.name);
    GLS_TRY(check_enum(request.rows, GLS_GATHER_SEEDS, "rows"));
    GLS_TRY(choice.add(
        {request.type, request.name, static_cast<RowsToGather>(request.rows), request.dtype}));
  }
  return choice.take();
}

// Refuses options that have no meaning if the seeds are links.
Status check_link_options(const gls_loader_options_t& given) {
  if (given.node_type != nullptr) {
    return invalid("node_type is \"{}\", but edge_type is given; expected one of the two",
                   given.node_type)
        .with("argument", "node_type");
  }
  if (given.id_set != nullptr) {
    return invalid("id_set is \"{}\", but the seeds are links", given.id_set)
        .with("argument", "id_set");
  }
  return {};
}

// Refuses options that `seed_sets` replaces.
Status check_seed_sets(const gls_tensor_t* seeds, const gls_loader_options_t& given) {
  const char* const other = seeds != nullptr               ? "seeds"
                            : given.node_type != nullptr   ? "node_type"
                            : given.id_set != nullptr      ? "id_set"
                            : given.edge_type != nullptr   ? "edge_type"
                            : given.times != nullptr       ? "times"
                            : given.labels != nullptr      ? "labels"
                            : given.num_anchor_labels != 0 ? "anchor_labels"
                                                           : nullptr;
  if (other != nullptr) {
    return invalid("{} and seed_sets are given, expected one of the two", other)
        .with("argument", other);
  }
  return given.seed_sets == nullptr ? capi::null_argument("seed_sets") : Status();
}

// Tensors that are taken are kept in `tensors`, too: on failure they are given back.
Result<SeedList::Given> read_seed_set(const Dataset& dataset, const gls_loader_seeds_t& given,
                                      std::deque<Tensor>* tensors, capi::Taken* taken) {
  SeedList::Given out;
  out.links = given.edge_type != nullptr;
  if (out.links) {
    if (given.node_type != nullptr || given.id_set != nullptr) {
      return invalid("seed_sets: {} is given for links of type \"{}\"",
                     given.node_type != nullptr ? "node_type" : "id_set", given.edge_type)
          .with("argument", "seed_sets");
    }
    GLS_ASSIGN(out.type, dataset.edge_type_index(given.edge_type));
  } else {
    GLS_ASSIGN(out.type, dataset.node_type_index(given.node_type));
  }
  if (given.id_set != nullptr && given.ids != nullptr) {
    return invalid("seed_sets: id_set is \"{}\", but ids are given; expected one of the two",
                   given.id_set)
        .with("argument", "seed_sets");
  }
  if (given.id_set != nullptr) {
    GLS_ASSIGN(out.ids, find_id_set(dataset.node_types()[out.type], given.id_set, "id_set"));
  }
  struct Array {
    gls_tensor_t* tensor;
    const char* name;
    Tensor* out;
  };
  for (const Array& array :
       {Array{given.ids, "seeds", &out.ids}, Array{given.times, "times", &out.times},
        Array{given.labels, "labels", &out.labels}}) {
    if (array.tensor != nullptr) {
      GLS_TRY(taken->add(array.tensor, array.name, &tensors->emplace_back()));
      *array.out = tensors->back();
    }
  }
  return out;
}

Result<std::optional<PadOptions>> read_padding(const gls_pad_options_t* pad) {
  if (pad == nullptr) {
    return std::optional<PadOptions>();
  }
  gls_pad_options_t given;
  GLS_TRY(capi::read_options(pad, "pad", &given));
  PadOptions out;
  if (given.num_sizes > 0) {
    GLS_REQUIRE(given.sizes);
  }
  for (size_t i = 0; i < given.num_sizes; ++i) {
    if (given.sizes[i].type == nullptr) {
      return capi::null_argument("pad.sizes[].type");
    }
    out.sizes.emplace_back(given.sizes[i].type, given.sizes[i].rows);
  }
  if (!(given.sigma >= 0) || std::isinf(given.sigma)) {
    return invalid("pad: sigma is {}, expected a number of at least 0", given.sigma)
        .with("argument", "pad");
  }
  out.batches = given.batches != 0 ? given.batches : out.batches;
  out.multiple = given.multiple != 0 ? given.multiple : out.multiple;
  out.sigma = given.sigma != 0 ? given.sigma : out.sigma;
  return std::optional(std::move(out));
}

Status only_with(const char* argument, const char* rule) {
  return invalid("{} is given, but seed_rule is not {}", argument, rule).with("argument", argument);
}

Result<SeedRuleOptions> read_seed_rule(const gls_loader_options_t& given) {
  GLS_TRY(check_enum(given.seed_rule, GLS_SEEDS_CLUSTER, "seed_rule"));
  GLS_TRY(check_enum(given.seed_law, GLS_LAW_INVERSE_DEGREE, "seed_law"));
  SeedRuleOptions out;
  out.by = static_cast<SeedsBy>(given.seed_rule);
  out.law = static_cast<SeedWeighting>(given.seed_law);
  out.batches = given.batches;
  if (out.by != SeedsBy::kDraw) {
    const char* const argument = given.seed_weight != nullptr        ? "seed_weight"
                                 : given.seed_law != GLS_LAW_UNIFORM ? "seed_law"
                                 : given.batches != 0                ? "batches"
                                                                     : nullptr;
    if (argument != nullptr) {
      return only_with(argument, "GLS_SEEDS_DRAW");
    }
  }
  if (out.by != SeedsBy::kCluster && (given.cluster != nullptr || given.clusters != nullptr)) {
    return only_with(given.cluster != nullptr ? "cluster" : "clusters", "GLS_SEEDS_CLUSTER");
  }
  if (out.by == SeedsBy::kCluster && (given.cluster == nullptr) == (given.clusters == nullptr)) {
    return invalid("cluster and clusters: {}, expected one of the two",
                   given.cluster == nullptr ? "none is given" : "both are given")
        .with("argument", "cluster");
  }
  out.weight = given.seed_weight != nullptr ? given.seed_weight : "";
  out.cluster = given.cluster != nullptr ? given.cluster : "";
  return out;
}

// `transform_data` are taken on success only.
Status create_loader(const gls_sampler_t* sampler, gls_tensor_t* seeds,
                     const gls_loader_options_t& given, capi::UserData& transform_data,
                     gls_loader_t** out) {
  GLS_TRY(capi::check_flags(given.flags, kLoaderFlags, "flags"));
  GLS_TRY(check_enum(given.even, GLS_EVEN_REPEAT, "even"));
  GLS_TRY(capi::check_reserved(given.reserved0));
  GLS_TRY(check_enum(given.made_by, GLS_MADE_BY_SERVERS, "made_by"));
  GLS_TRY(capi::check_reserved(given.reserved1));
  const Dataset& dataset = *sampler->impl->dataset();
  LoaderOptions loader;
  GLS_ASSIGN(loader.device, capi::open_device(given.device, sampler->device()));
  if (loader.device != nullptr) {
    loader.sampler_on_device = loader.device == sampler->device() ? sampler->there : nullptr;
    loader.place = capi::local_place();
  }
  loader.made_by_servers = given.made_by == GLS_MADE_BY_SERVERS;
  if (given.num_seed_sets > 0) {
    GLS_TRY(check_seed_sets(seeds, given));
  } else if (given.edge_type != nullptr) {
    GLS_TRY(check_link_options(given));
    GLS_ASSIGN(loader.edge_type, dataset.edge_type_index(given.edge_type));
  } else {
    const std::optional<WalkPlan>& walks = sampler->impl->walk_plan();
    const std::optional<size_t> anchors = anchor_type(dataset, sampler->impl->options());
    if (walks.has_value() && given.node_type == nullptr) {
      loader.node_type = walks->node_type();
    } else if (anchors.has_value() && given.node_type == nullptr) {
      loader.node_type = *anchors;
    } else {
      GLS_ASSIGN(loader.node_type, dataset.node_type_index(given.node_type));
    }
  }
  const size_t node_type = loader.node_type;
  loader.plan.batch_size = given.batch_size != 0 ? given.batch_size : kDefaultBatchSize;
  loader.plan.shuffle = (given.flags & GLS_LOADER_SHUFFLE) != 0;
  loader.plan.drop_last = (given.flags & GLS_LOADER_DROP_LAST) != 0;
  loader.plan.rank = given.rank;
  loader.plan.world_size = given.world_size != 0 ? given.world_size : 1;
  loader.plan.even = static_cast<Even>(given.even);
  loader.num_workers = given.num_workers;
  loader.prefetch = given.prefetch;
  loader.prefetch_bytes = given.prefetch_bytes;
  GLS_ASSIGN(loader.rule, read_seed_rule(given));
  GLS_ASSIGN(loader.columns, choose_columns(given, *sampler->impl));
  GLS_ASSIGN(loader.pad, read_padding(given.pad));
  Tensor ids;
  Tensor times;
  Tensor labels;
  GLS_TRY(capi::check_label_count(given.num_anchor_labels,
                                  sampler->impl->options().supervisions.size(), "anchor_labels"));
  std::vector<Tensor> anchor_labels(given.num_anchor_labels);
  Tensor clusters;
  std::deque<Tensor> of_sets;
  capi::Taken taken;
  for (size_t i = 0; i < given.num_seed_sets; ++i) {
    GLS_ASSIGN(SeedList::Given set, read_seed_set(dataset, given.seed_sets[i], &of_sets, &taken));
    loader.seed_sets.push_back(std::move(set));
  }
  if (seeds == nullptr) {
    if (given.id_set != nullptr) {
      GLS_ASSIGN(ids, find_id_set(dataset.node_types()[node_type], given.id_set, "id_set"));
    }
  } else {
    if (given.id_set != nullptr) {
      return invalid("id_set is \"{}\", but seeds are given; expected one of the two", given.id_set)
          .with("argument", "id_set");
    }
    GLS_TRY(taken.add(seeds, "seeds", &ids));
  }
  if (given.times != nullptr) {
    GLS_TRY(taken.add(given.times, "times", &times));
    loader.times = times;
  }
  if (given.labels != nullptr) {
    GLS_TRY(taken.add(given.labels, "labels", &labels));
    loader.labels = labels;
  }
  if (given.num_anchor_labels > 0 && given.anchor_labels == nullptr) {
    return capi::null_argument("anchor_labels");
  }
  for (size_t i = 0; i < anchor_labels.size(); ++i) {
    if (given.anchor_labels[i] != nullptr) {
      GLS_TRY(taken.add(given.anchor_labels[i], "anchor_labels", &anchor_labels[i]));
    }
  }
  loader.anchor_labels = anchor_labels;
  // It takes the user data when nothing can fail any more.
  const auto transform = std::make_shared<capi::Transform>(given.transform, given.transform_data);
  if (given.transform != nullptr) {
    loader.transform = [transform](const std::shared_ptr<Batch>& batch) {
      return transform->run(batch);
    };
  } else if (given.transform_data != nullptr || given.transform_destroy != nullptr) {
    return invalid("transform_data or transform_destroy is given, but transform is NULL")
        .with("argument", "transform");
  }
  if (given.clusters != nullptr) {
    GLS_TRY(taken.add(given.clusters, "clusters", &clusters));
    // Kept here, too: on failure it is given back. NOLINTNEXTLINE(performance-use-std-move)
    loader.rule.clusters = clusters;
  }
  Result<std::shared_ptr<Loader>> made = Loader::create(sampler->impl, ids, std::move(loader));
  if (!made.ok()) {
    if (seeds == nullptr && given.id_set != nullptr && made.status().has("argument", "seeds")) {
      // The caller gave no seeds, so the dataset's id set is damaged.
      return corrupt("id_set \"{}\": {}", given.id_set, made.status().message())
          .with("type", dataset.node_types()[node_type].name);
    }
    return std::move(made.status());
  }
  *out = new gls_loader{made.take()};
  transform->take(std::move(transform_data));
  return taken.keep_if({});
}

Status find_norms(const Loader& loader, const gls_norm_options_t* options, gls_tensor_t** node_norm,
                  gls_tensor_t** edge_norm) {
  gls_norm_options_t given;
  GLS_TRY(capi::read_options(options, "options", &given));
  if (node_norm == nullptr && edge_norm == nullptr) {
    return capi::null_argument("node_norm");
  }
  const Dataset& dataset = *loader.sampler()->dataset();
  NormOptions norms;
  norms.nodes = node_norm != nullptr;
  norms.edges = edge_norm != nullptr;
  const char* const idle = !norms.edges && given.edge_type != nullptr ? "edge_type"
                           : !norms.nodes && given.coverage == 0 && given.node_type != nullptr
                               ? "node_type"
                               : nullptr;
  if (idle != nullptr) {
    return invalid("{} is \"{}\", but no norms of {} are asked for", idle,
                   norms.edges ? given.node_type : given.edge_type, norms.edges ? "nodes" : "edges")
        .with("argument", idle);
  }
  norms.epoch = given.epoch;
  norms.batches = given.batches;
  norms.coverage = given.coverage;
  norms.progress = capi::make_progress(given.progress, given.progress_user_data);
  if (norms.nodes || norms.coverage > 0) {
    GLS_ASSIGN(norms.node_type, dataset.node_type_index(given.node_type));
  }
  if (norms.edges) {
    GLS_ASSIGN(norms.edge_type, dataset.edge_type_index(given.edge_type));
  }
  GLS_ASSIGN(SaintNorms found, saint_norms(loader, norms));
  // Both arrays exist before either is returned.
  if (norms.nodes && norms.edges) {
    capi::export_two(capi::tensor_of(std::move(found.node), kFloat32),
                     capi::tensor_of(std::move(found.edge), kFloat32), node_norm, edge_norm);
  } else if (norms.nodes) {
    *node_norm = capi::tensor_of(std::move(found.node), kFloat32).export_dlpack();
  } else {
    *edge_norm = capi::tensor_of(std::move(found.edge), kFloat32).export_dlpack();
  }
  return {};
}

Result<std::string> plan_text(const Loader& loader, const gls_plan_options_t* options) {
  gls_plan_options_t given;
  GLS_TRY(capi::read_options(options, "options", &given));
  ForecastOptions forecast;
  forecast.epoch = given.epoch;
  forecast.batches = given.batches;
  if (given.num_memory > 0) {
    if (given.memory == nullptr) {
      return capi::null_argument("memory");
    }
    forecast.memory.assign(given.memory, given.memory + given.num_memory);
  }
  forecast.progress = capi::make_progress(given.progress, given.progress_user_data);
  GLS_ASSIGN(const EpochForecast found, forecast_epoch(loader, forecast));
  return forecast_json(found);
}

// For operations of the process that makes the batches only.
Result<const Loader*> local_loader(const gls_loader& handle) {
  const Loader* const own = handle.impl->local();
  if (own == nullptr) {
    return error(
        GLS_ERR_UNSUPPORTED,
        "the loader is attached to another process, which only gives its batches in order");
  }
  return own;
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;
using gls::capi::write_info;

extern "C" {

gls_status_t gls_loader_create(gls_sampler_t* sampler, gls_tensor_t* seeds,
                               const gls_loader_options_t* options, gls_loader_t** out,
                               gls_error_t** err) {
  return guard(err, [&]() -> Status {
    gls_loader_options_t given;
    Status read = gls::capi::read_options(options, "options", &given);
    gls::capi::UserData transform_data(given.transform_data, given.transform_destroy);
    GLS_TRY(std::move(read));
    GLS_USE(sampler);
    GLS_REQUIRE(out);
    return gls::create_loader(sampler, seeds, given, transform_data, out);
  });
}

void gls_loader_release(gls_loader_t* loader) {
  if (loader != nullptr) {
    const std::shared_ptr<gls::Context> context = loader->impl->dataset()->context();
    gls::capi::release(loader, *context);
  }
}

gls_status_t gls_loader_next(gls_loader_t* loader, int64_t timeout_ms, gls_batch_t** out,
                             gls_error_t** err) {
  gls_status_t state = GLS_OK;
  const gls_status_t status = guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(out);
    std::shared_ptr<gls::Batch> batch;
    GLS_ASSIGN(const gls::BatchSource::Next next,
               loader->impl->next(gls::capi::limit_of(timeout_ms), &batch));
    if (next == gls::BatchSource::Next::kBatch) {
      *out = new gls_batch{std::move(batch)};
    } else {
      state = next == gls::BatchSource::Next::kEnd ? GLS_END : GLS_IN_PROGRESS;
    }
    return {};
  });
  return status != GLS_OK ? status : state;
}

gls_status_t gls_loader_notify(gls_loader_t* loader, gls_ready_fn ready, void* user_data,
                               gls_error_t** err) {
  bool now = false;
  const gls_status_t status = guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(ready);
    GLS_ASSIGN(now, loader->impl->notify(ready, user_data));
    return {};
  });
  return status != GLS_OK || now ? status : GLS_IN_PROGRESS;
}

gls_status_t gls_loader_seek(gls_loader_t* loader, uint64_t epoch, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    loader->impl->seek(epoch);
    return {};
  });
}

gls_status_t gls_loader_sample(const gls_loader_t* loader, uint64_t epoch, uint64_t batch,
                               gls_batch_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::Loader* own, gls::local_loader(*loader));
    GLS_ASSIGN(std::shared_ptr<gls::Batch> made, own->sample(epoch, batch));
    *out = new gls_batch{std::move(made)};
    return {};
  });
}

gls_status_t gls_loader_saint_norms(const gls_loader_t* loader, const gls_norm_options_t* options,
                                    gls_tensor_t** node_norm, gls_tensor_t** edge_norm,
                                    gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_ASSIGN(const gls::Loader* own, gls::local_loader(*loader));
    return gls::find_norms(*own, options, node_norm, edge_norm);
  });
}

gls_status_t gls_loader_plan(const gls_loader_t* loader, const gls_plan_options_t* options,
                             gls_tensor_t** json, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(json);
    GLS_ASSIGN(const gls::Loader* own, gls::local_loader(*loader));
    GLS_ASSIGN(const std::string text, gls::plan_text(*own, options));
    *json = gls::capi::tensor_of(std::vector<uint8_t>(text.begin(), text.end()), gls::kUint8)
                .export_dlpack();
    return {};
  });
}

void gls_loader_cancel(gls_loader_t* loader) {
  if (loader != nullptr && !loader->impl->dataset()->context()->in_forked_child()) {
    loader->impl->cancel();
  }
}

gls_status_t gls_loader_get_info(const gls_loader_t* loader, gls_loader_info_t* out,
                                 gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(out);
    const gls::LoaderPosition at = loader->impl->position();
    const gls::LoaderCounts counts = loader->impl->counts();
    return write_info({0, at.epoch, at.next_batch, at.num_batches, counts.batches, counts.seeds,
                       counts.batch_size},
                      out);
  });
}

gls_status_t gls_loader_pad_size(const gls_loader_t* loader, const char* type, int64_t* rows,
                                 gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(type);
    GLS_REQUIRE(rows);
    const std::optional<gls::PadSizes>& sizes = loader->impl->pad_sizes();
    if (!sizes.has_value()) {
      return gls::not_found("batches of this loader are not padded");
    }
    const gls::Dataset& dataset = *loader->impl->dataset();
    if (gls::Result<size_t> node_type = dataset.node_type_index(type); node_type.ok()) {
      *rows = sizes->nodes[node_type.take()];
      return {};
    }
    if (gls::Result<size_t> edge_type = dataset.edge_type_index(type); edge_type.ok()) {
      *rows = sizes->edges[edge_type.take()];
      return {};
    }
    return gls::no_type(nullptr, dataset, type);
  });
}

gls_status_t gls_loader_get_stats(const gls_loader_t* loader, gls_loader_stats_t* out,
                                  gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(out);
    const gls::LoaderStats stats = loader->impl->stats();
    return write_info({0,
                       stats.batches,
                       stats.seeds,
                       stats.nodes,
                       stats.edges,
                       stats.gathered_rows,
                       stats.gathered_bytes,
                       stats.sample_ns,
                       stats.gather_ns,
                       stats.worker_wait_ns,
                       stats.caller_wait_ns,
                       stats.wall_ns,
                       stats.ready_batches,
                       stats.ready_bytes,
                       stats.peak_bytes,
                       stats.tiers.device,
                       stats.tiers.pinned,
                       stats.tiers.host,
                       stats.tiers.remote,
                       stats.tiers.peers,
                       stats.disk.rows,
                       stats.disk.row_bytes,
                       stats.disk.read_bytes,
                       stats.disk.packed_bytes},
                      out);
  });
}

gls_status_t gls_loader_save(const gls_loader_t* loader, char* buffer, size_t capacity,
                             size_t* length, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    return gls::capi::copy_text(loader->impl->save(), buffer, capacity, length);
  });
}

gls_status_t gls_loader_restore(gls_loader_t* loader, const char* state, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(state);
    return loader->impl->restore(state);
  });
}

}  // extern "C"
