#include "capi/support/support.h"
#include "format/manifest.h"
#include "graph/dataset/unknown_name.h"
#include "sample/batch/batch_arrays.h"

namespace gls {
namespace {

const Tensor* find_attached(const Batch& batch, const char* name) {
  for (const AttachedArray& array : batch.attached) {
    if (array.name == name) {
      return &array.data;
    }
  }
  return nullptr;
}

// For an array without a type.
Status export_attached(const Batch& batch, const char* type, const char* name, gls_tensor_t** out) {
  if (type != nullptr && *type != '\0') {
    return invalid("type is \"{}\", but attached arrays have none", type).with("argument", "type");
  }
  if (name == nullptr) {
    return invalid("name is NULL, but the array is GLS_BATCH_ATTACHED").with("argument", "name");
  }
  const Tensor* const tensor = find_attached(batch, name);
  if (tensor == nullptr) {
    std::vector<std::string> names;
    names.reserve(batch.attached.size());
    for (const AttachedArray& array : batch.attached) {
      names.push_back(array.name);
    }
    return not_found("the batch has no attached array \"{}\"; it has: {}", name, known_names(names))
        .with("argument", "name");
  }
  *out = tensor->export_dlpack();
  return {};
}

const char* array_name(int32_t array) {
  static const char* const names[] = {"GLS_BATCH_NODE",
                                      "GLS_BATCH_ROW",
                                      "GLS_BATCH_COL",
                                      "GLS_BATCH_EDGE",
                                      "GLS_BATCH_TREE",
                                      "GLS_BATCH_NUM_NODES",
                                      "GLS_BATCH_NUM_EDGES",
                                      "GLS_BATCH_SEED",
                                      "GLS_BATCH_INPUT",
                                      "GLS_BATCH_NODE_COLUMN",
                                      "GLS_BATCH_EDGE_COLUMN",
                                      "GLS_BATCH_SEED_TIME",
                                      "GLS_BATCH_LINK_SOURCE",
                                      "GLS_BATCH_LINK_TARGET",
                                      "GLS_BATCH_LINK_NEGATIVE",
                                      "GLS_BATCH_LINK_LABEL",
                                      "GLS_BATCH_WALK",
                                      "GLS_BATCH_WALK_EDGE",
                                      "GLS_BATCH_NEAR_SEED",
                                      "GLS_BATCH_NEAR_NODE",
                                      "GLS_BATCH_NEAR_SCORE",
                                      "GLS_BATCH_ANCHOR_POSITIVE",
                                      "GLS_BATCH_ANCHOR_NEGATIVE",
                                      "GLS_BATCH_ATTACHED",
                                      "GLS_BATCH_NODE_MASK",
                                      "GLS_BATCH_EDGE_MASK",
                                      "GLS_BATCH_SEED_MASK",
                                      "GLS_BATCH_LINK_MASK",
                                      "GLS_BATCH_LINK_NEGATIVE_MASK",
                                      "GLS_BATCH_WALK_MASK",
                                      "GLS_BATCH_NEAR_MASK",
                                      "GLS_BATCH_ANCHOR_MASK",
                                      "GLS_BATCH_EDGE_INDEX"};
  return names[array];
}

// The error that a batch has no such array; for a column, it lists the batch's columns.
Status no_array(const gls_batch_t& batch, int32_t array, size_t type, const char* name) {
  const Batch& impl = *batch.impl;
  const std::string& type_name = is_node_array(impl, array)
                                     ? impl.dataset->node_types()[type].name
                                     : impl.dataset->edge_types()[type].joined;
  if (name == nullptr) {
    return not_found("the batch has no {} of type \"{}\"", array_name(array), type_name)
        .with("argument", "array")
        .with("type", type_name);
  }
  std::vector<std::string> names;
  const BatchArrays& arrays = batch.arrays.of(impl);
  for (size_t i = 0; i < arrays.size(); ++i) {
    const ListedArray listed = arrays.at(i);
    if (listed.array == array && listed.type == type && listed.name != nullptr) {
      names.emplace_back(listed.name);
    }
  }
  Status out = not_found("the batch has no {} \"{}\" of type \"{}\"; it has: {}", array_name(array),
                         name, type_name, known_names(names, name))
                   .with("argument", "array")
                   .with("type", type_name);
  return is_column(array) ? std::move(out).with("column", name) : std::move(out);
}

}  // namespace
}  // namespace gls

using gls::Status;
using gls::capi::guard;
using gls::capi::write_info;

extern "C" {

gls_status_t gls_batch_get_info(const gls_batch_t* batch, gls_batch_info_t* out,
                                gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(batch);
    GLS_REQUIRE(out);
    const gls::Batch& impl = *batch->impl;
    return write_info({0, impl.epoch, impl.number, impl.num_hops, impl.bytes(), impl.sample_ns,
                       impl.gather_ns, static_cast<int32_t>(impl.padding), 0},
                      out);
  });
}

size_t gls_batch_num_arrays(const gls_batch_t* batch) {
  size_t count = 0;
  if (batch != nullptr) {
    guard(nullptr, [&]() -> Status {
      count = batch->arrays.of(*batch->impl).size();
      return {};
    });
  }
  return count;
}

gls_status_t gls_batch_get_array_info(const gls_batch_t* batch, size_t index, gls_array_info_t* out,
                                      gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(batch);
    GLS_REQUIRE(out);
    const gls::Batch& impl = *batch->impl;
    const gls::BatchArrays& arrays = batch->arrays.of(impl);
    if (index >= arrays.size()) {
      return gls::not_found("array {} does not exist, the batch has {}", index, arrays.size())
          .with("argument", "index");
    }
    const gls::ListedArray listed = arrays.at(index);
    gls_array_info_t info{};
    info.array = listed.array;
    info.name = listed.name;
    if (listed.array == GLS_BATCH_ATTACHED) {
      info.type = "";
      return write_info(info, out);
    }
    info.type = gls::is_node_array(impl, listed.array)
                    ? impl.dataset->node_types()[listed.type].name.c_str()
                    : impl.dataset->edge_types()[listed.type].joined.c_str();
    if (gls::is_column(listed.array)) {
      info.rows = listed.seeds_only ? GLS_GATHER_SEEDS : GLS_GATHER_ALL;
    }
    return write_info(info, out);
  });
}

gls_status_t gls_batch_tensor(const gls_batch_t* batch, gls_batch_array_t array, const char* type,
                              const char* name, gls_tensor_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(batch);
    GLS_REQUIRE(out);
    const gls::Batch& impl = *batch->impl;
    GLS_TRY(gls::capi::check_enum(array, gls::kLastBatchArray, "array"));
    if (array == GLS_BATCH_ATTACHED) {
      return gls::export_attached(impl, type, name, out);
    }
    size_t index = 0;
    if (gls::is_node_array(impl, array)) {
      GLS_ASSIGN(index, impl.dataset->node_type_index(type));
    } else {
      GLS_ASSIGN(index, impl.dataset->edge_type_index(type));
    }
    const bool named = gls::is_named(array);
    if (named != (name != nullptr)) {
      return gls::invalid("name is {}, but the array is {}", named ? "NULL" : name,
                          gls::array_name(array))
          .with("argument", "name");
    }
    const gls::Tensor tensor = gls::is_column(array)
                                   ? batch->arrays.column(impl, array, index, name)
                                   : gls::find_batch_array(impl, array, index, name);
    if (!tensor.defined()) {
      return gls::no_array(*batch, array, index, name);
    }
    *out = tensor.export_dlpack();
    return {};
  });
}

gls_status_t gls_batch_attach(gls_batch_t* batch, const char* name, gls_tensor_t* tensor,
                              gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(batch);
    GLS_REQUIRE(name);
    GLS_REQUIRE(tensor);
    gls::AttachedArray array;
    gls::capi::Taken taken;
    GLS_TRY(taken.add(tensor, "tensor", &array.data));
    if (batch->open == nullptr) {
      return gls::error(GLS_ERR_INVALID_STATE,
                        "the batch was handed out; only its transform can attach arrays");
    }
    array.name = name;
    GLS_TRY(gls::check_name(array.name, "attached array"));
    if (gls::find_attached(*batch->open, name) != nullptr) {
      return gls::error(GLS_ERR_ALREADY_EXISTS, "\"{}\" was attached before", name)
          .with("argument", "name");
    }
    std::vector<gls::AttachedArray>& attached = batch->open->attached;
    attached.reserve(attached.size() + 1);  // operations that may fail come before
    Status kept = taken.keep_if({});
    attached.push_back(std::move(array));
    return kept;
  });
}

void gls_batch_release(gls_batch_t* batch) {
  if (batch != nullptr && batch->open == nullptr) {
    const std::shared_ptr<gls::Context> context = batch->impl->dataset->context();
    gls::capi::release(batch, *context);
  }
}

}  // extern "C"
