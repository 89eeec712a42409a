// Seeds of a loader of one type: nodes, or links of one edge type, with what belongs to each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sample/sampler.h"

namespace gls {

class SeedList {
 public:
  // Undefined members have defaults. ids: all nodes or edges of the type; times, for temporal
  // samplers: the nodes' own; labels: none.
  struct Given {
    bool links = false;
    size_t type = 0;                    // node type or edge type
    Tensor ids;                         // [n]; for links also [2, n], sources and targets
    Tensor times;                       // [n]
    Tensor labels;                      // [n, ...], links only
    std::vector<Tensor> anchor_labels;  // [n, m] by supervision; undefined: from its edge type
  };
  static Result<SeedList> create(const Sampler& sampler, Given given);

  const Given& given() const { return given_; }
  int64_t size() const { return size_; }
  bool of_links() const { return given_.links; }
  size_t type() const { return given_.type; }
  const std::string& type_name() const { return *type_name_; }
  bool pairs() const { return given_.ids.defined() && given_.ids.shape().size() == 2; }
  // The node at a position, or the edge if links are not given as pairs.
  int64_t id(int64_t position) const { return given_.ids.defined() ? row(0)[position] : position; }
  // A text that identifies the list of ids and times, independent of their width.
  std::string checksum() const;

  // A copy of some seeds, which one request views.
  struct Chosen {
    std::vector<int64_t> ids;
    std::vector<int64_t> times;
    std::vector<std::byte> labels;
    std::vector<std::vector<int64_t>> anchor_labels;
  };
  // The width of the labels given for anchors, by supervision; 0 for other supervisions.
  std::vector<int64_t> label_widths() const;
  // Adds them to the request.
  void choose(std::span<const int64_t> positions, Chosen* chosen, SampleRequest* request) const;

 private:
  void choose_labels(std::span<const int64_t> positions, Chosen* chosen,
                     SampleRequest* request) const;
  Status check_anchors(const Sampler& sampler) const;
  Status check_kind(const Sampler& sampler) const;
  Status check_ids(const Dataset& dataset) const;
  Status check_times(const Sampler& sampler);
  Status fetch_times(const GraphSource& source, const Dataset& dataset, const Column& column);
  // Row 0; row 1 only for pairs.
  IdSpan row(int64_t index) const;

  Given given_;
  int64_t size_ = 0;
  int64_t limit_ = 0;  // number of nodes or edges of the type
  const std::string* type_name_ = nullptr;
  bool timed_ = false;
  IntegerColumn own_times_;      // of the nodes, if no times are given
  IntegerColumn times_by_seed_;  // the same, for a remote graph
};

}  // namespace gls
