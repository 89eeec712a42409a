#include "graph/partition/partition.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "capi/support/arrays.h"
#include "capi/support/support.h"
#include "format/partition_file.h"
#include "graph/dataset/unknown_name.h"
#include "graph/folder/dataset_folder.h"
#include "ingest/assign/assign_nodes.h"
#include "ingest/partition/merge_parts.h"
#include "ingest/partition/write_parts.h"
#include "loader/seeds/visit_counter.h"
#include "query/graph_query.h"

struct gls_partition {
  std::shared_ptr<gls::Context> context;
  std::shared_ptr<const gls::Partition> impl;
};

namespace gls {
namespace capi {
inline const Context& context_of(const gls_partition& handle) { return *handle.context; }
}  // namespace capi

namespace {

const char* method_name(int32_t method) {
  constexpr const char* kNames[] = {"stream", "metis", "random", "hash", "given"};
  return kNames[method];
}

// As uint8 for at most 256 parts, else as uint16.
Result<Tensor> owners_of(const DLTensor& given, const NodeType& type, uint32_t parts) {
  const std::string what = formatted("owners of \"{}\"", type.name);
  GLS_ASSIGN(const Tensor tensor, Tensor::borrow(given, what));
  const DLDataType dtype = tensor.dtype();
  const bool integer = dtype.code == kDLInt || dtype.code == kDLUInt;
  if (!integer || tensor.shape().size() != 1 || tensor.rows() != type.count) {
    return invalid("{} are {} {}, expected integers [{}]", what, dtype_name(dtype),
                   shape_text(tensor.shape()), type.count)
        .with("argument", "owners");
  }
  const bool narrow = parts <= 256;
  auto out = std::make_shared<std::vector<uint16_t>>(
      static_cast<size_t>(narrow ? (type.count + 1) / 2 : type.count));
  auto* const bytes = reinterpret_cast<uint8_t*>(out->data());
  for (int64_t id = 0; id < type.count; ++id) {
    // Every part number is exact as a double.
    const double owner = element_as_double(tensor.data() + id * tensor.row_stride(), dtype, 0);
    if (!(owner >= 0 && owner < parts)) {
      return invalid("{}: entry {} is {}, expected a number below {}", what, id, owner, parts)
          .with("argument", "owners")
          .with("offset", std::to_string(id));
    }
    if (narrow) {
      bytes[id] = static_cast<uint8_t>(owner);
    } else {
      (*out)[static_cast<size_t>(id)] = static_cast<uint16_t>(owner);
    }
  }
  const void* const data = out->data();
  return Tensor(std::move(out), data, narrow ? kUint8 : kUint16, {type.count});
}

Status check_given(const gls_partition_options_t& given) {
  const bool by_hand = given.method == GLS_PARTITION_GIVEN;
  if (given.num_owners > 0 && given.owners == nullptr) {
    return capi::null_argument("owners");
  }
  if (by_hand != (given.num_owners > 0 || given.owners_file != nullptr)) {
    return invalid(
               "owners: method is \"{}\", and there are {} arrays of owners and {} file of them",
               method_name(given.method), given.num_owners,
               given.owners_file != nullptr ? "a" : "no")
        .with("argument", "owners");
  }
  if (given.num_owners > 0 && given.owners_file != nullptr) {
    return invalid("owners and owners_file are both given, expected one of the two")
        .with("argument", "owners_file");
  }
  if (given.imbalance != 0 &&
      (given.method == GLS_PARTITION_RANDOM || given.method == GLS_PARTITION_HASH)) {
    return invalid("imbalance is {}, but the method \"{}\" balances nothing", given.imbalance,
                   method_name(given.method))
        .with("argument", "imbalance");
  }
  const char* const idle = !by_hand                     ? nullptr
                           : given.num_balance_sets > 0 ? "balance_sets"
                           : given.balance_edges != 0   ? "balance_edges"
                           : given.imbalance != 0       ? "imbalance"
                                                        : nullptr;
  if (idle != nullptr) {
    return invalid("{}: owners are given, so there is nothing to balance", idle)
        .with("argument", idle);
  }
  return {};
}

Result<NodeOwners> find_owners(const Dataset& dataset, const gls_partition_options_t& given,
                               const Progress& progress) {
  if (given.owners_file != nullptr) {
    return read_owners(dataset, given.parts, given.owners_file);
  }
  if (given.method == GLS_PARTITION_GIVEN) {
    if (given.num_owners != dataset.node_types().size()) {
      return invalid("owners: {} arrays for {} node types, expected one each", given.num_owners,
                     dataset.node_types().size())
          .with("argument", "owners");
    }
    NodeOwners out;
    for (size_t t = 0; t < given.num_owners; ++t) {
      if (given.owners[t] == nullptr) {
        return capi::null_argument("owners");
      }
      GLS_ASSIGN(Tensor owners, owners_of(*given.owners[t], dataset.node_types()[t], given.parts));
      out.push_back(std::move(owners));
    }
    return out;
  }
  AssignOptions options;
  options.method = static_cast<PartitionMethod>(given.method);
  options.parts = given.parts;
  options.seed = given.seed;
  for (size_t s = 0; s < given.num_balance_sets; ++s) {
    options.balance_sets.emplace_back(given.balance_sets[s]);
  }
  options.balance_edges = given.balance_edges != 0;
  options.imbalance = given.imbalance != 0 ? given.imbalance : options.imbalance;
  options.progress = progress;
  return assign_nodes(dataset, options);
}

std::string describe(const gls_partition_options_t& given) {
  std::string out = formatted("seed {}, halo_hops {}, hot_rows {}, hot_fraction {}", given.seed,
                              given.halo_hops, given.hot_rows, given.hot_fraction);
  if (given.hot_id_set != nullptr) {
    out += formatted(", hot_id_set {}", given.hot_id_set);
  }
  for (size_t hop = 0; hop < given.num_hot_fanouts; ++hop) {
    out += formatted("{}{}", hop == 0 ? ", hot_fanouts " : " ", given.hot_fanouts[hop]);
  }
  if (given.hot_max_seeds != 0) {
    out += formatted(", hot_max_seeds {}", given.hot_max_seeds);
  }
  for (size_t s = 0; s < given.num_balance_sets; ++s) {
    out += formatted(", balance {}", given.balance_sets[s]);
  }
  if (given.balance_edges != 0) {
    out += ", balance_edges";
  }
  if (given.imbalance != 0) {
    out += formatted(", imbalance {}", given.imbalance);
  }
  return out;
}

// The option that requests measured hot rows; NULL: none.
const char* measured_by(const gls_partition_options_t& given) {
  return given.hot_id_set != nullptr ? "hot_id_set"
         : given.num_hot_fanouts > 0 ? "hot_fanouts"
                                     : nullptr;
}

Status check_hot(const Dataset& dataset, const gls_partition_options_t& given) {
  const char* const measured = measured_by(given);
  if (measured == nullptr && given.hot_max_seeds != 0) {
    return invalid(
               "hot_max_seeds is {}, but neither hot_id_set nor hot_fanouts says that anything is "
               "sampled",
               given.hot_max_seeds)
        .with("argument", "hot_max_seeds");
  }
  if (given.num_hot_fanouts > 0 && given.hot_fanouts == nullptr) {
    return capi::null_argument("hot_fanouts");
  }
  if (measured != nullptr && given.hot_rows == 0 && given.hot_fraction == 0) {
    return invalid("{} is given, but neither hot_rows nor hot_fraction says how many", measured)
        .with("argument", measured);
  }
  if (given.hot_id_set == nullptr) {
    return {};
  }
  for (const NodeType& type : dataset.node_types()) {
    for (const IdSet& set : type.id_sets) {
      if (set.name == given.hot_id_set) {
        return {};
      }
    }
  }
  return no_id_set("hot_id_set", dataset, given.hot_id_set);
}

Status partition(const std::shared_ptr<const Dataset>& whole, const char* path,
                 const gls_partition_options_t& given) {
  const Dataset& dataset = *whole;
  GLS_TRY(capi::check_enum(given.method, int32_t{GLS_PARTITION_GIVEN}, "method"));
  GLS_TRY(check_given(given));
  if (given.num_balance_sets > 0 &&
      (given.balance_sets == nullptr ||
       std::any_of(given.balance_sets, given.balance_sets + given.num_balance_sets,
                   [](const char* name) { return name == nullptr; }))) {
    return capi::null_argument("balance_sets");
  }
  PartsOptions options;
  options.parts = given.parts;
  options.halo_hops = given.halo_hops;
  options.hot_rows = given.hot_rows;
  options.hot_fraction = given.hot_fraction;
  options.pad_rows = given.compact_rows == 0;
  options.overwrite = given.overwrite != 0;
  options.method = method_name(given.method);
  options.progress = capi::make_progress(given.progress, given.progress_user_data);
  GLS_TRY(check_parts(dataset, options));
  GLS_TRY(check_hot(dataset, given));
  options.details = describe(given);
  std::unique_ptr<VisitCounter> counter;
  if (measured_by(given) != nullptr) {
    VisitOptions visits;
    visits.id_set = given.hot_id_set != nullptr ? given.hot_id_set : "";
    visits.fanouts.assign(given.hot_fanouts, given.hot_fanouts + given.num_hot_fanouts);
    visits.max_seeds = given.hot_max_seeds;
    visits.seed = given.seed;
    GLS_ASSIGN(counter, VisitCounter::create(whole, std::move(visits)));
    options.hot_by = counter->description();
    options.visits = [&](const std::vector<PartitionBook>& owners, uint32_t number) {
      return counter->count(owners, number, options.progress);
    };
  }
  GLS_ASSIGN(const NodeOwners owners, find_owners(dataset, given, options.progress));
  return write_parts(dataset, owners, path, options);
}

Result<Tensor> owners_of_ids(const Partition& partition, const char* type, const DLTensor& given) {
  GLS_ASSIGN(const size_t index, partition.node_type_index(type));
  GLS_ASSIGN(const Tensor tensor, Tensor::borrow(given, "ids"));
  GLS_ASSIGN(const IdSpan ids, IdSpan::of(tensor, "ids"));
  auto out = std::make_shared<std::vector<int32_t>>(static_cast<size_t>(ids.size()));
  for (int64_t i = 0; i < ids.size(); ++i) {
    GLS_ASSIGN(const uint32_t owner, partition.owner_of(index, ids[i]));
    (*out)[static_cast<size_t>(i)] = static_cast<int32_t>(owner);
  }
  const void* const data = out->data();
  return Tensor(std::move(out), data, kInt32, {ids.size()}, false);
}

Result<const GlobalIds*> find_whole(const Dataset& dataset, const char* type) {
  if (!dataset.part()) {
    return error(GLS_ERR_UNSUPPORTED, "the dataset is no part of a graph: its ids are the whole's")
        .with("argument", "dataset");
  }
  GLS_ASSIGN(const Dataset::TypeIndex at, dataset.type_index(type));
  return &(at.of_nodes ? *dataset.node_types()[at.index].whole
                       : *dataset.edge_types()[at.index].whole);
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;
using gls::capi::read_options;
using gls::capi::write_info;

extern "C" {

gls_status_t gls_dataset_partition(const gls_dataset_t* dataset, const char* path,
                                   const gls_partition_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(path);
    GLS_REQUIRE(options);
    gls_partition_options_t given;
    GLS_TRY(read_options(options, "options", &given));
    GLS_TRY(dataset->impl->need_arrays("partition"));
    return gls::partition(dataset->impl, path, given);
  });
}

gls_status_t gls_dataset_get_part_info(const gls_dataset_t* dataset, gls_part_info_t* out,
                                       gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    const auto& part = dataset->impl->part();
    return write_info(
        {0, part ? part->number : 0, part ? part->parts : 0, part ? part->graph.c_str() : nullptr},
        out);
  });
}

gls_status_t gls_dataset_parts(const gls_dataset_t* dataset, uint32_t* count, gls_tensor_t** local,
                               gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    const gls::PartsOfGraph found = gls::parts_of_graph(*dataset->impl);
    if (local != nullptr) {
      std::vector<int64_t> numbers(found.local.begin(), found.local.end());
      *local = gls::capi::tensor_of(std::move(numbers), gls::kInt64).export_dlpack();
    }
    if (count != nullptr) {
      *count = found.count;
    }
    return {};
  });
}

gls_status_t gls_dataset_global_ids(const gls_dataset_t* dataset, const char* type,
                                    gls_tensor_t** out, int64_t* owned, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(dataset);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::GlobalIds* const whole, gls::find_whole(*dataset->impl, type));
    *out = whole->ids().with_owner(dataset->impl).export_dlpack();
    if (owned != nullptr) {
      *owned = whole->owned();
    }
    return {};
  });
}

gls_status_t gls_partition_open(gls_context_t* ctx, const char* path, gls_partition_t** out,
                                gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(ctx);
    GLS_REQUIRE(path);
    GLS_REQUIRE(out);
    GLS_ASSIGN(auto partition, gls::open_partition(path, gls::links_of(*ctx->impl)));
    *out = new gls_partition{ctx->impl, std::move(partition)};
    return {};
  });
}

void gls_partition_release(gls_partition_t* partition) {
  if (partition != nullptr) {
    const std::shared_ptr<gls::Context> context = partition->context;
    gls::capi::release(partition, *context);
  }
}

gls_status_t gls_partition_get_info(const gls_partition_t* partition, gls_partition_info_t* out,
                                    gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(partition);
    GLS_REQUIRE(out);
    const gls::format::PartitionT& file = partition->impl->file();
    return write_info(
        {0, file.parts, 0, file.graph.c_str(), file.method.c_str(), file.options.c_str(),
         file.whole->node_types.size(), file.whole->edge_types.size()},
        out);
  });
}

gls_status_t gls_partition_get_type_info(const gls_partition_t* partition, int32_t edges,
                                         size_t index, gls_partition_type_info_t* out,
                                         gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(partition);
    GLS_REQUIRE(out);
    const gls::format::ManifestT& whole = partition->impl->whole();
    const size_t count = edges != 0 ? whole.edge_types.size() : whole.node_types.size();
    if (index >= count) {
      return gls::not_found("{} type {} does not exist, there are {}", edges != 0 ? "edge" : "node",
                            index, count)
          .with("argument", "index");
    }
    if (edges == 0) {
      const gls::format::NodeTypeT& type = *whole.node_types[index];
      return write_info({0, type.name.c_str(), nullptr, nullptr, type.count}, out);
    }
    const gls::format::EdgeTypeT& type = *whole.edge_types[index];
    return write_info(
        {0, type.relation.c_str(), type.source.c_str(), type.target.c_str(), type.count}, out);
  });
}

gls_status_t gls_partition_owners(const gls_partition_t* partition, const char* node_type,
                                  const DLTensor* ids, gls_tensor_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(partition);
    GLS_REQUIRE(ids);
    GLS_REQUIRE(out);
    GLS_ASSIGN(const gls::Tensor owners, gls::owners_of_ids(*partition->impl, node_type, *ids));
    *out = owners.export_dlpack();
    return {};
  });
}

gls_status_t gls_partition_merge(const gls_partition_t* partition, const char* path,
                                 const gls_write_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(partition);
    GLS_REQUIRE(path);
    gls_write_options_t given;
    GLS_TRY(read_options(options, "options", &given));
    GLS_TRY(gls::capi::check_reserved(given.reserved));
    if (given.layouts != 0 || given.memory != 0 || given.compact_rows != 0) {
      return gls::error(GLS_ERR_UNSUPPORTED,
                        "merging takes neither layouts, memory nor compact_rows, expected 0")
          .with("argument", "options");
    }
    const gls::MergeOptions merge = {
        given.overwrite != 0, gls::capi::make_progress(given.progress, given.progress_user_data)};
    return gls::merge_parts(partition->context, partition->impl->path(), path, merge);
  });
}

gls_status_t gls_partition_verify(const gls_partition_t* partition,
                                  const gls_verify_options_t* options, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(partition);
    gls_verify_options_t given;
    GLS_TRY(read_options(options, "options", &given));
    return gls::verify_parts(partition->context, partition->impl->path(),
                             gls::capi::make_progress(given.progress, given.progress_user_data));
  });
}

}  // extern "C"
