#include "cluster/batches/batch_service.h"

#include <chrono>
#include <exception>
#include <utility>

#include "cluster/batches/batch_recipe.h"
#include "context/parallel.h"
#include "net/connection/connection.h"

namespace gls {
namespace {

constexpr unsigned kOpeners = 2;
constexpr uint64_t kNsOfMs = 1000000;

Status service_stopping() { return error(GLS_ERR_INVALID_STATE, "the server stops"); }

}  // namespace

// Reserves a slot for a request when it is made. The slot is free again after the reply, or when
// the object is destroyed.
class BatchService::Place {
 public:
  Place(BatchService& service, uint64_t bytes) : service_(service), bytes_(bytes) {}
  ~Place() { give_back(); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  // False: no slot is free.
  bool take() {
    const std::lock_guard lock(service_.mutex_);
    const BatchServiceOptions& options = service_.options_;
    // A single request may always open.
    taken_ =
        service_.opening_ == 0 || (service_.opening_ < options.most_opening &&
                                   service_.opening_bytes_ + bytes_ <= options.most_opening_bytes);
    service_.opening_ += taken_ ? 1 : 0;
    service_.opening_bytes_ += taken_ ? bytes_ : 0;
    return taken_;
  }
  void give_back() {
    const std::lock_guard lock(service_.mutex_);
    if (std::exchange(taken_, false)) {
      --service_.opening_;
      service_.opening_bytes_ -= bytes_;
    }
  }

 private:
  BatchService& service_;
  const uint64_t bytes_;
  bool taken_ = false;
};

BatchService::BatchService(std::shared_ptr<Context> like, uint64_t graph, OpenGraph open,
                           const BatchServiceOptions& options)
    : like_(std::move(like)),
      graph_(graph),
      open_graph_(std::move(open)),
      options_(options),
      loaders_(SessionLimits{
          options.most_loaders, options.most_loader_bytes, options.keep_ms * kNsOfMs,
          [bytes = options.most_loader_bytes] { return cluster::too_many_opened(bytes); },
          [this](uint64_t number) { dropped(number); }}) {}

void BatchService::add_handlers(net::Handlers* handlers) {
  using Answer = void (BatchService::*)(cluster::Bytes, Asker, Done);
  const auto add = [&](cluster::Kind kind, Answer answer) {
    (*handlers)[static_cast<uint16_t>(kind)] = [self = shared_from_this(),
                                                answer](const net::Request& request) {
      if (request.canceled()) {
        return;
      }
      Asker asker;
      asker.client = reinterpret_cast<BatchScheduler::ClientId>(request.connection().get());
      asker.wanted = [request] { return !request.canceled(); };
      asker.keeps = std::make_shared<const net::Request>(request);
      asker.unread = [request] { return request.connection()->queued_bytes(); };
      (self.get()->*answer)(request.bytes(), std::move(asker),
                            [self, request](Result<net::Message> reply) {
                              self->count(reply);
                              if (reply.ok()) {
                                request.answer(reply.take());
                              } else {
                                request.fail(reply.status());
                              }
                            });
    };
  };
  add(cluster::Kind::kOpenBatches, &BatchService::open);
  add(cluster::Kind::kBatch, &BatchService::batch);
}

// Counts failures. An unknown loader is not a failure: the client opens it again.
void BatchService::count(Result<net::Message>& reply) {
  requests_.fetch_add(1, std::memory_order_relaxed);
  if (!reply.ok() && !cluster::is_unknown_batches(reply.status()) &&
      reply.status().code() != GLS_ERR_CANCELED) {
    failures_.fetch_add(1, std::memory_order_relaxed);
  }
}

// Starts the threads at first use, since most servers have no clients that request batches.
Result<BatchService::Threads*> BatchService::threads() {
  const std::lock_guard lock(mutex_);
  if (stopped_) {
    return service_stopping();
  }
  if (!threads_.has_value()) {
    GLS_ASSIGN(Threads made, make_threads());
    threads_.emplace(std::move(made));
  }
  return &*threads_;
}

Result<BatchService::Threads> BatchService::make_threads() {
  Threads made;
  const uint32_t count = options_.threads != 0 ? options_.threads : like_->pool().size();
  GLS_ASSIGN(made.context, Context::create_like(like_, count));
  BatchScheduler::Limits limits = options_.shelf;
  limits.threads = count;
  limits.most_ready_bytes = like_->settings().bytes(Setting::kClusterBatchMemory);
  made.shelf = std::make_unique<BatchScheduler>(
      limits,
      [pool = &made.context->pool()](std::function<void()> task) { pool->submit(std::move(task)); },
      [this](const BatchScheduler::Key& key, const BatchScheduler::Loaded& by) {
        return make_batch(*static_cast<const Loader*>(by.get()), key);
      });
  try {
    made.openers = std::make_unique<ThreadPool>(kOpeners);
    made.sweeper = std::make_unique<ThreadPool>(1);
    // The thread first waits for mutex_, which is held here.
    made.sweeper->submit([this] { sweep_until_stopped(); });
  } catch (const std::exception& e) {
    return error(GLS_ERR_OUT_OF_MEMORY, "threads that open batches: {}", e.what());
  }
  return made;
}

BatchScheduler* BatchService::shelf() const {
  const std::lock_guard lock(mutex_);
  return threads_.has_value() ? threads_->shelf.get() : nullptr;
}

// ---- regular cleaning ---------------------------------------------------------------------------

void BatchService::sweep_until_stopped() {
  const std::chrono::milliseconds every(options_.tidy_every_ms);
  std::unique_lock lock(mutex_);
  while (!stopping_.wait_for(lock, every, [this] { return stopped_.load(); })) {
    lock.unlock();
    static_cast<void>(guarded([this]() -> Status {
      tidy();
      return {};
    }));
    lock.lock();
  }
}

void BatchService::tidy() {
  loaders_.drop_idle(options_.most_idle_ms * kNsOfMs);
  for (const auto& loader : loaders_.idle(options_.keep_ms * kNsOfMs)) {
    loader->sampler()->trim();
  }
  if (BatchScheduler* const of = shelf(); of != nullptr) {
    of->tidy();
  }
}

void BatchService::dropped(uint64_t number) {
  if (BatchScheduler* const of = shelf(); of != nullptr) {
    of->forget_loader(number);
  }
  like_->log().write(GLS_LOG_INFO, "cluster",
                     "batches number {} are forgotten here; who asks for them opens them again",
                     number);
}

// ---- opening -----------------------------------------------------------------------------------

void BatchService::open(cluster::Bytes request, Asker asker, Done done) {
  if (request.size() > options_.most_option_bytes) {
    return done(error(GLS_ERR_UNSUPPORTED,
                      "what batches depend on (seeds, labels, edges that are left out) has {} "
                      "bytes, this server takes {}; seeds may be an id set",
                      request.size(), options_.most_option_bytes));
  }
  Result<Threads*> made = threads();
  if (!made.ok()) {
    return done(std::move(made.status()));
  }
  const auto place = std::make_shared<Place>(*this, request.size());
  if (!place->take()) {
    return done(cluster::too_many_asked(options_.most_opening));
  }
  // Keeps the bytes of the request until its reply, also while it waits for another request.
  const auto answered = [done = std::move(done), place](Result<net::Message> reply) {
    place->give_back();
    done(std::move(reply));
  };
  (*made)->openers->submit([this, request, asker = std::move(asker), answered] {
    const Status status = guarded([&]() -> Status {
      open_now(request, asker, answered);
      return {};
    });
    if (!status.ok()) {
      static_cast<void>(guarded([&]() -> Status {
        answered(status.copy());
        return {};
      }));
    }
  });
}

void BatchService::open_now(cluster::Bytes request, const Asker& asker, const Done& done) {
  if (!asker.wanted()) {
    return done(error(GLS_ERR_CANCELED, "nobody waits for it"));
  }
  uint64_t bytes = 0;
  loaders_.open(
      {reinterpret_cast<const char*>(request.data()), request.size()},
      [&] { return make_loader(request, &bytes); },
      [this, done](uint64_t number, const Status& status) {
        if (status.ok()) {
          done(cluster::encode_opened(like_->buffers(), number));
        } else {
          done(status.copy());
        }
      },
      &bytes);
}

Result<std::shared_ptr<const Dataset>> BatchService::graph() {
  const std::lock_guard opening(graph_mutex_);
  if (opened_.dataset == nullptr) {
    std::shared_ptr<Context> context;
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) {
        return service_stopping();
      }
      context = threads_->context;
    }
    Result<OpenedGraph> opened = open_graph_(context, [this] { return stopped_.load(); });
    if (!opened.ok()) {
      return std::move(opened.status()).prefixed("this server cannot make batches: ");
    }
    const std::lock_guard lock(mutex_);
    if (stopped_) {
      return service_stopping();
    }
    opened_ = opened.take();
    close_ = opened_.close;
  }
  return opened_.dataset;
}

Result<std::shared_ptr<const Loader>> BatchService::make_loader(cluster::Bytes request,
                                                                uint64_t* bytes) {
  // The arrays of the request are used as long as the loader exists.
  const auto kept =
      std::make_shared<const net::Message>(net::Message::copied(like_->buffers(), request));
  GLS_ASSIGN(cluster::BatchesRequest asked, cluster::decode_batches_request(kept->bytes(), kept));
  if (asked.graph != graph_) {
    return cluster::not_served(
        invalid("another partition is served here").with("argument", "graph"));
  }
  GLS_ASSIGN(const std::shared_ptr<const Dataset> dataset, graph());
  uint64_t excluded = 0;
  for (const EdgeSet& set : asked.sampler.exclude) {
    excluded += static_cast<uint64_t>(set.edges.span_bytes());
  }
  excluded *= asked.sampler.reverse_types.empty() ? 1 : 2;
  size_t num_remote = 0;
  {
    const std::lock_guard lock(graph_mutex_);
    num_remote = opened_.num_remote_parts;
  }
  GLS_ASSIGN(auto loader,
             cluster::make_loader(dataset, std::move(asked),
                                  {options_.most_batch_bytes, options_.most_table_bytes}, bytes));
  // Counts the arrays, a copy of the excluded edges, and one copy for each server of a part, as it
  // is sent.
  *bytes += 2 * request.size() + num_remote * excluded;
  return loader;
}

// ---- batches -----------------------------------------------------------------------------------

void BatchService::batch(cluster::Bytes request, Asker asker, Done done) {
  Result<cluster::BatchRequest> asked = cluster::decode_batch_request(request);
  if (!asked.ok()) {
    return done(std::move(asked.status()));
  }
  const std::shared_ptr<const Loader> loader = loaders_.find(asked->batches);
  if (loader == nullptr) {
    return done(cluster::unknown_batches(asked->batches));
  }
  const uint64_t batches = loader->counts().batches;
  if (asked->number >= batches) {
    return done(invalid("batch is {}, but an epoch has {} batches", asked->number, batches)
                    .with("argument", "batch"));
  }
  if (Status unread = check_unread(asker); !unread.ok()) {
    return done(std::move(unread));
  }
  std::erase_if(asked->next, [&](uint64_t number) { return number >= batches; });
  Result<Threads*> made = threads();
  if (!made.ok()) {
    return done(std::move(made.status()));
  }
  BatchScheduler::Question question;
  question.client = asker.client;
  question.key = {asked->batches, asked->epoch, asked->number};
  question.next = asked->next;
  question.by = loader;
  question.wanted = asker.wanted;
  question.done = [this, asker = std::move(asker), done = std::move(done)](
                      const BatchScheduler::Item& item, const Status& status) {
    done(item == nullptr ? Result<net::Message>(status.copy()) : answer_to(asker, item));
  };
  (*made)->shelf->ask(std::move(question));
}

// Back-pressure: a client with too many unread bytes gets no further batches.
Status BatchService::check_unread(const Asker& asker) const {
  const uint64_t unread = asker.unread ? asker.unread() : 0;
  return unread > options_.most_unread_bytes ? cluster::too_many_unread(options_.most_unread_bytes)
                                             : Status();
}

Result<net::Message> BatchService::answer_to(const Asker& asker,
                                             const BatchScheduler::Item& item) const {
  if (!asker.wanted()) {
    return error(GLS_ERR_CANCELED, "nobody waits for it");
  }
  GLS_TRY(check_unread(asker));
  return net::Message::shared(item);
}

Status BatchService::check_bytes(const BatchScheduler::Key& key, uint64_t bytes) const {
  if (bytes <= options_.most_batch_bytes) {
    return {};
  }
  return error(GLS_ERR_UNSUPPORTED,
               "batch {} of epoch {} has {} bytes, the most that is sent is {}; make batches "
               "smaller, or make them where they are used",
               key.number, key.epoch, bytes, options_.most_batch_bytes);
}

Result<BatchScheduler::Item> BatchService::make_batch(const Loader& loader,
                                                      const BatchScheduler::Key& key) const {
  // Called before memory is allocated for columns, which are most of a batch.
  const auto look = [&](const Batch& sampled, uint64_t column_bytes) {
    return check_bytes(key, sampled.bytes() + column_bytes);
  };
  GLS_ASSIGN(const std::shared_ptr<Batch> batch, loader.sample(key.epoch, key.number, look));
  GLS_ASSIGN(BatchLayout layout, lay_out(*batch));
  GLS_TRY(check_bytes(key, layout.bytes));
  return std::make_shared<const net::Message>(cluster::encode_batch(like_->buffers(), layout));
}

void BatchService::forget(BatchScheduler::ClientId client) {
  if (BatchScheduler* const of = shelf(); of != nullptr) {
    of->forget(client);
  }
}

void BatchService::stop() {
  Threads* threads = nullptr;
  std::function<void()> close;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    threads = threads_.has_value() ? &*threads_ : nullptr;
    close = std::move(close_);
    close_ = nullptr;
  }
  stopping_.notify_all();
  if (threads == nullptr) {
    return;
  }
  if (close) {
    close();  // so that no thread waits for other servers any more
  }
  threads->shelf->stop();
  threads->openers.reset();
  threads->sweeper.reset();
  const std::lock_guard lock(graph_mutex_);
  opened_ = OpenedGraph();
}

BatchScheduler::Stats BatchService::stats() const {
  const BatchScheduler* const of = shelf();
  return of != nullptr ? of->stats() : BatchScheduler::Stats();
}

}  // namespace gls
