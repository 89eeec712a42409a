// Tables: rows that training changes.
#include <string>

#include "capi/support/arrays.h"
#include "capi/support/futures.h"
#include "capi/support/support.h"
#include "cluster/table/distributed_table.h"
#include "cluster/table/table_checkpoint.h"
#include "query/seed_share.h"

struct gls_table {
  std::unique_ptr<gls::DistributedTable> impl;
};

namespace gls {
namespace capi {
inline const Context& context_of(const gls_table& handle) {
  return *handle.impl->dataset().context();
}
}  // namespace capi

namespace {

using capi::Ids;
using capi::read_ids;

// Zero means the default, and a negative value means zero.
double number_or(double given, double otherwise) {
  return given == 0 ? otherwise : given < 0 ? 0 : given;
}

Result<table::TableOptions> read_table(const gls_table_options_t& given) {
  table::TableOptions out;
  GLS_TRY(capi::check_reserved(given.reserved));
  GLS_TRY(capi::check_flags(given.flags, GLS_TABLE_MEAN | GLS_TABLE_ROW_STEPS, "flags"));
  GLS_TRY(capi::check_enum(given.optimizer, GLS_OPTIMIZER_ADAM, "optimizer"));
  out.width = given.width;
  if (given.dtype.code != 0 || given.dtype.bits != 0 || given.dtype.lanes != 0) {
    out.dtype = given.dtype;
  }
  out.low = given.low;
  out.high = given.high;
  out.seed = given.seed;
  out.optimizer = static_cast<table::Optimizer>(given.optimizer);
  out.mean = (given.flags & GLS_TABLE_MEAN) != 0;
  out.row_steps = (given.flags & GLS_TABLE_ROW_STEPS) != 0;
  if (out.row_steps && out.optimizer != table::Optimizer::kAdam) {
    return invalid("flags: GLS_TABLE_ROW_STEPS is of Adam alone").with("argument", "flags");
  }
  const bool adam = out.optimizer == table::Optimizer::kAdam;
  const char* const idle =
      !adam && (given.beta1 != 0 || given.beta2 != 0) ? (given.beta1 != 0 ? "beta1" : "beta2")
      : !adam && out.optimizer != table::Optimizer::kAdagrad && given.epsilon != 0 ? "epsilon"
                                                                                   : nullptr;
  if (idle != nullptr) {
    return invalid("{} is given, but the optimizer has none", idle).with("argument", idle);
  }
  if (out.optimizer == table::Optimizer::kAdam || out.optimizer == table::Optimizer::kAdagrad) {
    out.epsilon = number_or(given.epsilon, out.optimizer == table::Optimizer::kAdam ? 1e-8 : 1e-10);
  }
  if (out.optimizer == table::Optimizer::kAdam) {
    out.beta1 = number_or(given.beta1, 0.9);
    out.beta2 = number_or(given.beta2, 0.999);
  }
  return out;
}

Result<TableRank> read_rank(const gls_table_options_t& given) {
  const TableRank out = {given.rank, std::max(given.world_size, 1U)};
  if (out.world_size > table::kMostTrainers) {
    return invalid("world_size is {}, expected at most {}", out.world_size, table::kMostTrainers)
        .with("argument", "world_size");
  }
  GLS_TRY(check_share({out.rank, out.world_size, {}}, 1));
  return out;
}

Status open_table(const gls_dataset_t& dataset, const char* type, const char* name,
                  const gls_table_options_t* options, gls_table_t** out) {
  TableSpec asked;
  TableRank rank;
  asked.name = name;
  GLS_TRY(cluster::check_table_name(asked.name));
  GLS_ASSIGN(asked.type, dataset.impl->type_index(type));
  if (options != nullptr) {
    gls_table_options_t given;
    GLS_TRY(capi::read_options(options, "options", &given));
    GLS_ASSIGN(asked.options, read_table(given));
    GLS_ASSIGN(rank, read_rank(given));
  }
  auto opened = DistributedTable::open(
      dataset.impl, std::move(asked), rank,
      capi::request_timeout(dataset.impl->context()->settings(), GLS_TIMEOUT_DEFAULT));
  if (!opened.ok()) {
    return std::move(opened.status()).prefixed(formatted("table \"{}\": ", name));
  }
  *out = new gls_table{opened.take()};
  return {};
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::Tensor;
using gls::capi::guard;

extern "C" {

gls_status_t gls_table_open(const gls_dataset_t* dataset, const char* type, const char* name,
                            const gls_table_options_t* options, gls_table_t** out,
                            gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(name);
    GLS_REQUIRE(out);
    return gls::open_table(*dataset, type, name, options, out);
  });
}

void gls_table_release(gls_table_t* table) {
  if (table != nullptr) {
    const std::shared_ptr<gls::Context> context = table->impl->dataset().context();
    gls::capi::release(table, *context);
  }
}

gls_status_t gls_table_get_info(const gls_table_t* table, gls_table_info_t* out,
                                gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(table);
    GLS_REQUIRE(out);
    const gls::DistributedTable& impl = *table->impl;
    const gls::table::TableOptions& options = impl.options();
    uint32_t flags = options.mean ? uint32_t{GLS_TABLE_MEAN} : 0;
    flags |= options.row_steps ? uint32_t{GLS_TABLE_ROW_STEPS} : 0;
    const auto bytes = static_cast<uint64_t>(impl.rows()) *
                       static_cast<uint64_t>(gls::table::bytes_per_row(options));
    return gls::capi::write_info(
        {0, impl.name().c_str(), impl.type_name().c_str(), impl.rows(), options.width,
         options.dtype, flags, static_cast<int32_t>(options.optimizer), impl.rank().rank,
         impl.rank().world_size, impl.step(), bytes},
        out);
  });
}

gls_status_t gls_table_rows(const gls_table_t* table, const DLTensor* ids, gls_tensor_t** out,
                            gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(table);
    GLS_REQUIRE(ids);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::Ids read, gls::read_ids(*ids, "ids"));
    GLS_ASSIGN(const Tensor rows, table->impl->find_rows(read.span));
    *out = rows.export_dlpack();
    return {};
  });
}

gls_status_t gls_table_write(const gls_table_t* table, const DLTensor* ids, const DLTensor* rows,
                             gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(table);
    GLS_REQUIRE(ids);
    GLS_REQUIRE(rows);
    GLS_ASSIGN(const gls::Ids read, gls::read_ids(*ids, "ids"));
    GLS_ASSIGN(const Tensor numbers, Tensor::borrow(*rows, "rows"));
    return table->impl->write_rows(read.span, numbers);
  });
}

gls_status_t gls_table_step(gls_table_t* table, const DLTensor* ids, const DLTensor* gradients,
                            double learning_rate, int64_t timeout_ms, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(table);
    GLS_REQUIRE(ids);
    GLS_REQUIRE(gradients);
    GLS_ASSIGN(const gls::Ids read, gls::read_ids(*ids, "ids"));
    GLS_ASSIGN(const Tensor numbers, Tensor::borrow(*gradients, "gradients"));
    const gls::Settings& settings = table->impl->dataset().context()->settings();
    return table->impl->take_step(read.span, numbers, learning_rate,
                                  gls::capi::request_timeout(settings, timeout_ms));
  });
}

gls_status_t gls_table_save(const gls_table_t* table, const char* path, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(table);
    GLS_REQUIRE(path);
    return gls::save_table(*table->impl, path);
  });
}

gls_status_t gls_table_load(gls_table_t* table, const char* path, int64_t timeout_ms,
                            gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(table);
    GLS_REQUIRE(path);
    const gls::Settings& settings = table->impl->dataset().context()->settings();
    return gls::load_table(table->impl.get(), path,
                           gls::capi::request_timeout(settings, timeout_ms));
  });
}

gls_status_t gls_table_drop(const gls_table_t* table, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(table);
    return table->impl->drop();
  });
}

}  // extern "C"
