#include "cluster/client/remote_sampler.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "context/stop_scope.h"

namespace gls {

using cluster::Call;
using cluster::Deadline;
using cluster::Kind;

namespace {

HopQuestion piece_of(const HopQuestion& question, int64_t begin, int64_t count) {
  HopQuestion out = question;
  const int64_t nodes = question.nodes.size();
  const auto cut = [&](const IdSpan& ids) {
    return ids.size() == nodes ? ids.part(begin, count) : ids;
  };
  out.nodes = cut(question.nodes);
  out.trees = cut(question.trees);
  out.times = cut(question.times);
  return out;
}

Tensor join(const std::shared_ptr<BufferPool>& pool, const std::vector<HopPicks>& pieces,
            Tensor HopPicks::*which) {
  const DLDataType dtype = (pieces[0].*which).dtype();
  int64_t count = 0;
  for (const HopPicks& piece : pieces) {
    count += (piece.*which).rows();
  }
  const auto width = static_cast<size_t>(dtype_bytes(dtype));
  auto buffer = std::make_shared<Buffer>(pool->acquire(static_cast<size_t>(count) * width));
  auto* out = buffer->as<std::byte>();
  const std::byte* const data = out;
  for (const HopPicks& piece : pieces) {
    const Tensor& from = piece.*which;
    const size_t bytes = static_cast<size_t>(from.rows()) * width;
    if (bytes > 0) {
      std::memcpy(out, from.data(), bytes);
    }
    out += bytes;
  }
  return Tensor(std::move(buffer), data, dtype, {count});
}

}  // namespace

// A hop, or a piece of one, that was sent. The picks of a node do not depend on other nodes.
class RemoteSampler::PendingHop {
 public:
  PendingHop(std::shared_ptr<const RemoteSampler> sampler, const HopQuestion& question,
             const Deadline& deadline)
      : sampler_(std::move(sampler)), question_(question), deadline_(deadline) {
    send(sampler_->number());
  }

  // Appends to the results of other pieces.
  Status wait(std::vector<HopPicks>* out) {
    Result<HopPicks> picks = run();
    if (picks.ok()) {
      out->push_back(picks.take());
      return {};
    }
    const int64_t nodes = question_.nodes.size();
    if (cluster::is_too_long(picks.status()) && nodes > 1) {
      PendingHop first(sampler_, piece_of(question_, 0, nodes / 2), deadline_);
      PendingHop second(sampler_, piece_of(question_, nodes / 2, nodes - nodes / 2), deadline_);
      GLS_TRY(first.wait(out));
      return second.wait(out);
    }
    const auto& types = sampler_->part_->edge_types_;
    return sampler_->part_->about(
        std::move(picks.status()),
        formatted("hop {} along \"{}\" from {} nodes", question_.hop,
                  question_.edge_type < types.size() ? types[question_.edge_type].name : "?",
                  question_.nodes.size()));
  }

 private:
  void send(uint64_t number) {
    number_ = number;
    call_.emplace(
        sampler_->part_->peer_, Kind::kHop,
        [this]() -> Result<net::Message> {
          return cluster::encode(sampler_->part_->context_->buffers(),
                                 cluster::HopRequest{number_, question_});
        },
        deadline_, sampler_->part_->options_.ask_again);
  }

  Result<HopPicks> run() {
    Result<net::Message> reply = call_->wait();
    // Several attempts, in case the server restarts meanwhile.
    constexpr int kMostTimes = 8;
    for (int i = 0; i < kMostTimes && cluster::is_unknown_sampler(reply.status()); ++i) {
      GLS_ASSIGN(const uint64_t number, sampler_->reopen(number_, deadline_));
      send(number);
      reply = call_->wait();
    }
    if (!reply.ok()) {
      return std::move(reply.status());
    }
    GLS_ASSIGN(HopPicks picks, cluster::decode_picks(reply.take()));
    GLS_TRY(sampler_->check(picks, question_));
    return picks;
  }

  const std::shared_ptr<const RemoteSampler> sampler_;
  const HopQuestion question_;
  const Deadline deadline_;
  uint64_t number_ = 0;
  std::optional<Call> call_;
};

Result<std::shared_ptr<const RemoteSampler>> RemoteSampler::prepare(
    std::shared_ptr<const RemotePart> part, const SamplerOptions& options) {
  GLS_ASSIGN(net::Message message,
             cluster::encode(part->context_->buffers(),
                             cluster::OpenRequest{part->graph_, part->number_, options}));
  Checked checked{options.int32,
                  options.edge_ids,
                  options.direction == Direction::kIn,
                  {},
                  cluster::pick_bytes(options, std::numeric_limits<int64_t>::max())};
  if (options.pick != Pick::kLayer) {
    checked.fanouts = options.fanouts;
  }
  return std::shared_ptr<const RemoteSampler>(
      new RemoteSampler(std::move(part), std::move(checked),
                        std::make_shared<const net::Message>(std::move(message))));
}

std::shared_ptr<const RemoteSampler> RemoteSampler::like(const RemoteSampler& other,
                                                         std::shared_ptr<const RemotePart> part) {
  return std::shared_ptr<const RemoteSampler>(
      new RemoteSampler(std::move(part), other.checked_, other.options_));
}

Status RemoteSampler::open() const {
  if (number() != 0) {
    return {};
  }
  Result<uint64_t> number = reopen(0, Deadline(part_->options_.timeout_ms));
  return number.ok() ? Status() : part_->about(std::move(number.status()), "a sampler");
}

uint64_t RemoteSampler::number() const {
  const std::lock_guard lock(mutex_);
  return number_;
}

Result<uint64_t> RemoteSampler::open_now(const Deadline& deadline) const {
  try {
    Call call(
        part_->peer_, Kind::kOpenSampler,
        [this]() -> Result<net::Message> {
          return net::Message::copied(part_->context_->buffers(), options_->bytes());
        },
        deadline, part_->options_.ask_again);
    GLS_ASSIGN(const net::Message reply, call.wait());
    return cluster::decode_opened(reply.bytes());
  } catch (const std::bad_alloc&) {  // other threads wait until this ends
    return Status::out_of_memory();
  }
}

// One thread asks, and the others wait for its number.
Result<uint64_t> RemoteSampler::reopen(uint64_t old, const Deadline& deadline) const {
  std::unique_lock lock(mutex_);
  if (!wait_ms_or_stop(changed_, lock, deadline.left_ms(),
                       [&] { return !opening_ || number_ != old; })) {
    return is_given_up() ? given_up() : error(GLS_ERR_TIMED_OUT, "it was not opened again in time");
  }
  if (number_ != old) {
    return number_;
  }
  opening_ = true;
  lock.unlock();
  Result<uint64_t> number = open_now(deadline);
  lock.lock();
  opening_ = false;
  if (number.ok()) {
    number_ = *number;
  }
  changed_.notify_all();
  return number;
}

// Nodes in one request, as far as the client can tell.
int64_t RemoteSampler::most_nodes(const HopQuestion& question) const {
  const int64_t nodes = std::max<int64_t>(question.nodes.size(), 1);
  if (question.edge_type >= checked_.fanouts.size() ||
      question.hop >= checked_.fanouts[question.edge_type].size() ||
      checked_.fanouts[question.edge_type][question.hop] < 0) {
    return nodes;
  }
  const auto fanout = static_cast<uint64_t>(checked_.fanouts[question.edge_type][question.hop]);
  const uint64_t of_node = fanout * checked_.pick_bytes + sizeof(int32_t);
  const uint64_t most = std::max<uint64_t>(part_->options_.most_hop_bytes / of_node, 1);
  return static_cast<int64_t>(std::min(most, static_cast<uint64_t>(nodes)));
}

Deferred<HopPicks> RemoteSampler::ask(const HopQuestion& question) const {
  const Deadline deadline(part_->options_.timeout_ms);
  const int64_t nodes = question.nodes.size();
  const int64_t most = most_nodes(question);
  auto asked = std::make_shared<std::vector<std::unique_ptr<PendingHop>>>();
  for (int64_t begin = 0; begin == 0 || begin < nodes; begin += most) {
    asked->push_back(std::make_unique<PendingHop>(
        shared_from_this(), piece_of(question, begin, std::min(most, nodes - begin)), deadline));
  }
  return [asked = std::move(asked), self = shared_from_this()]() -> Result<HopPicks> {
    std::vector<HopPicks> pieces;
    for (const auto& piece : *asked) {
      GLS_TRY(piece->wait(&pieces));
    }
    if (pieces.size() == 1) {
      return std::move(pieces[0]);
    }
    const std::shared_ptr<BufferPool>& pool = self->part_->context_->buffers();
    HopPicks out;
    out.counts = join(pool, pieces, &HopPicks::counts);
    out.neighbors = join(pool, pieces, &HopPicks::neighbors);
    if (self->checked_.edge_ids) {
      out.edge_ids = join(pool, pieces, &HopPicks::edge_ids);
    }
    return out;
  };
}

// Checks the picks, because callers rely on valid ids.
Status RemoteSampler::check(const HopPicks& picks, const HopQuestion& question) const {
  if (question.edge_type >= part_->edge_types_.size()) {
    return corrupt("it answered for edge type number {}, of {}", question.edge_type,
                   part_->edge_types_.size());
  }
  const RemotePart::EdgeTypeCounts& type = part_->edge_types_[question.edge_type];
  if (picks.counts.rows() != question.nodes.size()) {
    return corrupt("it answered for {} nodes", picks.counts.rows());
  }
  const auto is = [](const Tensor& ids, bool narrow) {
    return same_dtype(ids.dtype(), narrow ? kInt32 : kInt64);
  };
  const bool narrow_edges = checked_.int32 && type.edges <= std::numeric_limits<int32_t>::max();
  if (!is(picks.neighbors, checked_.int32) || picks.edge_ids.defined() != checked_.edge_ids ||
      (checked_.edge_ids && !is(picks.edge_ids, narrow_edges))) {
    return corrupt("it answered with {} neighbours and {} edge ids, expected {} and {}",
                   dtype_name(picks.neighbors.dtype()),
                   picks.edge_ids.defined() ? dtype_name(picks.edge_ids.dtype()) : "no",
                   checked_.int32 ? "int32" : "int64",
                   !checked_.edge_ids ? "no"
                   : narrow_edges     ? "int32"
                                      : "int64");
  }
  const auto outside = [](const Tensor& ids, int64_t limit, const char* what) -> Status {
    GLS_ASSIGN(const IdSpan span, IdSpan::of(ids, what));
    if (const int64_t bad = span.find_outside(limit); bad >= 0) {
      return corrupt("it answered with {} {} at index {}, outside 0 .. {}", what, span[bad], bad,
                     limit - 1);
    }
    return {};
  };
  GLS_TRY(outside(picks.neighbors, checked_.in ? type.sources : type.targets, "neighbour"));
  return checked_.edge_ids ? outside(picks.edge_ids, type.edges, "edge") : Status();
}

}  // namespace gls
