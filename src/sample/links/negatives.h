// Negatives for links: pairs of nodes that are drawn. docs/contract.md section 5.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/dataset/dataset.h"
#include "sample/links/seed_distribution.h"
#include "sample/pick/options.h"

namespace gls {

// degree^(quarters / 4), by multiplications and square roots alone, which every machine rounds
// alike.
double degree_power(int64_t degree, uint32_t quarters);

// How many pairs belong to so many links; in triplets, per link.
int64_t negatives_of(const NegativeOptions& options, int64_t links);

// Pairs that were drawn; of triplets, targets alone. -1 where none was found.
struct DrawnNegatives {
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
};

class NegativeSampler {
 public:
  static Result<std::shared_ptr<const NegativeSampler>> create(
      std::shared_ptr<const Dataset> dataset, size_t edge_type, const NegativeOptions& options);

  // Of links with these sources. What strict ones look at in the rows of a graph that is here, in
  // neighbours, is added to `looked_at` if it is not NULL.
  Result<DrawnNegatives> draw(uint64_t key, std::span<const int64_t> sources,
                              int64_t* looked_at = nullptr) const;

  // For those that draw elsewhere. How many there are of so many links:
  int64_t wanted(int64_t links) const;
  // Whether there is a node to draw at each end.
  bool possible() const;
  // Views what is in here; where it is possible.
  device::NegativeDraws draws(uint64_t key) const;
  // That there is none for a number, the first of these.
  Status none_found(int64_t number, std::span<const int64_t> sources) const;

 private:
  NegativeSampler(std::shared_ptr<const Dataset> dataset, size_t edge_type,
                  const NegativeOptions& options, Distribution sources, Distribution targets);
  bool of_pairs() const { return options_.mode == NegativeMode::kBinary; }
  Result<std::vector<uint8_t>> are_edges(const DrawnNegatives& pairs, int64_t* looked_at) const;
  Status draw_rounds(const device::NegativeDraws& draws, std::span<const int64_t> sources,
                     std::vector<size_t>* open, DrawnNegatives* out, int64_t* looked_at) const;

  std::shared_ptr<const Dataset> dataset_;
  size_t edge_type_;
  const EdgeType& type_;
  NegativeOptions options_;
  uint32_t row_word_;
  Distribution sources_;
  Distribution targets_;
};

}  // namespace gls
