#include "net/connection/endpoint.h"

#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <unordered_map>

#include "base/clock.h"
#include "context/parallel.h"
#include "context/stop_scope.h"
#include "net/connection/next_request.h"
#include "net/core/ticker.h"

namespace gls::net {

constexpr uint64_t kTellAgainNs = 10'000'000'000;
constexpr uint64_t kHurriedMs = 1000;  // time for the handshake while many connections are pending

// No connection is called while this lock is held.
class Endpoint::Core final : public ConnectionHost, public PeerHost, public StreamListener {
 public:
  Core(std::shared_ptr<Context> context, EndpointOptions options)
      : context_(std::move(context)),
        options_(std::move(options)),
        ticker_([this](uint64_t now, uint64_t late) { return sweep(now, late); }) {}

  Status start();
  void shutdown(const std::string& reason, int64_t timeout_ms);
  Result<std::shared_ptr<Peer>> connect(const std::string& address, int64_t timeout_ms,
                                        bool patient);
  Result<std::shared_ptr<Peer>> begin_to_connect(const std::string& address);
  std::vector<std::shared_ptr<Connection>> inbound() const;
  EndpointStats stats() const;
  Status reaches_gpus() const;
  const std::string& address() const { return bound_; }
  Context& context() { return *context_; }

  // ConnectionHost
  const Limits& limits() const override { return options_.limits; }
  const Hello& hello() const override { return hello_; }
  const Handlers& handlers() const override { return options_.handlers; }
  const std::shared_ptr<BufferPool>& buffers() const override { return context_->buffers(); }
  ChannelTransport* channels() override { return channels_.get(); }
  const std::shared_ptr<AllQueues>& queues() const override { return queues_; }
  Result<Bytes> share(const std::shared_ptr<const void>& owner,
                      std::span<const std::byte> memory) override;
  Status admit(Connection& connection, const Hello& theirs) override;
  void is_up(Connection& connection) override;
  void is_lost(Connection& connection, const Status& why) override;
  void gone(Connection& connection) override;
  void run(std::shared_ptr<Connection> connection, std::function<void()> task) override;
  void look_at(uint64_t time_ns) override { ticker_.look_at(time_ns); }

  // PeerHost
  void connect(const std::shared_ptr<Peer>& peer) override;
  const Limits& peer_limits() const override { return options_.limits; }
  void look_at_peer(uint64_t time_ns) override { ticker_.look_at(time_ns); }

  // StreamListener
  StreamUser* accepted(Stream* stream, const char* remote) noexcept override;
  bool no_room(const char* why) noexcept override;

 private:
  struct Entry {
    std::shared_ptr<Connection> connection;
    std::shared_ptr<Peer> peer;  // set for outgoing connections
    uint64_t place = 0;          // key in pending_; 0: not pending
    bool admitted = false;
  };

  uint64_t sweep(uint64_t now, uint64_t late);
  std::shared_ptr<Peer> peer_of(const Connection& connection) const;
  std::vector<std::shared_ptr<Connection>> all() const;
  std::shared_ptr<Connection> evict_locked();

  const std::shared_ptr<Context> context_;
  const EndpointOptions options_;
  Hello hello_;
  std::string bound_;
  TransportPtr transport_;
  ChannelsPtr channels_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::unordered_map<const Connection*, Entry> entries_;
  // Connections before the end of their greeting, oldest first.
  std::map<uint64_t, std::shared_ptr<Connection>> pending_;
  size_t most_pending_ = 0;
  uint64_t no_room_told_ = 0;  // time of the last log entry
  std::vector<std::shared_ptr<Peer>> peers_;
  size_t num_inbound_ = 0;  // incoming connections that completed the greeting
  EndpointStats counts_;
  bool closing_ = false;
  // Times of the last log entry about each unreachable address.
  std::map<std::string, uint64_t> told_;

  // Memory that peers may read. It is kept until the channels are destroyed, because their threads
  // may read it for peers.
  struct Shared {
    std::shared_ptr<const void> owner;
    Bytes key;
    Status refused;  // ok: it is shared
  };
  const std::shared_ptr<AllQueues> queues_ = std::make_shared<AllQueues>();
  std::mutex shared_mutex_;
  std::map<std::pair<const std::byte*, size_t>, Shared> shared_;  // by address

  std::mutex tasks_mutex_;  // a connection holds its own lock when it starts a task
  std::condition_variable tasks_done_;
  size_t tasks_ = 0;

  Ticker ticker_;  // last: its thread uses the other members
};

// ---- beginning ----

namespace {

// Half of the descriptors that this process can still open, so that pending connections leave some
// for others.
size_t most_pending(const Limits& limits) {
  constexpr size_t kLeast = 4;
  rlimit files{};
  size_t open = 0;
  std::error_code failure;
  for (std::filesystem::directory_iterator at("/proc/self/fd", failure), end; !failure && at != end;
       at.increment(failure)) {
    ++open;
  }
  if (failure || ::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) {
    return limits.max_pending;
  }
  const size_t free = files.rlim_cur > open ? files.rlim_cur - open : 0;
  return std::clamp<size_t>(free / 2, std::min<size_t>(kLeast, limits.max_pending),
                            limits.max_pending);
}

}  // namespace

Status Endpoint::Core::start() {
  GLS_TRY(check(options_.limits));
  for (const std::string* text : {&options_.role, &options_.name}) {
    if (text->size() > kMostNameBytes) {
      return invalid("name or role has {} bytes, expected at most {}", text->size(), kMostNameBytes)
          .with("argument", "name");
    }
  }
  hello_.role = options_.role;
  hello_.name = options_.name.empty() ? formatted("process {}", getpid()) : options_.name;
  hello_.library_version =
      formatted("{}.{}.{}", GLS_VERSION_MAJOR, GLS_VERSION_MINOR, GLS_VERSION_PATCH);
  hello_.max_message_bytes = options_.limits.max_message_bytes;
  hello_.max_calls = options_.limits.max_calls;
  hello_.max_call_bytes = options_.limits.max_call_bytes;
  hello_.heartbeat_ms = options_.limits.heartbeat_ms;
  if (getrandom(hello_.id.data(), hello_.id.size(), 0) != static_cast<ssize_t>(hello_.id.size())) {
    return io_error("cannot get random bytes", "", errno);
  }
  GLS_ASSIGN(channels_, make_channels(options_.transport));
  hello_.channel = channel_name(options_.transport.data, channels_.get());
  GLS_ASSIGN(transport_, make_transport(options_.transport, options_.limits.peer_timeout_ms));
  if (options_.listen.empty()) {
    return {};
  }
  most_pending_ = most_pending(options_.limits);
  GLS_ASSIGN(const auto place, split_address(options_.listen, "listen"));
  char bound[256] = {};
  StreamError failure;
  // Connections may arrive before this returns; they need only members that are already set.
  if (!transport_->listen(place.first.c_str(), place.second.c_str(), this, bound, sizeof bound,
                          &failure)) {
    return error(failure.code, "cannot listen at {}: {}", options_.listen, failure.text)
        .with("argument", "listen");
  }
  bound_ = bound;
  return {};
}

StreamUser* Endpoint::Core::accepted(Stream* stream, const char* remote) noexcept {
  std::shared_ptr<Connection> oldest;
  std::shared_ptr<Connection> connection;
  uint64_t greeting_ms = 0;
  try {
    connection = std::make_shared<Connection>(*this, true, remote);
    const std::lock_guard lock(mutex_);
    if (closing_) {
      return nullptr;
    }
    ++counts_.accepted;
    // A client that completes the handshake needs only a moment.
    const bool crowded = pending_.size() >= most_pending_ / 2;
    greeting_ms = options_.limits.handshake_timeout_ms;
    greeting_ms = crowded ? std::min<uint64_t>(greeting_ms, kHurriedMs) : greeting_ms;
    connection->greet_within(greeting_ms);
    if (pending_.size() >= most_pending_) {
      oldest = evict_locked();
    }
    entries_.emplace(connection.get(), Entry{connection, nullptr, counts_.accepted, false});
    pending_.emplace(counts_.accepted, connection);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  connection->attach(stream);
  if (oldest != nullptr) {
    oldest->fail(error(GLS_ERR_IO, "a later stranger took its place"));
  }
  look_at(now_ns() + greeting_ms * kMs);
  return connection.get();
}

std::shared_ptr<Connection> Endpoint::Core::evict_locked() {
  std::shared_ptr<Connection> oldest = pending_.begin()->second;
  entries_.at(oldest.get()).place = 0;
  pending_.erase(pending_.begin());
  ++counts_.evicted;
  return oldest;
}

bool Endpoint::Core::no_room(const char* why) noexcept {
  std::shared_ptr<Connection> oldest;
  bool again = false;
  {
    const std::lock_guard lock(mutex_);
    if (!pending_.empty()) {
      oldest = evict_locked();
    }
    const uint64_t now = now_ns();
    again = no_room_told_ != 0 && now - no_room_told_ < kTellAgainNs;
    no_room_told_ = again ? no_room_told_ : now;
  }
  static_cast<void>(guarded([&]() -> Status {
    if (!again) {
      context_->log().write(GLS_LOG_WARN, "net", "{}: cannot take connections for a moment: {}",
                            bound_, why);
    }
    return {};
  }));
  if (oldest != nullptr) {
    oldest->fail(or_out_of_memory(
        [] { return error(GLS_ERR_IO, "a later stranger needed its descriptor"); }));
  }
  return oldest != nullptr;
}

Status Endpoint::Core::admit(Connection& connection, const Hello& theirs) {
  static_cast<void>(theirs);
  const std::lock_guard lock(mutex_);
  if (closing_) {
    return error(GLS_ERR_INVALID_STATE, "it is shutting down");
  }
  if (num_inbound_ >= options_.limits.max_connections) {
    return error(GLS_ERR_INVALID_STATE,
                 "it has {} connections, its most (net.max_connections there)", num_inbound_);
  }
  const auto found = entries_.find(&connection);
  if (found == entries_.end() || found->second.place == 0) {
    return error(GLS_ERR_IO, "a later stranger took its place");
  }
  pending_.erase(found->second.place);
  found->second.place = 0;
  found->second.admitted = true;
  ++num_inbound_;
  ++counts_.admitted;
  return {};
}

Result<std::shared_ptr<Peer>> Endpoint::Core::begin_to_connect(const std::string& address) {
  GLS_TRY(split_address(address, "address").status().copy());
  auto peer = std::make_shared<Peer>(*this, address);
  {
    const std::lock_guard lock(mutex_);
    if (closing_) {
      return error(GLS_ERR_INVALID_STATE, "the endpoint is shut down");
    }
    peers_.push_back(peer);
  }
  connect(peer);
  return peer;
}

Result<std::shared_ptr<Peer>> Endpoint::Core::connect(const std::string& address,
                                                      int64_t timeout_ms, bool patient) {
  GLS_ASSIGN(auto peer, begin_to_connect(address));
  if (Status status = peer->wait_until_up(timeout_ms, patient); !status.ok()) {
    peer->close();
    return status;
  }
  return peer;
}

void Endpoint::Core::connect(const std::shared_ptr<Peer>& peer) {
  Result<std::pair<std::string, std::string>> place = split_address(peer->address(), "address");
  const auto connection = std::make_shared<Connection>(*this, false, peer->address());
  {
    const std::lock_guard lock(mutex_);
    if (closing_) {
      return;
    }
    entries_.emplace(connection.get(), Entry{connection, peer, 0, false});
  }
  StreamError failure;
  Stream* const stream =
      transport_->connect(place->first.c_str(), place->second.c_str(), connection.get(), &failure);
  if (stream == nullptr) {
    gone(*connection);
    peer->now_connecting(connection);
    peer->is_lost(connection.get(), Status(failure.code, failure.text));
    return;
  }
  connection->attach(stream);
  peer->now_connecting(connection);
  stream->start();
  look_at(now_ns() + uint64_t{options_.limits.handshake_timeout_ms} * 1000000);
}

// ---- reports of connections ----

std::shared_ptr<Peer> Endpoint::Core::peer_of(const Connection& connection) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(&connection);
  return found == entries_.end() ? nullptr : found->second.peer;
}

void Endpoint::Core::is_up(Connection& connection) {
  const std::string channel = connection.channel();
  context_->log().write(GLS_LOG_INFO, "net", "{} is connected ({}{}{})", connection.who(),
                        connection.security(), channel.empty() ? "" : "; data over ", channel);
  look_at(now_ns() + uint64_t{options_.limits.heartbeat_ms} * 1000000);
  if (const auto peer = peer_of(connection); peer != nullptr) {
    peer->is_up(connection.shared_from_this());
  }
}

void Endpoint::Core::is_lost(Connection& connection, const Status& why) {
  bool closing = false;
  bool stranger = false;
  bool again = false;
  const bool never_up = !connection.inbound() && connection.remote().name.empty();
  const std::string& address = connection.address();
  std::shared_ptr<Peer> peer;
  {
    const std::lock_guard lock(mutex_);
    closing = closing_;
    const auto found = entries_.find(&connection);
    if (found != entries_.end()) {
      stranger = connection.inbound() && !found->second.admitted;
      peer = found->second.peer;
      if (found->second.place != 0) {
        pending_.erase(std::exchange(found->second.place, 0));
      }
    }
    // A caller that waits for a peer to start retries many times a second.
    if (never_up) {
      uint64_t& last = told_[address];
      again = last != 0 && now_ns() - last < kTellAgainNs;
      last = again ? last : now_ns();
    }
  }
  // Such entries would flood the log: any host can reach the port, and clients come and go. A
  // server needs none for the peers that it connects to, since it announces its address to them.
  const bool needless =
      !connection.inbound() && options_.role == "server" && !options_.listen.empty();
  const bool expected = stranger || closing || again || needless ||
                        (connection.inbound() && connection.said_goodbye());
  context_->log().write(expected ? GLS_LOG_INFO : GLS_LOG_WARN, "net", "{} is gone: {}",
                        connection.who(), why.message());
  if (peer != nullptr) {
    peer->is_lost(&connection, why);
  }
  if (options_.lost) {
    options_.lost(connection, why);
  }
}

void Endpoint::Core::gone(Connection& connection) {
  Entry entry;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(&connection);
  if (found == entries_.end()) {
    return;
  }
  entry = std::move(found->second);
  entries_.erase(found);
  if (entry.place != 0) {
    pending_.erase(entry.place);
  }
  num_inbound_ -= entry.admitted ? 1 : 0;
  changed_.notify_all();
}

Result<Bytes> Endpoint::Core::share(const std::shared_ptr<const void>& owner,
                                    std::span<const std::byte> memory) {
  const std::lock_guard lock(shared_mutex_);
  if (channels_ == nullptr) {
    return error(GLS_ERR_UNSUPPORTED, "data go over the connections, which read no memory");
  }
  const std::pair place(memory.data(), memory.size());
  if (const auto found = shared_.find(place); found != shared_.end()) {
    return found->second.refused.ok() ? Result<Bytes>(found->second.key)
                                      : Result<Bytes>(found->second.refused.copy());
  }
  Shared made{owner, Bytes(kMostChannelKey), {}};
  StreamError why;
  const size_t size = channels_->share(memory.data(), memory.size(), made.key.data(), &why);
  if (size == 0) {
    made.refused = Status(why.code, why.text);
    Status status = made.refused.copy();
    shared_.emplace(place, std::move(made));  // another attempt would fail in the same way
    return status;
  }
  made.key.resize(size);
  return shared_.emplace(place, std::move(made)).first->second.key;
}

void Endpoint::Core::run(std::shared_ptr<Connection> connection, std::function<void()> task) {
  if (NextRequest::keep(&task)) {
    return;
  }
  {
    const std::lock_guard lock(tasks_mutex_);
    ++tasks_;
  }
  context_->pool().submit(
      [this, connection = std::move(connection), task = std::move(task)]() mutable {
        while (task) {
          task();
          task = nullptr;  // what the task held is released before the task counts as done
          task = NextRequest::next(context_->pool(), *connection);
        }
        connection = nullptr;
        const std::lock_guard lock(tasks_mutex_);
        if (--tasks_ == 0) {
          tasks_done_.notify_all();
        }
      });
}

std::vector<std::shared_ptr<Connection>> Endpoint::Core::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Connection>> out;
  out.reserve(entries_.size());
  for (const auto& [key, entry] : entries_) {
    out.push_back(entry.connection);
  }
  return out;
}

std::vector<std::shared_ptr<Connection>> Endpoint::Core::inbound() const {
  std::vector<std::shared_ptr<Connection>> out = all();
  std::erase_if(out, [](const auto& connection) {
    return !connection->inbound() || connection->state() != ConnectionState::kUp;
  });
  return out;
}

EndpointStats Endpoint::Core::stats() const {
  const std::lock_guard lock(mutex_);
  EndpointStats stats = counts_;
  stats.pending = pending_.size();
  stats.connections = entries_.size();
  return stats;
}

Status Endpoint::Core::reaches_gpus() const {
  if (channels_ == nullptr) {
    return error(GLS_ERR_UNSUPPORTED, "net.data is tcp: connections do not write to memory of GPUs")
        .with("argument", "net.device_memory");
  }
  StreamError why;
  return channels_->reaches_gpus(&why)
             ? Status()
             : Status(why.code, why.text).with("argument", "net.device_memory");
}

uint64_t Endpoint::Core::sweep(uint64_t now, uint64_t late) {
  // If this thread did not run for that long, the reading thread may not have run either.
  const bool excused = late > uint64_t{options_.limits.peer_timeout_ms} * 1000000 / 2;
  uint64_t next = kForever;
  for (const auto& connection : all()) {
    next = std::min(next, connection->sweep(now, excused));
  }
  std::vector<std::shared_ptr<Peer>> peers;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(peers_, [](const auto& peer) { return peer->state() == PeerState::kClosed; });
    if (!closing_) {
      peers = peers_;
    }
  }
  for (const auto& peer : peers) {
    next = std::min(next, peer->sweep(now));
  }
  return next;
}

// ---- the end ----

void Endpoint::Core::shutdown(const std::string& reason, int64_t timeout_ms) {
  std::vector<std::shared_ptr<Peer>> peers;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(closing_, true)) {
      return;
    }
    peers.swap(peers_);
  }
  if (transport_ == nullptr) {
    return;
  }
  transport_->stop_listening();
  const std::vector<std::shared_ptr<Connection>> last = all();
  for (const auto& connection : last) {
    connection->drain(reason);
  }
  {
    std::unique_lock lock(mutex_);
    // An interruption cuts it short.
    static_cast<void>(
        wait_ms_or_interrupt(changed_, lock, timeout_ms, [this] { return entries_.empty(); }));
  }
  for (const auto& connection : all()) {
    connection->fail(error(GLS_ERR_INVALID_STATE, "the endpoint was shut down: {}", reason));
  }
  for (const auto& peer : peers) {
    peer->close();
  }
  ticker_.stop();
  transport_.reset();  // every connection is notified of its end
  {
    const std::lock_guard lock(shared_mutex_);
    channels_.reset();
    shared_.clear();
  }
  std::unique_lock lock(tasks_mutex_);
  tasks_done_.wait(lock, [this] { return tasks_ == 0; });
}

// ---- Endpoint ----

Endpoint::Endpoint(std::unique_ptr<Core> core) : core_(std::move(core)) {}

Endpoint::~Endpoint() {
  if (core_->context().in_forked_child()) {
    static_cast<void>(core_.release());  // after fork() the threads belong to the parent
    return;
  }
  core_->shutdown("it ends", 0);
}

Result<std::unique_ptr<Endpoint>> Endpoint::create(std::shared_ptr<Context> context,
                                                   EndpointOptions options) {
  GLS_TRY(context->check_process());
  auto core = std::make_unique<Core>(std::move(context), std::move(options));
  GLS_TRY(core->start());
  return std::unique_ptr<Endpoint>(new Endpoint(std::move(core)));
}

const std::string& Endpoint::address() const { return core_->address(); }
const EndpointId& Endpoint::id() const { return core_->hello().id; }
Result<std::shared_ptr<Peer>> Endpoint::connect(const std::string& address, int64_t timeout_ms,
                                                bool patient) {
  GLS_TRY(core_->context().check_process());
  return core_->connect(address, timeout_ms, patient);
}
Result<std::shared_ptr<Peer>> Endpoint::begin_to_connect(const std::string& address) {
  GLS_TRY(core_->context().check_process());
  return core_->begin_to_connect(address);
}
std::vector<std::shared_ptr<Connection>> Endpoint::connections() const { return core_->inbound(); }
EndpointStats Endpoint::stats() const { return core_->stats(); }
Status Endpoint::reaches_gpus() const { return core_->reaches_gpus(); }
void Endpoint::shutdown(const std::string& reason, int64_t timeout_ms) {
  core_->shutdown(reason, timeout_ms);
}

}  // namespace gls::net
