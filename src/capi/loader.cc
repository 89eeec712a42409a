#include "capi/support.h"

namespace gls {
namespace {

using capi::check_enum;

constexpr uint32_t kKnownFlags = GLS_LOADER_SHUFFLE | GLS_LOADER_DROP_LAST | GLS_LOADER_NO_COLUMNS;
constexpr uint32_t kDefaultBatchSize = 1024;

// Columns chosen by role when the caller names none.
std::vector<ColumnToGather> default_columns(const Sampler& sampler) {
  std::vector<ColumnToGather> out;
  const Dataset& dataset = *sampler.dataset();
  const auto add = [&](bool of_nodes, size_t type, const std::vector<Column>& columns) {
    for (const Column& column : columns) {
      const bool label = of_nodes && column.role == GLS_ROLE_LABEL;
      if (label || column.role == GLS_ROLE_FEATURE) {
        out.push_back({of_nodes, type, &column, label, column.data.dtype()});
      }
    }
  };
  for (size_t t = 0; t < dataset.node_types().size(); ++t) {
    add(true, t, dataset.node_types()[t].columns);
  }
  if (sampler.options().edge_ids) {
    for (size_t t = 0; t < dataset.edge_types().size(); ++t) {
      add(false, t, dataset.edge_types()[t].columns);
    }
  }
  return out;
}

class ColumnReader {
 public:
  explicit ColumnReader(const Sampler& sampler) : sampler_(sampler) {}

  Status add(const gls_column_request_t& request) {
    GLS_REQUIRE(request.name);
    GLS_TRY(check_enum(request.rows, GLS_GATHER_SEEDS, "rows"));
    const Dataset& dataset = *sampler_.dataset();
    bool known_type = request.type == nullptr;
    bool found = false;
    for (const bool of_nodes : {true, false}) {
      const size_t count = of_nodes ? dataset.node_types().size() : dataset.edge_types().size();
      for (size_t t = 0; t < count; ++t) {
        const std::string& type_name =
            of_nodes ? dataset.node_types()[t].name : dataset.edge_types()[t].joined;
        if (request.type != nullptr && type_name != request.type) {
          continue;
        }
        known_type = true;
        const Column* column = of_nodes ? dataset.node_types()[t].find_column(request.name)
                                        : dataset.edge_types()[t].find_column(request.name);
        if (column != nullptr) {
          found = true;
          GLS_TRY(add_found(request, of_nodes, t, type_name, *column));
        }
      }
    }
    if (!known_type) {
      return not_found("columns: there is no node or edge type \"{}\"", request.type)
          .with("argument", "columns");
    }
    if (!found) {
      return not_found("columns: {} has a column \"{}\"",
                       request.type == nullptr
                           ? "no type"
                           : fmt::format("\"{}\" exists but not one that", request.type),
                       request.name)
          .with("argument", "columns");
    }
    return {};
  }

  std::vector<ColumnToGather> take() { return std::move(out_); }

 private:
  Status add_found(const gls_column_request_t& request, bool of_nodes, size_t type,
                   const std::string& type_name, const Column& column) {
    const auto bad = [&](std::string text) {
      return Status(GLS_ERR_INVALID_ARGUMENT,
                    fmt::format("columns: \"{}\" of \"{}\" {}", column.name, type_name, text))
          .with("argument", "columns");
    };
    const bool label = of_nodes && column.role == GLS_ROLE_LABEL;
    const bool seeds_only =
        request.rows == GLS_GATHER_SEEDS || (request.rows == GLS_GATHER_AUTO && label);
    if (!of_nodes && request.rows == GLS_GATHER_SEEDS) {
      return bad("is a column of edges, which cannot be gathered for seeds");
    }
    if (!of_nodes && !sampler_.options().edge_ids) {
      return bad("is a column of edges: make the sampler with GLS_SAMPLE_EDGE_IDS");
    }
    const DLDataType stored = column.data.dtype();
    const DLDataType dtype = same_dtype(request.dtype, DLDataType{}) ? stored : request.dtype;
    if (!can_gather_as(stored, dtype)) {
      return bad(
          fmt::format("is {} and cannot be gathered as {}; float16 and bfloat16 can be "
                      "widened to float32",
                      dtype_name(stored), dtype_name(dtype)));
    }
    for (const ColumnToGather& earlier : out_) {
      if (earlier.column == &column) {
        return bad("is asked for twice");
      }
    }
    out_.push_back({of_nodes, type, &column, seeds_only, dtype});
    return {};
  }

  const Sampler& sampler_;
  std::vector<ColumnToGather> out_;
};

// The seeds, when the caller gives none: a named set, or nothing for all nodes.
Result<Tensor> find_seeds(const NodeType& type, const char* id_set) {
  if (id_set == nullptr) {
    return Tensor();
  }
  for (const IdSet& set : type.id_sets) {
    if (set.name == id_set) {
      return set.ids;
    }
  }
  std::string known;
  for (const IdSet& set : type.id_sets) {
    known += (known.empty() ? "" : ", ") + set.name;
  }
  return not_found("id_set: node type \"{}\" has no id set \"{}\"; it has: {}", type.name, id_set,
                   known.empty() ? "none" : known)
      .with("argument", "id_set");
}

Status create_loader(const gls_sampler_t* sampler, gls_tensor_t* seeds,
                     const gls_loader_options_t* options, gls_loader_t** out) {
  gls_loader_options_t given;
  GLS_TRY(capi::read_options(options, "options", &given));
  GLS_TRY(capi::check_flags(given.flags, kKnownFlags, "flags"));
  GLS_TRY(check_enum(given.even, GLS_EVEN_REPEAT, "even"));
  const auto device_type = static_cast<int>(given.device.device_type);
  if ((device_type != 0 && device_type != kDLCPU) || given.device.device_id != 0) {
    return error(GLS_ERR_UNSUPPORTED, "device is type {}, id {}, expected the CPU (type 1, id 0)",
                 device_type, given.device.device_id)
        .with("argument", "device");
  }
  GLS_TRY(capi::check_reserved(given.reserved0));
  const Dataset& dataset = *sampler->impl->dataset();
  LoaderOptions loader;
  GLS_ASSIGN(const size_t type_index, dataset.node_type_index(given.node_type));
  loader.node_type = type_index;
  loader.plan.batch_size = given.batch_size != 0 ? given.batch_size : kDefaultBatchSize;
  loader.plan.shuffle = (given.flags & GLS_LOADER_SHUFFLE) != 0;
  loader.plan.drop_last = (given.flags & GLS_LOADER_DROP_LAST) != 0;
  loader.plan.rank = given.rank;
  loader.plan.world_size = given.world_size != 0 ? given.world_size : 1;
  loader.plan.even = static_cast<Even>(given.even);
  loader.num_workers = given.num_workers;
  loader.prefetch = given.prefetch;
  loader.prefetch_bytes = given.prefetch_bytes;
  if (given.num_columns > 0) {
    GLS_REQUIRE(given.columns);
    ColumnReader reader(*sampler->impl);
    for (size_t i = 0; i < given.num_columns; ++i) {
      GLS_TRY(reader.add(given.columns[i]));
    }
    loader.columns = reader.take();
  } else if ((given.flags & GLS_LOADER_NO_COLUMNS) == 0) {
    loader.columns = default_columns(*sampler->impl);
  }
  Tensor ids;
  capi::Taken taken;
  if (seeds == nullptr) {
    GLS_ASSIGN(ids, find_seeds(dataset.node_types()[loader.node_type], given.id_set));
  } else {
    if (given.id_set != nullptr) {
      return invalid("id_set is \"{}\", but seeds are given; expected one of the two", given.id_set)
          .with("argument", "id_set");
    }
    GLS_TRY(taken.add(seeds, "seeds", &ids));
  }
  Result<std::shared_ptr<Loader>> made = Loader::create(sampler->impl, ids, std::move(loader));
  if (!made.ok()) {
    if (const std::string* argument = made.status().detail("argument");
        seeds == nullptr && argument != nullptr && *argument == "seeds") {
      // The caller gave none: it is the dataset's id set that is damaged.
      return corrupt("id_set \"{}\": {}", given.id_set, made.status().message())
          .with("type", dataset.node_types()[type_index].name);
    }
    return std::move(made.status());
  }
  *out = new gls_loader{made.take()};
  return taken.keep_if({});
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
    GLS_USE(sampler);
    GLS_REQUIRE(out);
    return gls::create_loader(sampler, seeds, options, out);
  });
}

void gls_loader_release(gls_loader_t* loader) {
  if (loader != nullptr) {
    const std::shared_ptr<gls::Context> context = loader->impl->sampler()->dataset()->context();
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
    GLS_ASSIGN(const gls::Loader::Next next, loader->impl->next(timeout_ms, &batch));
    if (next == gls::Loader::Next::kBatch) {
      *out = new gls_batch{std::move(batch)};
    } else {
      state = next == gls::Loader::Next::kEnd ? GLS_END : GLS_IN_PROGRESS;
    }
    return {};
  });
  return status != GLS_OK ? status : state;
}

gls_status_t gls_loader_seek(gls_loader_t* loader, uint64_t epoch, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    loader->impl->seek(epoch);
    return {};
  });
}

void gls_loader_cancel(gls_loader_t* loader) {
  if (loader != nullptr && !loader->impl->sampler()->dataset()->context()->in_forked_child()) {
    loader->impl->cancel();
  }
}

gls_status_t gls_loader_get_info(const gls_loader_t* loader, gls_loader_info_t* out,
                                 gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(out);
    const gls::LoaderPosition at = loader->impl->position();
    const gls::PlanOptions& plan = loader->impl->plan_options();
    return write_info({0, at.epoch, at.next_batch, at.num_batches,
                       gls::EpochPlan::num_batches(plan), plan.num_seeds, plan.batch_size},
                      out);
  });
}

gls_status_t gls_loader_get_stats(const gls_loader_t* loader, gls_loader_stats_t* out,
                                  gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(loader);
    GLS_REQUIRE(out);
    const gls::LoaderStats stats = loader->impl->stats();
    return write_info({0, stats.batches, stats.seeds, stats.nodes, stats.edges, stats.gathered_rows,
                       stats.gathered_bytes, stats.sample_ns, stats.gather_ns, stats.worker_wait_ns,
                       stats.caller_wait_ns, stats.wall_ns, stats.ready_batches, stats.ready_bytes,
                       stats.peak_bytes},
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
