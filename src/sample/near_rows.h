// Neighbours that edges do not say, as they are found: rows that a batch gives local ids to.
#pragma once

#include <cstdint>
#include <vector>

namespace gls {

struct NearRows {
  std::vector<int64_t> seed;  // local ids
  std::vector<int64_t> node;  // dataset ids
  std::vector<float> score;   // two each

  void add(int64_t of, int64_t id, double first, double second) {
    seed.push_back(of);
    node.push_back(id);
    score.push_back(static_cast<float>(first));
    score.push_back(static_cast<float>(second));
  }
  void clear() {
    seed.clear();
    node.clear();
    score.clear();
  }
  int64_t size() const { return static_cast<int64_t>(node.size()); }
};

}  // namespace gls
