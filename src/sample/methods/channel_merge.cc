#include "sample/methods/channel_merge.h"

#include <algorithm>

namespace gls {

void ChannelMerge::add(size_t channel, const std::vector<PushedNode>& nodes) {
  for (const PushedNode& near : nodes) {
    found_.push_back({near.node, near.value, near.proximity(), channel});
  }
}

void ChannelMerge::find_candidates() {
  std::sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) {
    if (a.node != b.node) {
      return a.node < b.node;
    }
    return owns_first(a.value, a.channel, b.value, b.channel);
  });
  candidates_.clear();
  for (size_t i = 0; i < found_.size(); ++i) {
    if (i == 0 || found_[i].node != found_[i - 1].node) {
      candidates_.push_back({found_[i].node, found_[i].value, i, i, false});
    }
    candidates_.back().end = i + 1;
  }
  std::sort(candidates_.begin(), candidates_.end(), [](const Candidate& a, const Candidate& b) {
    return comes_first(a.value, a.node, b.value, b.node);
  });
}

void ChannelMerge::choose() {
  left_ = places_;
  size_t left = neighbors_;
  for (Candidate& candidate : candidates_) {
    size_t& places = left_[found_[candidate.begin].channel];
    if (places > 0) {
      --places;
      --left;
      candidate.chosen = true;
    }
  }
  for (size_t i = 0; i < candidates_.size() && left > 0; ++i) {
    if (!candidates_[i].chosen) {
      candidates_[i].chosen = true;
      --left;
    }
  }
}

void ChannelMerge::finish(int64_t local, ImportanceRows* out) {
  find_candidates();
  choose();
  for (const Candidate& candidate : candidates_) {
    if (!candidate.chosen) {
      continue;
    }
    const std::span<float> score = out->add(local, candidate.node, 2 + 3 * places_.size());
    score[0] = static_cast<float>(candidate.value);
    double nearest = 0;
    for (size_t i = candidate.begin; i < candidate.end; ++i) {
      const Found& found = found_[i];
      const std::span<float> of_channel = score.subspan(2 + 3 * found.channel, 3);
      of_channel[0] = static_cast<float>(found.value);
      of_channel[1] = static_cast<float>(found.proximity);
      of_channel[2] = 1;
      nearest = std::max(nearest, found.proximity);
    }
    score[1] = static_cast<float>(nearest);
  }
  found_.clear();
}

}  // namespace gls
