// Negatives for links: pairs of nodes that are drawn. docs/contract.md section 5.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/dataset.h"
#include "sample/distribution.h"
#include "sample/options.h"

namespace gls {

// degree^(quarters / 4), by multiplications and square roots alone, which every machine rounds
// alike.
double degree_power(int64_t degree, uint32_t quarters);

// How many pairs belong to so many links; in triplets, per link.
int64_t negatives_of(const NegativeOptions& options, int64_t links);

class NegativeSampler {
 public:
  static Result<std::shared_ptr<const NegativeSampler>> create(
      std::shared_ptr<const Dataset> dataset, size_t edge_type, const NegativeOptions& options);

  int64_t amount(int64_t links) const { return negatives_of(options_, links); }
  // amount(links) pairs, -1 and -1 where none was found. What strict ones look at in the rows of a
  // graph that is here, in neighbours, is added to `looked_at` if it is not NULL.
  Status binary(uint64_t key, int64_t links, std::vector<int64_t>* sources,
                std::vector<int64_t>* targets, int64_t* looked_at = nullptr) const;
  // Triplets: amount(.) targets for each source, -1 where none was found.
  Status triplets(uint64_t key, std::span<const int64_t> sources, std::vector<int64_t>* targets,
                  int64_t* looked_at = nullptr) const;

 private:
  NegativeSampler(std::shared_ptr<const Dataset> dataset, size_t edge_type,
                  const NegativeOptions& options, Distribution sources, Distribution targets);
  Status none_found(const std::string& what) const;
  Result<std::vector<uint8_t>> are_edges(const std::vector<int64_t>& sources,
                                         const std::vector<int64_t>& targets,
                                         int64_t* looked_at) const;
  template <typename Draw, typename Found>
  Result<std::vector<size_t>> draw_rounds(size_t count, const Draw& draw, const Found& found,
                                          int64_t* looked_at) const;

  std::shared_ptr<const Dataset> dataset_;
  size_t edge_type_;
  const EdgeType& type_;
  NegativeOptions options_;
  uint32_t row_word_;
  Distribution sources_;
  Distribution targets_;
};

}  // namespace gls
