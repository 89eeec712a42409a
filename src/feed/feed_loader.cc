#include "feed/feed_loader.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "context/stop_scope.h"
#include "loader/batch_layout.h"
#include "loader/pipeline/loader_state.h"
#include "system/file_guard.h"

namespace gls {
namespace {

constexpr uint64_t kMostDescription = uint64_t{16} << 20;
constexpr size_t kMostArrived = 1 << 20;

uint64_t later(uint64_t now, int64_t ms) {
  return is_unlimited(ms) ? kForever : now + static_cast<uint64_t>(ms) * kMs;
}

}  // namespace

Result<std::shared_ptr<FeedLoader>> FeedLoader::create(std::shared_ptr<Context> context,
                                                       const AttachOptions& options) {
  LinkOptions link;
  link.rank = options.rank;
  link.world_size = options.world_size;
  link.parts = options.paths.size();
  link.pin = options.pin;
  link.until_ns = later(now_ns(), options.timeout_ms);
  std::vector<Feeder> feeders;
  // After a failure, feeds that were attached already are left again.
  const auto leave = [&feeders](Status status) {
    for (const Feeder& feeder : feeders) {
      feeder.link->close();
    }
    return status;
  };
  std::string first;
  for (const std::string& path : options.paths) {
    link.path = path;
    link.part = feeders.size();
    Result<std::shared_ptr<Link>> opened = Link::open(context, link);
    if (!opened.ok()) {
      return leave(std::move(opened.status()));
    }
    Feeder feeder;
    feeder.link = opened.take();
    feeders.push_back(std::move(feeder));
    const Link& own = *feeders.back().link;
    std::string greeting = own.greeting();
    if (link.part == 0) {
      first = std::move(greeting);
      link.world_size = own.world_size();
    } else if (greeting != first || own.world_size() != link.world_size) {
      return leave(
          invalid("the feeds at {} and {} are of different loaders", options.paths[0], path)
              .with("argument", "paths"));
    }
  }
  Result<Handshake> greeting = read_handshake(first, context);
  if (!greeting.ok()) {
    return leave(std::move(greeting.status()));
  }
  greeting->plan.rank = options.rank;
  greeting->plan.world_size = link.world_size;
  std::shared_ptr<FeedLoader> out(
      new FeedLoader(std::move(context), options, greeting.take(), std::move(feeders)));
  if (!out->wake_) {
    return io_error("cannot make an event for", options.paths[0], errno);
  }
  out->thread_ = std::thread([loader = out.get()] {
    const FileReadScope reads;
    loader->run();
  });
  return out;
}

FeedLoader::FeedLoader(std::shared_ptr<Context> context, const AttachOptions& options,
                       Handshake greeting, std::vector<Feeder> feeders)
    : context_(std::move(context)),
      options_(options),
      greeting_(std::move(greeting)),
      wake_(make_event()),
      feeders_(std::move(feeders)) {
  for (const Feeder& feeder : feeders_) {
    feeder.link->set_wake(wake_.get());
  }
  move_locked(0, 0);
}

FeedLoader::~FeedLoader() {
  {
    std::unique_lock lock(mutex_);
    stopping_ = true;
    call_ready(lock);
    called_.wait(lock, [this] { return calls_ == 0; });
  }
  signal_event(wake_.get());
  if (thread_.joinable()) {
    thread_.join();
  }
  for (Feeder& feeder : feeders_) {
    feeder.arrived.clear();
    feeder.link->close();
  }
}

// ---- the thread: messages of the feeds ----------------------------------------------------------

void FeedLoader::run() {
  for (;;) {
    try {
      if (!listen()) {
        return;
      }
    } catch (const std::bad_alloc&) {
      // The loss is noticed, because the next batch is out of order.
      constexpr int kPauseMs = 10;
      std::this_thread::sleep_for(std::chrono::milliseconds(kPauseMs));
    }
  }
}

// Waits for messages and handles them. False: the loader ends.
bool FeedLoader::listen() {
  std::vector<pollfd> polled;
  uint64_t stalls_at = kForever;
  polled.push_back({wake_.get(), POLLIN, 0});
  {
    std::unique_lock lock(mutex_);
    if (stopping_) {
      return false;
    }
    for (const Feeder& feeder : feeders_) {
      // poll() skips negative descriptors.
      const short events = feeder.link->has_backlog() ? POLLIN | POLLOUT : POLLIN;
      const bool lost = !feeder.lost.ok();
      polled.push_back({lost ? -1 : feeder.link->socket(), events, 0});
      polled.push_back({lost ? -1 : feeder.link->watch(), POLLIN, 0});
    }
    if (ready_call_.function != nullptr && !over_locked()) {
      if (ready_locked()) {
        call_ready(lock);
      } else {
        stalls_at = stalls_at_locked(due_locked());
      }
    }
  }
  int timeout = -1;
  if (stalls_at != kForever) {
    const uint64_t now = now_ns();
    timeout = stalls_at > now ? static_cast<int>((stalls_at - now) / kMs + 1) : 0;
  }
  if (::poll(polled.data(), polled.size(), timeout) < 0) {
    return true;
  }
  clear_event(wake_.get());
  for (size_t i = 0; i < feeders_.size(); ++i) {
    if (polled[2 * i + 1].fd < 0) {
      continue;
    }
    feeders_[i].link->flush();
    hear(feeders_[i]);
    if (polled[2 * i + 2].revents != 0) {
      lose(feeders_[i], gone(feeders_[i]));
    }
  }
  return true;
}

Status FeedLoader::gone(const Feeder& feeder) {
  return error(GLS_ERR_IO, "the feed at {} is gone: its process, {}, has ended",
               feeder.link->path(), feeder.link->pid())
      .with("file", feeder.link->path());
}

void FeedLoader::hear(Feeder& feeder) {
  for (;;) {
    const Received heard = receive(feeder.link->socket());
    switch (heard.what) {
      case Received::What::kNothing:
        return;
      case Received::What::kGone:
        lose(feeder, gone(feeder));
        return;
      case Received::What::kDamaged:
        lose(feeder, corrupt("the feed at {} sent what is no message", feeder.link->path())
                         .with("file", feeder.link->path()));
        return;
      default:
        break;
    }
    if (Status status = take_in(feeder, heard); !status.ok()) {
      lose(feeder, std::move(status));
      return;
    }
  }
}

Status FeedLoader::take_in(Feeder& feeder, const Received& heard) {
  const Message& message = heard.message;
  const auto bad = [&feeder](std::string_view what) {
    return corrupt("the feed at {} sent {}", feeder.link->path(), what)
        .with("file", feeder.link->path());
  };
  Arrived arrived;
  switch (static_cast<Tell>(message.tell)) {
    case Tell::kBatch: {
      if (!feeder.link->holds(message.b, message.c) || message.d > message.c ||
          message.d > kMostDescription) {
        return bad("a batch that is outside of the memory");
      }
      const std::span block(feeder.link->data() + message.b, message.c);
      Link::Held held = feeder.link->hold(message.b);
      // A copy, because the feed could change the bytes while they are read.
      const std::vector<std::byte> description(block.begin(),
                                               block.begin() + static_cast<ptrdiff_t>(message.d));
      Result<std::shared_ptr<Batch>> batch =
          read_batch(description, block, held.block, greeting_.names);
      if (!batch.ok()) {
        return std::move(batch.status()).with("file", feeder.link->path());
      }
      arrived.batch = batch.take();
      arrived.batch->readers = std::move(held.readers);
      arrived.bytes = message.c;
      break;
    }
    case Tell::kError:
      arrived.status = unpack_error(message.b, heard.text);
      break;
    case Tell::kFull:
      break;
    case Tell::kClosed:
      return error(GLS_ERR_IO, "the feed at {} was closed", feeder.link->path())
          .with("file", feeder.link->path());
    default:
      return bad(formatted("message {}", message.tell));
  }
  std::unique_lock lock(mutex_);
  if (message.run != run_) {
    return {};  // was sent before the feed received the new run; the block is released
  }
  if (message.is(Tell::kFull)) {
    feeder.full = true;
  } else {
    if (message.a != feeder.expected || feeder.arrived.size() >= kMostArrived) {
      return bad("a batch out of its turn");
    }
    ++feeder.expected;
    feeder.full = false;
    feeder.stalled_since = 0;
    feeder.worker_wait_ns = message.is(Tell::kBatch) ? message.e : feeder.worker_wait_ns;
    if (arrived.batch != nullptr) {
      ++ready_batches_;
      ready_bytes_ += arrived.bytes;
      stats_.peak_bytes = std::max(stats_.peak_bytes, ready_bytes_);
    }
    feeder.arrived.push_back(std::move(arrived));
  }
  changed_.notify_all();
  if (ready_locked()) {
    call_ready(lock);
  }
  return {};
}

void FeedLoader::lose(Feeder& feeder, Status why) {
  std::unique_lock lock(mutex_);
  if (!feeder.lost.ok()) {
    return;
  }
  context_->log().write(GLS_LOG_WARN, "feed", "{}", why.message());
  feeder.lost = std::move(why);
  changed_.notify_all();
  if (ready_locked()) {
    call_ready(lock);
  }
}

// ---- position ----------------------------------------------------------------------------------

void FeedLoader::move_locked(uint64_t epoch, uint64_t done) {
  plan_ = std::make_unique<const EpochPlan>(greeting_.plan, 0, epoch, done);
  epoch_ = epoch;
  step_ = 0;
  for (Feeder& feeder : feeders_) {
    if (started_) {
      feeder.link->send(Message::of(Tell::kStop, run_));
    }
    feeder.arrived.clear();
    feeder.expected = 0;
    feeder.full = false;
    feeder.stalled_since = 0;
  }
  ++run_;
  started_ = false;
  cancelled_ = false;
  ready_batches_ = 0;
  ready_bytes_ = 0;
  changed_.notify_all();
}

void FeedLoader::begin_locked(uint64_t now) {
  if (started_) {
    return;
  }
  started_ = true;
  wall_mark_ = now;
  if (over_locked()) {
    return;
  }
  for (const Feeder& feeder : feeders_) {
    Message start = Message::of(Tell::kStart, run_);
    start.a = epoch_;
    start.b = plan_->first();
    feeder.link->send(start);
  }
}

void FeedLoader::seek(uint64_t epoch) {
  std::unique_lock lock(mutex_);
  move_locked(epoch, 0);
  call_ready(lock);
}

Status FeedLoader::restore(std::string_view state) {
  GLS_ASSIGN(const SavedPosition at, read_state(state, greeting_.state));
  std::unique_lock lock(mutex_);
  move_locked(at.epoch, at.done);
  call_ready(lock);
  return {};
}

std::string FeedLoader::save() const {
  const std::lock_guard lock(mutex_);
  return state_at(greeting_.state, {epoch_, plan_->position(step_)});
}

void FeedLoader::cancel() {
  std::unique_lock lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
  call_ready(lock);
}

LoaderPosition FeedLoader::position() const {
  const std::lock_guard lock(mutex_);
  return {epoch_, plan_->next_batch(step_), EpochPlan::count_steps(greeting_.plan, 0)};
}

LoaderCounts FeedLoader::counts() const {
  return {EpochPlan::num_batches(greeting_.plan), greeting_.num_seeds, greeting_.plan.batch_size};
}

LoaderStats FeedLoader::stats() const {
  const std::lock_guard lock(mutex_);
  LoaderStats out = stats_;
  for (const Feeder& feeder : feeders_) {
    out.worker_wait_ns += feeder.worker_wait_ns;
  }
  out.ready_batches = ready_batches_;
  out.ready_bytes = ready_bytes_;
  return out;
}

// ---- batches -----------------------------------------------------------------------------------

// When to stop waiting for a feed without room, because this process holds all of its batches.
// Never, as long as some are released.
uint64_t FeedLoader::stalls_at_locked(Feeder& feeder) {
  if (!feeder.full || !feeder.arrived.empty()) {
    return kForever;
  }
  const uint64_t released = feeder.link->released();
  if (feeder.stalled_since == 0 || feeder.released != released) {
    feeder.stalled_since = now_ns();
    feeder.released = released;
  }
  return feeder.stalled_since + options_.stall_ms * kMs;
}

bool FeedLoader::ready_locked() {
  if (cancelled_ || over_locked()) {
    return true;
  }
  Feeder& feeder = due_locked();
  return !feeder.arrived.empty() || !feeder.lost.ok() || now_ns() >= stalls_at_locked(feeder);
}

void FeedLoader::call_ready(std::unique_lock<std::mutex>& lock) {
  const auto call = std::exchange(ready_call_, {});
  if (call.function == nullptr) {
    return;
  }
  ++calls_;
  lock.unlock();
  call.function(call.user_data);
  lock.lock();
  --calls_;
  called_.notify_all();
}

Result<bool> FeedLoader::notify(void (*function)(void*), void* user_data) {
  std::unique_lock lock(mutex_);
  call_ready(lock);  // an earlier notify() is answered now
  if (cancelled_) {
    return error(GLS_ERR_CANCELED, "the loader was cancelled; seek to an epoch to go on");
  }
  begin_locked(now_ns());
  if (ready_locked()) {
    return true;
  }
  ready_call_ = {function, user_data};
  signal_event(wake_.get());  // which checks how long it may wait
  return false;
}

Result<FeedLoader::Next> FeedLoader::next(int64_t timeout_ms, std::shared_ptr<Batch>* out) {
  const uint64_t called = now_ns();
  std::unique_lock lock(mutex_);
  if (cancelled_) {
    return error(GLS_ERR_CANCELED, "the loader was cancelled; seek to an epoch to go on");
  }
  begin_locked(called);
  const auto finish = [&] {
    const uint64_t now = now_ns();
    stats_.caller_wait_ns += now - called;
    stats_.wall_ns += now - wall_mark_;
    wall_mark_ = now;
  };
  if (over_locked()) {
    finish();
    return Next::kEnd;
  }
  const uint64_t until = later(called, timeout_ms);
  const uint64_t run = run_;
  while (due_locked().arrived.empty()) {
    Feeder& feeder = due_locked();
    if (!feeder.lost.ok()) {
      finish();
      return feeder.lost.copy();
    }
    const uint64_t now = now_ns();
    const uint64_t stalls_at = stalls_at_locked(feeder);
    if (now >= stalls_at) {
      feeder.stalled_since = 0;
      finish();
      return error(
                 GLS_ERR_OUT_OF_MEMORY,
                 "no room for the next batch: the memory that the feed at {} has for this trainer "
                 "is full of batches that are held here; release some, or raise bytes of the feed",
                 feeder.link->path())
          .with("argument", "bytes");
    }
    if (now >= until) {
      finish();
      return Next::kNotYet;
    }
    const uint64_t wake_at = std::min({until, stalls_at, ask_at()});
    if (wake_at == kForever) {
      changed_.wait(lock);
    } else {
      changed_.wait_for(lock, std::chrono::nanoseconds(wake_at > now ? wake_at - now : 0));
    }
    if (now_ns() >= ask_at()) {
      lock.unlock();
      static_cast<void>(is_interrupted());
      lock.lock();
      if (is_given_up()) {
        finish();
        return given_up();
      }
    }
    if (cancelled_) {
      finish();
      return error(GLS_ERR_CANCELED, "the loader was cancelled while waiting for a batch");
    }
    if (run != run_) {
      finish();
      return Next::kNotYet;
    }
  }
  finish();
  Feeder& feeder = due_locked();
  Arrived arrived = std::move(feeder.arrived.front());
  feeder.arrived.pop_front();
  ++step_;
  feeder.link->send(Message::of(Tell::kTaken, run_));
  if (!arrived.status.ok()) {
    return std::move(arrived.status);
  }
  --ready_batches_;
  ready_bytes_ -= arrived.bytes;
  arrived.batch->tiers.remote = arrived.batch->gathered_rows();
  stats_.count(*arrived.batch);
  stats_.sample_ns += arrived.batch->sample_ns;
  stats_.gather_ns += arrived.batch->gather_ns;
  *out = std::move(arrived.batch);
  return Next::kBatch;
}

}  // namespace gls
