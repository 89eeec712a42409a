// Makes whole batches for a server's clients: docs/decisions/0046. Its threads wait for other
// servers, so they are separate from the threads that answer requests about parts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "cluster/batches/batch_scheduler.h"
#include "cluster/rpc/session_cache.h"
#include "cluster/wire/messages.h"
#include "context/context.h"
#include "loader/pipeline/loader.h"
#include "net/connection/request.h"

namespace gls {

struct BatchServiceOptions {
  uint32_t threads = 0;       // that make batches; 0: as many as the context has
  size_t most_loaders = 256;  // open at the same time
  uint64_t most_loader_bytes = uint64_t{512} << 20;  // of their options and their tables
  uint64_t keep_ms = 10'000;                         // a loader used this recently is not evicted
  uint64_t most_idle_ms = 600'000;                   // a loader unused for this long is dropped
  uint64_t tidy_every_ms = 5'000;
  size_t most_opening = 64;  // requests to open a loader that wait for a reply
  uint64_t most_opening_bytes = uint64_t{256} << 20;  // bytes of those requests
  uint64_t most_option_bytes = uint64_t{64} << 20;  // of data that batches depend on: seeds, labels
  uint64_t most_table_bytes = uint64_t{256} << 20;  // of one loader
  uint64_t most_batch_bytes = uint64_t{1000} << 20;
  uint64_t most_unread_bytes = uint64_t{64} << 20;  // replies to one client that are not sent yet
  BatchScheduler::Limits shelf;  // threads: as above; most_ready_bytes: from the setting
};

class BatchService : public std::enable_shared_from_this<BatchService> {
 public:
  // The whole graph as this server reaches it, and a function that ends its waits.
  struct OpenedGraph {
    std::shared_ptr<const Dataset> dataset;
    std::function<void()> close;  // may be empty
    size_t num_remote_parts = 0;  // a part that two servers hold counts twice
  };
  // `stopping`: whether the service is closing.
  using OpenGraph = std::function<Result<OpenedGraph>(const std::shared_ptr<Context>& context,
                                                      const std::function<bool()>& stopping)>;

  // `like`: supplies the settings and the log. `graph` names the partition. The service calls
  // `open` when a client first asks for batches, with a context of its own. It calls `open` again
  // after a failure.
  BatchService(std::shared_ptr<Context> like, uint64_t graph, OpenGraph open,
               const BatchServiceOptions& options = {});
  ~BatchService() { stop(); }
  BatchService(const BatchService&) = delete;
  BatchService& operator=(const BatchService&) = delete;

  // The handlers keep the service alive.
  void add_handlers(net::Handlers* handlers);
  // Works on other threads and does not wait. `done` receives the reply, once.
  using Done = std::function<void(Result<net::Message>)>;
  struct Asker {
    BatchScheduler::ClientId client = 0;
    std::function<bool()> wanted;           // whether the client still waits
    std::shared_ptr<const void> keeps;      // the bytes of the request
    std::function<uint64_t()> unread = {};  // bytes queued for the client; may be empty
  };
  void open(cluster::Bytes request, Asker asker, Done done);
  void batch(cluster::Bytes request, Asker asker, Done done);
  void forget(BatchScheduler::ClientId client);
  // Drops what clients have not used lately. A thread also does this regularly.
  void tidy();
  // Ends all waits and joins the threads, which finish their current computation. Requests then end
  // with an error. No handler may run any more.
  void stop();
  BatchScheduler::Stats stats() const;
  size_t loaders() const { return loaders_.size(); }
  uint64_t requests() const { return requests_.load(std::memory_order_relaxed); }
  // Of the requests.
  uint64_t failures() const { return failures_.load(std::memory_order_relaxed); }

 private:
  struct Threads {
    std::shared_ptr<Context> context;     // for the threads that make batches
    std::unique_ptr<ThreadPool> openers;  // opening may take long, and must not delay batches
    std::unique_ptr<BatchScheduler> shelf;
    std::unique_ptr<ThreadPool> sweeper;  // one thread
  };
  // A request that opens batches, until it has its reply.
  class Place;
  void count(Result<net::Message>& reply);
  // An error: the service is closing.
  Result<Threads*> threads();
  Result<Threads> make_threads();
  void open_now(cluster::Bytes request, const Asker& asker, const Done& done);
  Result<std::shared_ptr<const Dataset>> graph();
  Result<std::shared_ptr<const Loader>> make_loader(cluster::Bytes request, uint64_t* bytes);
  Result<BatchScheduler::Item> make_batch(const Loader& loader,
                                          const BatchScheduler::Key& key) const;
  Status check_bytes(const BatchScheduler::Key& key, uint64_t bytes) const;
  Result<net::Message> answer_to(const Asker& asker, const BatchScheduler::Item& item) const;
  Status check_unread(const Asker& asker) const;
  void dropped(uint64_t number);
  BatchScheduler* shelf() const;
  void sweep_until_stopped();

  const std::shared_ptr<Context> like_;
  const uint64_t graph_;
  const OpenGraph open_graph_;
  const BatchServiceOptions options_;
  SessionCache<Loader> loaders_;
  std::atomic<uint64_t> requests_ = 0;
  std::atomic<uint64_t> failures_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable stopping_;
  std::optional<Threads> threads_;
  size_t opening_ = 0;
  uint64_t opening_bytes_ = 0;
  std::atomic<bool> stopped_ = false;
  std::mutex graph_mutex_;  // one thread opens the graph, and the others wait
  OpenedGraph opened_;
  std::function<void()> close_;  // of opened_, under mutex_
};

}  // namespace gls
