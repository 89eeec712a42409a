// What a dataset asks whose arrays are elsewhere: other parts of it, in this process or served.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/partition/partition_book.h"
#include "sample/pick/options.h"
#include "sample/source/hop_query.h"
#include "system/memory.h"
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
  DLDataType dtype{};    // as gather() may give it
  bool repeats = false;  // ids may be there more than once; their rows need to come once
};

// Memory for rows without gaps, which is written by whoever they come from until its owner is let
// go.
struct RowLanding {
  std::byte* data = nullptr;  // room for a row of each id
  int64_t row_bytes = 0;
  bool on_gpu = false;  // in memory of one, which the processor does not write
  std::shared_ptr<const void> owner{};
  // Copies rows of the host to there, and waits for the end.
  std::function<Status(std::byte* to, std::span<const std::byte> rows)> put{};
};
struct LandedRows {
  bool there = false;           // else they are to be asked for otherwise
  std::vector<int64_t> places;  // of each id: the number of its row
};

// About single edges and nodes, in ids of the whole graph that are in range.
struct EdgeQuestion {
  enum class What : uint8_t {
    kDegrees,  // of nodes at one end, [ids]
    kEnds,     // sources and targets of edges, [2 * ids]
    kPairs,    // 1 where there is an edge between two nodes, else 0: [ids]
  };
  What what = What::kDegrees;
  size_t edge_type = 0;
  Layout layout = Layout::kCsc;  // of degrees: CSC for those of targets
  IdSpan ids;                    // of pairs the sources
  IdSpan others;                 // of pairs the targets
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
  // As gather(): [rows, ...], zeros behind those of the ids, in `memory` where that is given, which
  // has an owner until nobody writes there any more. The ids are in range.
  virtual Later<Tensor> ask_rows(const RowQuestion& question, int64_t rows,
                                 SharedBytes memory) const = 0;
  // Whether land_rows() is to be used, for memory of a GPU, or of a device that the processor
  // writes as its own. An error: that was insisted upon, and cannot be.
  virtual Result<bool> lands(bool on_gpu) const {
    static_cast<void>(on_gpu);
    return false;
  }
  // Rows as they are asked for, of ids in range, each once. Nothing is asked twice: where a server
  // or the way to it fails, the rows are not there, and the landing may still be written to.
  virtual Later<LandedRows> land_rows(const RowQuestion& question,
                                      const RowLanding& landing) const {
    static_cast<void>(question);
    static_cast<void>(landing);
    return failed<LandedRows>(error(GLS_ERR_UNSUPPORTED, "rows of this graph do not land"));
  }
  // int64, as the question says.
  virtual Later<Tensor> ask_edges(const EdgeQuestion& question) const = 0;
  // Who owns the nodes or edges of a type. NULL: edges of the type are owned with an end.
  virtual const Book* book(bool of_nodes, size_t type) const = 0;
  // How many there are.
  virtual uint32_t parts() const = 0;
  // Those whose rows are read in this process, without a question to a server; ascending.
  virtual std::vector<uint32_t> parts_here() const = 0;
};

// Whether their ids are in range, as who uses them relies on it and a part may be damaged: of
// nodes, of which there are `neighbors`, and of edges, where they are told.
Status check_picks(const HopPicks& picks, const EdgeType& type, int64_t neighbors);

}  // namespace gls
