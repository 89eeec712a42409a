// Turns anchors and their labels into seeds: docs/contract.md section 10.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "query/graph_source.h"
#include "query/sampler_options.h"
#include "sample/batch/batch.h"
#include "sample/links/links.h"
#include "sample/pick/pick.h"

namespace gls {

// The seeds of some anchors.
struct AnchorSeeds {
  // Labels of one supervision, with one row for each anchor.
  struct Labels {
    size_t node_type = 0;
    int64_t width = 0;
    std::vector<int64_t> places;  // positions in the list of their type; -1: no label
  };
  std::vector<LinkSeeds::List> lists;  // the anchors first; each node type at most once
  std::vector<Labels> labels;          // by supervision
  std::vector<EdgeSet> exclude;        // edges to labels, which must not be sampled
  int64_t num_anchors = 0;
};

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

// An error names the first anchor or label that is out of range.
Result<AnchorSeeds> seeds_of_anchors(const Dataset& dataset, const SamplerOptions& options,
                                     const SampleRequest& request, uint64_t batch_key,
                                     RowPicker& picker);

// For a remote graph: the labels of its edge types, in addition to given labels, and the edges to
// them, which must not be sampled. `rows` returns whole rows of the layout CSR.
struct FoundLabels {
  std::vector<Tensor> labels;  // by supervision
  std::vector<EdgeSet> exclude;
};
Result<FoundLabels> find_labels(const Dataset& dataset, const SamplerOptions& options,
                                const SampleRequest& request, const HopSource& rows);

// `local`: for each supervision, the local ids at the positions of its labels.
std::vector<SampledLabels> label_arrays(const SamplerOptions& options, const AnchorSeeds& seeds,
                                        const std::vector<Tensor>& local);

}  // namespace gls
