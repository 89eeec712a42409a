#include "sample/plan/supervisions.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace gls {
namespace {

constexpr int64_t kMaxLabels = int64_t{1} << 28;
constexpr size_t kMaxSupervisions = 1u << 16;

}  // namespace

std::vector<bool> followed_types(const Dataset& dataset, const SamplerOptions& options) {
  std::vector<bool> out(dataset.edge_types().size(), true);
  for (const Supervision& supervision : options.supervisions) {
    if (supervision.edge_type.has_value() && !supervision.sampled) {
      out[*supervision.edge_type] = false;
    }
  }
  return out;
}

std::optional<size_t> anchor_type(const Dataset& dataset, const SamplerOptions& options) {
  for (const Supervision& supervision : options.supervisions) {
    if (supervision.edge_type.has_value()) {
      return dataset.edge_types()[*supervision.edge_type].source;
    }
  }
  return std::nullopt;
}

Status check_supervisions(const Dataset& dataset, const SamplerOptions& options) {
  const auto bad = [](const std::string& text) {
    return Status(GLS_ERR_INVALID_ARGUMENT, "supervisions: " + text)
        .with("argument", "supervisions");
  };
  const std::vector<Supervision>& all = options.supervisions;
  if (all.empty()) {
    return {};
  }
  if (all.size() > kMaxSupervisions) {
    return bad(formatted("{} are given, expected at most {}", all.size(), kMaxSupervisions));
  }
  if (options.negatives.mode != NegativeMode::kNone) {
    return bad("given, and negatives, too, which are for links");
  }
  const std::optional<size_t> anchors = anchor_type(dataset, options);
  std::set<std::pair<std::string_view, bool>> seen;  // there may be many supervisions
  for (const Supervision& one : all) {
    if (!seen.emplace(one.name, one.negative).second) {
      return bad(formatted("\"{}\" is given twice with one role", one.name));
    }
    if (one.max_labels < 0 || one.max_labels > kMaxLabels) {
      return bad(formatted("max_labels of \"{}\" is {}, expected 0 to {}", one.name, one.max_labels,
                           kMaxLabels));
    }
    if (!one.edge_type.has_value()) {
      continue;
    }
    const EdgeType& type = dataset.edge_types()[*one.edge_type];
    if (one.node_type != type.target) {
      return bad(formatted("labels of \"{}\" are of type \"{}\", but \"{}\" leads to \"{}\"",
                           one.name, dataset.node_types()[one.node_type].name, type.joined,
                           dataset.node_types()[type.target].name));
    }
    if (type.source != *anchors) {
      return bad(
          formatted("\"{}\" begins at type \"{}\", the first at \"{}\"; anchors are of one "
                    "type",
                    type.joined, dataset.node_types()[type.source].name,
                    dataset.node_types()[*anchors].name));
    }
    if (!type.stores(Layout::kCsr)) {
      return error(GLS_ERR_UNSUPPORTED,
                   "supervisions: labels need the csr of edge type \"{}\", which is not stored; "
                   "import the dataset with that layout",
                   type.joined)
          .with("argument", "supervisions");
    }
  }
  return {};
}

IdSpan label_row(const Tensor& labels, int64_t index) {
  return {labels.data() + index * labels.row_stride(), same_dtype(labels.dtype(), kInt64),
          labels.shape()[1]};
}

Status check_label_ids(const Dataset& dataset, const Supervision& supervision, const Tensor& labels,
                       const char* argument) {
  const NodeType& type = dataset.node_types()[supervision.node_type];
  for (int64_t i = 0; labels.defined() && i < labels.rows(); ++i) {
    const IdSpan row = label_row(labels, i);
    for (int64_t j = 0; j < row.size(); ++j) {
      if (row[j] < -1 || row[j] >= type.count) {
        return invalid(
                   "{}: node {} in row {} of supervision \"{}\" is outside 0 .. {} of type \"{}\", "
                   "and "
                   "not -1",
                   argument, row[j], i, supervision.name, type.count - 1, type.name)
            .with("argument", argument);
      }
    }
  }
  return {};
}

Status check_given_labels(const SamplerOptions& options, const std::vector<Tensor>& labels,
                          int64_t count, const char* argument, bool found) {
  const auto bad = [&](std::string text) {
    return Status(GLS_ERR_INVALID_ARGUMENT, formatted("{}: {}", argument, text))
        .with("argument", argument);
  };
  const std::vector<Supervision>& all = options.supervisions;
  if (!labels.empty() && labels.size() != all.size()) {
    return bad(formatted("{} are given for {} supervisions", labels.size(), all.size()));
  }
  for (size_t s = 0; s < all.size(); ++s) {
    const bool given = s < labels.size() && labels[s].defined();
    if (given == (all[s].edge_type.has_value() && !found)) {
      return bad(formatted("supervision \"{}\" {}", all[s].name,
                           given ? "finds its labels in an edge type, but some are given"
                                 : "has no edge type, and no labels are given"));
    }
    if (!given) {
      continue;
    }
    const std::vector<int64_t>& shape = labels[s].shape();
    if (shape.size() != 2 || shape[0] != count) {
      return bad(formatted("shape {} for {} anchors of supervision \"{}\", expected a row for each",
                           shape_text(shape), count, all[s].name));
    }
    const Tensor row(nullptr, labels[s].data(), labels[s].dtype(), {shape[1]});
    // Checks that the values are integers.
    GLS_ASSIGN(const IdSpan checked, IdSpan::of(row, argument));
    static_cast<void>(checked);
  }
  return {};
}

}  // namespace gls
