// Handles what arrives on a connection, and serves requests.
#include <algorithm>
#include <exception>
#include <new>

#include "base/clock.h"
#include "context/parallel.h"
#include "net/connection/connection.h"
#include "net/core/network_thread.h"

namespace gls::net {

StreamSpan Connection::room() noexcept {
  const std::span<std::byte> span = reader_.room();
  return {span.data(), span.size()};
}

bool Connection::received(size_t bytes) noexcept {
  const NetworkThread scope;
  last_heard_.store(now_ns(), std::memory_order_relaxed);
  Status status;
  try {
    status = reader_.received(bytes);
  } catch (const std::bad_alloc&) {
    status = Status::out_of_memory();
  }
  if (!status.ok() && is_lasting(status) && refuse_stranger(status)) {
    return false;  // closes after that was sent
  }
  if (!status.ok()) {
    fail(status);
    return false;
  }
  return true;
}

// Refuses a peer that connected, has not greeted, and never can, because it uses other protection.
bool Connection::refuse_stranger(const Status& why) noexcept {
  const Lock lock(mutex_);
  if (!inbound_ || state_ != ConnectionState::kGreeting || refusing_) {
    return false;
  }
  return guarded([&]() -> Status {
           refuse_locked(why);
           return {};
         })
      .ok();
}

// ---- frames ----

// Checks that a frame of this type may arrive on the stream now.
Status Connection::check_order(const FrameHeader& header) const {
  const auto type = header.type;
  const bool up = state_ == ConnectionState::kUp || state_ == ConnectionState::kDraining;
  const bool greeting =
      type == FrameType::kHello || type == FrameType::kWelcome || type == FrameType::kRefused;
  const bool joining = type == FrameType::kChannel || type == FrameType::kJoined;
  const bool for_the_channel = type == FrameType::kRequest || type == FrameType::kReply;
  bool in_order = up && !greeting && !joining &&
                  (channel_ != nullptr ? !for_the_channel : type != FrameType::kDone);
  if (state_ == ConnectionState::kJoining) {
    in_order = joining || type == FrameType::kHeartbeat;
  }
  if (state_ == ConnectionState::kGreeting && !refusing_) {
    in_order = inbound_ ? type == FrameType::kHello
                        : type == FrameType::kWelcome || type == FrameType::kRefused;
  }
  if (!in_order) {
    return corrupt("it sent a frame of type {} {}", static_cast<int>(type),
                   up && for_the_channel                 ? "beside its channel"
                   : up                                  ? "after the greeting"
                   : state_ == ConnectionState::kJoining ? "before its channel was joined"
                                                         : "in place of a greeting");
  }
  uint32_t most = 0;
  switch (type) {
    case FrameType::kHello:
      most = kMostGreetingBytes;
      break;
    case FrameType::kWelcome:
    case FrameType::kRefused:
    case FrameType::kError:
    case FrameType::kGoodbye:
    case FrameType::kChannel:
      most = kMostControlBytes;
      break;
    case FrameType::kRequest:
    case FrameType::kReply:
      most = limits_.max_message_bytes;
      break;
    case FrameType::kCancel:
    case FrameType::kHeartbeat:
    case FrameType::kJoined:
    case FrameType::kDone:
      break;
  }
  if (header.length > most) {
    return corrupt("it sent a frame of type {} with {} bytes, expected at most {}",
                   static_cast<int>(type), header.length, most);
  }
  return {};
}

// Checks that the peer keeps to the limits it received.
Status Connection::check_request(const FrameHeader& header) const {
  if (no_more_requests_ && channel_requests_got_ == channel_requests_said_) {
    return corrupt("it sent a request after its goodbye");
  }
  if (serving_.contains(header.id)) {
    return corrupt("it sent two requests with id {}", header.id);
  }
  if (serving_.size() >= limits_.max_calls ||
      (!serving_.empty() && serving_bytes_ + header.length > limits_.max_call_bytes)) {
    return corrupt("it sent more than {} requests or {} bytes of them without awaiting an answer",
                   limits_.max_calls, limits_.max_call_bytes);
  }
  return {};
}

Result<bool> Connection::is_wanted(const FrameHeader& header) const {
  const auto call = calls_.find(header.id);
  if (call == calls_.end()) {
    return corrupt("it answered call {}, which is not in flight", header.id);
  }
  return static_cast<bool>(call->second.done);
}

// The destination that the caller gave for this reply, if any. Called under the lock.
ReplyPlace Connection::take_place(const FrameHeader& header) {
  return header.type == FrameType::kReply ? std::exchange(calls_.at(header.id).place, {})
                                          : ReplyPlace{};
}

Message Connection::make_payload(const FrameHeader& header, ReplyPlace place, bool on_gpu) const {
  const bool fits =
      place.owner != nullptr && place.bytes.size() == header.length && (on_gpu || !place.on_gpu);
  return fits ? Message(std::move(place.owner), place.bytes) : Message(buffers_, header.length);
}

Result<std::span<std::byte>> Connection::begin(const FrameHeader& header) {
  wanted_ = true;
  ReplyPlace place;
  {
    const Lock lock(mutex_);
    if (state_ == ConnectionState::kClosed) {
      return why_.copy();
    }
    GLS_TRY(check_order(header));
    if (header.type == FrameType::kRequest) {
      GLS_TRY(check_request(header));
    } else if (header.type == FrameType::kReply || header.type == FrameType::kError) {
      GLS_ASSIGN(wanted_, is_wanted(header));
      place = take_place(header);
    }
  }
  header_ = header;
  incoming_ = {};
  if (wanted_) {
    incoming_ = make_payload(header, std::move(place), false);
  }
  return incoming_.bytes();
}

Status Connection::end() {
  switch (header_.type) {
    case FrameType::kHello:
      return got_hello();
    case FrameType::kWelcome:
      return got_welcome();
    case FrameType::kRefused: {
      Status why;
      GLS_TRY(decode_failure(incoming_.bytes(), &why));
      return std::move(why).prefixed("it refused the greeting: ");
    }
    case FrameType::kRequest:
      return got_request(header_, std::move(incoming_));
    case FrameType::kReply:
    case FrameType::kError:
      return got_answer(header_, std::move(incoming_), wanted_);
    case FrameType::kCancel:
      return got_cancel();
    case FrameType::kHeartbeat:
      return {};
    case FrameType::kGoodbye:
      return got_goodbye();
    case FrameType::kChannel:
      return got_channel();
    case FrameType::kJoined:
      return got_joined();
    case FrameType::kDone:
      return got_done();
  }
  return {};
}

// ---- greeting ----

Status Connection::check_greeting(const Hello& theirs) const {
  GLS_TRY(choose_protocol(host_.hello(), theirs).status().copy());
  if (uint64_t{2} * theirs.heartbeat_ms > limits_.peer_timeout_ms) {
    return error(GLS_ERR_UNSUPPORTED,
                 "a heartbeat of {} ms is too slow for a timeout of peers of {} ms, expected at "
                 "most half of it",
                 theirs.heartbeat_ms, limits_.peer_timeout_ms);
  }
  if (theirs.id == host_.hello().id) {
    return error(GLS_ERR_UNSUPPORTED, "it is this endpoint itself");
  }
  if (theirs.channel != host_.hello().channel) {
    const auto name = [](const std::string& channel) {
      return channel.empty() ? "tcp" : channel.c_str();
    };
    return error(
        GLS_ERR_UNSUPPORTED,
        "data of {} go over {} and data of {} over {}; both sides need the same net.data and "
        "net.one_sided",
        theirs.role, name(theirs.channel), host_.hello().role, name(host_.hello().channel));
  }
  return {};
}

void Connection::refuse_locked(const Status& why) {
  refusing_ = true;
  push({0, FrameType::kRefused, 0, 0, 0}, {}, encode_failure(why));
  wake();
}

Status Connection::got_hello() {
  GLS_ASSIGN(Hello theirs, decode_hello(incoming_.bytes()));
  Status status = check_greeting(theirs);
  if (status.ok()) {
    status = host_.admit(*this, theirs);
  }
  if (!status.ok()) {
    const Lock lock(mutex_);
    refuse_locked(status);
    return {};
  }
  Hello answer = host_.hello();
  answer.protocol_min = answer.protocol_max = *choose_protocol(answer, theirs);
  {
    const Lock lock(mutex_);
    if (state_ != ConnectionState::kGreeting) {
      return {};
    }
    remote_ = std::move(theirs);
    push({0, FrameType::kWelcome, 0, 0, 0}, {}, encode_hello(answer));
    wake();
    state_ = host_.channels() == nullptr ? ConnectionState::kUp : ConnectionState::kJoining;
  }
  if (host_.channels() != nullptr) {
    return open_channel();
  }
  host_.is_up(*this);
  return {};
}

Status Connection::got_welcome() {
  GLS_ASSIGN(Hello theirs, decode_hello(incoming_.bytes()));
  GLS_TRY(check_greeting(theirs));
  {
    const Lock lock(mutex_);
    if (state_ != ConnectionState::kGreeting) {
      return {};
    }
    remote_ = std::move(theirs);
    state_ = host_.channels() == nullptr ? ConnectionState::kUp : ConnectionState::kJoining;
  }
  if (host_.channels() != nullptr) {
    return open_channel();
  }
  host_.is_up(*this);
  return {};
}

Status Connection::got_goodbye() {
  GLS_ASSIGN(const Goodbye goodbye, decode_goodbye(incoming_.bytes()));
  const Lock lock(mutex_);
  if (no_more_requests_ || goodbye.channel_requests < channel_requests_got_ ||
      (channel_ == nullptr && goodbye.channel_requests != 0)) {
    return corrupt(
        "its goodbye is a second one, or counts {} requests on its channel, where {} came",
        goodbye.channel_requests, channel_requests_got_);
  }
  said_goodbye_ = true;
  no_more_requests_ = true;
  channel_requests_said_ = goodbye.channel_requests;
  if (state_ == ConnectionState::kUp) {
    farewell_ = "it said goodbye: " + goodbye.reason;
    say_goodbye("as you do");
    return {};
  }
  room_.notify_all();
  close_if_done();
  return {};
}

// ---- answers ----

Status Connection::got_answer(const FrameHeader& header, Message payload, bool wanted) {
  Status failure;
  if (header.type == FrameType::kError && wanted) {
    GLS_TRY(decode_failure(payload.bytes(), &failure));
  }
  Completion done;
  ReplyPlace place;  // of an error; destroyed after the lock is released
  {
    const Lock lock(mutex_);
    const auto call = calls_.find(header.id);
    if (call == calls_.end()) {
      return {};  // the connection failed meanwhile
    }
    done = std::move(call->second.done);
    place = std::move(call->second.place);
    deadlines_.erase({call->second.deadline, call->first});
    call_bytes_ -= call->second.bytes;
    calls_.erase(call);
    room_.notify_all();
    if (!failure.ok()) {
      failure = std::move(failure).prefixed(who_locked() + ": ");
      failure = std::move(failure).with("peer", address_);
    }
    close_if_done();
  }
  if (!done) {
    return {};
  }
  if (header.type == FrameType::kReply) {
    done(std::move(payload));
  } else {
    done(std::move(failure));
  }
  return {};
}

// ---- requests ----

Status Connection::got_request(const FrameHeader& header, Message payload) {
  const auto request = std::make_shared<Request::State>(shared_from_this(), header.kind, header.id,
                                                        std::move(payload));
  const Lock lock(mutex_);
  if (state_ == ConnectionState::kClosed) {
    request->answered = true;
    return {};
  }
  const auto [served, is_new] = serving_.try_emplace(header.id, Serving{{}, header.length});
  serving_bytes_ += is_new ? header.length : 0;  // otherwise it was counted when it began
  served->second.request = request;
  request->canceled.store(served->second.canceled, std::memory_order_relaxed);
  waiting_.push_back(request);
  start_handlers();
  return {};
}

// A request that waits is answered in its turn, so that a cancelled request uses as much of the
// limit as any other.
Status Connection::got_cancel() {
  std::shared_ptr<Request::State> request;  // destroyed after the lock is released
  const Lock lock(mutex_);
  const auto found = serving_.find(header_.id);
  if (found != serving_.end()) {
    found->second.canceled = true;
    request = found->second.request.lock();
  } else if (channel_ != nullptr) {  // answered just now, or still on the channel
    if (early_cancels_.size() >= limits_.max_calls) {
      early_cancels_.pop_front();
    }
    early_cancels_.push_back(header_.id);
  }
  if (request != nullptr) {  // otherwise it is being answered now
    request->canceled.store(true, std::memory_order_relaxed);
  }
  return {};
}

void Connection::start_handlers() {
  while (!waiting_.empty() && running_ < queued_.most_running(limits_)) {
    ++running_;
    std::shared_ptr<Request::State> request = std::move(waiting_.front());
    waiting_.pop_front();
    host_.run(shared_from_this(), [request = std::move(request)]() mutable {
      const std::shared_ptr<Connection> self = request->connection;
      if (self->is_put_back(&request)) {
        return;
      }
      self->handle(request);
      request.reset();
      const Lock lock(self->mutex_);
      --self->running_;
      if (self->state_ != ConnectionState::kClosed) {
        self->start_handlers();
      }
    });
  }
}

// Puts a request back if many replies were queued since it was started. Another handler of this
// connection, or the sending of its replies, starts it again.
bool Connection::is_put_back(std::shared_ptr<Request::State>* request) {
  const Lock lock(mutex_);
  if (state_ == ConnectionState::kClosed || running_ <= queued_.most_running(limits_)) {
    return false;
  }
  waiting_.push_front(std::move(*request));
  --running_;
  return true;
}

void Connection::handle(const std::shared_ptr<Request::State>& state) {
  if (state->canceled.load(std::memory_order_relaxed)) {
    return;  // answered when the request is destroyed
  }
  const Request request(state);
  const auto handler = host_.handlers().find(state->kind);
  if (handler == host_.handlers().end()) {
    request.fail(error(GLS_ERR_UNSUPPORTED, "calls of kind {} are not served here", state->kind));
    return;
  }
  try {
    handler->second(request);
  } catch (const std::bad_alloc&) {
    request.fail(Status::out_of_memory());
  }
}

void Connection::answered(Request::State& request, Message reply, Bytes failure) {
  Lock lock(mutex_);
  const auto found = serving_.find(request.id);
  if (state_ == ConnectionState::kClosed || found == serving_.end()) {
    return;
  }
  serving_bytes_ -= found->second.bytes;
  serving_.erase(found);
  if (failure.empty() && reply.size() > remote_.max_message_bytes) {
    failure = encode_failure(invalid("the reply has {} bytes, expected at most {}", reply.size(),
                                     remote_.max_message_bytes));
  }
  const auto type = failure.empty() ? FrameType::kReply : FrameType::kError;
  push({0, type, 0, request.kind, request.id}, failure.empty() ? std::move(reply) : Message(),
       std::move(failure));
  send(lock);
}

Message Request::reply(size_t bytes) const { return {state_->connection->buffers_, bytes}; }

void Request::answer(Message reply) const {
  if (!state_->answered.exchange(true)) {
    state_->connection->answered(*state_, std::move(reply), {});
  }
}

void Request::fail(const Status& status) const {
  if (!state_->answered.exchange(true)) {
    state_->connection->answered(*state_, {}, encode_failure(status));
  }
}

Request::State::~State() {
  if (answered.load()) {
    return;
  }
  try {
    connection->answered(
        *this, {},
        encode_failure(
            canceled.load(std::memory_order_relaxed)
                ? error(GLS_ERR_CANCELED, "it was canceled")
                : error(GLS_ERR_INTERNAL, "the handler of kind {} gave no answer", kind)));
  } catch (const std::bad_alloc&) {
    connection->fail(Status::out_of_memory());
  }
}

}  // namespace gls::net
