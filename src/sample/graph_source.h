// What a dataset asks whose arrays are elsewhere: other parts of it, in this process or served.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "graph/dataset.h"
#include "sample/hop_answer.h"
#include "sample/options.h"
#include "tensor/tensor.h"

namespace gls {

// What was asked for; called once, it waits. What the question views must live until then, and the
// question itself need not. Dropped without a call, it is cancelled.
template <typename T>
using Later = std::function<Result<T>()>;

// An answer that is known to be an error.
template <typename T>
Later<T> failed(Status status) {
  return
      [kept = std::make_shared<Status>(std::move(status))]() -> Result<T> { return kept->copy(); };
}

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
  // their reverses. Any number of threads at once.
  virtual Later<HopPicks> ask(const HopQuestion& question) const = 0;
};

class GraphSource {
 public:
  virtual ~GraphSource() = default;
  // Of `options` only what picks depend on counts; `exclude` as above.
  virtual Result<std::shared_ptr<const HopSource>> open_hops(
      const SamplerOptions& options) const = 0;
  // As gather(): [rows, ...], zeros behind those of the ids. The ids are in range.
  virtual Later<Tensor> ask_rows(const RowQuestion& question, int64_t rows) const = 0;
};

// Whether their ids are in range, as who uses them relies on it and a part may be damaged: of
// nodes, of which there are `neighbors`, and of edges, where they are told.
Status check_picks(const HopPicks& picks, const EdgeType& type, int64_t neighbors);

}  // namespace gls
