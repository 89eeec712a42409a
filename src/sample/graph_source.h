// What a dataset asks whose arrays are elsewhere: other parts of it, in this process or served.
#pragma once

#include <cstdint>
#include <memory>

#include "sample/hop_answer.h"
#include "sample/options.h"
#include "tensor/tensor.h"

namespace gls {

// Rows of a column, in ids of the whole graph.
struct RowQuestion {
  bool of_nodes = true;
  size_t type = 0;
  size_t column = 0;
  IdSpan ids;
  DLDataType dtype{};  // as gather() may give it
};

// The hops of one sampler.
class HopSource {
 public:
  virtual ~HopSource() = default;
  // As answer_hop(), in ids of the whole graph: `rows` and the two `whole_` of the question are not
  // set, and `exclude` holds ids of edges or pairs of nodes that are not to be picked, without
  // their reverses. Any number of threads at once; waits for the answer.
  virtual Result<HopPicks> answer(const HopQuestion& question) const = 0;
};

class GraphSource {
 public:
  virtual ~GraphSource() = default;
  // Of `options` only what picks depend on counts; `exclude` as above.
  virtual Result<std::shared_ptr<const HopSource>> open_hops(
      const SamplerOptions& options) const = 0;
  // As gather(): [rows, ...], zeros behind those of the ids. The ids are in range.
  virtual Result<Tensor> gather(const RowQuestion& question, int64_t rows) const = 0;
  // An array of the whole that every process needs as it is: an id set, keys. `file` is as the
  // manifest names it.
  virtual Result<Tensor> array(const std::string& file) const = 0;
};

}  // namespace gls
