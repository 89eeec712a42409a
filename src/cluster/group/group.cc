#include "cluster/group/group.h"

#include <unistd.h>

#include <array>
#include <utility>

#include "cluster/group/group_node.h"

namespace gls::group {
namespace {

constexpr int64_t kFlushMs = 1000;  // to send replies that other processes wait for

std::string this_host() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

}  // namespace

Group::Core::Core(std::shared_ptr<Context> context, GroupOptions options)
    : context_(std::move(context)),
      options_(std::move(options)),
      functions_(std::make_shared<FunctionTable>(context_, options_.function_threads,
                                                 std::vector<uint32_t>())),
      hub_(options_.place.rank == 0
               ? std::make_unique<GroupCoordinator>(context_->buffers(), options_.name,
                                                    options_.place.world_size)
               : nullptr),
      caller_(context_->buffers()) {
  self_.host = this_host();
  self_.process = static_cast<uint64_t>(getpid());
  self_.local_size = options_.place.local_size.value_or(0);
  self_.name = !options_.process_name.empty()
                   ? options_.process_name
                   : formatted("{}/{} on {}, process {}", options_.name, options_.place.rank,
                               self_.host, self_.process)
                         .substr(0, kMostName);
}

Group::Core::~Core() { leave(0); }

void Group::Core::leave(int64_t timeout_ms) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(left_, true)) {
      return;
    }
  }
  if (hub_ != nullptr) {
    hub_->stop("has left");
  }
  caller_.close();
  if (endpoint_ != nullptr) {
    // Rank 0 needs time to send its last replies.
    endpoint_->shutdown(
        "it leaves the group",
        timeout_ms >= 0 && timeout_ms < kFlushMs && hub_ != nullptr ? kFlushMs : timeout_ms);
  }
  ticker_.reset();
  functions_->close();
}

// ---- operations ----

void Group::Core::look_at_hub() {
  if (ticker_ != nullptr) {
    ticker_->look_at(hub_->next_deadline());
  }
}

void Group::Core::operation_came(const std::shared_ptr<Future>& answer, OperationKind kind,
                                 uint64_t number, int64_t timeout_ms,
                                 Result<net::Message> outcome) {
  const std::string what = formatted("{} {}", name_of(kind), number);
  if (!outcome.ok()) {
    const std::string hub = describe(0, members_[0]);
    const bool late = outcome.status().code() == GLS_ERR_TIMED_OUT &&
                      hub_connection_->state() == net::ConnectionState::kUp;
    Status why = hub_connection_->why_closed();
    Status status =
        late ? error(GLS_ERR_TIMED_OUT, "{} of group \"{}\": {} did not answer within {} ms", what,
                     options_.name, hub, timeout_ms)
             : error(GLS_ERR_IO, "{} of group \"{}\": {} {}: {}", what, options_.name, hub,
                     hub_connection_->said_goodbye() ? "has left" : "was lost",
                     why.ok() ? outcome.status().message() : why.message());
    static_cast<void>(answer->finish(std::move(status)
                                         .with("rank", "0")
                                         .with("peer", members_[0].address)
                                         .with("operation", what)));
    return;
  }
  const auto kept = std::make_shared<const net::Message>(outcome.take());
  Status failure;
  auto bytes = decode_reply(kept->bytes(), &failure);
  Status status = bytes.ok() ? std::move(failure) : std::move(bytes.status());
  std::vector<Bytes> parts;
  if (status.ok()) {
    auto decoded = decode_items(*bytes);
    const size_t expected = kind == OperationKind::kGather ? members_.size() : 0;
    if (!decoded.ok()) {
      status = std::move(decoded.status());
    } else if (decoded->size() != expected) {
      status = corrupt("{}: {} items came, expected {}", what, decoded->size(), expected);
    } else {
      parts = decoded.take();
    }
  }
  if (!status.ok()) {
    static_cast<void>(answer->finish(std::move(status)));
    return;
  }
  Items items;
  items.reserve(parts.size());
  for (const Bytes part : parts) {
    items.push_back(item_of(kept, part));
  }
  // Fails if the caller abandoned the operation; a later call then resumes it.
  static_cast<void>(
      answer->finish(std::move(items), [&] { done_.store(number, std::memory_order_relaxed); }));
}

Result<std::shared_ptr<Future>> Group::Core::operate(OperationKind kind, Bytes data,
                                                     int64_t timeout_ms) {
  constexpr size_t kMost = (size_t{1} << 30) - (size_t{1} << 20);
  if (data.size() > kMost) {
    return invalid("size is {}, expected at most {}", data.size(), kMost).with("argument", "size");
  }
  const auto answer = std::make_shared<Future>();
  OperationRequest request{0, kind, timeout_ms, data};
  {
    const std::lock_guard lock(mutex_);
    if (left_) {
      return error(GLS_ERR_INVALID_STATE, "group \"{}\" was left", options_.name);
    }
    const auto other = under_way_.lock();
    if (other != nullptr && !other->is_over()) {
      return error(GLS_ERR_INVALID_STATE, "operation {} of group \"{}\" is under way", done_ + 1,
                   options_.name);
    }
    under_way_ = answer;
    request.number = done_ + 1;
  }
  if (hub_ == nullptr) {
    send_operation(request, answer);
    return answer;
  }
  hub_->operate(0U, request,
                [self = weak_from_this(), answer, kind, number = request.number, timeout_ms,
                 pool = context_->buffers()](Result<net::Message> outcome) {
                  const auto core = self.lock();
                  if (core == nullptr || !outcome.ok()) {
                    static_cast<void>(answer->finish(std::move(outcome.status())));
                    return;
                  }
                  net::Message reply = make_reply(pool, outcome->size());
                  std::memcpy(reply.data() + kReplyHead, outcome->data(), outcome->size());
                  core->operation_came(answer, kind, number, timeout_ms, std::move(reply));
                });
  look_at_hub();
  return answer;
}

void Group::Core::send_operation(const OperationRequest& request,
                                 const std::shared_ptr<Future>& answer) {
  const int64_t timeout_ms = request.timeout_ms;
  const net::CallId id = hub_connection_->call(
      static_cast<uint16_t>(Kind::kOperation), encode(context_->buffers(), request),
      {timeout_ms < 0 ? timeout_ms : timeout_ms + kGraceMs, true, "an operation of the group"},
      [this, answer, kind = request.kind, number = request.number,
       timeout_ms](Result<net::Message> outcome) {  // calls end before the endpoint is destroyed
        operation_came(answer, kind, number, timeout_ms, std::move(outcome));
      });
  if (id != 0) {
    answer->on_cancel([connection = hub_connection_, id] { connection->cancel(id); });
  }
}

// ---- functions ----

Result<std::shared_ptr<Route>> Group::Core::route_to_rank(uint32_t rank) {
  const std::string who = describe(rank, members_[rank]);
  const std::lock_guard lock(mutex_);
  if (left_) {
    return error(GLS_ERR_INVALID_STATE, "group \"{}\" was left", options_.name);
  }
  if (rank == 0) {
    return route_by(hub_connection_, who);
  }
  if (hub_ != nullptr) {
    return route_by(std::static_pointer_cast<net::Connection>(hub_->connection_of(rank)), who);
  }
  std::shared_ptr<net::Peer>& peer = peers_[rank];
  if (peer == nullptr || peer->state() == net::PeerState::kClosed) {
    GLS_ASSIGN(peer, endpoint_->begin_to_connect(members_[rank].address));
  }
  return route_to(peer, who, false);
}

std::shared_ptr<Future> Group::Core::call_local(FunctionRequest request, const CallRules& rules) {
  const auto answer = std::make_shared<Future>();
  const std::string who = describe(options_.place.rank, self_);
  const std::string label = formatted("function \"{}\" of {}: ", request.name, who);
  const std::function<void()> over =
      caller_.watch(answer, rules, who, self_.address, std::string(request.name));
  const auto copy =
      std::make_shared<const net::Message>(net::Message::copied(context_->buffers(), request.data));
  request.data = copy->bytes();
  FunctionCall::Origin origin;
  origin.caller = self_.name;
  origin.keeps = copy;
  origin.canceled = [weak = std::weak_ptr<Future>(answer)] {
    const auto core = weak.lock();
    return core == nullptr || core->is_over();
  };
  origin.answer = [answer, label, over, address = self_.address,
                   function = request.name](net::Message message) {
    over();
    static_cast<void>(answer->finish(read_reply(std::move(message), label, address, function)));
  };
  origin.refuse = [answer, label, over](const Status& status) {
    over();
    static_cast<void>(answer->finish(status.copy().prefixed(label)));
  };
  functions_->call(std::move(request), std::move(origin));
  return answer;
}

Result<std::shared_ptr<Future>> Group::Core::call(uint32_t rank, const char* function, Bytes data,
                                                  const CallRules& rules) {
  if (rank >= members_.size()) {
    return invalid("rank is {}, expected 0 to {}", rank, members_.size() - 1)
        .with("argument", "rank");
  }
  GLS_TRY(check_function_name(function, "function"));
  constexpr size_t kMost = (size_t{1} << 30) - (size_t{1} << 16);
  if (data.size() > kMost) {
    return invalid("size is {}, expected at most {}", data.size(), kMost).with("argument", "size");
  }
  FunctionRequest request{function, options_.place.rank, -1, data};
  if (rank == options_.place.rank) {
    {
      const std::lock_guard lock(mutex_);
      if (left_) {
        return error(GLS_ERR_INVALID_STATE, "group \"{}\" was left", options_.name);
      }
    }
    return call_local(std::move(request), rules);
  }
  GLS_ASSIGN(auto route, route_to_rank(rank));
  CallRules own = rules;
  own.patience_ms = options_.limits.peer_timeout_ms;  // a process that left a group does not return
  return caller_.call({std::move(route)}, request, own);
}

// ---- Group ----

Group::Group(std::shared_ptr<Core> core) : core_(std::move(core)) {}
Group::~Group() { core_->leave(0); }

Result<std::unique_ptr<Group>> Group::join(std::shared_ptr<Context> context, GroupOptions options) {
  GLS_TRY(check_name(options.name.c_str(), "name"));
  if (!options.process_name.empty()) {
    GLS_TRY(check_name(options.process_name.c_str(), "process_name"));
  }
  auto core = std::make_shared<Core>(std::move(context), std::move(options));
  GLS_TRY(core->join());
  return std::unique_ptr<Group>(new Group(std::move(core)));
}

const std::string& Group::name() const { return core_->options().name; }
const Place& Group::place() const { return core_->options().place; }
const std::vector<Member>& Group::members() const { return core_->members(); }
uint32_t Group::local_rank() const { return core_->local_rank(); }
uint32_t Group::local_size() const { return core_->local_size(); }
uint64_t Group::operations() const { return core_->operations(); }
const Context& Group::context() const { return core_->context(); }
Result<std::shared_ptr<Future>> Group::operate(OperationKind kind, Bytes data, int64_t timeout_ms) {
  return core_->operate(kind, data, timeout_ms);
}
FunctionTable& Group::functions() { return core_->functions(); }
Result<std::shared_ptr<Future>> Group::call(uint32_t rank, const char* function, Bytes data,
                                            const CallRules& rules) {
  return core_->call(rank, function, data, rules);
}
void Group::leave(int64_t timeout_ms) { core_->leave(timeout_ms); }

}  // namespace gls::group
