// Turns anchors and their labels into seeds: docs/contract.md section 10.
#pragma once

#include <cstdint>
#include <vector>

#include "query/graph_source.h"
#include "query/sampler_options.h"
#include "sample/batch/batch.h"
#include "sample/links/links.h"
#include "sample/pick/pick.h"
#include "sample/plan/supervisions.h"

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
