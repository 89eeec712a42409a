// Neighbours that no edges represent, as rows whose nodes later get local ids in a batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace gls {

struct ImportanceRows {
  std::vector<int64_t> seed;  // local ids
  std::vector<int64_t> node;  // dataset ids
  std::vector<float> score;   // the same number of columns each

  // The columns of a new row's score, all 0; valid until the next call.
  std::span<float> add(int64_t of, int64_t id, size_t columns) {
    seed.push_back(of);
    node.push_back(id);
    score.resize(score.size() + columns);
    return std::span(score).last(columns);
  }
  void add(int64_t of, int64_t id, double first, double second) {
    const std::span<float> columns = add(of, id, size_t{2});
    columns[0] = static_cast<float>(first);
    columns[1] = static_cast<float>(second);
  }
  void clear() {
    seed.clear();
    node.clear();
    score.clear();
  }
  int64_t size() const { return static_cast<int64_t>(node.size()); }
};

}  // namespace gls
