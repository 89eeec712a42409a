#include "loader/replay/hop_record.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/checksum.h"

namespace gls {
namespace {

thread_local Recording* recording_of_thread = nullptr;

constexpr char kNoAnswer[] = "a recorded hop has no answer yet";

std::span<const std::byte> bytes_of(const IdSpan& ids) {
  return {static_cast<const std::byte*>(ids.data()),
          static_cast<size_t>(ids.size()) * (ids.wide() ? sizeof(int64_t) : sizeof(int32_t))};
}

uint64_t hash_of(const HopQuestion& question) {
  const uint64_t nodes = hash64(bytes_of(question.nodes), question.edge_type);
  const uint64_t trees = hash64(bytes_of(question.trees), nodes);
  return hash64(bytes_of(question.times), trees);
}

// Tensors of a request may view memory of its caller.
Tensor copy_of(const Tensor& ids) {
  const auto row = static_cast<size_t>(ids.row_bytes());
  const auto rows = static_cast<size_t>(ids.rows());
  auto memory = std::make_shared<std::vector<std::byte>>(std::max<size_t>(row * rows, 1));
  for (size_t i = 0; row > 0 && i < rows; ++i) {
    std::memcpy(memory->data() + i * row, ids.data() + static_cast<int64_t>(i) * ids.row_stride(),
                row);
  }
  const std::byte* const data = memory->data();
  return Tensor(std::move(memory), data, ids.dtype(), ids.shape());
}

std::span<const int64_t> taken(const IdSpan& values, std::span<const uint32_t> places,
                               SpillMemory& memory) {
  if (values.size() == 0) {
    return {};
  }
  const std::span<int64_t> out = memory.take<int64_t>(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    out[i] = values[places[i]];
  }
  return out;
}

template <typename T>
std::span<const T> kept(std::span<const T> values, SpillMemory& memory) {
  const std::span<T> out = memory.take<T>(values.size());
  std::copy(values.begin(), values.end(), out.begin());
  return out;
}

std::span<const std::byte> bytes_of(const Tensor& ids) {
  return {ids.data(), static_cast<size_t>(ids.rows() * ids.row_bytes())};
}

IdSpan part_of(std::span<const int64_t> values, uint32_t begin, uint32_t end) {
  return values.empty() ? IdSpan() : IdSpan(values.data() + begin, true, end - begin);
}

// Memory for ids.
class Ids {
 public:
  Ids(BufferPool& pool, DLDataType dtype, size_t count)
      : dtype_(dtype),
        width_(dtype_bytes(dtype)),
        count_(count),
        memory_(std::make_shared<Buffer>(pool.acquire(std::max<size_t>(count * width_, 1)))) {}
  std::byte* at(size_t place) { return memory_->as<>() + place * width_; }
  size_t width() const { return width_; }
  Tensor finish() {
    const std::byte* const data = memory_->as<>();
    return Tensor(std::move(memory_), data, dtype_, {static_cast<int64_t>(count_)});
  }

 private:
  const DLDataType dtype_;
  const size_t width_;
  const size_t count_;
  std::shared_ptr<Buffer> memory_;
};

}  // namespace

void ByteStream::add(std::span<const std::byte> bytes, SpillMemory& memory) {
  constexpr size_t kPiece = size_t{32} << 10;
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
  if (waiting_.size() >= kPiece) {
    close(memory);
  }
}

void ByteStream::close(SpillMemory& memory) {
  if (!waiting_.empty()) {
    pieces_.push_back(kept(std::span<const std::byte>(waiting_), memory));
  }
  waiting_ = {};
}

void ByteStream::Reader::read(std::byte* to, size_t bytes) {
  while (bytes > 0) {
    const std::span<const std::byte> left = stream_.pieces_[piece_].subspan(at_);
    const size_t count = std::min(left.size(), bytes);
    std::memcpy(to, left.data(), count);
    to += count;
    bytes -= count;
    at_ += count;
    if (count == left.size()) {
      ++piece_;
      at_ = 0;
    }
  }
}

HopRecord::HopRecord(const LocalHops& hops, const HopQuestion& question, const Memory& memory)
    : hops_(hops),
      edge_type_(question.edge_type),
      hop_(question.hop),
      epoch_(question.epoch),
      batch_(question.batch),
      fingerprint_(hash_of(question)) {
  const RowChunks& chunks = hops.chunks(edge_type_);
  const auto count = static_cast<size_t>(question.nodes.size());
  const std::span<uint32_t> begins = memory.questions.take<uint32_t>(chunks.size() + 1);
  const std::span<uint32_t> places = memory.answers.take<uint32_t>(count);
  std::vector<uint32_t> chunk_of(count);
  std::vector<uint32_t> next(chunks.size() + 1);
  for (size_t i = 0; i < count; ++i) {
    chunk_of[i] = static_cast<uint32_t>(chunks.chunk_of(question.nodes[static_cast<int64_t>(i)]));
    ++next[chunk_of[i] + 1];
  }
  for (size_t chunk = 0; chunk < chunks.size(); ++chunk) {
    next[chunk + 1] += next[chunk];
  }
  std::copy(next.begin(), next.end(), begins.begin());
  for (size_t i = 0; i < count; ++i) {
    places[next[chunk_of[i]]++] = static_cast<uint32_t>(i);
  }
  begins_ = begins;
  places_ = places;
  nodes_ = taken(question.nodes, places, memory.questions);
  trees_ = taken(question.trees, places, memory.questions);
  times_ = taken(question.times, places, memory.questions);
  counts_ = memory.answers.take<int32_t>(count);
  copy_excluded(question, chunks);
}

// A pair acts alone on the row of its end that rows belong to. Most of these rows are not asked
// for.
void HopRecord::copy_excluded(const HopQuestion& question, const RowChunks& chunks) {
  const size_t end = hops_.rows_of_targets() ? 1 : 0;
  using Pair = std::array<int64_t, 2>;
  std::vector<Pair> pairs;
  for (const EdgeSet& set : question.exclude) {
    if (set.edge_type != edge_type_) {
      continue;
    }
    if (set.edges.shape().size() != 2) {
      excluded_ids_.push_back({set.edge_type, copy_of(set.edges)});
      continue;
    }
    const int64_t count = set.edges.shape()[1];
    const bool wide = same_dtype(set.edges.dtype(), kInt64);
    const IdSpan sources(set.edges.data(), wide, count);
    const IdSpan targets(set.edges.data() + set.edges.row_stride(), wide, count);
    for (int64_t i = 0; i < count; ++i) {
      pairs.push_back({sources[i], targets[i]});
    }
  }
  if (pairs.empty()) {
    return;
  }
  std::vector<int64_t> asked(nodes_.begin(), nodes_.end());
  std::sort(asked.begin(), asked.end());
  for (const Pair& pair : pairs) {
    if (std::binary_search(asked.begin(), asked.end(), pair[end])) {
      excluded_pairs_.emplace_back(static_cast<uint32_t>(chunks.chunk_of(pair[end])), pair);
    }
  }
  std::sort(excluded_pairs_.begin(), excluded_pairs_.end());
}

bool HopRecord::is(const LocalHops& hops, const HopQuestion& question) const {
  return &hops_ == &hops && edge_type_ == question.edge_type && hop_ == question.hop &&
         epoch_ == question.epoch && batch_ == question.batch && fingerprint_ == hash_of(question);
}

Status HopRecord::answer(size_t chunk, SpillMemory& memory) {
  const uint32_t begin = begins_[chunk];
  const uint32_t end = begins_[chunk + 1];
  if (begin == end) {
    return {};
  }
  HopQuestion question;
  question.edge_type = edge_type_;
  question.hop = hop_;
  question.epoch = epoch_;
  question.batch = batch_;
  question.nodes = part_of(nodes_, begin, end);
  question.trees = part_of(trees_, begin, end);
  question.times = part_of(times_, begin, end);
  question.exclude = excluded_ids_;
  const auto of_chunk = [](const auto& pair, size_t which) { return pair.first < which; };
  const auto first =
      std::lower_bound(excluded_pairs_.begin(), excluded_pairs_.end(), chunk, of_chunk);
  const auto last = std::lower_bound(first, excluded_pairs_.end(), chunk + 1, of_chunk);
  std::vector<int64_t> pairs;  // the question views them
  if (first != last) {
    for (const size_t side : {size_t{0}, size_t{1}}) {
      std::for_each(first, last, [&](const auto& pair) { pairs.push_back(pair.second[side]); });
    }
    question.exclude.push_back(
        {edge_type_, Tensor(nullptr, pairs.data(), kInt64, {2, last - first})});
  }
  GLS_ASSIGN(const HopPicks found, hops_.answer(question));
  std::copy_n(found.counts.as<int32_t>(), end - begin, counts_.data() + answered_);
  answered_ += end - begin;
  neighbor_dtype_ = found.neighbors.dtype();
  neighbors_.add(bytes_of(found.neighbors), memory);
  if (found.edge_ids.defined()) {
    edge_dtype_ = found.edge_ids.dtype();
    edge_ids_.add(bytes_of(found.edge_ids), memory);
  }
  return {};
}

void HopRecord::finish(SpillMemory& memory) {
  neighbors_.close(memory);
  edge_ids_.close(memory);
  excluded_ids_ = {};
  excluded_pairs_ = {};
}

HopPicks HopRecord::picks(const std::shared_ptr<BufferPool>& pool) const {
  Ids counts(*pool, kInt32, places_.size());
  auto* const count_of = reinterpret_cast<int32_t*>(counts.at(0));
  for (size_t i = 0; i < places_.size(); ++i) {
    count_of[places_[i]] = counts_[i];
  }
  std::vector<size_t> begins(places_.size() + 1);
  for (size_t i = 0; i < places_.size(); ++i) {
    begins[i + 1] = begins[i] + static_cast<size_t>(count_of[i]);
  }
  HopPicks out;
  out.counts = counts.finish();
  const auto join = [&](DLDataType dtype, const ByteStream& ids) {
    Ids joined(*pool, dtype, begins.back());
    ByteStream::Reader from(ids);
    for (size_t i = 0; i < places_.size(); ++i) {
      from.read(joined.at(begins[places_[i]]), static_cast<size_t>(counts_[i]) * joined.width());
    }
    return joined.finish();
  };
  out.neighbors = join(neighbor_dtype_, neighbors_);
  if (edge_dtype_.bits != 0) {
    out.edge_ids = join(edge_dtype_, edge_ids_);
  }
  return out;
}

bool is_no_answer(const Status& status) {
  return status.code() == GLS_ERR_INTERNAL && status.message() == kNoAnswer;
}

Recording* Recording::current() { return recording_of_thread; }

Recording::Scope::Scope(Recording& recording, const HopRecord::Memory& memory)
    : outer_(std::exchange(recording_of_thread, &recording)) {
  recording.next_ = 0;
  recording.memory_ = &memory;
}

Recording::Scope::~Scope() { recording_of_thread = outer_; }

Deferred<HopPicks> Recording::ask(const LocalHops& hops, const HopQuestion& question) {
  const size_t number = next_++;
  if (number >= records_.size()) {
    records_.emplace_back(hops, question, *memory_);
  }
  if (number >= answered_) {
    return failed<HopPicks>(error(GLS_ERR_INTERNAL, kNoAnswer));
  }
  const HopRecord& record = records_[number];
  if (!record.is(hops, question)) {
    return failed<HopPicks>(
        error(GLS_ERR_INTERNAL, "a sampler that ran again asked for another hop"));
  }
  return [&record, pool = hops.dataset().context()->buffers()]() -> Result<HopPicks> {
    return record.picks(pool);
  };
}

}  // namespace gls
