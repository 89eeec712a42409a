#include "ingest/sort/csc_sort.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <vector>

#include "context/parallel.h"
#include "ingest/sort/bucket_rows.h"
#include "ingest/sort/sort_plan.h"
#include "system/file.h"
#include "system/memory.h"

namespace gls {
namespace {

constexpr int64_t kBucketEdges = int64_t{128} << 10;  // a bucket's output fits in the L2 cache
constexpr int64_t kBuckets = 2048;  // more buckets would exceed the cache when partitioning
constexpr int64_t kHubEdges = int64_t{64} << 10;  // of a huge row, read at once
constexpr size_t kMaxRounds = 4;  // reading the edges this often is cheaper than a scratch file

template <typename Index, typename Id>
class Sorter {
 public:
  using Rec = Record<Index, Id>;

  Sorter(Workspace& workspace, const SortRequest& request, TopologySink& sink)
      : workspace_(workspace),
        request_(request),
        edges_(*request.edges),
        sink_(sink),
        lease_(workspace.budget()),
        size_(edges_.size()) {}

  Status run() {
    shape_.num_rows = request_.num_rows;
    shape_.num_edges = size_;
    shape_.num_neighbors = request_.num_neighbors;
    shape_.wide_indices = sizeof(Index) == 8;
    shape_.wide_edge_ids = sizeof(Id) == 8;
    shape_.has_edge_ids = true;
    GLS_TRY(choose_sizes());
    GLS_ASSIGN(const SortPlan plan,
               SortPlan::make(workspace_, edges_, request_.layout, request_.num_rows, limits_));
    plan_ = &plan;
    shape_.has_edge_ids = edges_.has_ids() || !plan.sorted();
    GLS_TRY(sink_.begin(shape_));
    GLS_TRY(reserve_window());
    const auto& buckets = plan.buckets();
    const std::vector<size_t> rounds = cut_rounds();
    const bool oversized = std::any_of(buckets.begin(), buckets.end(), [&](const Bucket& bucket) {
      return bucket.count > capacity_;
    });
    if (workspace_.has_scratch() && (oversized || rounds.size() > kMaxRounds + 1)) {
      return spill();
    }
    for (size_t i = 0; i + 1 < rounds.size(); ++i) {
      GLS_TRY(sort_round(buckets, rounds[i], rounds[i + 1]));
    }
    return {};
  }

 private:
  // Divides the remaining memory between records and finished buckets.
  Status choose_sizes() {
    uint64_t room = workspace_.budget()->available();
    if (sink_.in_place()) {
      const uint64_t output = (static_cast<uint64_t>(request_.num_rows) + 1) * 8 +
                              static_cast<uint64_t>(size_) * shape_.edge_bytes();
      if (output > room) {
        return workspace_.budget()->exceeded(output, request_.what);
      }
      room -= output;
    }
    constexpr uint64_t kLeast = uint64_t{1} << 20;
    if (room < kLeast) {
      return workspace_.budget()->exceeded(kLeast, formatted("sorting {}", request_.what));
    }
    const uint64_t for_records = sink_.in_place() ? room / 8 * 6 : room / 8 * 4;
    capacity_ = static_cast<int64_t>(for_records / sizeof(Rec));
    limits_.target_edges = std::max(kBucketEdges, size_ / kBuckets);
    limits_.max_rows = std::max(kBucketEdges, request_.num_rows / kBuckets);
    limits_.max_edges = capacity_;
    window_ = size_t{workspace_.pool().size()} + 2;
    if (!sink_.in_place()) {
      const uint64_t for_output = room / 8 * 2;
      window_ = std::clamp<size_t>(for_output / kLeast, 2, window_);
      const auto half = static_cast<int64_t>(for_output / window_ / 2);
      limits_.max_edges =
          std::min(limits_.max_edges, half / static_cast<int64_t>(shape_.edge_bytes()));
      limits_.max_rows = std::min(limits_.max_rows, half / 8);
    }
    limits_.target_edges = std::min(limits_.target_edges, limits_.max_edges);
    return {};
  }

  // Only a row with more edges than a bucket may hold is passed on in pieces.
  bool is_hub(const Bucket& bucket) const {
    return !sink_.in_place() && bucket.num_rows() == 1 && bucket.count > limits_.max_edges;
  }

  // Buffers for finished buckets that wait for a sink that needs them in order.
  Status reserve_window() {
    if (sink_.in_place()) {
      return {};
    }
    size_t rows = 1;
    size_t edges = kHubEdges;
    for (const Bucket& bucket : plan_->buckets()) {
      rows = std::max(rows, static_cast<size_t>(bucket.num_rows()));
      if (!is_hub(bucket)) {
        edges = std::max(edges, static_cast<size_t>(bucket.count));
      } else if (edges_.has_ids()) {
        return error(GLS_ERR_OUT_OF_MEMORY,
                     "{}: row {} has {} edges in an order of their own, which do not fit in the "
                     "memory bound of {} bytes together",
                     request_.what, bucket.row_begin, bucket.count, workspace_.budget()->bound());
      }
    }
    window_ = std::min(window_, plan_->buckets().size() + 1);
    for (size_t i = 0; i < window_; ++i) {
      GLS_TRY(lease_.add(rows * 8 + edges * shape_.edge_bytes(), "sorting edges"));
      slots_.push_back({PageBlock(rows * 8, false), PageBlock(edges * sizeof(Index), false),
                        PageBlock(shape_.has_edge_ids ? edges * sizeof(Id) : 0, false), 0});
    }
    return {};
  }

  // The first bucket of each round; a round is what fits in memory at once.
  std::vector<size_t> cut_rounds() const {
    std::vector<size_t> rounds = {0};
    int64_t held = 0;
    const auto& buckets = plan_->buckets();
    for (size_t i = 0; i < buckets.size(); ++i) {
      if (held > 0 && held + buckets[i].count > capacity_) {
        rounds.push_back(i);
        held = 0;
      }
      held += buckets[i].count;
    }
    if (!buckets.empty()) {
      rounds.push_back(buckets.size());
    }
    return rounds;
  }

  Status sort_round(const std::vector<Bucket>& buckets, size_t first, size_t last) {
    if (buckets[first].count > capacity_ && sink_.in_place() && !edges_.has_ids()) {
      return pick_hub(buckets[first]);
    }
    const int64_t base = buckets[first].base;
    const int64_t count = buckets[last - 1].base + buckets[last - 1].count - base;
    const auto bytes = static_cast<uint64_t>(count) * sizeof(Rec);
    MemoryLease lease(workspace_.budget());
    GLS_TRY(lease.add(bytes, formatted("sorting {}", request_.what)));
    const PageBlock block(bytes, workspace_.context().huge_pages());
    auto* const records = reinterpret_cast<Rec*>(block.data());
    std::vector<int64_t> starts;
    GLS_TRY(partition(0, size_, first, last, records, &starts));
    return finish_buckets(first, last, [&](size_t bucket) {
      const size_t i = bucket - first;
      return Pieces<Index, Id>{{records + starts[i], records + starts[i + 1]}};
    });
  }

  // Writes runs of partitioned records to a scratch file; a bucket is then one piece of each run.
  Status spill() {
    const size_t num_buckets = plan_->buckets().size();
    const std::string path = workspace_.scratch_path("sort");
    std::vector<std::vector<int64_t>> runs;
    GLS_ASSIGN(FileWriter file, FileWriter::create(path));
    {
      const int64_t per_run = std::min(capacity_, size_);
      const auto bytes = static_cast<uint64_t>(per_run) * sizeof(Rec);
      MemoryLease lease(workspace_.budget());
      GLS_TRY(lease.add(bytes, formatted("sorting {}", request_.what)));
      const PageBlock block(bytes, workspace_.context().huge_pages());
      auto* const records = reinterpret_cast<Rec*>(block.data());
      for (int64_t begin = 0; begin < size_; begin += per_run) {
        const int64_t end = std::min(size_, begin + per_run);
        std::vector<int64_t> starts;
        GLS_TRY(lease_.add((num_buckets + 1) * 8, "the table of a sort's scratch file"));
        GLS_TRY(partition(begin, end, 0, num_buckets, records, &starts));
        GLS_TRY(file.write(std::as_bytes(std::span(records, static_cast<size_t>(end - begin)))));
        for (int64_t& start : starts) {
          start += begin;
        }
        runs.push_back(std::move(starts));
      }
    }
    GLS_TRY(file.close(false));
    GLS_ASSIGN(const std::shared_ptr<const MappedFile> mapped, MappedFile::open(path));
    unlink(path.c_str());  // the disk space is freed with the mapping
    const auto* const records = reinterpret_cast<const Rec*>(mapped->bytes().data());
    return finish_buckets(0, num_buckets, [&](size_t bucket) {
      Pieces<Index, Id> pieces;
      for (const std::vector<int64_t>& starts : runs) {
        pieces.push_back({records + starts[bucket], records + starts[bucket + 1]});
      }
      return pieces;
    });
  }

  // Copies the edges at [begin, end) whose row is in buckets [first, last) to `out`, grouped by
  // bucket and otherwise in order. Bucket first + i is at [starts[i], starts[i + 1]).
  Status partition(int64_t begin, int64_t end, size_t first, size_t last, Rec* out,
                   std::vector<int64_t>* starts) {
    const size_t num = last - first;
    const auto total = static_cast<size_t>(end - begin);
    const size_t parts =
        std::clamp<size_t>(total / (16 * kReadAtOnce), 1, size_t{workspace_.pool().size()} * 4);
    const size_t grain = total / parts + 1;
    const size_t num_parts = total / grain + 1;
    MemoryLease lease(workspace_.budget());
    GLS_TRY(lease.add(num_parts * num * 8, "the tables of a sort"));
    std::vector<int64_t> next(num_parts * num);  // by task and bucket: counts, then positions
    std::atomic<uint64_t> done{0};               // each edge is read twice
    const auto tick = [&] {
      return report(workspace_.progress(), "sorting edges", done / 2, total, "edges");
    };
    const auto count = [&](size_t from, size_t to) -> Status {
      int64_t* const mine = next.data() + from / grain * num;
      std::array<int64_t, kReadAtOnce> rows;
      for_blocks(from, to, [&](size_t at, size_t n) {
        read_rows(edges_, request_.layout, begin + static_cast<int64_t>(at), n, rows.data());
        for (size_t i = 0; i < n; ++i) {
          const size_t bucket = plan_->bucket_of(rows[i]) - first;
          if (bucket < num) {  // buckets before `first` wrap around
            ++mine[bucket];
          }
        }
        done.fetch_add(n, std::memory_order_relaxed);
      });
      return {};
    };
    GLS_TRY(parallel_try(workspace_.pool(), total, grain, count, tick));
    starts->assign(num + 1, 0);
    int64_t position = 0;
    for (size_t bucket = 0; bucket < num; ++bucket) {
      (*starts)[bucket] = position;
      for (size_t part = 0; part < num_parts; ++part) {
        position += std::exchange(next[part * num + bucket], position);
      }
    }
    (*starts)[num] = position;
    const auto place = [&](size_t from, size_t to) -> Status {
      int64_t* const mine = next.data() + from / grain * num;
      place_part(begin, from, to, first, num, mine, out, &done);
      return {};
    };
    return parallel_try(workspace_.pool(), total, grain, place, tick);
  }

  void place_part(int64_t begin, size_t from, size_t to, size_t first, size_t num, int64_t* next,
                  Rec* out, std::atomic<uint64_t>* done) {
    std::array<int64_t, kReadAtOnce> sources;
    std::array<int64_t, kReadAtOnce> targets;
    std::array<int64_t, kReadAtOnce> ids;
    const bool csc = request_.layout == Layout::kCsc;
    const int64_t* const rows = csc ? targets.data() : sources.data();
    const int64_t* const neighbors = csc ? sources.data() : targets.data();
    const Bucket* const buckets = plan_->buckets().data();
    for_blocks(from, to, [&](size_t at, size_t n) {
      edges_.read(begin + static_cast<int64_t>(at), n, sources.data(), targets.data());
      edges_.read_ids(begin + static_cast<int64_t>(at), n, ids.data());
      for (size_t i = 0; i < n; ++i) {
        const size_t number = plan_->bucket_of(rows[i]);
        if (number - first < num) {
          out[next[number - first]++] = {static_cast<uint32_t>(rows[i] - buckets[number].row_begin),
                                         static_cast<Index>(neighbors[i]), static_cast<Id>(ids[i])};
        }
      }
      done->fetch_add(n, std::memory_order_relaxed);
    });
  }

  template <typename Body>
  static void for_blocks(size_t from, size_t to, const Body& body) {
    for (size_t at = from; at < to; at += kReadAtOnce) {
      body(at, std::min(kReadAtOnce, to - at));
    }
  }

  // Sorts each bucket by row and passes it on.
  template <typename PiecesOf>
  Status finish_buckets(size_t first, size_t last, const PiecesOf& pieces_of) {
    const auto& buckets = plan_->buckets();
    const auto total = static_cast<uint64_t>(size_);
    if (sink_.in_place()) {
      std::atomic<uint64_t> done{0};
      const auto body = [&](size_t begin, size_t end) -> Status {
        for (size_t i = first + begin; i < first + end; ++i) {
          build_rows(buckets[i], pieces_of(i), edges_.has_ids(),
                     sink_.place(buckets[i].row_begin, buckets[i].base));
          done.fetch_add(static_cast<uint64_t>(buckets[i].count), std::memory_order_relaxed);
        }
        return {};
      };
      const auto tick = [&] {
        return report(workspace_.progress(), "building rows",
                      static_cast<uint64_t>(buckets[first].base) + done, total, "edges");
      };
      return parallel_try(workspace_.pool(), last - first, 1, body, tick);
    }
    size_t fed = first;
    size_t drained = first;
    Pipeline pipeline;
    pipeline.feed = [&](size_t slot) -> Result<bool> {
      slots_[slot].bucket = fed;
      return fed++ < last;
    };
    pipeline.work = [&](size_t slot) -> Status {
      const Bucket& bucket = buckets[slots_[slot].bucket];
      if (!is_hub(bucket)) {
        build_rows(bucket, pieces_of(slots_[slot].bucket), edges_.has_ids(), slots_[slot].part());
      }
      return {};
    };
    pipeline.drain = [&](size_t slot) -> Status {
      const Bucket& bucket = buckets[drained++];
      if (is_hub(bucket)) {
        GLS_TRY(pass_hub(bucket, pieces_of(drained - 1), slots_[slot].part()));
      } else {
        GLS_TRY(sink_.append(slots_[slot].part(), bucket.num_rows(), bucket.count));
      }
      return report(workspace_.progress(), "writing edges",
                    static_cast<uint64_t>(bucket.base + bucket.count), total, "edges");
    };
    return run_pipeline(workspace_.pool(), slots_.size(), pipeline);
  }

  // The edges of a row whose records do not fit in memory; they are in order already.
  Status pick_hub(const Bucket& bucket) {
    const TopologyPart out = sink_.place(bucket.row_begin, bucket.base);
    auto* const indices = reinterpret_cast<Index*>(out.indices);
    auto* const ids = reinterpret_cast<Id*>(out.edge_ids);
    std::array<int64_t, kReadAtOnce> sources;
    std::array<int64_t, kReadAtOnce> targets;
    const bool csc = request_.layout == Layout::kCsc;
    const int64_t* const rows = csc ? targets.data() : sources.data();
    const int64_t* const neighbors = csc ? sources.data() : targets.data();
    int64_t found = 0;
    for (int64_t begin = 0; begin < size_; begin += kReadAtOnce) {
      const auto count = std::min<size_t>(kReadAtOnce, static_cast<size_t>(size_ - begin));
      edges_.read(begin, count, sources.data(), targets.data());
      for (size_t i = 0; i < count; ++i) {
        if (rows[i] != bucket.row_begin) {
          continue;
        }
        indices[found] = static_cast<Index>(neighbors[i]);
        if (ids != nullptr) {
          ids[found] = static_cast<Id>(begin + static_cast<int64_t>(i));
        }
        ++found;
      }
      GLS_TRY(report(workspace_.progress(), "sorting edges", static_cast<uint64_t>(begin),
                     static_cast<uint64_t>(size_), "edges"));
    }
    *out.row_ends = bucket.base + found;
    return {};
  }

  // The edges of a huge row are in order already, so they are only copied.
  Status pass_hub(const Bucket& bucket, const Pieces<Index, Id>& pieces, const TopologyPart& out) {
    auto* const indices = reinterpret_cast<Index*>(out.indices);
    auto* const ids = reinterpret_cast<Id*>(out.edge_ids);
    for (const std::span<const Rec> piece : pieces) {
      for (size_t begin = 0; begin < piece.size(); begin += kHubEdges) {
        const size_t count = std::min<size_t>(kHubEdges, piece.size() - begin);
        for (size_t i = 0; i < count; ++i) {
          indices[i] = piece[begin + i].neighbor;
          if (ids != nullptr) {
            ids[i] = piece[begin + i].id;
          }
        }
        GLS_TRY(sink_.append(out, 0, static_cast<int64_t>(count)));
      }
    }
    *out.row_ends = bucket.base + bucket.count;
    return sink_.append(out, 1, 0);
  }

  struct Slot {
    PageBlock row_ends;
    PageBlock indices;
    PageBlock edge_ids;
    size_t bucket = 0;
    TopologyPart part() const {
      return {reinterpret_cast<int64_t*>(row_ends.data()), indices.data(), edge_ids.data()};
    }
  };

  Workspace& workspace_;
  const SortRequest& request_;
  const EdgeSource& edges_;
  TopologySink& sink_;
  MemoryLease lease_;
  int64_t size_;
  TopologyShape shape_;
  BucketLimits limits_{};
  int64_t capacity_ = 0;  // records in memory at once
  size_t window_ = 0;
  std::vector<Slot> slots_;
  const SortPlan* plan_ = nullptr;
};

}  // namespace

Status sort_edges(Workspace& workspace, const SortRequest& request, TopologySink& sink) {
  constexpr int64_t kNarrow = int64_t{1} << 31;
  const bool wide = request.num_neighbors >= kNarrow;
  const bool wide_ids = request.wide_edge_ids || request.edges->size() >= kNarrow;
  if (wide) {
    return wide_ids ? Sorter<int64_t, int64_t>(workspace, request, sink).run()
                    : Sorter<int64_t, int32_t>(workspace, request, sink).run();
  }
  return wide_ids ? Sorter<int32_t, int64_t>(workspace, request, sink).run()
                  : Sorter<int32_t, int32_t>(workspace, request, sink).run();
}

}  // namespace gls
