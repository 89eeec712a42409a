#include "capi/support.h"
#include "format/manifest.h"
#include "graph/unknown_name.h"

namespace gls {
namespace {

constexpr int32_t kLastArray = GLS_BATCH_ANCHOR_MASK;

bool is_node_array(const Batch& batch, int32_t array) {
  switch (array) {
    case GLS_BATCH_NODE:
    case GLS_BATCH_TREE:
    case GLS_BATCH_NUM_NODES:
    case GLS_BATCH_SEED:
    case GLS_BATCH_NODE_COLUMN:
    case GLS_BATCH_SEED_TIME:
    case GLS_BATCH_WALK:
    case GLS_BATCH_WALK_EDGE:
    case GLS_BATCH_NEAR_SEED:
    case GLS_BATCH_NEAR_NODE:
    case GLS_BATCH_NEAR_SCORE:
    case GLS_BATCH_ANCHOR_POSITIVE:
    case GLS_BATCH_ANCHOR_NEGATIVE:
    case GLS_BATCH_NODE_MASK:
    case GLS_BATCH_SEED_MASK:
    case GLS_BATCH_WALK_MASK:
    case GLS_BATCH_NEAR_MASK:
    case GLS_BATCH_ANCHOR_MASK:
      return true;
    case GLS_BATCH_INPUT:
      return !batch.links.has_value();
    default:
      return false;
  }
}

bool is_column(int32_t array) {
  return array == GLS_BATCH_NODE_COLUMN || array == GLS_BATCH_EDGE_COLUMN;
}

Tensor find_link_array(const Batch& batch, int32_t array, size_t type) {
  if (!batch.links.has_value() || batch.links->edge_type != type) {
    return {};
  }
  return array == GLS_BATCH_LINK_SOURCE     ? batch.links->source
         : array == GLS_BATCH_LINK_TARGET   ? batch.links->target
         : array == GLS_BATCH_LINK_NEGATIVE ? batch.links->negative
         : array == GLS_BATCH_LINK_LABEL    ? batch.links->label
         : array == GLS_BATCH_LINK_MASK     ? batch.links->mask
                                            : batch.links->negative_mask;
}

Tensor find_walk_array(const Batch& batch, int32_t array, size_t type) {
  if (!batch.walks.has_value() || batch.walks->node_type != type) {
    return {};
  }
  return array == GLS_BATCH_WALK        ? batch.walks->walk
         : array == GLS_BATCH_WALK_EDGE ? batch.walks->edge
                                        : batch.walks->mask;
}

Tensor find_near_array(const Batch& batch, int32_t array, size_t type) {
  if (batch.near.empty()) {
    return {};
  }
  const SampledNear& near = batch.near[type];
  return array == GLS_BATCH_NEAR_SEED    ? near.seed
         : array == GLS_BATCH_NEAR_NODE  ? near.node
         : array == GLS_BATCH_NEAR_SCORE ? near.score
                                         : near.mask;
}

bool is_label(int32_t array) {
  return array == GLS_BATCH_ANCHOR_POSITIVE || array == GLS_BATCH_ANCHOR_NEGATIVE;
}

// Whether several of one type have names.
bool is_named(int32_t array) { return is_column(array) || is_label(array); }

Tensor find_label_array(const Batch& batch, int32_t array, size_t type, const char* name) {
  const bool negative = array == GLS_BATCH_ANCHOR_NEGATIVE;
  for (const SampledLabels& labels : batch.labels) {
    if (labels.negative == negative && labels.node_type == type && name != nullptr &&
        labels.name == name) {
      return labels.label;
    }
  }
  return {};
}

// Undefined when the batch has no such array.
Tensor find_tensor(const Batch& batch, int32_t array, size_t type, const char* name) {
  switch (array) {
    case GLS_BATCH_NODE:
      return batch.nodes[type].node;
    case GLS_BATCH_TREE:
      return batch.nodes[type].tree;
    case GLS_BATCH_SEED:
      return batch.nodes[type].seed;
    case GLS_BATCH_NUM_NODES:
      return batch.nodes[type].num_nodes;
    case GLS_BATCH_SEED_TIME:
      return batch.nodes[type].seed_time;
    case GLS_BATCH_INPUT:
      return type == batch.input_type ? batch.input : Tensor();
    case GLS_BATCH_ROW:
      return batch.edges[type].row;
    case GLS_BATCH_COL:
      return batch.edges[type].col;
    case GLS_BATCH_EDGE:
      return batch.edges[type].edge;
    case GLS_BATCH_NUM_EDGES:
      return batch.edges[type].num_edges;
    case GLS_BATCH_LINK_SOURCE:
    case GLS_BATCH_LINK_TARGET:
    case GLS_BATCH_LINK_NEGATIVE:
    case GLS_BATCH_LINK_LABEL:
    case GLS_BATCH_LINK_MASK:
    case GLS_BATCH_LINK_NEGATIVE_MASK:
      return find_link_array(batch, array, type);
    case GLS_BATCH_WALK:
    case GLS_BATCH_WALK_EDGE:
    case GLS_BATCH_WALK_MASK:
      return find_walk_array(batch, array, type);
    case GLS_BATCH_NEAR_SEED:
    case GLS_BATCH_NEAR_NODE:
    case GLS_BATCH_NEAR_SCORE:
    case GLS_BATCH_NEAR_MASK:
      return find_near_array(batch, array, type);
    case GLS_BATCH_ANCHOR_POSITIVE:
    case GLS_BATCH_ANCHOR_NEGATIVE:
      return find_label_array(batch, array, type, name);
    case GLS_BATCH_NODE_MASK:
      return batch.nodes[type].mask;
    case GLS_BATCH_SEED_MASK:
      return batch.nodes[type].seed_mask;
    case GLS_BATCH_ANCHOR_MASK:
      return batch.nodes[type].anchor_mask;
    case GLS_BATCH_EDGE_MASK:
      return batch.edges[type].mask;
    default:
      break;
  }
  for (const GatheredColumn& column : batch.columns) {
    if (column.of_nodes == is_node_array(batch, array) && column.type == type && name != nullptr &&
        column.column->name == name) {
      return column.data;
    }
  }
  return {};
}

const Tensor* find_attached(const Batch& batch, const char* name) {
  for (const AttachedArray& array : batch.attached) {
    if (array.name == name) {
      return &array.data;
    }
  }
  return nullptr;
}

// Of an array without a type.
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
                                      "GLS_BATCH_ANCHOR_MASK"};
  return names[array];
}

struct Listed {
  int32_t array;
  size_t type;
  const char* name;         // NULL: it has none
  bool seeds_only = false;  // columns
};

// Calls `visit` for every array of the batch until it returns false.
template <typename Visit>
void for_each_array(const Batch& batch, Visit visit) {
  for (const bool of_nodes : {true, false}) {
    const size_t types = of_nodes ? batch.nodes.size() : batch.edges.size();
    for (size_t t = 0; t < types; ++t) {
      for (int32_t array = GLS_BATCH_NODE; array <= kLastArray; ++array) {
        if (!is_named(array) && is_node_array(batch, array) == of_nodes &&
            find_tensor(batch, array, t, nullptr).defined() && !visit(Listed{array, t, nullptr})) {
          return;
        }
      }
    }
  }
  for (const SampledLabels& labels : batch.labels) {
    if (!visit(Listed{labels.negative ? GLS_BATCH_ANCHOR_NEGATIVE : GLS_BATCH_ANCHOR_POSITIVE,
                      labels.node_type, labels.name.c_str()})) {
      return;
    }
  }
  for (const GatheredColumn& column : batch.columns) {
    if (!visit(Listed{column.of_nodes ? GLS_BATCH_NODE_COLUMN : GLS_BATCH_EDGE_COLUMN, column.type,
                      column.column->name.c_str(), column.seeds_only})) {
      return;
    }
  }
  for (const AttachedArray& attached : batch.attached) {
    if (!visit(Listed{GLS_BATCH_ATTACHED, 0, attached.name.c_str()})) {
      return;
    }
  }
}

// That a batch has no such array; of a column, with those that it has.
Status no_array(const Batch& batch, int32_t array, size_t type, const char* name) {
  const bool of_nodes = is_node_array(batch, array);
  const std::string& type_name =
      of_nodes ? batch.dataset->node_types()[type].name : batch.dataset->edge_types()[type].joined;
  if (name == nullptr) {
    return not_found("the batch has no {} of type \"{}\"", array_name(array), type_name)
        .with("argument", "array")
        .with("type", type_name);
  }
  std::vector<std::string> names;
  for_each_array(batch, [&](const Listed& listed) {
    if (listed.array == array && listed.type == type && listed.name != nullptr) {
      names.emplace_back(listed.name);
    }
    return true;
  });
  Status out = not_found("the batch has no {} \"{}\" of type \"{}\"; it has: {}", array_name(array),
                         name, type_name, known_names(names))
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
      gls::for_each_array(*batch->impl, [&](const gls::Listed&) {
        ++count;
        return true;
      });
      return {};
    });
  }
  return count;
}

gls_status_t gls_batch_array(const gls_batch_t* batch, size_t index, gls_array_info_t* out,
                             gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(batch);
    GLS_REQUIRE(out);
    const gls::Batch& impl = *batch->impl;
    gls_array_info_t info{};
    size_t at = 0;
    bool found = false;
    gls::for_each_array(impl, [&](const gls::Listed& listed) {
      if (at++ != index) {
        return true;
      }
      found = true;
      info.array = listed.array;
      info.name = listed.name;
      if (listed.array == GLS_BATCH_ATTACHED) {
        info.type = "";
        return false;
      }
      const bool of_nodes = gls::is_node_array(impl, listed.array);
      info.type = of_nodes ? impl.dataset->node_types()[listed.type].name.c_str()
                           : impl.dataset->edge_types()[listed.type].joined.c_str();
      if (gls::is_column(listed.array)) {
        info.rows = listed.seeds_only ? GLS_GATHER_SEEDS : GLS_GATHER_ALL;
      }
      return false;
    });
    if (!found) {
      return gls::not_found("array {} does not exist, the batch has {}", index, at)
          .with("argument", "index");
    }
    return write_info(info, out);
  });
}

gls_status_t gls_batch_tensor(const gls_batch_t* batch, int32_t array, const char* type,
                              const char* name, gls_tensor_t** out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(batch);
    GLS_REQUIRE(out);
    const gls::Batch& impl = *batch->impl;
    GLS_TRY(gls::capi::check_enum(array, gls::kLastArray, "array"));
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
    const gls::Tensor tensor = gls::find_tensor(impl, array, index, name);
    if (!tensor.defined()) {
      return gls::no_array(impl, array, index, name);
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
    attached.reserve(attached.size() + 1);  // what may fail comes before
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
