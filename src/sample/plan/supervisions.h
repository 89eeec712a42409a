// Supervisions, which name the labels of anchors, and labels that come with a request: checks and
// look-ups. See docs/contract.md section 10.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "query/sampler_options.h"

namespace gls {

// Whether each edge type is sampled; false if a supervision uses it for labels only.
std::vector<bool> followed_types(const Dataset& dataset, const SamplerOptions& options);
// The source type of the supervisions' edge types; not set: any type.
std::optional<size_t> anchor_type(const Dataset& dataset, const SamplerOptions& options);
// Checks the supervisions of a new sampler.
Status check_supervisions(const Dataset& dataset, const SamplerOptions& options);
// Row `index` of labels that were given and checked.
IdSpan label_row(const Tensor& labels, int64_t index);
// Checks that the ids of given labels, if any, are nodes of their type or -1.
Status check_label_ids(const Dataset& dataset, const Supervision& supervision, const Tensor& labels,
                       const char* argument);
// Checks the labels that come with `count` anchors, as `argument`, without reading their ids.
// `found`: edge types have labels, too.
Status check_given_labels(const SamplerOptions& options, const std::vector<Tensor>& labels,
                          int64_t count, const char* argument, bool found = false);

}  // namespace gls
