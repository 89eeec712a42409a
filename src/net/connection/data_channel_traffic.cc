// The data channel of a connection: how it is joined, and how its messages are handled.
#include <algorithm>
#include <new>

#include "base/clock.h"
#include "net/connection/connection.h"
#include "net/core/network_thread.h"

namespace gls::net {

// ---- joining ----

// After the greeting: sends the address of this side's channel to the peer.
Status Connection::open_lane() {
  StreamError why;
  Lane* const lane = host_.lanes()->open(this, &why);
  if (lane == nullptr) {
    return Status(why.code, why.text).prefixed("cannot open a lane: ");
  }
  const Lock lock(mutex_);
  lane_ = lane;
  kept_by_lane_ = shared_from_this();
  if (state_ == ConnectionState::kClosed) {
    lane_->close();
    return {};
  }
  const StreamSpan address = lane_->address();
  push({0, FrameType::kLane, 0, 0, 0}, {},
       encode_lane({static_cast<const std::byte*>(address.data), address.size}));
  wake();
  return {};
}

Status Connection::got_lane() {
  GLS_ASSIGN(const Bytes address, decode_lane(incoming_.bytes()));
  const Lock lock(mutex_);
  if (std::exchange(lane_addressed_, true)) {
    return corrupt("it sent two addresses of its lane");
  }
  if (state_ == ConnectionState::kJoining) {
    lane_->join(address.data(), address.size());
    push_on_lane({0, FrameType::kLane, 0, 0, 0}, {});
    wake();
  }
  return {};
}

Status Connection::got_probe(const FrameHeader& header) {
  if (header.length != 0) {
    return corrupt("it sent {} bytes to be heard on its lane", header.length);
  }
  bool up = false;
  {
    const Lock lock(mutex_);
    if (state_ == ConnectionState::kJoining && !std::exchange(lane_heard_, true)) {
      if (!inbound_) {
        push({0, FrameType::kJoined, 0, 0, 0}, {}, {});
        wake();
      }
      up = becomes_up();
    }
  }
  if (up) {
    host_.is_up(*this);
  }
  return {};
}

Status Connection::got_joined() {
  bool up = false;
  {
    const Lock lock(mutex_);
    if (std::exchange(lane_joined_there_, true) || !lane_addressed_ ||
        (!inbound_ && !lane_heard_)) {
      return corrupt("it joined a lane that was not there");
    }
    up = becomes_up();
  }
  if (up) {
    host_.is_up(*this);
  }
  return {};
}

// The side that accepted the connection is up first, as without a channel.
bool Connection::becomes_up() {
  if (state_ != ConnectionState::kJoining || !lane_heard_ || !lane_joined_there_) {
    return false;
  }
  state_ = ConnectionState::kUp;
  char text[512] = {};
  lane_->describe(text, sizeof text);
  lane_text_ = text;
  lane_last_heard_.store(now_ns(), std::memory_order_relaxed);
  if (inbound_) {
    push({0, FrameType::kJoined, 0, 0, 0}, {}, {});
    wake();
  }
  return true;
}

Status Connection::got_done() {
  const Lock lock(mutex_);
  if (std::exchange(peer_done_, true) || !no_more_requests_) {
    return corrupt("it has all its answers twice, or before its goodbye");
  }
  close_if_done();
  return {};
}

// ---- sending ----

void Connection::push_on_lane(FrameHeader header, Message message) {
  auto out = std::make_unique<Outgoing>();
  out->message = std::move(message);
  header.length = static_cast<uint32_t>(out->message.size());
  const auto head = encode(header);
  std::copy(head.begin(), head.end(), out->head.begin());
  out->head_size = head.size();
  queued_.add(out->size());
  ++lane_lent_;
  lane_requests_sent_ += header.type == FrameType::kRequest ? 1 : 0;
  lane_last_sent_.store(now_ns(), std::memory_order_relaxed);
  const std::span<const std::byte> payload = out->payload();
  Outgoing* const lent = out.release();
  lane_->send(lent->head.data(), payload.data(), payload.size(), lent);
  lane_asked_ = true;
}

void Connection::given_back(void* message) noexcept {
  const NetworkThread here;
  const std::unique_ptr<Outgoing> out(static_cast<Outgoing*>(message));
  const Lock lock(mutex_);
  queued_.remove(out->size());
  --lane_lent_;
  if (state_ != ConnectionState::kClosed) {
    start_handlers();
    close_if_done();
  }
  room_.notify_all();
}

// ---- what arrives ----

bool Connection::message(const void* head, size_t payload, LanePlace* place) noexcept {
  static_assert(kLaneHeadBytes == FrameHeader::kBytes);
  const NetworkThread here;
  lane_last_heard_.store(now_ns(), std::memory_order_relaxed);
  const auto begin = [&]() -> Status {
    const std::span<const std::byte, kLaneHeadBytes> bytes(static_cast<const std::byte*>(head),
                                                           kLaneHeadBytes);
    GLS_ASSIGN(const FrameHeader header, decode_header(bytes));
    if (header.length != payload) {
      return corrupt("a message on its lane has {} bytes, its header says {}", payload,
                     header.length);
    }
    return header.type == FrameType::kLane ? got_probe(header) : message_begins(header, place);
  };
  Status status;
  try {
    status = begin();
  } catch (const std::bad_alloc&) {
    status = Status::out_of_memory();
  }
  if (!status.ok()) {
    fail(status);
  }
  return status.ok();
}

// The peer that connected may receive requests before it knows that this side is up.
Status Connection::check_lane_order(const FrameHeader& header) const {
  if (state_ == ConnectionState::kClosed) {
    return why_.copy();
  }
  if (!lane_heard_ || !lane_addressed_ ||
      (header.type != FrameType::kRequest && header.type != FrameType::kReply)) {
    return corrupt("it sent a frame of type {} on its lane", static_cast<int>(header.type));
  }
  if (header.length > limits_.max_message_bytes) {
    return corrupt("it sent a frame of type {} with {} bytes, expected at most {}",
                   static_cast<int>(header.type), header.length, limits_.max_message_bytes);
  }
  return {};
}

bool Connection::is_canceled_early(uint64_t id) {
  const auto found = std::find(early_cancels_.begin(), early_cancels_.end(), id);
  if (found == early_cancels_.end()) {
    return false;
  }
  early_cancels_.erase(found);
  return true;
}

Status Connection::message_begins(const FrameHeader& header, LanePlace* place) {
  bool wanted = true;
  ReplyPlace its_place;
  {
    const Lock lock(mutex_);
    GLS_TRY(check_lane_order(header));
    if (header.type == FrameType::kRequest) {
      GLS_TRY(check_request(header));
      serving_.emplace(header.id, Serving{{}, header.length, is_canceled_early(header.id)});
      serving_bytes_ += header.length;
      ++lane_requests_got_;
    } else {
      GLS_ASSIGN(wanted, is_wanted(header));
      if (std::exchange(calls_.at(header.id).arriving, true)) {
        return corrupt("it answered call {} twice", header.id);
      }
      its_place = take_place(header);
    }
    lane_arriving_ += wanted ? 1 : 0;
  }
  if (!wanted) {
    return got_answer(header, {}, false);
  }
  const bool on_gpu = its_place.on_gpu;
  const std::byte* const there = its_place.bytes.data();
  auto arrival = std::make_unique<Arrival>();
  arrival->header = header;
  arrival->payload = make_payload(header, std::move(its_place), place->on_gpu);
  place->data = arrival->payload.data();
  place->on_gpu = on_gpu && place->data == there;
  place->token = arrival.release();
  return {};
}

void Connection::arrived(void* token) noexcept {
  const NetworkThread here;
  const std::unique_ptr<Arrival> arrival(static_cast<Arrival*>(token));
  lane_last_heard_.store(now_ns(), std::memory_order_relaxed);
  {
    const Lock lock(mutex_);
    --lane_arriving_;
  }
  Status status;
  try {
    status = arrival->header.type == FrameType::kRequest
                 ? got_request(arrival->header, std::move(arrival->payload))
                 : got_answer(arrival->header, std::move(arrival->payload), true);
  } catch (const std::bad_alloc&) {
    status = Status::out_of_memory();
  }
  if (!status.ok()) {
    fail(status);
  }
}

// Happens when the channel ends, which broken() reports or close() requested.
void Connection::failed(void* token) noexcept {
  const std::unique_ptr<Arrival> arrival(static_cast<Arrival*>(token));
  const Lock lock(mutex_);
  --lane_arriving_;
}

// ---- reading ----

LaneReads Connection::reads() const {
  const Lock lock(mutex_);
  return state_ == ConnectionState::kUp && lane_ != nullptr ? lane_->reads() : LaneReads::kNone;
}

void Connection::read(Reading reading, const CallOptions& options, ReadCompletion done) {
  auto lent = std::make_unique<LentRead>();
  lent->reading = std::move(reading);
  Lock lock(mutex_);
  if (state_ != ConnectionState::kUp || lane_ == nullptr || lane_->reads() == LaneReads::kNone) {
    const Status why = state_ != ConnectionState::kUp
                           ? not_up()
                           : error(GLS_ERR_UNSUPPORTED, "memory of {} cannot be read", who_locked())
                                 .with("peer", address_);
    lock.unlock();
    lent = nullptr;
    done(why);
    return;
  }
  const uint64_t deadline = deadline_of(options.timeout_ms);
  PendingRead pending{deadline, options.timeout_ms, options.what, 0, std::move(done)};
  for (const LaneRead& piece : lent->reading.pieces) {
    pending.bytes += piece.size;
  }
  lent->id = next_id();
  reads_.emplace(lent->id, std::move(pending));
  if (deadline != kForever) {
    deadlines_.emplace(deadline, lent->id);
    host_.look_at(deadline);
  }
  const Reading& of = lent->reading;
  const LaneReadList list{of.key->data(), of.key->size(), of.pieces.data(), of.pieces.size(),
                          of.on_gpu};
  lane_->read(list, lent.release());
}

void Connection::read_done(void* reading, LaneReadEnd end) noexcept {
  const NetworkThread here;
  std::unique_ptr<LentRead> lent(static_cast<LentRead*>(reading));
  lane_last_heard_.store(now_ns(), std::memory_order_relaxed);
  const CallId id = lent->id;
  lent = nullptr;
  ReadCompletion done;
  Status status;
  {
    const Lock lock(mutex_);
    const auto found = reads_.find(id);
    if (found == reads_.end()) {
      return;  // its deadline passed, or the connection was lost
    }
    if (end != LaneReadEnd::kGood) {
      const bool refused = end == LaneReadEnd::kRefused;
      status = or_out_of_memory([&] {
        return read_error(refused ? GLS_ERR_UNSUPPORTED : GLS_ERR_IO, found->second,
                          refused ? "it could not be shared" : "its lane could not read it");
      });
    }
    done = std::move(found->second.done);
    deadlines_.erase({found->second.deadline, id});
    reads_.erase(found);
    close_if_done();
  }
  done(status);
}

Status Connection::read_error(gls_status_t code, const PendingRead& read,
                              const std::string& why) const {
  return error(code, "{}: {} bytes of {} were not read: {}", who_locked(), read.bytes,
               read.what != nullptr ? read.what : "its memory", why)
      .with("peer", address_);
}

Result<Bytes> Connection::share(const std::shared_ptr<const void>& owner,
                                std::span<const std::byte> memory) {
  return host_.share(owner, memory);
}

// ---- the end ----

void Connection::broken(const char* why) noexcept {
  const NetworkThread here;
  fail(or_out_of_memory([&] {
    const Lock lock(mutex_);
    if (state_ == ConnectionState::kDraining) {
      // The channel ended first, and the stream reports it later.
      return Status(GLS_ERR_IO, farewell_);
    }
    return error(GLS_ERR_IO, "its lane broke: {}", why);
  }));
}

void Connection::lane_closed() noexcept {
  std::shared_ptr<Connection> self;  // destroyed after the lock is released
  const Lock lock(mutex_);
  self = std::move(kept_by_lane_);
}

// Fails a channel that is silent while the stream is not. A long message may take any time, so this
// check is off while one is in flight.
uint64_t Connection::sweep_lane(uint64_t now, bool excused, Status* why) {
  if (lane_ == nullptr || lane_closing_) {
    return UINT64_MAX;
  }
  if (excused || lane_arriving_ > 0) {
    lane_last_heard_.store(now, std::memory_order_relaxed);
  }
  const uint64_t heard = lane_last_heard_.load(std::memory_order_relaxed);
  const uint64_t silence = limits_.peer_timeout_ms * kMs;
  if (now >= heard + silence) {
    *why = error(GLS_ERR_IO, "its lane was silent for {} ms", (now - heard) / kMs);
    return UINT64_MAX;
  }
  const uint64_t beat = limits_.heartbeat_ms * kMs;
  uint64_t beat_at = lane_last_sent_.load(std::memory_order_relaxed) + beat;
  if (now >= beat_at) {
    if (lane_lent_ == 0) {  // otherwise the messages in flight show that this side is alive
      push_on_lane({0, FrameType::kLane, 0, 0, 0}, {});
    }
    beat_at = now + beat;
  }
  return std::min(heard + silence, beat_at);
}

}  // namespace gls::net
