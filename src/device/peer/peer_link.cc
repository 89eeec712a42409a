#include "device/peer/peer_link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <span>
#include <system_error>

#include "base/checksum.h"
#include "base/clock.h"
#include "system/fork.h"
#include "system/peer_process.h"

namespace gls {
namespace {

constexpr uint32_t kMagic = 0x50534c47;  // "GLSP"
constexpr uint32_t kVersion = 2;
constexpr size_t kMostBytes = 16384;  // in one message
// Between attempts, because the start of a listening process is not announced.
constexpr int kRoundMs = 20;
constexpr size_t kMostStrangers = 64;

constexpr int64_t kAtWorkMs = 1000;  // longest time between two reports of working

enum class Say : uint32_t { kHello = 1, kBytes = 2, kGoodbye = 3, kAtWork = 4 };

struct Head {
  uint32_t magic = kMagic;
  uint32_t version = kVersion;
  uint32_t say = 0;
  uint32_t rank = 0;
  uint32_t size = 0;
  uint32_t reserved = 0;
  uint64_t number = 0;  // of an exchange
};

struct Heard {
  enum class What : uint8_t { kNothing, kMessage, kGone, kStrange };
  What what = What::kNothing;
  Head head;
  std::string bytes;

  bool is(Say say) const {
    return what == What::kMessage && head.say == static_cast<uint32_t>(say);
  }
};

struct Name {
  sockaddr_un socket{};
  socklen_t size = 0;
};

// A name of the abstract namespace, which begins with a zero byte. It is independent of the file
// system, and disappears with its process.
Name name_of(const std::string& all, uint32_t rank) {
  const std::string text = formatted("{} {}", ::geteuid(), all);
  const std::string name =
      formatted("gls-peers-{}-{}", hex64(hash64(std::as_bytes(std::span(text)))), rank);
  Name out;
  out.socket.sun_family = AF_UNIX;
  std::copy(name.begin(), name.end(), out.socket.sun_path + 1);
  out.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return out;
}

FileDescriptor make_peer_socket() {
  return FileDescriptor(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

// Messages are few and small, so the socket always has room for them.
bool tell(int socket, const Head& head, std::string_view bytes = {}) {
  std::string packet(reinterpret_cast<const char*>(&head), sizeof head);
  packet += bytes;
  ssize_t sent = -1;
  do {
    sent = ::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(packet.size());
}

// With MSG_PEEK, the message stays in the queue.
Heard hear(int socket, int flags = 0) {
  std::array<char, sizeof(Head) + kMostBytes> packet;
  ssize_t size = -1;
  do {
    size = ::recv(socket, packet.data(), packet.size(), MSG_DONTWAIT | flags);
  } while (size < 0 && errno == EINTR);
  Heard out;
  if (size <= 0) {
    out.what = size < 0 && errno == EAGAIN ? Heard::What::kNothing : Heard::What::kGone;
    return out;
  }
  out.what = Heard::What::kStrange;
  if (static_cast<size_t>(size) >= sizeof(Head)) {
    std::memcpy(&out.head, packet.data(), sizeof(Head));
    if (out.head.magic == kMagic && out.head.version == kVersion) {
      out.what = Heard::What::kMessage;
      out.bytes.assign(packet.data() + sizeof(Head), static_cast<size_t>(size) - sizeof(Head));
    }
  }
  return out;
}

void wait_for(std::vector<pollfd>* fds, uint64_t deadline, int most_ms) {
  const uint64_t now = now_ns();
  const uint64_t left = deadline <= now ? 0 : (deadline - now) / kMs + 1;
  static_cast<void>(
      ::poll(fds->data(), fds->size(),
             static_cast<int>(std::min<uint64_t>(left, static_cast<uint64_t>(most_ms)))));
}

}  // namespace

PeerLink::PeerLink(Options options)
    : options_(std::move(options)),
      fork_generation_(fork_generation()),
      peers_(std::make_unique<Peer[]>(options_.size)) {}

std::string PeerLink::describe(uint32_t rank) const {
  const Peer& peer = peers_[rank];
  return rank == options_.rank ? formatted("this process (local rank {})", rank)
         : peer.pid > 0        ? formatted("the process of local rank {} (pid {})", rank, peer.pid)
                               : formatted("the process of local rank {}", rank);
}

// ---- joining -----------------------------------------------------------------------------------

// Each process connects to lower ranks and listens for higher ranks, in any order.
class PeerLink::Joining {
 public:
  explicit Joining(PeerLink* link) : link_(*link) {}

  Status run() {
    const uint64_t deadline = deadline_of(link_.options_.timeout_ms);
    const Name own = name_of(link_.options_.name, link_.rank());
    listener_ = make_peer_socket();
    if (listener_.get() < 0 ||
        ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&own.socket), own.size) != 0 ||
        ::listen(listener_.get(), 64) != 0) {
      return error(GLS_ERR_IO, "device.group: local rank {} cannot listen for the others: {}{}",
                   link_.rank(), std::strerror(errno),
                   errno == EADDRINUSE ? "; another process of this job has the same rank" : "");
    }
    while (true) {
      call_lower();
      take_callers();
      GLS_TRY(greet_callers());
      GLS_TRY(hear_lower());
      std::string missing;
      for (uint32_t rank = 0; rank < link_.size(); ++rank) {
        if (rank != link_.rank() && !link_.peers_[rank].ready) {
          missing += formatted("{}{}", missing.empty() ? "" : ", ", rank);
        }
      }
      if (missing.empty()) {
        return {};
      }
      if (now_ns() >= deadline) {
        return error(GLS_ERR_TIMED_OUT,
                     "device.group: of {} processes of this machine, those of local rank {} did "
                     "not come within {} ms; all must make a loader with a GPU of the same dataset",
                     link_.size(), missing, link_.options_.timeout_ms);
      }
      std::vector<pollfd> fds = {{listener_.get(), POLLIN, 0}};
      for (const FileDescriptor& caller : callers_) {
        fds.push_back({caller.get(), POLLIN, 0});
      }
      for (uint32_t rank = 0; rank < link_.size(); ++rank) {
        const Peer& peer = link_.peers_[rank];
        if (peer.socket.get() >= 0 && !peer.ready) {
          fds.push_back({peer.socket.get(), POLLIN, 0});
        }
      }
      wait_for(&fds, deadline, kRoundMs);
    }
  }

 private:
  Head hello() const {
    Head out;
    out.say = static_cast<uint32_t>(Say::kHello);
    out.rank = link_.rank();
    out.size = link_.size();
    return out;
  }

  void call_lower() {
    for (uint32_t rank = 0; rank < link_.rank(); ++rank) {
      Peer& peer = link_.peers_[rank];
      if (peer.socket.get() >= 0) {
        continue;
      }
      const Name name = name_of(link_.options_.name, rank);
      FileDescriptor socket = make_peer_socket();
      if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&name.socket), name.size) ==
              0 &&
          is_own_user(socket.get()) && tell(socket.get(), hello())) {
        peer.process = FileDescriptor(watch_peer_process(socket.get(), &peer.pid));
        peer.socket = std::move(socket);
      }
    }
  }

  Status hear_lower() {
    for (uint32_t rank = 0; rank < link_.rank(); ++rank) {
      Peer& peer = link_.peers_[rank];
      if (peer.socket.get() < 0 || peer.ready) {
        continue;
      }
      const Heard heard = hear(peer.socket.get());
      if (heard.what == Heard::What::kGone) {
        peer.socket = FileDescriptor();  // another process may connect
      } else if (heard.what != Heard::What::kNothing) {
        GLS_TRY(check(heard, peer.pid));
        peer.ready = true;
      }
    }
    return {};
  }

  void take_callers() {
    while (callers_.size() < kMostStrangers) {
      FileDescriptor caller(
          ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (caller.get() < 0) {
        return;
      }
      if (is_own_user(caller.get())) {
        callers_.push_back(std::move(caller));
      }
    }
  }

  Status greet_callers() {
    std::vector<FileDescriptor> later;
    for (FileDescriptor& caller : callers_) {
      const Heard heard = hear(caller.get());
      if (heard.what == Heard::What::kNothing) {
        later.push_back(std::move(caller));
      } else if (heard.what != Heard::What::kGone) {
        int64_t pid = 0;
        FileDescriptor process(watch_peer_process(caller.get(), &pid));
        const bool told = tell(caller.get(), hello());  // also sent to a process that does not fit
        GLS_TRY(check(heard, pid));
        if (told) {
          Peer& peer = link_.peers_[heard.head.rank];
          peer.pid = pid;
          peer.process = std::move(process);
          peer.socket = std::move(caller);
          peer.ready = true;
        }
      }
    }
    callers_ = std::move(later);
    return {};
  }

  Status check(const Heard& heard, int64_t pid) const {
    if (!heard.is(Say::kHello)) {
      return error(GLS_ERR_UNSUPPORTED,
                   "device.group: process {} speaks another version of GLS's device groups", pid);
    }
    if (heard.head.size != link_.size() || heard.head.rank >= link_.size() ||
        heard.head.rank == link_.rank()) {
      return error(GLS_ERR_INVALID_STATE,
                   "device.group: process {} is of local rank {} of {} processes, and this one of "
                   "local rank {} of {}",
                   pid, heard.head.rank, heard.head.size, link_.rank(), link_.size());
    }
    return {};
  }

  PeerLink& link_;
  FileDescriptor listener_;
  std::vector<FileDescriptor> callers_;
};

Result<std::shared_ptr<PeerLink>> PeerLink::join(Options options) {
  std::shared_ptr<PeerLink> out(new PeerLink(std::move(options)));
  GLS_TRY(Joining(out.get()).run());
  return out;
}

// ---- exchanging --------------------------------------------------------------------------------

Result<std::vector<std::string>> PeerLink::exchange(std::string_view mine) {
  const std::lock_guard lock(mutex_);
  if (mine.size() > kMostBytes) {
    return error(GLS_ERR_INTERNAL, "device.group: {} bytes are more than a message has",
                 mine.size());
  }
  Head head;
  head.say = static_cast<uint32_t>(Say::kBytes);
  head.rank = rank();
  head.size = size();
  head.number = ++exchanges_;
  std::vector<std::string> all(size());
  std::vector<bool> received(size());
  all[rank()] = mine;
  received[rank()] = true;
  const auto gone = [this](uint32_t rank) {
    return error(GLS_ERR_IO, "device.group: {} is gone", describe(rank));
  };
  for (uint32_t rank = 0; rank < size(); ++rank) {
    if (!received[rank] && !tell(peers_[rank].socket.get(), head, mine)) {
      return gone(rank);
    }
  }
  uint64_t deadline = deadline_of(options_.timeout_ms);
  while (true) {
    std::vector<pollfd> fds;
    std::string missing;
    for (uint32_t rank = 0; rank < size(); ++rank) {
      if (received[rank]) {
        continue;
      }
      Peer& peer = peers_[rank];
      const bool ended = peer.process.get() >= 0 && [&peer] {
        pollfd process = {peer.process.get(), POLLIN, 0};
        return ::poll(&process, 1, 0) > 0;
      }();
      Heard heard = hear(peer.socket.get());
      while (heard.is(Say::kAtWork)) {
        deadline = deadline_of(options_.timeout_ms);
        heard = hear(peer.socket.get());
      }
      if (heard.what == Heard::What::kGone || (heard.what == Heard::What::kNothing && ended)) {
        return gone(rank);
      }
      if (heard.is(Say::kGoodbye)) {
        return error(GLS_ERR_IO, "device.group: {} has left the group", describe(rank));
      }
      if (heard.what != Heard::What::kNothing) {
        if (!heard.is(Say::kBytes) || heard.head.number != head.number) {
          return error(GLS_ERR_INTERNAL, "device.group: {} has sent what was not expected",
                       describe(rank));
        }
        all[rank] = std::move(heard.bytes);
        received[rank] = true;
        continue;
      }
      missing += formatted("{}{}", missing.empty() ? "" : " and ", describe(rank));
      fds.push_back({peer.socket.get(), POLLIN, 0});
      if (peer.process.get() >= 0) {
        fds.push_back({peer.process.get(), POLLIN, 0});
      }
    }
    if (missing.empty()) {
      return all;
    }
    if (now_ns() >= deadline) {
      return error(GLS_ERR_TIMED_OUT,
                   "device.group: nothing came within {} ms from {}: loaders of all processes must "
                   "be made in the same order",
                   options_.timeout_ms, missing);
    }
    wait_for(&fds, deadline, 1000);
  }
}

// Also removes such reports of other processes, which would pile up while this process does not
// wait.
void PeerLink::say_at_work() {
  Head head;
  head.say = static_cast<uint32_t>(Say::kAtWork);
  head.rank = rank();
  for (uint32_t rank = 0; rank < size(); ++rank) {
    if (rank == options_.rank) {
      continue;
    }
    const int socket = peers_[rank].socket.get();
    while (hear(socket, MSG_PEEK).is(Say::kAtWork)) {
      hear(socket);
    }
    static_cast<void>(tell(socket, head));  // a process that waits for a lost one detects the loss
  }
}

PeerLink::AtWork::AtWork(PeerLink* link) {
  if (link == nullptr || is_unlimited(link->options_.timeout_ms)) {
    return;
  }
  const std::chrono::milliseconds pause(
      std::clamp<int64_t>(link->options_.timeout_ms / 4, 1, kAtWorkMs));
  try {
    thread_ = std::thread([this, link, pause] {
      std::unique_lock lock(mutex_);
      while (!done_changed_.wait_for(lock, pause, [this] { return done_; })) {
        link->say_at_work();
      }
    });
  } catch (const std::system_error&) {
    done_ = true;  // without reports, there is one deadline for all
  }
}

PeerLink::AtWork::~AtWork() {
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    done_changed_.notify_one();
    thread_.join();
  }
}

Status PeerLink::check() const {
  for (uint32_t rank = 0; rank < size(); ++rank) {
    const Peer& peer = peers_[rank];
    if (peer.read.load(std::memory_order_relaxed) == 0) {
      continue;
    }
    std::array<pollfd, 2> fds = {
        {{peer.socket.get(), POLLRDHUP, 0}, {peer.process.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), 0) > 0) {  // poll() skips negative descriptors
      return error(GLS_ERR_IO, "device.group: {} is gone, whose GPU's memory is read here",
                   describe(rank));
    }
  }
  return {};
}

void PeerLink::reads(uint32_t rank, bool begins) {
  peers_[rank].read.fetch_add(begins ? 1 : -1, std::memory_order_relaxed);
}

void PeerLink::keep(std::shared_ptr<const void> memory) {
  const std::lock_guard lock(mutex_);
  kept_.push_back(std::move(memory));
}

// ---- leaving -----------------------------------------------------------------------------------

void PeerLink::say_goodbye() {
  Head head;
  head.say = static_cast<uint32_t>(Say::kGoodbye);
  head.rank = options_.rank;
  for (uint32_t rank = 0; rank < size(); ++rank) {
    if (const Peer& peer = peers_[rank]; peer.ready) {
      static_cast<void>(tell(peer.socket.get(), head));  // it may be lost
    }
  }
  if (kept_.empty()) {
    return;
  }
  const uint64_t deadline = deadline_of(options_.timeout_ms);
  while (true) {
    std::vector<pollfd> fds;
    std::string reading;
    for (uint32_t rank = 0; rank < size(); ++rank) {
      Peer& peer = peers_[rank];
      if (!peer.ready) {
        continue;
      }
      pollfd process = {peer.process.get(), POLLIN, 0};
      const bool ended = ::poll(&process, 1, 0) > 0;
      Heard heard = hear(peer.socket.get());
      // Messages of an exchange that did not finish here.
      while (heard.is(Say::kBytes) || heard.is(Say::kAtWork)) {
        heard = hear(peer.socket.get());
      }
      if (heard.what != Heard::What::kNothing || ended) {
        peer.ready = false;
        continue;
      }
      reading += formatted("{}{}", reading.empty() ? "" : " and ", describe(rank));
      fds.push_back({peer.socket.get(), POLLIN, 0});
      if (peer.process.get() >= 0) {
        fds.push_back({peer.process.get(), POLLIN, 0});
      }
    }
    if (reading.empty()) {
      return;
    }
    if (now_ns() >= deadline) {
      options_.context->log().write(
          GLS_LOG_WARN, "device",
          "device.group: within {} ms {} did not say that they no longer read memory of this "
          "process, which is kept until it ends",
          options_.timeout_ms, reading);
      // Reachable, and never freed.
      static std::mutex mutex;
      static auto* const left = new std::vector<std::shared_ptr<const void>>;
      const std::lock_guard lock(mutex);
      std::move(kept_.begin(), kept_.end(), std::back_inserter(*left));
      kept_.clear();
      return;
    }
    wait_for(&fds, deadline, 1000);
  }
}

PeerLink::~PeerLink() {
  if (fork_generation_ == fork_generation()) {  // otherwise the parent process owns it
    say_goodbye();
  }
}

}  // namespace gls
