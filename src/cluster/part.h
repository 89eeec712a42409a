// One part of a graph, wherever it is: in this process (local_part.h) or served by another.
#pragma once

#include <memory>

#include "sample/graph_source.h"

namespace gls {

class PartSampler {
 public:
  virtual ~PartSampler() = default;
  // As HopSource::ask(), of nodes that are all owned by this part. There is a count for each node
  // and as many picks as they say, of the dtypes that the sampler's options mean.
  virtual Later<HopPicks> ask(const HopQuestion& question) const = 0;
};

class Part {
 public:
  virtual ~Part() = default;
  virtual Result<std::shared_ptr<const PartSampler>> open_sampler(
      const SamplerOptions& options) const = 0;
  // As gather(), of ids that are all owned by this part: [ids, ...].
  virtual Later<Tensor> ask_rows(const RowQuestion& question) const = 0;
  // Whether asking is only a call, and waiting is the work itself.
  virtual bool here() const = 0;
};

}  // namespace gls
