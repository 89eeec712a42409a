// The seeds of a loader: of one type, or of several types in one order: docs/contract.md section 4,
// "Seeds of several types".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loader/seeds/seed_list.h"
#include "sample/batch/batch.h"
#include "sample/sampler.h"
#include "system/memory.h"

namespace gls {

class SeedSets {
 public:
  // Sets of different types, all of nodes or all of links; they are put in the order of their
  // types.
  static Result<SeedSets> create(const Sampler& sampler, std::vector<SeedList::Given> given);

  size_t count() const { return sets_.size(); }
  const SeedList& operator[](size_t set) const { return sets_[set]; }
  bool of_links() const { return sets_[0].of_links(); }
  // Of all sets together: positions are those of the first set, then of the next, and so on.
  int64_t size() const { return begins_.back(); }
  // Texts that tell one list of types, and one list of seeds, from another.
  std::string type_names() const;
  std::string checksum() const;

  // Some of the seeds, copied, for one request that views them.
  using Chosen = std::vector<SeedList::Chosen>;
  // `inputs`: the positions of each set in its own list, in the order given.
  void choose(std::span<const int64_t> positions, BufferPool& pool, Chosen* chosen,
              SampleRequest* request, std::vector<SampledInput>* inputs) const;

 private:
  std::vector<SeedList> sets_;
  std::vector<int64_t> begins_;  // of each set, and the number of all
};

}  // namespace gls
