// The negative samplers of a dataset by edge type. Each is made when links of its type are first
// seeds.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "sample/links/negatives.h"

namespace gls {

class NegativeSamplers {
 public:
  NegativeSamplers(std::shared_ptr<const Dataset> dataset, NegativeOptions options,
                   NegativeTime time);

  // Any number of threads may call it at once.
  Result<std::shared_ptr<const NegativeSampler>> get(size_t edge_type) const;

 private:
  const std::shared_ptr<const Dataset> dataset_;
  const NegativeOptions options_;
  const NegativeTime time_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const NegativeSampler>> made_;  // by edge type
};

}  // namespace gls
