// Chooses among the neighbours that channels found, with a quota for each channel: docs/contract.md
// section 9.
#pragma once

#include <cstdint>
#include <vector>

#include "sample/methods/forward_push.h"
#include "sample/methods/importance_rows.h"

namespace gls {

// Merges one seed at a time, among the nodes of one type.
class ChannelMerge {
 public:
  // `places` are the quotas of channels, `neighbors` the total.
  ChannelMerge(std::vector<size_t> places, size_t neighbors)
      : places_(std::move(places)), neighbors_(neighbors) {}

  void add(size_t channel, const std::vector<PushedNode>& nodes);
  // Appends the rows of the seed with this local id, and clears the candidates.
  void finish(int64_t local, ImportanceRows* out);

 private:
  struct Found {
    int64_t node;
    double value;
    double proximity;
    size_t channel;
  };
  // A node, and the range in found_ of its channels, the channel it belongs to first.
  struct Candidate {
    int64_t node;
    double value;
    size_t begin;
    size_t end;
    bool chosen;
  };

  void find_candidates();
  void choose();

  std::vector<size_t> places_;
  size_t neighbors_;
  std::vector<Found> found_;
  std::vector<Candidate> candidates_;
  std::vector<size_t> left_;  // remaining quotas, by channel
};

}  // namespace gls
