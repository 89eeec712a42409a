// The data channel of a connection: how it is joined, and how its messages are handled.
#include <algorithm>
#include <new>

#include "base/clock.h"
#include "net/connection/connection.h"
#include "net/core/network_thread.h"

namespace gls::net {

// ---- joining ----

// After the greeting: sends the address of this side's channel to the peer.
Status Connection::open_channel() {
  StreamError why;
  DataChannel* const channel = host_.channels()->open(this, &why);
  if (channel == nullptr) {
    return Status(why.code, why.text).prefixed("cannot open a channel: ");
  }
  const Lock lock(mutex_);
  channel_ = channel;
  kept_by_channel_ = shared_from_this();
  if (state_ == ConnectionState::kClosed) {
    channel_->close();
    return {};
  }
  const StreamSpan address = channel_->address();
  push({0, FrameType::kChannel, 0, 0, 0}, {},
       encode_channel({static_cast<const std::byte*>(address.data), address.size}));
  wake();
  return {};
}

Status Connection::got_channel() {
  GLS_ASSIGN(const Bytes address, decode_channel(incoming_.bytes()));
  const Lock lock(mutex_);
  if (std::exchange(channel_addressed_, true)) {
    return corrupt("it sent two addresses of its channel");
  }
  if (state_ == ConnectionState::kJoining) {
    channel_->join(address.data(), address.size());
    push_on_channel({0, FrameType::kChannel, 0, 0, 0}, {});
    wake();
  }
  return {};
}

Status Connection::got_probe(const FrameHeader& header) {
  if (header.length != 0) {
    return corrupt("it sent {} bytes to be heard on its channel", header.length);
  }
  bool up = false;
  {
    const Lock lock(mutex_);
    if (state_ == ConnectionState::kJoining && !std::exchange(channel_heard_, true)) {
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
    if (std::exchange(remote_channel_joined_, true) || !channel_addressed_ ||
        (!inbound_ && !channel_heard_)) {
      return corrupt("it joined a channel that was not there");
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
  if (state_ != ConnectionState::kJoining || !channel_heard_ || !remote_channel_joined_) {
    return false;
  }
  state_ = ConnectionState::kUp;
  char text[512] = {};
  channel_->describe(text, sizeof text);
  channel_text_ = text;
  channel_last_heard_.store(now_ns(), std::memory_order_relaxed);
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

void Connection::push_on_channel(FrameHeader header, Message message) {
  auto out = std::make_unique<Outgoing>();
  out->message = std::move(message);
  header.length = static_cast<uint32_t>(out->message.size());
  const auto head = encode(header);
  std::copy(head.begin(), head.end(), out->head.begin());
  out->head_size = head.size();
  queued_.add(out->size());
  ++channel_lent_;
  channel_requests_sent_ += header.type == FrameType::kRequest ? 1 : 0;
  channel_last_sent_.store(now_ns(), std::memory_order_relaxed);
  const std::span<const std::byte> payload = out->payload();
  Outgoing* const lent = out.release();
  channel_->send(lent->head.data(), payload.data(), payload.size(), lent);
  channel_asked_ = true;
}

void Connection::given_back(void* message) noexcept {
  const NetworkThread scope;
  const std::unique_ptr<Outgoing> out(static_cast<Outgoing*>(message));
  const Lock lock(mutex_);
  queued_.remove(out->size());
  --channel_lent_;
  if (state_ != ConnectionState::kClosed) {
    start_handlers();
    close_if_done();
  }
  room_.notify_all();
}

// ---- what arrives ----

bool Connection::message(const void* head, size_t payload, ChannelPlace* place) noexcept {
  static_assert(kChannelHeadBytes == FrameHeader::kBytes);
  const NetworkThread scope;
  channel_last_heard_.store(now_ns(), std::memory_order_relaxed);
  const auto begin = [&]() -> Status {
    const std::span<const std::byte, kChannelHeadBytes> bytes(static_cast<const std::byte*>(head),
                                                              kChannelHeadBytes);
    GLS_ASSIGN(const FrameHeader header, decode_header(bytes));
    if (header.length != payload) {
      return corrupt("a message on its channel has {} bytes, its header says {}", payload,
                     header.length);
    }
    return header.type == FrameType::kChannel ? got_probe(header) : message_begins(header, place);
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
Status Connection::check_channel_order(const FrameHeader& header) const {
  if (state_ == ConnectionState::kClosed) {
    return why_.copy();
  }
  if (!channel_heard_ || !channel_addressed_ ||
      (header.type != FrameType::kRequest && header.type != FrameType::kReply)) {
    return corrupt("it sent a frame of type {} on its channel", static_cast<int>(header.type));
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

Status Connection::message_begins(const FrameHeader& header, ChannelPlace* place) {
  bool wanted = true;
  ReplyPlace its_place;
  {
    const Lock lock(mutex_);
    GLS_TRY(check_channel_order(header));
    if (header.type == FrameType::kRequest) {
      GLS_TRY(check_request(header));
      serving_.emplace(header.id, Serving{{}, header.length, is_canceled_early(header.id)});
      serving_bytes_ += header.length;
      ++channel_requests_got_;
    } else {
      GLS_ASSIGN(wanted, is_wanted(header));
      if (std::exchange(calls_.at(header.id).arriving, true)) {
        return corrupt("it answered call {} twice", header.id);
      }
      its_place = take_place(header);
    }
    channel_arriving_ += wanted ? 1 : 0;
  }
  if (!wanted) {
    return got_answer(header, {}, false);
  }
  const bool on_gpu = its_place.on_gpu;
  const std::byte* const remote = its_place.bytes.data();
  auto arrival = std::make_unique<Arrival>();
  arrival->header = header;
  arrival->payload = make_payload(header, std::move(its_place), place->on_gpu);
  place->data = arrival->payload.data();
  place->on_gpu = on_gpu && place->data == remote;
  place->token = arrival.release();
  return {};
}

void Connection::arrived(void* token) noexcept {
  const NetworkThread scope;
  const std::unique_ptr<Arrival> arrival(static_cast<Arrival*>(token));
  channel_last_heard_.store(now_ns(), std::memory_order_relaxed);
  {
    const Lock lock(mutex_);
    --channel_arriving_;
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
  --channel_arriving_;
}

// ---- reading ----

ChannelReads Connection::reads() const {
  const Lock lock(mutex_);
  return state_ == ConnectionState::kUp && channel_ != nullptr ? channel_->reads()
                                                               : ChannelReads::kNone;
}

void Connection::read(Reading reading, const CallOptions& options, ReadCompletion done) {
  auto lent = std::make_unique<LentRead>();
  lent->reading = std::move(reading);
  Lock lock(mutex_);
  if (state_ != ConnectionState::kUp || channel_ == nullptr ||
      channel_->reads() == ChannelReads::kNone) {
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
  for (const ChannelRead& piece : lent->reading.pieces) {
    pending.bytes += piece.size;
  }
  lent->id = next_id();
  reads_.emplace(lent->id, std::move(pending));
  if (deadline != kForever) {
    deadlines_.emplace(deadline, lent->id);
    host_.look_at(deadline);
  }
  const Reading& of = lent->reading;
  const ChannelReadList list{of.key->data(), of.key->size(), of.pieces.data(), of.pieces.size(),
                             of.on_gpu};
  channel_->read(list, lent.release());
}

void Connection::read_done(void* reading, ChannelReadEnd end) noexcept {
  const NetworkThread scope;
  std::unique_ptr<LentRead> lent(static_cast<LentRead*>(reading));
  channel_last_heard_.store(now_ns(), std::memory_order_relaxed);
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
    if (end != ChannelReadEnd::kGood) {
      const bool refused = end == ChannelReadEnd::kRefused;
      status = or_out_of_memory([&] {
        return read_error(refused ? GLS_ERR_UNSUPPORTED : GLS_ERR_IO, found->second,
                          refused ? "it could not be shared" : "its channel could not read it");
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
  const NetworkThread scope;
  fail(or_out_of_memory([&] {
    const Lock lock(mutex_);
    if (state_ == ConnectionState::kDraining) {
      // The channel ended first, and the stream reports it later.
      return Status(GLS_ERR_IO, farewell_);
    }
    return error(GLS_ERR_IO, "its channel broke: {}", why);
  }));
}

void Connection::channel_closed() noexcept {
  std::shared_ptr<Connection> self;  // destroyed after the lock is released
  const Lock lock(mutex_);
  self = std::move(kept_by_channel_);
}

// Fails a channel that is silent while the stream is not. A long message may take any time, so this
// check is off while one is in flight.
uint64_t Connection::sweep_channel(uint64_t now, bool excused, Status* why) {
  if (channel_ == nullptr || channel_closing_) {
    return UINT64_MAX;
  }
  if (excused || channel_arriving_ > 0) {
    channel_last_heard_.store(now, std::memory_order_relaxed);
  }
  const uint64_t heard = channel_last_heard_.load(std::memory_order_relaxed);
  const uint64_t silence = limits_.peer_timeout_ms * kMs;
  if (now >= heard + silence) {
    *why = error(GLS_ERR_IO, "its channel was silent for {} ms", (now - heard) / kMs);
    return UINT64_MAX;
  }
  const uint64_t beat = limits_.heartbeat_ms * kMs;
  uint64_t beat_at = channel_last_sent_.load(std::memory_order_relaxed) + beat;
  if (now >= beat_at) {
    if (channel_lent_ == 0) {  // otherwise the messages in flight show that this side is alive
      push_on_channel({0, FrameType::kChannel, 0, 0, 0}, {});
    }
    beat_at = now + beat;
  }
  return std::min(heard + silence, beat_at);
}

}  // namespace gls::net
