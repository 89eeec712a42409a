#include "cluster/rpc/function_caller.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "net/core/ticker.h"

namespace gls::group {
namespace {

constexpr int64_t kPauseMs = 10;  // between checks for a connected route

class WayToPeer final : public Route {
 public:
  WayToPeer(std::shared_ptr<net::Peer> peer, std::string who, bool lasting)
      : Route(std::move(who), peer->address()), peer_(std::move(peer)), lasting_(lasting) {}
  bool up() const override {
    const auto connection = peer_->connection();
    return connection != nullptr && connection->state() == net::ConnectionState::kUp;
  }
  bool gone() const override { return peer_->state() == net::PeerState::kClosed; }
  Status why_not_up() const override { return peer_->why_lost(); }
  net::CallId call(net::Message message, const net::CallOptions& options,
                   net::Completion done) override {
    return peer_->call(static_cast<uint16_t>(Kind::kFunction), std::move(message), options,
                       std::move(done));
  }
  void cancel(net::CallId id) override { peer_->cancel(id); }
  void give_up() override {
    if (!lasting_) {
      peer_->close();
    }
  }

 private:
  const std::shared_ptr<net::Peer> peer_;
  const bool lasting_;
};

class WayByConnection final : public Route {
 public:
  WayByConnection(std::shared_ptr<net::Connection> connection, std::string who)
      : Route(std::move(who), connection->address()), connection_(std::move(connection)) {}
  bool up() const override { return connection_->state() == net::ConnectionState::kUp; }
  bool gone() const override { return !up(); }
  Status why_not_up() const override { return connection_->why_closed(); }
  net::CallId call(net::Message message, const net::CallOptions& options,
                   net::Completion done) override {
    return connection_->call(static_cast<uint16_t>(Kind::kFunction), std::move(message), options,
                             std::move(done));
  }
  void cancel(net::CallId id) override { connection_->cancel(id); }

 private:
  const std::shared_ptr<net::Connection> connection_;
};

std::string label_of(const std::string& function, const std::string& who) {
  // Users do not know the names of the library's own functions, so errors omit them.
  return function.starts_with(kOwnNames) ? formatted("{}: ", who)
                                         : formatted("function \"{}\" of {}: ", function, who);
}

Status marked(Status status, const std::string& function, const std::string& address) {
  status = std::move(status).with("function", function);
  return status.detail("peer") == nullptr ? std::move(status).with("peer", address)
                                          : std::move(status);
}

}  // namespace

std::shared_ptr<Route> route_to(std::shared_ptr<net::Peer> peer, std::string who, bool lasting) {
  return std::make_shared<WayToPeer>(std::move(peer), std::move(who), lasting);
}
std::shared_ptr<Route> route_by(std::shared_ptr<net::Connection> connection, std::string who) {
  return std::make_shared<WayByConnection>(std::move(connection), std::move(who));
}

Tensor item_of(const std::shared_ptr<const net::Message>& message, Bytes bytes) {
  return {message, bytes.data(), DLDataType{kDLUInt, 8, 1}, {static_cast<int64_t>(bytes.size())}};
}

Result<Items> read_reply(net::Message message, const std::string& label, const std::string& address,
                         const std::string& function) {
  const auto kept = std::make_shared<const net::Message>(std::move(message));
  Status failure;
  auto bytes = decode_reply(kept->bytes(), &failure);
  if (!bytes.ok() || !failure.ok()) {
    return marked((bytes.ok() ? std::move(failure) : std::move(bytes.status())).prefixed(label),
                  function, address);
  }
  return Items{item_of(kept, *bytes)};
}

// A call of a function of this process.
struct Caller::Watched {
  std::weak_ptr<Future> answer;
  std::string who;
  std::string address;
  std::string function;
  int64_t timeout_ms = 0;

  void end(Status why) const {
    if (const auto live = answer.lock()) {
      static_cast<void>(live->finish(
          marked(std::move(why).prefixed(label_of(function, who)), function, address)));
    }
  }
};

// State that calls share. It lives as long as any call.
class Caller::Core {
 public:
  explicit Core(Pool pool) : pool_(std::move(pool)) {}

  const Pool& pool() const { return pool_; }
  bool add(const std::shared_ptr<Pending>& pending);
  void forget(Pending* pending);
  void look_later(const std::shared_ptr<Pending>& pending, int64_t ms);
  std::function<void()> watch(const std::shared_ptr<Core>& self, Watched watched,
                              int64_t timeout_ms);
  void close();

 private:
  uint64_t look(uint64_t now);
  void tick_at(uint64_t at);  // called under the lock

  const Pool pool_;
  std::mutex mutex_;
  std::multimap<uint64_t, std::shared_ptr<Pending>> due_;
  std::map<Pending*, std::weak_ptr<Pending>> all_;
  std::map<std::pair<uint64_t, uint64_t>, Watched> watched_;  // by deadline and number
  uint64_t watched_before_ = 0;
  bool closed_ = false;
  std::unique_ptr<net::Ticker> ticker_;  // created at first use
};

// One call. One thread at a time advances it: the calling thread, the thread that delivers an
// outcome, or the ticker.
class Caller::Pending : public std::enable_shared_from_this<Caller::Pending> {
 public:
  Pending(std::shared_ptr<Core> core, std::vector<std::shared_ptr<Route>> routes,
          const FunctionRequest& request, const CallRules& rules)
      : core_(std::move(core)),
        routes_(std::move(routes)),
        function_(request.name),
        message_(encode(core_->pool(), request)),
        rules_(rules),
        deadline_(rules.timeout_ms),
        alone_until_(rules.patience_ms) {}
  ~Pending() { core_->forget(this); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  const std::shared_ptr<Future>& answer() const { return answer_; }

  void go_on() {
    if (answer_->is_over()) {
      return;
    }
    for (size_t tried = 0; tried < routes_.size(); ++tried) {
      const size_t index = (at_ + tried) % routes_.size();
      if (routes_[index]->up()) {
        at_ = index;
        send();
        return;
      }
    }
    const bool all_gone = std::all_of(routes_.begin(), routes_.end(),
                                      [](const auto& route) { return route->gone(); });
    const Route& route = *routes_[at_];
    if (all_gone || deadline_.left_ms() == 0 || alone_until_.left_ms() == 0) {
      const Status why = route.why_not_up();
      routes_[at_]->give_up();
      std::string words = why.ok() ? std::string() : ": " + why.message();
      if (!lost_.empty()) {
        words += "; before: " + lost_;
      }
      end(all_gone ? error(GLS_ERR_IO, "it is lost{}", words)
                   : error(deadline_.left_ms() == 0 ? GLS_ERR_TIMED_OUT : GLS_ERR_IO,
                           "it was not connected in time{}", words));
      return;
    }
    core_->look_later(shared_from_this(), kPauseMs);
  }

  void cancel() {
    std::shared_ptr<Route> route;
    net::CallId id = 0;
    {
      const std::lock_guard lock(mutex_);
      route = sent_by_;
      id = sent_;
    }
    if (route != nullptr) {
      route->cancel(id);
    }
  }

  // Called by a thread that does not advance the call.
  void give_up(Status why) { end_by(*routes_.front(), std::move(why)); }

 private:
  void end(Status why) { end_by(*routes_[at_], std::move(why)); }
  void end_by(const Route& route, Status why) {
    static_cast<void>(answer_->finish(marked(
        std::move(why).prefixed(label_of(function_, route.who())), function_, route.address())));
  }

  // An outcome may arrive before call() returns, and call() reports whether anything was sent.
  struct Attempt {
    std::mutex mutex;
    bool returned = false;
    std::optional<Result<net::Message>> outcome;
  };

  void send() {
    const std::shared_ptr<Route> route = routes_[at_];
    const auto attempt = std::make_shared<Attempt>();
    net::Message copy = net::Message::copied(core_->pool(), message_.bytes());
    const net::CallId id =
        route->call(std::move(copy), {deadline_.left_ms(), false, "the value of a function"},
                    [self = shared_from_this(), route, attempt](Result<net::Message> outcome) {
                      {
                        const std::lock_guard lock(attempt->mutex);
                        if (!attempt->returned) {
                          attempt->outcome.emplace(std::move(outcome));
                          return;
                        }
                      }
                      self->receive(*route, std::move(outcome));
                    });
    {
      const std::lock_guard lock(mutex_);
      sent_by_ = route;
      sent_ = id;
    }
    std::optional<Result<net::Message>> early;
    {
      const std::lock_guard lock(attempt->mutex);
      attempt->returned = true;
      early = std::move(attempt->outcome);
    }
    if (id == 0) {
      not_sent(early ? std::move(early->status()) : Status());
    } else if (early) {
      receive(*route, std::move(*early));
    }
    if (answer_->is_over()) {
      cancel();  // cancel() came before the call had an id
    }
  }

  // The peer accepts no more calls in flight, or the connection was just lost.
  void not_sent(Status why) {
    if (why.code() == GLS_ERR_INVALID_ARGUMENT || deadline_.left_ms() == 0) {
      end(std::move(why));
      return;
    }
    core_->look_later(shared_from_this(), kPauseMs);
  }

  void receive(const Route& route, Result<net::Message> outcome) {
    if (outcome.ok()) {
      static_cast<void>(answer_->finish(read_reply(outcome.take(), label_of(function_, route.who()),
                                                   route.address(), function_)));
      return;
    }
    Status& why = outcome.status();
    const gls_status_t code = why.code();
    const bool of_route =
        code == GLS_ERR_IO || code == GLS_ERR_INVALID_STATE || code == GLS_ERR_TIMED_OUT;
    if (deadline_.left_ms() == 0) {
      end(error(GLS_ERR_TIMED_OUT, "there was no answer within {} ms", rules_.timeout_ms));
    } else if (!of_route) {
      end(std::move(why));
    } else if (!rules_.idempotent) {
      end(error(GLS_ERR_IO, "it was lost before it answered, and may have run or not: {}",
                why.message()));
    } else {
      lost_ = why.message();
      at_ = (at_ + 1) % routes_.size();
      alone_until_ = cluster::Deadline(rules_.patience_ms);
      core_->look_later(shared_from_this(), at_ == 0 ? kPauseMs : 0);
    }
  }

  const std::shared_ptr<Core> core_;
  const std::vector<std::shared_ptr<Route>> routes_;
  const std::string function_;
  const net::Message message_;
  const CallRules rules_;
  const cluster::Deadline deadline_;
  cluster::Deadline alone_until_;
  const std::shared_ptr<Future> answer_ = std::make_shared<Future>();
  size_t at_ = 0;
  std::string lost_;  // why the call is retried

  std::mutex mutex_;
  std::shared_ptr<Route> sent_by_;
  net::CallId sent_ = 0;
};

bool Caller::Core::add(const std::shared_ptr<Pending>& pending) {
  const std::lock_guard lock(mutex_);
  if (!closed_) {
    all_.emplace(pending.get(), pending);
  }
  return !closed_;
}

void Caller::Core::forget(Pending* pending) {
  const std::lock_guard lock(mutex_);
  all_.erase(pending);
}

void Caller::Core::look_later(const std::shared_ptr<Pending>& pending, int64_t ms) {
  const uint64_t at = now_ns() + static_cast<uint64_t>(ms) * kMs;
  const std::lock_guard lock(mutex_);
  if (closed_) {
    return;  // close() ends the call
  }
  due_.emplace(at, pending);
  tick_at(at);
}

void Caller::Core::tick_at(uint64_t at) {
  if (ticker_ == nullptr) {
    ticker_ = std::make_unique<net::Ticker>([this](uint64_t now, uint64_t) { return look(now); });
  }
  ticker_->look_at(at);
}

std::function<void()> Caller::Core::watch(const std::shared_ptr<Core>& self, Watched watched,
                                          int64_t timeout_ms) {
  const bool forever = is_unlimited(timeout_ms);
  const uint64_t at = forever ? kForever : now_ns() + static_cast<uint64_t>(timeout_ms) * kMs;
  std::pair<uint64_t, uint64_t> key;
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      key = {at, ++watched_before_};
      watched_.emplace(key, watched);
      if (!forever) {
        tick_at(at);
      }
    }
  }
  if (key.second == 0) {
    watched.end(error(GLS_ERR_INVALID_STATE, "no more calls are made"));
  }
  return [weak = std::weak_ptr<Core>(self), key] {
    if (const auto core = weak.lock()) {
      const std::lock_guard lock(core->mutex_);
      core->watched_.erase(key);
    }
  };
}

uint64_t Caller::Core::look(uint64_t now) {
  std::vector<std::shared_ptr<Pending>> ready;
  std::vector<Watched> late;
  {
    const std::lock_guard lock(mutex_);
    while (!due_.empty() && due_.begin()->first <= now) {
      ready.push_back(std::move(due_.begin()->second));
      due_.erase(due_.begin());
    }
    while (!watched_.empty() && watched_.begin()->first.first <= now) {
      late.push_back(std::move(watched_.begin()->second));
      watched_.erase(watched_.begin());
    }
  }
  for (const auto& pending : ready) {
    pending->go_on();
  }
  for (const Watched& watched : late) {
    watched.end(error(GLS_ERR_TIMED_OUT, "there was no answer within {} ms", watched.timeout_ms));
  }
  const std::lock_guard lock(mutex_);
  return std::min(due_.empty() ? kForever : due_.begin()->first,
                  watched_.empty() ? kForever : watched_.begin()->first.first);
}

void Caller::Core::close() {
  std::map<Pending*, std::weak_ptr<Pending>> all;
  std::multimap<uint64_t, std::shared_ptr<Pending>> due;
  std::map<std::pair<uint64_t, uint64_t>, Watched> watched;
  std::unique_ptr<net::Ticker> ticker;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    all.swap(all_);
    due.swap(due_);
    watched.swap(watched_);
    ticker.swap(ticker_);
  }
  ticker.reset();
  for (const auto& [key, weak] : all) {
    if (const auto pending = weak.lock()) {
      pending->give_up(error(GLS_ERR_CANCELED, "who called was released"));
      pending->cancel();
    }
  }
  for (const auto& [key, one] : watched) {
    one.end(error(GLS_ERR_CANCELED, "who called was released"));
  }
}

Caller::Caller(Pool pool) : core_(std::make_shared<Core>(std::move(pool))) {}

std::shared_ptr<Future> Caller::call(std::vector<std::shared_ptr<Route>> routes,
                                     const FunctionRequest& request, const CallRules& rules) {
  const auto pending = std::make_shared<Pending>(core_, std::move(routes), request, rules);
  if (!core_->add(pending)) {
    pending->give_up(error(GLS_ERR_INVALID_STATE, "no more calls are made"));
    return pending->answer();
  }
  pending->answer()->on_cancel([weak = std::weak_ptr<Pending>(pending)] {
    if (const auto live = weak.lock()) {
      live->cancel();
    }
  });
  pending->go_on();
  return pending->answer();
}

std::function<void()> Caller::watch(const std::shared_ptr<Future>& answer, const CallRules& rules,
                                    const std::string& who, const std::string& address,
                                    const std::string& function) {
  return core_->watch(core_, {answer, who, address, function, rules.timeout_ms}, rules.timeout_ms);
}

void Caller::close() { core_->close(); }

}  // namespace gls::group
