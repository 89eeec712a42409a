// Draws negatives for links: pairs of nodes, docs/contract.md section 5.
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

// degree^(quarters / 4), computed with multiplications and square roots only, which every machine
// rounds equally.
double degree_power(int64_t degree, uint32_t quarters);

// The number of negative pairs for this many links; per link for triplets.
int64_t negatives_of(const NegativeOptions& options, int64_t links);

// The drawn pairs; only targets for triplets. -1 where none was found.
struct DrawnNegatives {
  std::vector<int64_t> sources;
  std::vector<int64_t> targets;
};

class NegativeSampler {
 public:
  static Result<std::shared_ptr<const NegativeSampler>> create(
      std::shared_ptr<const Dataset> dataset, size_t edge_type, const NegativeOptions& options);

  // Draws for links with these sources. If `looked_at` is not NULL, it is increased by the
  // neighbours that strict negatives read in a local graph.
  Result<DrawnNegatives> draw(uint64_t key, std::span<const int64_t> sources,
                              int64_t* looked_at = nullptr) const;

  // For code that draws on a device or a server. The number of negatives for this many links:
  int64_t wanted(int64_t links) const;
  // Whether each end has a node to draw.
  bool possible() const;
  // Views data of this object; only if possible().
  device::NegativeDraws draws(uint64_t key) const;
  // The error that no negative exists, for the first of these numbers.
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
