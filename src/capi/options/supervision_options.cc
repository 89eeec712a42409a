#include "capi/options/supervision_options.h"

#include "capi/support/support.h"

namespace gls::capi {
namespace {

Status bad(size_t index, std::string text) {
  return Status(GLS_ERR_INVALID_ARGUMENT, formatted("supervisions: entry {} {}", index, text))
      .with("argument", "supervisions");
}

Status read_types(const Dataset& dataset, const gls_supervision_t& given, size_t index,
                  Supervision* out) {
  const auto named = [&](Status status) {
    return std::move(status)
        .prefixed(formatted("supervisions: entry {}: ", index))
        .with("argument", "supervisions");
  };
  if (given.edge_type == nullptr) {
    Result<size_t> type = dataset.node_type_index(given.node_type);
    if (!type.ok()) {
      return named(std::move(type.status()));
    }
    out->node_type = *type;
    if (given.name == nullptr || given.name[0] == '\0') {
      return bad(index, "has neither edge_type nor name");
    }
    if (out->sampled) {
      return bad(index, "has GLS_SUPERVISION_SAMPLED, but no edge_type");
    }
    if (given.max_labels != 0) {
      return bad(index, "has max_labels, but no edge_type; labels that are given are all used");
    }
    out->name = given.name;
    return {};
  }
  if (given.node_type != nullptr) {
    return bad(index,
               formatted("has node_type \"{}\" and edge_type \"{}\"; expected one of the two",
                         given.node_type, given.edge_type));
  }
  Result<size_t> type = dataset.edge_type_index(given.edge_type);
  if (!type.ok()) {
    return named(std::move(type.status()));
  }
  out->edge_type = *type;
  out->node_type = dataset.edge_types()[*type].target;
  out->name = given.name != nullptr ? given.name : dataset.edge_types()[*type].joined;
  return {};
}

}  // namespace

Result<std::vector<Supervision>> read_supervisions(const Dataset& dataset,
                                                   const gls_supervision_t* given, size_t count) {
  std::vector<Supervision> out;
  if (count > 0 && given == nullptr) {
    return null_argument("supervisions");
  }
  for (size_t i = 0; i < count; ++i) {
    Supervision read;
    GLS_TRY(check_enum(given[i].role, GLS_LABEL_NEGATIVE, "role"));
    GLS_TRY(check_flags(given[i].flags, GLS_SUPERVISION_SAMPLED, "flags"));
    GLS_TRY(check_reserved(given[i].reserved));
    read.negative = given[i].role == GLS_LABEL_NEGATIVE;
    read.sampled = (given[i].flags & GLS_SUPERVISION_SAMPLED) != 0;
    read.max_labels = given[i].max_labels;
    GLS_TRY(read_types(dataset, given[i], i, &read));
    out.push_back(std::move(read));
  }
  return out;
}

Status check_label_count(size_t given, size_t supervisions, const char* argument) {
  if (given != 0 && given != supervisions) {
    return invalid("{}: {} are given for {} supervisions", argument, given, supervisions)
        .with("argument", argument);
  }
  return {};
}

Result<std::vector<Tensor>> read_labels(const DLTensor* const* given, size_t count,
                                        size_t supervisions) {
  GLS_TRY(check_label_count(count, supervisions, "labels"));
  std::vector<Tensor> out(count);
  if (count > 0 && given == nullptr) {
    return null_argument("labels");
  }
  for (size_t i = 0; i < count; ++i) {
    if (given[i] != nullptr) {
      GLS_ASSIGN(out[i], Tensor::borrow(*given[i], "labels"));
    }
  }
  return out;
}

}  // namespace gls::capi
