// Questions about hops that a sampler asked, and their answers, so that the sampler can run again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "loader/replay/local_hops.h"
#include "query/graph_source.h"
#include "storage/spill_memory.h"
#include "system/memory.h"

namespace gls {

// Bytes that come in pieces and are read back in their order. They go to memory in long pieces, as
// that may be in a file.
class ByteStream {
 public:
  // Throws std::bad_alloc, as close() does.
  void add(std::span<const std::byte> bytes, SpillMemory& memory);
  // Nothing is added afterwards.
  void close(SpillMemory& memory);

  class Reader {
   public:
    explicit Reader(const ByteStream& stream) : stream_(stream) {}
    // Copies the next bytes; there must be as many.
    void read(std::byte* to, size_t bytes);

   private:
    const ByteStream& stream_;
    size_t piece_ = 0;
    size_t at_ = 0;
  };

 private:
  std::vector<std::byte> waiting_;
  std::vector<std::span<const std::byte>> pieces_;
};

// A question, which is answered chunk by chunk. One thread at a time uses it.
class HopRecord {
 public:
  // Memory of records. Throws std::bad_alloc where it is taken.
  struct Memory {
    SpillMemory& questions;  // lives until all chunks are answered
    SpillMemory& answers;    // outlives the records
  };

  // Copies the question, which is about at least one node.
  HopRecord(const LocalHops& hops, const HopQuestion& question, const Memory& memory);

  // Whether a sampler asks the same.
  bool is(const LocalHops& hops, const HopQuestion& question) const;
  const LocalHops& hops() const { return hops_; }
  size_t edge_type() const { return edge_type_; }
  // The nodes whose rows are in a chunk.
  std::span<const int64_t> nodes(size_t chunk) const {
    return nodes_.subspan(begins_[chunk], begins_[chunk + 1] - begins_[chunk]);
  }
  // Answers the part of a chunk, into memory that outlives this object. Chunks come in their order.
  Status answer(size_t chunk, SpillMemory& memory);
  // All chunks were answered.
  void finish(SpillMemory& memory);

  // The answer, in the order of the question.
  HopPicks picks(const std::shared_ptr<BufferPool>& pool) const;

 private:
  void copy_excluded(const HopQuestion& question, const RowChunks& chunks);

  const LocalHops& hops_;
  const size_t edge_type_;
  const size_t hop_;
  const uint64_t epoch_;
  const uint64_t batch_;
  const uint64_t fingerprint_;
  // In the order of chunks: places in the question, and the nodes with their trees and times.
  std::span<const uint32_t> places_;
  std::span<const int64_t> nodes_;
  std::span<const int64_t> trees_;
  std::span<const int64_t> times_;
  std::span<const uint32_t> begins_;  // [chunks + 1] in this order
  // Excluded edges by id, and pairs of nodes by chunk.
  std::vector<EdgeSet> excluded_ids_;
  std::vector<std::pair<uint32_t, std::array<int64_t, 2>>> excluded_pairs_;  // ascending
  // In the order of chunks.
  std::span<int32_t> counts_;
  size_t answered_ = 0;  // nodes
  ByteStream neighbors_;
  ByteStream edge_ids_;
  DLDataType neighbor_dtype_{};
  DLDataType edge_dtype_{};
};

// Whether a sampler stopped as a hop had no answer yet.
bool is_no_answer(const Status& status);

// What the sampler of one batch asks, from its first run to its last. One thread at a time uses it.
class Recording {
 public:
  // The recording of this thread's sampler; NULL: it is not recorded.
  static Recording* current();
  // Makes it this thread's, and its sampler start from the first question. `memory`: for new
  // questions.
  class Scope {
   public:
    Scope(Recording& recording, const HopRecord::Memory& memory);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Recording* const outer_;
  };

  // The recorded answer. A new question is recorded, and its result is an error: the sampler has to
  // run again when the answer is there.
  Deferred<HopPicks> ask(const LocalHops& hops, const HopQuestion& question);
  // Whether questions of the last run wait for an answer.
  bool waits() const { return answered_ < records_.size(); }
  // Those questions.
  template <typename Visit>
  void visit_waiting(Visit visit) {
    for (size_t i = answered_; i < records_.size(); ++i) {
      visit(records_[i]);
    }
  }
  void set_answered() { answered_ = records_.size(); }
  // The sampler does not run again.
  void finish() {
    records_.clear();
    answered_ = 0;
  }

 private:
  std::deque<HopRecord> records_;
  size_t answered_ = 0;
  size_t next_ = 0;
  const HopRecord::Memory* memory_ = nullptr;  // of the scope
};

}  // namespace gls
