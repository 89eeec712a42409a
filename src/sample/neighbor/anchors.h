// Anchors and their labels as seeds: docs/contract.md section 10.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sample/batch/batch.h"
#include "sample/links/links.h"
#include "sample/pick/options.h"
#include "sample/pick/pick.h"
#include "sample/source/graph_source.h"

namespace gls {

// The seeds that anchors stand for.
struct AnchorSeeds {
  // Of one supervision: a row of each anchor.
  struct Labels {
    size_t node_type = 0;
    int64_t width = 0;
    std::vector<int64_t> places;  // in the list of their type; -1: there is none
  };
  std::vector<LinkSeeds::List> lists;  // the anchors first; each node type at most once
  std::vector<Labels> labels;          // by supervision
  std::vector<EdgeSet> exclude;        // edges to labels that are not to be sampled
  int64_t num_anchors = 0;
};

// Whether each edge type is followed: not if a supervision has it for labels only.
std::vector<bool> followed_types(const Dataset& dataset, const SamplerOptions& options);
// Type that edge types of supervisions begin at; none: any.
std::optional<size_t> anchor_type(const Dataset& dataset, const SamplerOptions& options);
// Of a sampler that is being made.
Status check_supervisions(const Dataset& dataset, const SamplerOptions& options);
// Row `index` of labels that were given and checked.
IdSpan label_row(const Tensor& labels, int64_t index);
// Whether the ids of labels that are given, if they are, are nodes of their type or -1.
Status check_label_ids(const Dataset& dataset, const Supervision& supervision, const Tensor& labels,
                       const char* argument);
// Labels that come with `count` anchors, as `argument`; their ids are not read. `found`: also those
// of edge types.
Status check_given_labels(const SamplerOptions& options, const std::vector<Tensor>& labels,
                          int64_t count, const char* argument, bool found = false);

// Errors name the first anchor or label that is out of range.
Result<AnchorSeeds> seeds_of_anchors(const Dataset& dataset, const SamplerOptions& options,
                                     const SampleRequest& request, uint64_t batch_key,
                                     RowPicker& picker);

// Where the graph is elsewhere: the labels of its edge types, beside those that were given, and the
// edges to them that are not to be sampled. `rows` gives whole rows of the layout CSR.
struct FoundLabels {
  std::vector<Tensor> labels;  // by supervision
  std::vector<EdgeSet> exclude;
};
Result<FoundLabels> find_labels(const Dataset& dataset, const SamplerOptions& options,
                                const SampleRequest& request, const HopSource& rows);

// `local`: of each supervision, the local ids at the places of its labels.
std::vector<SampledLabels> label_arrays(const SamplerOptions& options, const AnchorSeeds& seeds,
                                        const std::vector<Tensor>& local);

}  // namespace gls
