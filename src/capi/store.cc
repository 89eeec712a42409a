#include "store/store.h"

#include "capi/support/support.h"
#include "store/column_store.h"
#include "store/neighbor_store.h"
#include "store/with_stores.h"

struct gls_store {
  std::shared_ptr<gls::Context> context;
  std::shared_ptr<gls::Store> impl;
};
struct gls_fetch {
  std::shared_ptr<gls::Fetch> impl;
};

namespace gls {
namespace {

const Context& context_of(const gls_store& handle) { return *handle.context; }

// The caller's function with its data, which is destroyed with the last copy of this.
class StoreFunction {
 public:
  explicit StoreFunction(const gls_store_options_t& given)
      : fetch_(given.fetch), user_data_(given.user_data), destroy_(given.destroy) {}
  ~StoreFunction() {
    if (destroy_ != nullptr) {
      destroy_(user_data_);
    }
  }
  StoreFunction(const StoreFunction&) = delete;
  StoreFunction& operator=(const StoreFunction&) = delete;

  void operator()(std::shared_ptr<Fetch> fetch) const {
    std::unique_ptr<gls_fetch> handle(new gls_fetch{std::move(fetch)});
    fetch_(handle.release(), user_data_);
  }

 private:
  const gls_fetch_fn fetch_;
  void* const user_data_;
  void (*const destroy_)(void*);
};

constexpr uint32_t kMostFetches = 4096;
constexpr uint32_t kDefaultFetches = 16;
constexpr uint32_t kDefaultIds = uint32_t{1} << 20;
constexpr int64_t kDefaultDeadlineMs = 30000;

Result<StoreOptions> read_store_options(const gls_store_options_t* options) {
  gls_store_options_t given;
  Status read = capi::read_options(options, "options", &given);
  const auto function = std::make_shared<const StoreFunction>(given);
  GLS_TRY(std::move(read));
  GLS_REQUIRE(options);
  if (given.fetch == nullptr) {
    return capi::null_argument("fetch");
  }
  if (given.max_fetches > kMostFetches) {
    return invalid("max_fetches is {}, expected at most {}", given.max_fetches, kMostFetches)
        .with("argument", "max_fetches");
  }
  StoreOptions out;
  out.fetch = [function](std::shared_ptr<Fetch> fetch) { (*function)(std::move(fetch)); };
  out.max_fetches = given.max_fetches == 0 ? kDefaultFetches : given.max_fetches;
  out.max_ids = given.max_ids == 0 ? kDefaultIds : given.max_ids;
  out.deadline_ms = given.deadline_ms == 0 ? kDefaultDeadlineMs : given.deadline_ms;
  out.cache_bytes = given.cache_bytes;
  return out;
}

Status make_column(gls_context_t* ctx, const gls_store_column_t* asked, StoreOptions options,
                   gls_store_t** out) {
  GLS_USE(ctx);
  if (asked == nullptr) {
    return capi::null_argument("column");
  }
  GLS_REQUIRE(out);
  gls_store_column_t given;
  GLS_TRY(capi::read_options(asked, "column", &given));
  const gls_store_column_t* const column = &given;
  if (column->name == nullptr) {
    return capi::null_argument("name");
  }
  GLS_TRY(capi::check_enum(column->role, GLS_ROLE_OTHER, "role"));
  GLS_TRY(capi::check_reserved(column->reserved));
  constexpr int32_t kMostDimensions = 31;
  if (column->row_ndim < 0 || column->row_ndim > kMostDimensions) {
    return invalid("row_ndim is {}, expected 0 to {}", column->row_ndim, kMostDimensions)
        .with("argument", "row_ndim");
  }
  ColumnStore::Spec spec;
  if (column->row_ndim > 0) {
    if (column->row_shape == nullptr) {
      return capi::null_argument("row_shape");
    }
    spec.row_shape.assign(column->row_shape, column->row_shape + column->row_ndim);
  }
  spec.type = column->type != nullptr ? column->type : "";
  spec.name = column->name;
  spec.role = column->role;
  spec.dtype = column->dtype;
  GLS_ASSIGN(auto made, ColumnStore::create(std::move(spec), std::move(options)));
  *out = new gls_store{ctx->impl, std::move(made)};
  return {};
}

Status make_neighbors(gls_context_t* ctx, const gls_store_neighbors_t* asked, StoreOptions options,
                      gls_store_t** out) {
  GLS_USE(ctx);
  if (asked == nullptr) {
    return capi::null_argument("neighbors");
  }
  GLS_REQUIRE(out);
  gls_store_neighbors_t given;
  GLS_TRY(capi::read_options(asked, "neighbors", &given));
  const gls_store_neighbors_t* const neighbors = &given;
  if (neighbors->edge_type == nullptr) {
    return capi::null_argument("edge_type");
  }
  GLS_TRY(capi::check_flags(neighbors->flags, GLS_STORE_EDGE_IDS, "flags"));
  if (neighbors->layout != GLS_LAYOUT_CSC && neighbors->layout != GLS_LAYOUT_CSR) {
    return invalid("layout is {}, expected GLS_LAYOUT_CSC or GLS_LAYOUT_CSR", neighbors->layout)
        .with("argument", "layout");
  }
  NeighborStore::Spec spec;
  GLS_ASSIGN(spec.type, parse_edge_type(neighbors->edge_type));
  spec.num_edges = neighbors->num_edges;
  spec.layout = neighbors->layout == GLS_LAYOUT_CSC ? Layout::kCsc : Layout::kCsr;
  spec.edge_ids = (neighbors->flags & GLS_STORE_EDGE_IDS) != 0;
  GLS_ASSIGN(auto made, NeighborStore::create(std::move(spec), std::move(options)));
  *out = new gls_store{ctx->impl, std::move(made)};
  return {};
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_fetch_get_info(const gls_fetch_t* fetch, gls_fetch_info_t* out,
                                gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(fetch);
    GLS_REQUIRE(out);
    const gls::Fetch::Question& question = fetch->impl->question();
    return gls::capi::write_info({0, question.ids.data(), question.ids.size(), question.rows,
                                  static_cast<size_t>(question.row_bytes),
                                  fetch->impl->remaining_ms(), fetch->impl->canceled() ? 1 : 0, 0},
                                 out);
  });
}

gls_status_t gls_fetch_rows_done(gls_fetch_t* fetch, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(fetch);
    return fetch->impl->rows_done();
  });
}

gls_status_t gls_fetch_neighbors(gls_fetch_t* fetch, const int64_t* counts,
                                 const int64_t* neighbors, const int64_t* edge_ids,
                                 gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(fetch);
    GLS_REQUIRE(counts);
    return fetch->impl->set_neighbors(counts, neighbors, edge_ids);
  });
}

gls_status_t gls_fetch_fail(gls_fetch_t* fetch, gls_status_t status, const char* message,
                            gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(fetch);
    const gls_status_t code = status < 0 && status >= GLS_ERR_INTERNAL
                                  ? status
                                  : static_cast<gls_status_t>(GLS_ERR_INTERNAL);
    return fetch->impl->fail(Status(code, message != nullptr ? message : "the store failed"));
  });
}

void gls_fetch_release(gls_fetch_t* fetch) {
  if (fetch != nullptr) {
    static_cast<void>(guard(nullptr, [&]() -> Status {
      const std::unique_ptr<gls_fetch> taken(fetch);
      fetch->impl->release();
      return {};
    }));
  }
}

gls_status_t gls_store_create_column(gls_context_t* ctx, const gls_store_column_t* column,
                                     const gls_store_options_t* options, gls_store_t** out,
                                     gls_error_t** err) {
  return guard(err, [&]() -> Status {
    // Reads the options first: then the caller's data is destroyed if anything is refused.
    GLS_ASSIGN(gls::StoreOptions read, gls::read_store_options(options));
    return gls::make_column(ctx, column, std::move(read), out);
  });
}

gls_status_t gls_store_create_neighbors(gls_context_t* ctx, const gls_store_neighbors_t* neighbors,
                                        const gls_store_options_t* options, gls_store_t** out,
                                        gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_ASSIGN(gls::StoreOptions read, gls::read_store_options(options));
    return gls::make_neighbors(ctx, neighbors, std::move(read), out);
  });
}

void gls_store_release(gls_store_t* store) {
  if (store != nullptr) {
    const std::shared_ptr<gls::Context> context = store->context;
    gls::capi::release(store, *context);
  }
}

gls_status_t gls_store_get_stats(const gls_store_t* store, gls_store_stats_t* out,
                                 gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_REQUIRE(store);
    GLS_TRY(gls::context_of(*store).check_process());
    GLS_REQUIRE(out);
    const gls::StoreStats stats = store->impl->stats();
    return gls::capi::write_info({0, stats.fetches, stats.ids, stats.cached_ids, stats.failures,
                                  stats.fetch_ns, stats.wait_ns, stats.cache_bytes},
                                 out);
  });
}

gls_status_t gls_dataset_with_stores(const gls_dataset_t* dataset, gls_store_t* const* stores,
                                     size_t num_stores, gls_dataset_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    if (num_stores > 0) {
      GLS_REQUIRE(stores);
    }
    std::vector<std::shared_ptr<gls::Store>> given;
    for (size_t i = 0; i < num_stores; ++i) {
      if (stores[i] == nullptr) {
        return gls::invalid("stores: number {} is NULL", i).with("argument", "stores");
      }
      given.push_back(stores[i]->impl);
    }
    GLS_ASSIGN(auto made, gls::with_stores(dataset->impl, given));
    *out = new gls_dataset{std::move(made)};
    return {};
  });
}

}  // extern "C"
