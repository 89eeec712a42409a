#include "feed/link.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "context/stop_scope.h"
#include "feed/handshake.h"
#include "loader/batch_layout.h"

namespace gls {
namespace {

// For poll(): the time left, rounded up.
int left_ms(uint64_t until_ns) {
  const uint64_t now = now_ns();
  constexpr uint64_t kLongest = 1'000'000;
  return now >= until_ns ? 0 : static_cast<int>(std::min((until_ns - now) / kMs + 1, kLongest));
}

Status timed_out(const LinkOptions& options, const char* what) {
  return error(GLS_ERR_TIMED_OUT, "{} {}", what, options.path).with("file", options.path);
}

}  // namespace

// The owner of a batch's tensors.
struct Link::Block {
  Block(std::shared_ptr<Link> its, uint64_t at) : link(std::move(its)), offset(at) {}
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  ~Block() {
    // A forked child has copies of the tensors, but the block belongs to its parent.
    if (link->context_->in_forked_child()) {
      return;
    }
    if (readers != nullptr) {
      link->late_->add(offset, *readers);
    } else {
      link->give_back(offset);
    }
  }
  std::shared_ptr<Link> link;
  uint64_t offset;
  std::shared_ptr<StreamReaders> readers;  // NULL: not pinned
};

Link::Link(std::shared_ptr<Context> context, std::string path, Fd socket)
    : context_(std::move(context)),
      path_(std::move(path)),
      socket_(std::move(socket)),
      watch_(watch_peer(socket_.get(), &pid_)) {}

Link::~Link() {
  if (pinned_by_ == nullptr) {
    return;
  }
  if (context_->in_forked_child()) {
    // A forked child does not share its parent's use of the GPU, and has no such thread.
    static_cast<void>(late_.release());
    return;
  }
  late_.reset();  // nothing reads the memory any more
  pinned_by_->gpu().unpin(memory_->data());
}

Status Link::pin(std::shared_ptr<Device> device) {
  const void* seen = nullptr;
  device::GpuError why;
  if (!device->gpu().pin(memory_->data(), memory_->size(), &seen, &why)) {
    return status_of(why).prefixed(
        formatted("pin: the memory of the feed at {} cannot be pinned: ", path_));
  }
  pinned_by_ = std::move(device);
  late_ = std::make_unique<StreamOrderedRelease>(pinned_by_,
                                                 [this](uint64_t offset) { give_back(offset); });
  return {};
}

Result<std::shared_ptr<Link>> Link::open(const std::shared_ptr<Context>& context,
                                         const LinkOptions& options) {
  for (;;) {
    GLS_ASSIGN(std::optional<Fd> socket, connect_to(options.path));
    if (socket.has_value()) {
      std::shared_ptr<Link> out(new Link(context, options.path, std::move(*socket)));
      GLS_TRY(out->greet(options));
      if (options.pin != nullptr) {
        if (Status status = out->pin(options.pin); !status.ok()) {
          out->close();
          return status;
        }
      }
      return out;
    }
    if (now_ns() >= options.until_ns) {
      return timed_out(options, "there is no feed at");
    }
    constexpr int kBetweenMs = 10;
    pause_or_stop(std::min(left_ms(options.until_ns), kBetweenMs));
    if (is_given_up()) {
      return given_up();
    }
  }
}

Result<Received> Link::answer(const LinkOptions& options) {
  // A feed that exists has this long to answer, also when the caller polls.
  constexpr uint64_t kAnswerMs = 1000;
  const uint64_t until_ns = std::max(options.until_ns, now_ns() + kAnswerMs * kMs);
  for (;;) {
    pollfd polled[] = {{socket(), POLLIN, 0}, {watch(), POLLIN, 0}};
    static_cast<void>(::poll(polled, 2, left_ms(std::min(until_ns, ask_at()))));
    Received heard = receive(socket());
    if (heard.what == Received::What::kMessage) {
      return heard;
    }
    if (heard.what == Received::What::kDamaged) {
      return corrupt("what answers at {} is no feed", path_).with("file", path_);
    }
    if (heard.what == Received::What::kGone || polled[1].revents != 0) {
      return error(GLS_ERR_IO, "the feed at {} ended before it answered", path_)
          .with("file", path_);
    }
    if (now_ns() >= until_ns) {
      return timed_out(options, "no answer from the feed at");
    }
    if (is_interrupted()) {
      return given_up();
    }
  }
}

Status Link::greet(const LinkOptions& options) {
  Message hello = Message::of(Tell::kHello);
  hello.a = options.rank;
  hello.b = options.world_size;
  hello.c = options.part;
  hello.d = options.parts;
  send(hello);
  GLS_ASSIGN(Received heard, answer(options));
  if (heard.message.is(Tell::kRefused)) {
    return unpack_error(heard.message.a, heard.text);
  }
  if (heard.message.version != kFeedVersion) {
    return error(GLS_ERR_UNSUPPORTED, "the feed at {} speaks version {}, this library {}", path_,
                 heard.message.version, kFeedVersion);
  }
  const auto bad = [this](const char* what) {
    return corrupt("the feed at {} answers with {}", path_, what).with("file", path_);
  };
  if (!heard.message.is(Tell::kWelcome) || !heard.fd) {
    return bad("something else than a welcome");
  }
  GLS_ASSIGN(memory_, SharedMemory::map(std::move(heard.fd), heard.message.a));
  greeting_bytes_ = heard.message.b;
  begin_ = aligned(greeting_bytes_);
  world_size_ = heard.message.c;
  if (greeting_bytes_ > kMostGreeting || begin_ > memory_->size()) {
    return bad("a greeting that is too long");
  }
  if (world_size_ == 0 || world_size_ >= uint64_t{1} << 32 || options.rank >= world_size_) {
    return bad("a wrong number of trainers");
  }
  return {};
}

std::string Link::greeting() const {
  return {reinterpret_cast<const char*>(memory_->data()), greeting_bytes_};
}

void Link::send(const Message& message) {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    return;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(&message), sizeof message);
  if (backlog_.empty() && send_packed(socket(), bytes) != Sent::kFull) {
    return;  // sent, or the feed is lost, which the receiving side notices
  }
  backlog_.emplace_back(bytes);
  if (wake_ >= 0) {
    signal_event(wake_);
  }
}

bool Link::has_backlog() const {
  const std::lock_guard lock(mutex_);
  return !backlog_.empty();
}

void Link::flush() {
  const std::lock_guard lock(mutex_);
  while (!backlog_.empty() && send_packed(socket(), backlog_.front()) != Sent::kFull) {
    backlog_.pop_front();
  }
}

void Link::close() {
  send(Message::of(Tell::kLeave));
  const std::lock_guard lock(mutex_);
  closed_ = true;
  wake_ = -1;
  backlog_.clear();
  socket_.reset();
  watch_.reset();
}

Link::Held Link::hold(uint64_t offset) {
  auto block = std::make_shared<Block>(shared_from_this(), offset);
  if (pinned_by_ != nullptr) {
    block->readers = std::make_shared<StreamReaders>();
  }
  std::shared_ptr<StreamReaders> readers = block->readers;
  return {std::move(block), std::move(readers)};
}

void Link::give_back(uint64_t offset) noexcept {
  Message message = Message::of(Tell::kRelease);
  message.a = offset;
  released_.fetch_add(1);
  try {
    send(message);
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // The feed gets the block back only when this trainer attaches again.
  }
}

}  // namespace gls
