#include "cluster/batches/remote_batches.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <utility>

#include "base/clock.h"
#include "cluster/batches/batch_recipe.h"
#include "cluster/batches/batch_validation.h"
#include "cluster/rpc/remote_call.h"
#include "context/parallel.h"
#include "context/stop_scope.h"

namespace gls {
namespace {

using cluster::Call;
using cluster::Deadline;
using cluster::Kind;

constexpr int64_t kUnreachableMs = 20;  // pause while no server can be reached
constexpr int64_t kBusyMs = 5;  // first pause after a server has too many of this client's requests
constexpr int64_t kMostBusyMs = 80;  // and the longest pause
// The longest pause where the server must first send long replies.
constexpr int64_t kMostFullMs = 1000;
constexpr uint64_t kAvoidNs = 1000000000;  // shortest time that a failed server is avoided
constexpr uint32_t kMostDoubled = 5;       // the time doubles with each failure, up to 32 s
constexpr size_t kNextAnnounced = 16;

// State that all users of the batches share.
struct Opened {
  struct Server {
    std::shared_ptr<net::Peer> peer;
    // Under the mutex:
    uint64_t number = 0;  // of the loader at that server; 0: not opened yet
    bool opening = false;
    uint64_t failures = 0;  // to open it
    Status why;             // of the last failure; ok: it was opened since
    uint64_t avoid_until_ns = 0;
    uint32_t failed = 0;  // failures in a row, without those seen while it was avoided
  };

  RemoteBatches::Route route;
  BatchShape shape;
  net::Message options;  // as they are sent
  size_t shares = 0;     // number of initial servers, which share the batches
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Server> servers;  // under the mutex; entries stay in place, and new ones are appended

  size_t count() {
    const std::lock_guard lock(mutex);
    return servers.size();
  }
  Server& server(size_t number) {
    const std::lock_guard lock(mutex);
    return servers[number];
  }
  // Adds servers that appeared later.
  void look_for_more() {
    const auto now = route.servers();
    const std::lock_guard lock(mutex);
    for (const auto& peer : now) {
      const auto same = [&](const Server& server) { return server.peer == peer; };
      if (std::none_of(servers.begin(), servers.end(), same)) {
        servers.emplace_back().peer = peer;
      }
    }
  }

  // Other servers are asked meanwhile. A slow failure is avoided for as long as it took, so that
  // the next request does not lose that time again.
  void avoid(Server& server, uint64_t began_ns) {
    const std::lock_guard lock(mutex);
    avoid_locked(server, began_ns);
  }
  static void avoid_locked(Server& server, uint64_t began_ns) {
    const uint64_t now = now_ns();
    if (server.avoid_until_ns <= now) {  // otherwise another thread has just seen the same failure
      ++server.failed;
    }
    const uint64_t least = kAvoidNs << std::min(server.failed - 1, kMostDoubled);
    server.avoid_until_ns = std::max(server.avoid_until_ns, now + std::max(least, now - began_ns));
  }
  void has_answered(Server& server) {
    const std::lock_guard lock(mutex);
    server.failed = 0;
    server.avoid_until_ns = 0;
  }
  // True also while another thread finds out whether a failed server can be opened now.
  bool is_avoided(const Server& server) {
    const std::lock_guard lock(mutex);
    return avoided_until(server) > now_ns();
  }
  // Returns `preferred` if it is not avoided, else the server to be asked again first.
  size_t soonest(size_t preferred) {
    const std::lock_guard lock(mutex);
    if (avoided_until(servers[preferred]) <= now_ns()) {
      return preferred;
    }
    const auto first =
        std::min_element(servers.begin(), servers.end(), [](const auto& one, const auto& other) {
          return avoided_until(one) < avoided_until(other);
        });
    return static_cast<size_t>(first - servers.begin());
  }

 private:
  static uint64_t avoided_until(const Server& server) {
    return server.opening && !server.why.ok() ? kForever : server.avoid_until_ns;
  }
};

class RemoteBatchClient final : public BatchClient {
 public:
  explicit RemoteBatchClient(std::shared_ptr<Opened> opened) : opened_(std::move(opened)) {}

  Result<std::shared_ptr<Batch>> fetch(const Request& request) override {
    cluster::BatchRequest message{0, request.epoch, request.number, {}};
    const size_t servers = opened_->shares;
    for (const uint64_t other : request.next) {
      if (other % servers == request.number % servers && message.next.size() < kNextAnnounced) {
        message.next.push_back(other);
      }
    }
    const auto ask = [&](Opened::Server& server, const Bounds& bounds) {
      return ask_batch(server, message, bounds);
    };
    return try_servers<std::shared_ptr<Batch>>(request.number % servers, request.round, ask, [&] {
      return formatted("batch {} of epoch {}", request.number, request.epoch);
    });
  }

  // Opens the loader at one server. Other servers open it at their first request.
  Status open() {
    const auto ask = [&](Opened::Server& server, const Bounds& bounds) {
      return open_at(server, 0, bounds);
    };
    return try_servers<uint64_t>(0, 0, ask, [] { return std::string("batches"); }).status().copy();
  }

  void stop() override { end_round(true); }
  uint64_t cancel_all() override { return end_round(false); }

  std::unique_ptr<BatchClient> share() const override {
    return std::make_unique<RemoteBatchClient>(opened_);
  }

 private:
  static constexpr uint64_t kNoRound = ~uint64_t{0};

  // The deadlines of a request.
  struct Bounds {
    Deadline deadline;
    uint64_t round;
  };

  bool is_over(const Bounds& bounds) const { return round_.load() != bounds.round; }

  // Returns the number of the next round, if there is one.
  uint64_t end_round(bool last) {
    uint64_t next = kNoRound;
    {
      const std::lock_guard lock(mutex_);
      next = last || round_ == kNoRound ? kNoRound : round_ + 1;
      round_ = next;
      for (Call* const call : calls_) {
        call->cancel();
      }
    }
    ended_.notify_all();
    // Pairs with the mutex of threads that are about to wait.
    { const std::lock_guard lock(opened_->mutex); }
    opened_->changed.notify_all();
    return next;
  }

  template <typename T, typename Ask, typename What>
  Result<T> try_servers(size_t first, uint64_t round, const Ask& ask, const What& what) {
    const Bounds bounds{Deadline(opened_->route.timeout_ms), round};
    size_t count = opened_->count();
    std::string failed;  // the first server that failed, and why
    int64_t full_ms = kUnreachableMs;
    bool asked = false;
    for (size_t tries = 0;; ++tries) {
      size_t at = (first + tries) % count;
      if (tries + 1 < count && opened_->is_avoided(opened_->server(at))) {
        continue;
      }
      at = asked ? at : opened_->soonest(at);
      asked = true;
      Opened::Server& server = opened_->server(at);
      const uint64_t began = now_ns();
      Result<T> answer = ask(server, bounds);
      if (is_over(bounds)) {
        return error(GLS_ERR_CANCELED, "{}: nobody waits for it any more", what());
      }
      if (answer.ok()) {
        opened_->has_answered(server);
        if (!failed.empty()) {
          opened_->route.context->log().write(GLS_LOG_WARN, "cluster", "{}; {} was asked instead",
                                              failed, server.peer->address());
        }
        return answer;
      }
      const bool busy = cluster::is_too_many_asked(answer.status());
      Status status = about(std::move(answer.status()), server, what());
      if (!cluster::is_of_server(status)) {
        return status;
      }
      if (!busy) {
        opened_->avoid(server, began);
      }
      if (bounds.deadline.left_ms() == 0) {  // the last failure had no time to tell much
        return failed.empty() || failed == status.message()
                   ? std::move(status)
                   : std::move(status).prefixed(failed + "; then: ");
      }
      failed = failed.empty() ? status.message() : failed;
      if ((tries + 1) % count == 0) {
        pause(busy ? full_ms : kUnreachableMs, bounds);
        if (is_given_up()) {
          return given_up().prefixed(what() + ": ");
        }
        full_ms = std::min(2 * full_ms, kMostFullMs);
        opened_->look_for_more();
        count = opened_->count();
      }
    }
  }

  static Status about(Status status, const Opened::Server& server, const std::string& what) {
    const std::string& address = server.peer->address();
    Status out = std::move(status).prefixed(formatted("{}, asked for {}: ", address, what));
    return out.detail("peer") == nullptr ? std::move(out).with("peer", address) : std::move(out);
  }

  // A call that ends with its round.
  Result<net::Message> call(const Opened::Server& server, Kind kind,
                            const std::function<Result<net::Message>()>& message,
                            const Bounds& bounds) {
    Call call(server.peer, kind, message, bounds.deadline, false);
    {
      const std::lock_guard lock(mutex_);
      calls_.insert(&call);
      if (is_over(bounds)) {
        call.cancel();
      }
    }
    Result<net::Message> reply = call.wait();
    const std::lock_guard lock(mutex_);
    calls_.erase(&call);
    return reply;
  }

  void pause(int64_t ms, const Bounds& bounds) {
    std::unique_lock lock(mutex_);
    static_cast<void>(wait_ms_or_interrupt(ended_, lock, ms, [&] { return is_over(bounds); }));
  }

  // Repeats a request while the server has too many of this client's requests.
  Result<net::Message> call_when_free(const Opened::Server& server, Kind kind,
                                      const std::function<Result<net::Message>()>& message,
                                      const Bounds& bounds) {
    for (int64_t ms = kBusyMs;; ms = std::min(2 * ms, kMostBusyMs)) {
      Result<net::Message> reply = call(server, kind, message, bounds);
      if (!cluster::is_too_many_asked(reply.status()) || bounds.deadline.left_ms() == 0 ||
          is_over(bounds) || is_given_up()) {
        return reply;
      }
      pause(ms, bounds);
    }
  }

  // Returns the number of the loader at the server, opened again if it is still `old`. One thread
  // opens, and the others wait and share its result, also a failure.
  Result<uint64_t> open_at(Opened::Server& server, uint64_t old, const Bounds& bounds) {
    std::unique_lock lock(opened_->mutex);
    const uint64_t before = server.failures;
    const auto decided = [&] {
      return !server.opening || server.number != old || server.failures != before ||
             is_over(bounds);
    };
    if (!wait_ms_or_interrupt(opened_->changed, lock, bounds.deadline.left_ms(), decided)) {
      return is_given_up() ? given_up()
                           : error(GLS_ERR_TIMED_OUT, "batches were not opened in time");
    }
    if (server.number != old || is_over(bounds)) {
      return server.number;
    }
    if (server.failures != before) {
      return server.why.copy();
    }
    server.opening = true;
    lock.unlock();
    const uint64_t began = now_ns();
    Result<uint64_t> number = open_now(server, bounds);
    lock.lock();
    server.opening = false;
    if (number.ok()) {
      server.number = *number;
      server.why = Status();
    } else if (!is_over(bounds) && !is_given_up()) {  // otherwise this thread itself failed
      ++server.failures;
      server.why = or_out_of_memory([&] { return number.status().copy(); });
      if (cluster::is_of_server(server.why) && !cluster::is_too_many_asked(server.why)) {
        Opened::avoid_locked(server, began);
      }
    }
    opened_->changed.notify_all();
    return number;
  }

  Result<uint64_t> open_now(const Opened::Server& server, const Bounds& bounds) {
    uint64_t number = 0;
    const Status status = guarded([&]() -> Status {  // other threads wait until this ends
      const auto message = [&]() -> Result<net::Message> {
        return net::Message::copied(opened_->route.context->buffers(), opened_->options.bytes());
      };
      GLS_ASSIGN(const net::Message reply, call(server, Kind::kOpenBatches, message, bounds));
      GLS_ASSIGN(number, cluster::decode_opened(reply.bytes()));
      return {};
    });
    return status.ok() ? Result<uint64_t>(number) : Result<uint64_t>(status.copy());
  }

  Result<std::shared_ptr<Batch>> ask_batch(Opened::Server& server, cluster::BatchRequest& request,
                                           const Bounds& bounds) {
    {
      const std::lock_guard lock(opened_->mutex);
      request.batches = server.number;
    }
    if (request.batches == 0) {
      GLS_ASSIGN(request.batches, open_at(server, 0, bounds));
    }
    const auto message = [&]() -> Result<net::Message> {
      return cluster::encode(opened_->route.context->buffers(), request);
    };
    Result<net::Message> reply = call_when_free(server, Kind::kBatch, message, bounds);
    // Several attempts, in case the server restarts meanwhile or drops the loader.
    constexpr int kMostTimes = 8;
    for (int i = 0; cluster::is_unknown_batches(reply.status()); ++i) {
      if (i == kMostTimes) {
        return error(GLS_ERR_INVALID_STATE, "it forgot them {} times: {}", i,
                     reply.status().message());
      }
      GLS_ASSIGN(request.batches, open_at(server, request.batches, bounds));
      reply = call_when_free(server, Kind::kBatch, message, bounds);
    }
    if (!reply.ok()) {
      return std::move(reply.status());
    }
    GLS_ASSIGN(std::shared_ptr<Batch> batch,
               cluster::decode_batch(reply.take(), opened_->shape.sampler->dataset()));
    GLS_TRY(check_made_batch(*batch, opened_->shape, request.epoch, request.number));
    return batch;
  }

  const std::shared_ptr<Opened> opened_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::atomic<uint64_t> round_ = 0;
  std::set<Call*> calls_;
};

}  // namespace

Result<std::unique_ptr<BatchClient>> RemoteBatches::open(Route route, const BatchRecipe& recipe) {
  auto opened = std::make_shared<Opened>();
  opened->route = std::move(route);
  opened->shape = BatchShape::of(recipe);
  GLS_ASSIGN(const cluster::BatchesRequest request,
             cluster::describe_batches(opened->route.graph, recipe));
  GLS_ASSIGN(opened->options, cluster::encode(opened->route.context->buffers(), request));
  opened->look_for_more();
  opened->shares = opened->count();
  auto batches = std::make_unique<RemoteBatchClient>(std::move(opened));
  GLS_TRY(batches->open());
  return std::unique_ptr<BatchClient>(std::move(batches));
}

}  // namespace gls
