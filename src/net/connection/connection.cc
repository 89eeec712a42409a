// Calls, the send queue, and the end of connections. incoming.cc handles what arrives.
#include "net/connection/connection.h"

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "context/stop_scope.h"
#include "net/core/network_thread.h"

namespace gls::net {

Connection::Connection(ConnectionHost& host, bool inbound, std::string address)
    : host_(host),
      limits_(host.limits()),
      buffers_(host.buffers()),
      inbound_(inbound),
      address_(std::move(address)),
      reader_(*this),
      last_heard_(now_ns()),
      last_sent_(now_ns()),
      greeting_deadline_(now_ns() + limits_.handshake_timeout_ms * kMs),
      queued_(host.queues()) {}

Connection::~Connection() {
  if (stream_ != nullptr) {
    stream_->release();
  }
  if (channel_ != nullptr) {
    channel_->release();
  }
}

// ---- calls ----

// The channel is connected before the first call is made.
bool Connection::read_by_caller(StreamWaiter& waiter) {
  return channel_ != nullptr ? channel_->read_by_caller(waiter) : stream_->read_by_caller(waiter);
}

void Connection::nudge() {
  if (channel_ != nullptr) {
    channel_->nudge();
  } else {
    stream_->nudge();
  }
}

CallId Connection::call(uint16_t kind, Message request, const CallOptions& options,
                        Completion done) {
  const uint64_t deadline = deadline_of(options.timeout_ms);
  const uint64_t bytes = request.size();
  Lock lock(mutex_);
  if (Status status = wait_for_room(lock, bytes, deadline, options); !status.ok()) {
    lock.unlock();
    done(std::move(status));
    return 0;
  }
  const CallId id = next_id();
  calls_.emplace(id, Call{kind, bytes, deadline, options.timeout_ms, options.what, std::move(done),
                          options.place});
  call_bytes_ += bytes;
  if (deadline != kForever) {
    deadlines_.emplace(deadline, id);
  }
  push({static_cast<uint32_t>(bytes), FrameType::kRequest, 0, kind, id}, std::move(request), {});
  if (deadline != kForever) {
    host_.look_at(deadline);
  }
  send(lock);  // the host may be gone after the lock is released
  return id;
}

CallId Connection::next_id() {
  static std::atomic<CallId> last_id = 0;
  return ++last_id;
}

bool Connection::has_room(uint64_t bytes) const {
  // The queue counts as well: a peer could answer requests without reading the replies.
  return calls_.size() < remote_.max_calls && queued_.bytes() <= limits_.max_queued_bytes &&
         (calls_.empty() || call_bytes_ + bytes <= remote_.max_call_bytes);
}

Status Connection::not_up() const {
  if (state_ == ConnectionState::kClosed) {
    return error(why_.code(), "{} is gone: {}", who_locked(), why_.message())
        .with("peer", address_);
  }
  if (state_ == ConnectionState::kDraining) {
    return error(GLS_ERR_INVALID_STATE, "{} takes no new call: {}", who_locked(), farewell_)
        .with("peer", address_);
  }
  return error(GLS_ERR_INVALID_STATE, "{} is not connected yet", who_locked())
      .with("peer", address_);
}

Status Connection::wait_for_room(Lock& lock, uint64_t bytes, uint64_t deadline,
                                 const CallOptions& options) {
  if (state_ != ConnectionState::kUp) {
    return not_up();
  }
  if (bytes > remote_.max_message_bytes) {
    return invalid("the request has {} bytes, expected at most {}, what {} takes", bytes,
                   remote_.max_message_bytes, who_locked())
        .with("peer", address_);
  }
  while (!has_room(bytes)) {
    if (!options.wait || on_network_thread()) {
      return error(GLS_ERR_INVALID_STATE, "{} calls ({} bytes) to {} are in flight, its most",
                   calls_.size(), call_bytes_, who_locked())
          .with("peer", address_);
    }
    const uint64_t now = now_ns();
    if (now >= deadline) {
      return error(GLS_ERR_TIMED_OUT, "no room for a call to {} within {} ms: {} are in flight",
                   who_locked(), options.timeout_ms, calls_.size())
          .with("peer", address_);
    }
    const int64_t left_ms =
        deadline == kForever ? -1 : static_cast<int64_t>((deadline - now + kMs - 1) / kMs);
    wait_ms_or_stop(room_, lock, left_ms,
                    [&] { return state_ != ConnectionState::kUp || has_room(bytes); });
    if (state_ != ConnectionState::kUp) {
      return not_up();
    }
    if (is_given_up()) {
      return given_up().prefixed(who_locked() + ": ").with("peer", address_);
    }
  }
  return {};
}

// Forgets a call that has its outcome. Its slot is free when the peer has answered, too.
Connection::Forgotten Connection::forget(std::unordered_map<CallId, Call>::iterator call) {
  if (call->second.deadline != kForever) {
    deadlines_.erase({call->second.deadline, call->first});
  }
  push({0, FrameType::kCancel, 0, 0, call->first}, {}, {});
  return {std::exchange(call->second.done, nullptr), std::exchange(call->second.place, {})};
}

void Connection::cancel(CallId id) {
  Lock lock(mutex_);
  const auto found = calls_.find(id);
  if (found == calls_.end() || !found->second.done) {
    return;
  }
  Status status = call_error(GLS_ERR_CANCELED, found->second, "it was canceled");
  const Forgotten forgotten = forget(found);
  wake();
  lock.unlock();
  forgotten.done(std::move(status));
}

Status Connection::call_error(gls_status_t code, const Call& call, const std::string& why) const {
  const std::string what =
      call.what != nullptr ? formatted("for {}", call.what) : formatted("of kind {}", call.kind);
  return error(code, "{}: a call {} with {} bytes had no answer: {}", who_locked(), what,
               call.bytes, why)
      .with("peer", address_);
}

// ---- sending ----

void Connection::push(FrameHeader header, Message message, Bytes control) {
  if (channel_ != nullptr &&
      (header.type == FrameType::kRequest || header.type == FrameType::kReply)) {
    push_on_channel(header, std::move(message));
    return;
  }
  Outgoing& out = queue_.emplace_back();
  out.message = std::move(message);
  out.control = std::move(control);
  header.length = static_cast<uint32_t>(out.payload().size());
  std::byte* at = out.head.data();
  if (!greeted_) {
    greeted_ = true;
    std::memcpy(at, kPreamble.data(), kPreamble.size());
    at += kPreamble.size();
  }
  const auto encoded = encode(header);
  std::memcpy(at, encoded.data(), encoded.size());
  out.head_size = static_cast<size_t>(at - out.head.data()) + encoded.size();
  queued_.add(out.size());
}

// Called under the lock, as all calls of the stream: closed() takes the lock before the stream may
// end.
void Connection::wake() {
  if (std::exchange(channel_asked_, false)) {
    channel_->wake();
  }
  if (!writing_ && !ended_ && !queue_.empty()) {
    writing_ = true;
    stream_->wake();
  }
}

// Wakes the stream, or sends on this thread where that is allowed. Waking the stream's thread takes
// as long as sending some hundred kilobytes.
void Connection::send(Lock& lock) {
  if (on_network_thread()) {  // perhaps within a call by this stream
    wake();
    return;
  }
  const bool by_channel = std::exchange(channel_asked_, false);
  const bool by_stream = !writing_ && !ended_ && !queue_.empty();
  writing_ = writing_ || by_stream;
  lock.unlock();
  if (by_stream) {
    stream_->write();  // owned by this connection until gone(), like the channel
  }
  if (by_channel) {
    channel_->write();
  }
}

size_t Connection::pending(StreamSpan* spans, size_t most) noexcept {
  const Lock lock(mutex_);
  size_t count = 0;
  for (Outgoing& out : queue_) {
    const size_t head = std::min(out.sent, out.head_size);
    if (head < out.head_size) {
      if (count == most) {
        break;
      }
      spans[count++] = {out.head.data() + head, out.head_size - head};
    }
    const auto payload = out.payload().subspan(out.sent - head);
    if (!payload.empty()) {
      if (count == most) {
        break;
      }
      spans[count++] = {const_cast<std::byte*>(payload.data()), payload.size()};
    }
  }
  if (count == 0) {
    writing_ = false;
    close_if_done();
  }
  return count;
}

void Connection::sent(size_t bytes) noexcept {
  const NetworkThread scope;
  last_sent_.store(now_ns(), std::memory_order_relaxed);
  const Lock lock(mutex_);
  queued_.remove(bytes);
  while (bytes > 0) {
    Outgoing& out = queue_.front();
    const size_t part = std::min(bytes, out.size() - out.sent);
    out.sent += part;
    bytes -= part;
    if (out.sent == out.size()) {
      queue_.pop_front();
    }
  }
  if (state_ != ConnectionState::kClosed) {
    start_handlers();
  }
  room_.notify_all();
}

// ---- beginning and end ----

void Connection::reached() noexcept {
  const Lock lock(mutex_);
  reached_ = true;
}

void Connection::opened(const char* security) noexcept {
  const NetworkThread scope;
  const Lock lock(mutex_);
  if (state_ != ConnectionState::kOpening) {
    return;
  }
  state_ = ConnectionState::kGreeting;
  security_ = security;
  if (!inbound_) {
    push({0, FrameType::kHello, 0, 0, 0}, {}, encode_hello(host_.hello()));
    wake();
  }
}

void Connection::greet_within(uint64_t ms) {
  const Lock lock(mutex_);
  greeting_deadline_ = now_ns() + ms * kMs;
}

void Connection::drain(const std::string& reason) {
  Lock lock(mutex_);
  if (state_ == ConnectionState::kOpening || state_ == ConnectionState::kGreeting ||
      state_ == ConnectionState::kJoining) {
    lock.unlock();
    fail(error(GLS_ERR_INVALID_STATE, "{}", reason));
    return;
  }
  if (state_ != ConnectionState::kUp) {
    return;
  }
  farewell_ = reason;
  say_goodbye(reason);
}

void Connection::say_goodbye(const std::string& reason) {
  state_ = ConnectionState::kDraining;
  push({0, FrameType::kGoodbye, 0, 0, 0}, {}, encode_goodbye({reason, channel_requests_sent_}));
  wake();
  room_.notify_all();
  close_if_done();
}

void Connection::close_if_done() {
  const bool leaving = state_ == ConnectionState::kDraining && calls_.empty() && reads_.empty();
  bool drained = leaving && no_more_requests_ && serving_.empty();
  if (channel_ != nullptr && leaving) {
    // Bytes that this side has sent may still be on the channel. Only a caller that received all
    // replies knows that they arrived.
    if (!std::exchange(said_done_, true)) {
      push({0, FrameType::kDone, 0, 0, 0}, {}, {});
      wake();
    }
    drained = drained && peer_done_ && channel_requests_got_ == channel_requests_said_;
  }
  if (queue_.empty() && !writing_ && (refusing_ || drained)) {
    close_stream();
  }
}

void Connection::close_stream() {
  if (!ended_) {
    stream_->close();
  }
  if (channel_ != nullptr) {
    channel_closing_ = true;
    channel_->close();
  }
}

// Marks that the host is being notified of the loss, also if that fails.
class Connection::Telling {
 public:
  explicit Telling(Connection& of) : of_(of) {}
  ~Telling() {
    {
      const Lock lock(of_.mutex_);
      of_.telling_ = false;
    }
    of_.room_.notify_all();
  }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

 private:
  Connection& of_;
};

// Allocates no memory before every caller is notified, so that a lack of memory cannot leave a
// caller waiting.
void Connection::fail(const Status& why) {
  std::unordered_map<CallId, Call> calls;
  std::unordered_map<CallId, PendingRead> reads;
  std::unordered_map<uint64_t, Serving> serving;
  std::list<std::shared_ptr<Request::State>> dropped;  // destroyed after the lock is released
  {
    const Lock lock(mutex_);
    if (state_ == ConnectionState::kClosed) {
      return;
    }
    state_ = ConnectionState::kClosed;
    telling_ = true;
    why_ = or_out_of_memory([&] { return why.copy(); });
    calls.swap(calls_);
    reads.swap(reads_);
    deadlines_.clear();
    call_bytes_ = 0;
    serving.swap(serving_);
    serving_bytes_ = 0;
    dropped.swap(waiting_);
  }
  room_.notify_all();
  for (auto& [id, served] : serving) {
    if (const auto request = served.request.lock()) {
      request->canceled.store(true, std::memory_order_relaxed);
    }
  }
  {
    const Telling telling(*this);
    host_.is_lost(*this, why);
  }
  {
    const NetworkThread scope;  // completions must not wait, whichever thread runs them
    for (auto& entry : calls) {
      const Call& call = entry.second;
      if (call.done) {  // the texts of the error do not change any more
        call.done(or_out_of_memory([&] { return call_error(why.code(), call, why.message()); }));
      }
    }
    for (const auto& [id, read] : reads) {
      const PendingRead& one = read;
      one.done(or_out_of_memory([&] { return read_error(why.code(), one, why.message()); }));
    }
  }
  const Lock lock(mutex_);
  close_stream();
}

void Connection::closed(int32_t code, const char* reason) noexcept {
  const NetworkThread scope;
  fail(or_out_of_memory([&] {
    const Lock lock(mutex_);
    if (state_ == ConnectionState::kDraining) {
      return Status(GLS_ERR_IO, farewell_);
    }
    const bool greeted =
        state_ != ConnectionState::kOpening && state_ != ConnectionState::kGreeting;
    if (greeted && code == GLS_ERR_INVALID_ARGUMENT) {
      return Status(GLS_ERR_IO, reason);  // the two sides matched before
    }
    if (state_ == ConnectionState::kGreeting && !inbound_ && code != GLS_ERR_INVALID_ARGUMENT) {
      return error(code, "{} before it greeted; does it use the same kind of security?", reason);
    }
    return Status(code, reason);
  }));
  incoming_ = {};
  std::list<Outgoing> unsent;
  {
    Lock lock(mutex_);
    // Another thread may have failed the connection. The host must be notified before it forgets
    // the connection.
    room_.wait(lock, [this] { return !telling_; });
    unsent.swap(queue_);
    for (const Outgoing& out : unsent) {
      queued_.remove(out.size() - out.sent);
    }
    ended_ = true;
  }
  // gone() drops the last other reference.
  const std::shared_ptr<Connection> self = shared_from_this();
  host_.gone(*this);
}

uint64_t Connection::sweep(uint64_t now, bool excused) {
  const NetworkThread scope;
  Lock lock(mutex_);
  switch (state_) {
    case ConnectionState::kClosed:
      return kForever;
    case ConnectionState::kOpening:
    case ConnectionState::kGreeting:
    case ConnectionState::kJoining: {
      if (now < greeting_deadline_) {
        return greeting_deadline_;
      }
      const bool greeted = state_ == ConnectionState::kJoining;
      const bool reached = inbound_ || state_ != ConnectionState::kOpening || reached_;
      lock.unlock();
      if (!reached) {
        fail(error(GLS_ERR_TIMED_OUT,
                   "no connection was made within {} ms: nothing answers there, or what is sent "
                   "there is dropped on the way",
                   limits_.handshake_timeout_ms));
        return kForever;
      }
      fail(greeted ? error(GLS_ERR_TIMED_OUT,
                           "its channel ({}) was not joined within {} ms: do the interfaces of "
                           "net.data_devices reach each other?",
                           host_.hello().channel, limits_.handshake_timeout_ms)
                   : error(GLS_ERR_TIMED_OUT, "it did not finish its greeting within {} ms",
                           limits_.handshake_timeout_ms));
      return kForever;
    }
    case ConnectionState::kUp:
    case ConnectionState::kDraining:
      break;
  }
  if (excused) {
    last_heard_.store(now, std::memory_order_relaxed);
  }
  const uint64_t heard = last_heard_.load(std::memory_order_relaxed);
  const uint64_t silence = limits_.peer_timeout_ms * kMs;
  if (now >= heard + silence) {
    lock.unlock();
    fail(error(GLS_ERR_IO, "it was silent for {} ms", (now - heard) / kMs));
    return kForever;
  }
  Status channel_lost;
  const uint64_t next_of_channel = sweep_channel(now, excused, &channel_lost);
  if (!channel_lost.ok()) {
    lock.unlock();
    fail(channel_lost);
    return kForever;
  }
  uint64_t next = std::min(heard + silence, next_of_channel);

  std::vector<Ended> ended;
  std::vector<std::pair<ReadCompletion, Status>> ended_reads;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    if (const auto read = reads_.find(deadlines_.begin()->second); read != reads_.end()) {
      PendingRead late = std::move(read->second);
      reads_.erase(read);
      deadlines_.erase(deadlines_.begin());
      Status status = read_error(GLS_ERR_TIMED_OUT, late,
                                 formatted("the {} ms it had are over", late.timeout_ms));
      ended_reads.emplace_back(std::move(late.done), std::move(status));
      continue;
    }
    const auto call = calls_.find(deadlines_.begin()->second);
    Status status = call_error(GLS_ERR_TIMED_OUT, call->second,
                               formatted("the {} ms it had are over", call->second.timeout_ms));
    ended.push_back({forget(call), std::move(status)});
  }
  if (!deadlines_.empty()) {
    next = std::min(next, deadlines_.begin()->first);
  }
  const uint64_t beat = limits_.heartbeat_ms * kMs;
  uint64_t beat_at = last_sent_.load(std::memory_order_relaxed) + beat;
  if (now >= beat_at) {
    if (queue_.empty()) {  // otherwise the queued frames show that this side is alive
      push({0, FrameType::kHeartbeat, 0, 0, 0}, {}, {});
    }
    writing_ = false;  // wakes the stream again: it may have lacked the memory to remember
    beat_at = now + beat;
  }
  next = std::min(next, beat_at);
  if (!ended_reads.empty()) {
    close_if_done();
  }
  wake();
  lock.unlock();
  for (Ended& end : ended) {
    end.forgotten.done(std::move(end.status));
  }
  for (const auto& [done, status] : ended_reads) {
    done(status);
  }
  return next;
}

// ---- queries ----

std::string Connection::who_locked() const {
  if (remote_.name.empty()) {
    return address_;
  }
  return formatted("{} \"{}\" at {}", remote_.role, remote_.name, address_);
}

std::string Connection::who() const {
  const Lock lock(mutex_);
  return who_locked();
}
ConnectionState Connection::state() const {
  const Lock lock(mutex_);
  return state_;
}
Hello Connection::remote() const {
  const Lock lock(mutex_);
  return remote_;
}
std::string Connection::security() const {
  const Lock lock(mutex_);
  return security_;
}
std::string Connection::channel() const {
  const Lock lock(mutex_);
  return channel_text_;
}
Status Connection::why_closed() const {
  const Lock lock(mutex_);
  return why_.copy();
}
uint64_t Connection::queued_bytes() const {
  const Lock lock(mutex_);
  return queued_.bytes();
}
size_t Connection::waiting_requests() const {
  const Lock lock(mutex_);
  return waiting_.size();
}
size_t Connection::calls_in_flight() const {
  const Lock lock(mutex_);
  return calls_.size();
}

}  // namespace gls::net
