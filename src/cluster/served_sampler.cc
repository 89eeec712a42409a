#include "cluster/served_sampler.h"

#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "base/clock.h"

namespace gls {

using cluster::Call;
using cluster::Deadline;
using cluster::Kind;

// A hop on its way.
class ServedSampler::Asked {
 public:
  Asked(std::shared_ptr<const ServedSampler> sampler, const HopQuestion& question)
      : sampler_(std::move(sampler)),
        question_(question),
        deadline_(sampler_->part_->options_.timeout_ms) {
    send(sampler_->number());
  }

  Result<HopPicks> wait() {
    Result<HopPicks> picks = run();
    if (picks.ok()) {
      return picks;
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
    // More than once if the server is started again meanwhile.
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

  const std::shared_ptr<const ServedSampler> sampler_;
  const HopQuestion question_;
  const Deadline deadline_;
  uint64_t number_ = 0;
  std::optional<Call> call_;
};

Result<std::shared_ptr<const ServedSampler>> ServedSampler::prepare(
    std::shared_ptr<const ServedPart> part, const SamplerOptions& options) {
  GLS_ASSIGN(net::Message message,
             cluster::encode(part->context_->buffers(),
                             cluster::OpenRequest{part->graph_, part->number_, options}));
  const Checked checked{options.int32, options.edge_ids, options.direction == Direction::kIn};
  return std::shared_ptr<const ServedSampler>(new ServedSampler(
      std::move(part), checked, std::make_shared<const net::Message>(std::move(message))));
}

std::shared_ptr<const ServedSampler> ServedSampler::like(const ServedSampler& other,
                                                         std::shared_ptr<const ServedPart> part) {
  const Checked checked{other.int32_, other.edge_ids_, other.in_};
  return std::shared_ptr<const ServedSampler>(
      new ServedSampler(std::move(part), checked, other.options_));
}

Status ServedSampler::open() const {
  if (number() != 0) {
    return {};
  }
  Result<uint64_t> number = reopen(0, Deadline(part_->options_.timeout_ms));
  return number.ok() ? Status() : part_->about(std::move(number.status()), "a sampler");
}

uint64_t ServedSampler::number() const {
  const std::lock_guard lock(mutex_);
  return number_;
}

Result<uint64_t> ServedSampler::open_now(const Deadline& deadline) const {
  try {
    Call call(
        part_->peer_, Kind::kOpenSampler,
        [this]() -> Result<net::Message> {
          return net::Message::copied(part_->context_->buffers(), options_->bytes());
        },
        deadline, part_->options_.ask_again);
    GLS_ASSIGN(const net::Message reply, call.wait());
    return cluster::decode_opened(reply.bytes());
  } catch (const std::bad_alloc&) {  // others wait for this to end
    return Status::out_of_memory();
  }
}

// One thread asks, and the others wait for the same number.
Result<uint64_t> ServedSampler::reopen(uint64_t old, const Deadline& deadline) const {
  std::unique_lock lock(mutex_);
  if (!wait_ms(changed_, lock, deadline.left_ms(), [&] { return !opening_ || number_ != old; })) {
    return error(GLS_ERR_TIMED_OUT, "it was not opened again in time");
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

Later<HopPicks> ServedSampler::ask(const HopQuestion& question) const {
  auto asked = std::make_shared<Asked>(shared_from_this(), question);
  return [asked = std::move(asked)] { return asked->wait(); };
}

// Whoever reads the picks relies on ids that there are.
Status ServedSampler::check(const HopPicks& picks, const HopQuestion& question) const {
  if (question.edge_type >= part_->edge_types_.size()) {
    return corrupt("it answered for edge type number {}, of {}", question.edge_type,
                   part_->edge_types_.size());
  }
  const ServedPart::EdgeTypeCounts& type = part_->edge_types_[question.edge_type];
  if (picks.counts.rows() != question.nodes.size()) {
    return corrupt("it answered for {} nodes", picks.counts.rows());
  }
  const auto is = [](const Tensor& ids, bool narrow) {
    return same_dtype(ids.dtype(), narrow ? kInt32 : kInt64);
  };
  const bool narrow_edges = int32_ && type.edges <= std::numeric_limits<int32_t>::max();
  if (!is(picks.neighbors, int32_) || picks.edge_ids.defined() != edge_ids_ ||
      (edge_ids_ && !is(picks.edge_ids, narrow_edges))) {
    return corrupt("it answered with {} neighbours and {} edge ids, expected {} and {}",
                   dtype_name(picks.neighbors.dtype()),
                   picks.edge_ids.defined() ? dtype_name(picks.edge_ids.dtype()) : "no",
                   int32_ ? "int32" : "int64",
                   !edge_ids_     ? "no"
                   : narrow_edges ? "int32"
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
  GLS_TRY(outside(picks.neighbors, in_ ? type.sources : type.targets, "neighbour"));
  return edge_ids_ ? outside(picks.edge_ids, type.edges, "edge") : Status();
}

}  // namespace gls
