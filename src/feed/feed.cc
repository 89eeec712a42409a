#include "feed/feed.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "base/clock.h"
#include "context/stop_scope.h"
#include "feed/handshake.h"
#include "system/file_guard.h"

namespace gls {
namespace {

constexpr uint64_t kGuestNs = 10'000'000'000;  // time for the greeting
constexpr size_t kMostGuests = 64;
constexpr int kLookMs = 20;  // how often to check whether ended loaders are idle

}  // namespace

Result<std::unique_ptr<Feed>> Feed::create(std::shared_ptr<const Loader> loader,
                                           FeedOptions options) {
  if (loader->plan_options().world_size != 1) {
    return invalid(
               "the loader's world_size is {}, expected 1: trainers say which they are when they "
               "attach",
               loader->plan_options().world_size)
        .with("argument", "loader");
  }
  if (options.prefetch == 0) {
    options.prefetch = loader->options().prefetch;
  }
  // Reports early if the system does not support this.
  GLS_ASSIGN(std::shared_ptr<SharedMemory> sealed, SharedMemory::create(1));
  sealed.reset();
  GLS_ASSIGN(Listener listener, Listener::open(options.path, options.mode));
  std::unique_ptr<Feed> out(new Feed(std::move(loader), std::move(options), std::move(listener)));
  if (!out->signal_->event) {
    return io_error("cannot make an event for", out->options_.path, errno);
  }
  out->thread_ = std::thread([feed = out.get()] {
    const FileReadScope reads;
    feed->run();
  });
  return out;
}

Feed::Feed(std::shared_ptr<const Loader> loader, FeedOptions options, Listener listener)
    : loader_(std::move(loader)),
      options_(std::move(options)),
      listener_(std::move(listener)),
      greeting_(greeting_text(*loader_)),
      signal_(std::make_shared<ConsumerSignal>()) {}

Feed::~Feed() {
  stopping_.store(true);
  signal_->raise();
  if (thread_.joinable()) {
    thread_.join();
  }
  listener_.close();
  for (const std::unique_ptr<Consumer>& consumer : consumers_) {
    consumer->say_closed();
    consumer->end();
  }
}

bool Feed::wait(int64_t timeout_ms) {
  std::unique_lock lock(mutex_);
  return wait_ms_or_interrupt(changed_, lock, timeout_ms,
                              [this] { return info_.attached > 0 && info_.consumers == 0; });
}

FeedInfo Feed::info() const {
  const std::lock_guard lock(mutex_);
  return info_;
}

void Feed::publish() {
  FeedInfo now = ended_info_;
  now.consumers = consumers_.size();
  for (const std::unique_ptr<Consumer>& consumer : consumers_) {
    now.batches += consumer->batches();
    now.batch_bytes += consumer->batch_bytes();
    now.copied_bytes += consumer->copied_bytes();
    now.used_bytes += consumer->used_bytes();
    now.wait_ns += consumer->wait_ns();
  }
  const std::lock_guard lock(mutex_);
  info_ = now;
  changed_.notify_all();
}

// ---- the thread --------------------------------------------------------------------------------

void Feed::run() {
  while (!stopping_.load()) {
    try {
      serve_once();
    } catch (const std::bad_alloc&) {
      // The work is repeated, or only its trainer misses a message; others continue.
      starved_ = true;
    }
  }
}

void Feed::serve_once() {
  std::vector<pollfd> polled;
  polled.push_back({signal_->event.get(), POLLIN, 0});
  polled.push_back({listener_.socket.get(), POLLIN, 0});
  for (const Guest& guest : guests_) {
    polled.push_back({guest.socket.get(), POLLIN, 0});
  }
  const size_t first_watch = polled.size();
  for (const std::unique_ptr<Consumer>& consumer : consumers_) {
    const short events = consumer->has_backlog() ? POLLIN | POLLOUT : POLLIN;
    polled.push_back({consumer->socket(), events, 0});
    polled.push_back({consumer->watch(), POLLIN, 0});  // poll() skips negative descriptors
  }
  const bool look_again = !ended_.empty() || !guests_.empty() || std::exchange(starved_, false);
  if (::poll(polled.data(), polled.size(), look_again ? kLookMs : -1) < 0 && errno != EINTR) {
    std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));  // no memory for it
  }
  clear_event(signal_->event.get());
  // Removes trainers that left before it accepts new ones, which may replace them.
  size_t at = first_watch;
  for (auto it = consumers_.begin(); it != consumers_.end() && !stopping_.load(); at += 2) {
    const auto consumer = it++;
    const bool dead = polled[at + 1].revents != 0;
    if (!(*consumer)->step() || dead) {
      end_lane(consumer);
    }
  }
  hear_guests();
  if (polled[1].revents != 0) {
    let_in();
  }
  ended_.remove_if([](const std::unique_ptr<Consumer>& consumer) { return consumer->idle(); });
  publish();
}

void Feed::end_lane(std::list<std::unique_ptr<Consumer>>::iterator consumer) {
  Consumer& ended = **consumer;
  ended_info_.batches += ended.batches();
  ended_info_.batch_bytes += ended.batch_bytes();
  ended_info_.copied_bytes += ended.copied_bytes();
  const Log& log = context()->log();
  if (ended.left()) {
    log.write(GLS_LOG_INFO, "feed", "trainer {} (process {}) has left", ended.share().rank,
              ended.pid());
  } else {
    ++ended_info_.lost;
    log.write(GLS_LOG_WARN, "feed", "trainer {} (process {}) is gone{}{}", ended.share().rank,
              ended.pid(), ended.fault().empty() ? "" : ": ", ended.fault());
  }
  ended.end();
  ended_info_.wait_ns += ended.wait_ns();
  ended_.splice(ended_.end(), consumers_, consumer);
  ended.hang_up();
}

void Feed::let_in() {
  for (;;) {
    Fd socket(::accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      return;
    }
    if (guests_.size() == kMostGuests) {
      guests_.pop_front();  // the connection that has been silent for the longest time
    }
    guests_.push_back({std::move(socket), now_ns() + kGuestNs});
  }
}

void Feed::hear_guests() {
  for (auto it = guests_.begin(); it != guests_.end();) {
    const Received heard = receive(it->socket.get());
    if (heard.what == Received::What::kMessage) {
      greet(std::move(it->socket), heard.message);
    }
    const bool waits = heard.what == Received::What::kNothing && now_ns() < it->until_ns;
    it = waits ? std::next(it) : guests_.erase(it);
  }
}

void Feed::refuse(int socket, const Status& status) {
  Message message = Message::of(Tell::kRefused);
  message.a = static_cast<uint64_t>(static_cast<int64_t>(status.code()));
  static_cast<void>(send_packed(socket, packed(message, pack_error(status))));
}

void Feed::greet(Fd socket, const Message& hello) {
  if (hello.version != kFeedVersion) {
    refuse(socket.get(),
           error(GLS_ERR_UNSUPPORTED, "the feed at {} speaks version {}, this library {}",
                 options_.path, kFeedVersion, hello.version));
    return;
  }
  ConsumerOptions options;
  Loader::Share& share = options.share;
  share.rank = hello.a;
  share.world_size = hello.b != 0 ? hello.b : options_.consumers;
  share.part = hello.c;
  share.parts = hello.d;
  constexpr uint64_t kMostParts = 1 << 16;
  if (!hello.is(Tell::kHello) || share.parts == 0 || share.parts > kMostParts ||
      share.part >= share.parts || share.world_size >= uint64_t{1} << 32) {
    return;
  }
  if (share.rank >= share.world_size) {
    refuse(socket.get(), invalid("rank is {}, expected 0 to {} for world_size {}", share.rank,
                                 share.world_size - 1, share.world_size)
                             .with("argument", "rank"));
    return;
  }
  for (const std::unique_ptr<Consumer>& consumer : consumers_) {
    if (consumer->share().rank == share.rank && consumer->share().world_size == share.world_size) {
      refuse(socket.get(),
             error(GLS_ERR_ALREADY_EXISTS, "trainer {} is attached to {} already, as process {}",
                   share.rank, options_.path, consumer->pid())
                 .with("argument", "rank"));
      return;
    }
  }
  if (consumers_.size() >= options_.consumers) {
    refuse(socket.get(), error(GLS_ERR_INVALID_STATE,
                               "{} trainers are attached to {}, which is as many as it takes",
                               consumers_.size(), options_.path));
    return;
  }
  // Batches made ahead wait in the trainer's memory; the loader needs just enough to keep working.
  share.prefetch = loader_->options().num_workers;
  share.columns_later = true;
  options.bytes = options_.bytes;
  options.prefetch = options_.prefetch;
  Result<std::unique_ptr<Consumer>> consumer =
      Consumer::create(*loader_, options, greeting_, signal_, std::move(socket));
  if (!consumer.ok()) {
    context()->log().write(GLS_LOG_WARN, "feed", "trainer {} could not be let in: {}", share.rank,
                           consumer.status().message());
    return;
  }
  ++ended_info_.attached;
  context()->log().write(GLS_LOG_INFO, "feed", "trainer {} of {} is attached, process {}",
                         share.rank, share.world_size, (*consumer)->pid());
  consumers_.push_back(consumer.take());
}

}  // namespace gls
