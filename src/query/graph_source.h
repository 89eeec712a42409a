// The interface for the data that a dataset does not store itself: other parts, in this process or
// on servers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/dataset/source_services.h"
#include "graph/partition/partition_book.h"
#include "query/hop_query.h"
#include "query/sampler_options.h"
#include "system/memory.h"
#include "tensor/tensor.h"

namespace gls {

// The deferred result of a question. Call it once; the call waits. Data that the question views
// must live until then; the question itself need not. Destroying it without a call cancels the
// question.
template <typename T>
using Deferred = std::function<Result<T>()>;

// A deferred error that is known already.
template <typename T>
Deferred<T> failed(Status status) {
  return
      [kept = std::make_shared<Status>(std::move(status))]() -> Result<T> { return kept->copy(); };
}

// Asks for rows of a column, by global ids.
struct RowQuestion {
  bool of_nodes = true;
  size_t type = 0;
  size_t column = 0;
  IdSpan ids;
  DLDataType dtype{};    // a dtype that gather() supports
  bool repeats = false;  // ids may repeat; each row is needed only once
};

// Memory for consecutive rows. Their source may write there until the owner is released.
struct RowLanding {
  std::byte* data = nullptr;  // room for one row for each id
  int64_t row_bytes = 0;
  bool on_gpu = false;  // the memory is on a GPU, and the CPU does not write it
  std::shared_ptr<const void> owner{};
  // Copies rows from host memory to the destination, and waits for that.
  std::function<Status(std::byte* to, std::span<const std::byte> rows)> put{};
};
struct LandedRows {
  bool there = false;  // false: the rows did not arrive, and must be requested in another way
  std::vector<int64_t> places;  // for each id: the number of its row
};

// Asks about single edges and nodes, by global ids that are in range.
struct EdgeQuestion {
  enum class What : uint8_t {
    kDegrees,  // of nodes at one end, [ids]
    kEnds,     // sources and targets of edges, [2 * ids]
    kPairs,    // 1 if an edge connects two nodes, else 0: [ids]
  };
  What what = What::kDegrees;
  size_t edge_type = 0;
  Layout layout = Layout::kCsc;  // for degrees: CSC counts the edges of targets
  IdSpan ids;                    // for pairs: the sources
  IdSpan others;                 // for pairs: the targets
};

// Answers the hops of one sampler.
class HopSource {
 public:
  virtual ~HopSource() = default;
  // As answer_hop(), with global ids. `rows` and the two `whole_` members of the question are not
  // set. `exclude` holds edge ids or pairs of nodes that must not be picked, without their reverse
  // edges. Any number of threads may call it at once.
  virtual Deferred<HopPicks> ask(const HopQuestion& question) const = 0;
};

// Answers the questions of a dataset about rows, edges and hops.
class GraphSource {
 public:
  virtual ~GraphSource() = default;
  // Whether open_hops() picks by these options. Else it returns whole rows alone: fanouts of -1.
  virtual bool picks(const SamplerOptions& options) const {
    static_cast<void>(options);
    return true;
  }
  // Uses only the options that picks depend on; `exclude` as above.
  virtual Result<std::shared_ptr<const HopSource>> open_hops(
      const SamplerOptions& options) const = 0;
  // As gather(): [rows, ...], with zeros behind the rows of the ids. Uses `memory` if it is given;
  // its owner is kept until nothing writes there any more. The ids must be in range.
  virtual Deferred<Tensor> ask_rows(const RowQuestion& question, int64_t rows,
                                    SharedBytes memory) const = 0;
  // Whether to use land_rows(), for memory of a GPU, or of a device whose memory the CPU can write.
  // An error: the setting requires it, and it is impossible.
  virtual Result<bool> lands(bool on_gpu) const {
    static_cast<void>(on_gpu);
    return false;
  }
  // Fetches rows by unique ids that are in range. Nothing is asked twice. If a server or its
  // connection fails, the rows do not arrive, and the memory may still be written to.
  virtual Deferred<LandedRows> land_rows(const RowQuestion& question,
                                         const RowLanding& landing) const {
    static_cast<void>(question);
    static_cast<void>(landing);
    return failed<LandedRows>(error(GLS_ERR_UNSUPPORTED, "rows of this graph do not land"));
  }
  // int64, in the shape that the question defines.
  virtual Deferred<Tensor> ask_edges(const EdgeQuestion& question) const = 0;
  // The owners of a type's nodes or edges. NULL: the owner of one end owns the edge.
  virtual const PartitionBook* book(bool of_nodes, size_t type) const = 0;
  // The number of parts.
  virtual uint32_t parts() const = 0;
  // The parts that this process reads without asking a server; ascending.
  virtual std::vector<uint32_t> local_parts() const = 0;
  // How many batches a loader makes at once, so that the source always has questions. 0: as many as
  // the context has threads.
  virtual uint32_t questions_at_once() const { return 0; }
  // What the source offers besides the data of its parts.
  virtual const SourceServices& services() const {
    static const SourceServices kNone;
    return kNone;
  }
};

// Checks that ids are in range, because callers rely on it and a part may be damaged. Nodes are
// checked against `neighbors`, and edges if their number is given.
Status check_picks(const HopPicks& picks, const EdgeType& type, int64_t neighbors);

}  // namespace gls
