// What an import does with the ids of its rows: ends of edges, or keys of nodes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ingest/arrow/arrow_import.h"
#include "ingest/arrow/arrow_rows.h"

namespace gls {

// Consecutive rows of a batch, and what was made of them.
struct Slice {
  std::shared_ptr<const ArrowArray> batch;
  int64_t begin = 0;  // in the batch's arrays
  int64_t count = 0;
  int64_t first_row = 0;  // in the stream
  std::vector<std::vector<std::byte>> columns;
  std::vector<std::vector<uint8_t>> masks;
  std::vector<std::vector<uint8_t>> members;  // of id sets
  std::array<std::vector<int64_t>, 2> ids;    // of edges: provisional ids; of nodes: integer keys
  // The first row that cannot be read; rows before it are good.
  std::optional<ArrowFault> fault;
  size_t fault_field = 0;
};

// What an import does with the ids of its rows.
class IdWork {
 public:
  virtual ~IdWork() = default;
  // Any thread. Reports faults by `slice`; other failures by the status.
  virtual Status work(Slice* slice) = 0;
  // In order, after work(); only the first `count` rows are good. Reports faults, too.
  virtual Status drain(Slice* slice, int64_t count) = 0;
};

inline const ArrowArray& field_array(const Slice& slice, size_t field) {
  return *slice.batch->children[field];
}

inline void report_fault(Slice* slice, size_t field, ArrowFault fault) {
  if (!slice->fault || fault.row < slice->fault->row) {
    slice->fault = std::move(fault);
    slice->fault_field = field;
  }
}

// Both ends of edges become provisional ids.
Result<std::unique_ptr<IdWork>> make_edge_work(const ArrowInput& input,
                                               const std::array<IdMap*, 2>& maps, ReadEdges* edges);
// Keys of nodes are listed in the order of rows.
Result<std::unique_ptr<IdWork>> make_node_work(const ArrowInput& input, ListedIds* ids);

}  // namespace gls
