#include "net/ofi/worker.h"

#include <poll.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/clock.h"

namespace gls::net {
namespace {

// A lane that libfabric does not wake is looked at after an eighth of the time since it had
// something to do, so that it waits little longer than it would have anyway.
constexpr uint64_t kPatience = 8;
constexpr uint64_t kShortestRest = 50000;
constexpr uint64_t kLongestRest = kMs;
constexpr uint64_t kLongestSleep = 100 * kMs;  // of one that would be woken, if libfabric lost none
constexpr uint64_t kLongestWork = 10 * kMs;    // of one that waits for a peer, which may be dead

}  // namespace

// ---- beginning and end ----

std::string OfiWorker::start() {
  queues_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (queues_ < 0) {
    return std::string("cannot make an epoll: ") + std::strerror(errno);
  }
  if (std::string why = mailbox_.begin(); !why.empty()) {
    return why;
  }
  thread_ = std::thread([this] { run(); });
  return {};
}

OfiWorker::~OfiWorker() {
  if (thread_.joinable()) {
    mailbox_.stop();
    thread_.join();
  }
  if (queues_ >= 0) {
    ::close(queues_);
  }
}

// ---- other threads ----

OfiLane* OfiWorker::open(LaneUser* user, std::string* why) {
  auto lane = std::make_unique<OfiLane>(*this, user, memory_);
  *why = lane->open(fabric_);
  if (!why->empty()) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  lanes_.insert(lane.get());
  return lane.release();
}

// ---- its own thread ----

void OfiWorker::run() {
  for (;;) {
    const bool stopping = mailbox_.is_stopping();  // before: nothing is put behind that
    for (OfiCommand& command : mailbox_.take()) {
      obey(command);
    }
    if (stopping) {
      break;
    }
    const uint64_t now = now_ns();
    wait(drive(now), now);
  }
  std::vector<OfiLane*> left;
  {
    const std::lock_guard lock(mutex_);
    left.assign(lanes_.begin(), lanes_.end());
  }
  for (OfiLane* const lane : left) {
    end(lane);
  }
}

void OfiWorker::obey(OfiCommand& command) {
  if (!is_open(command.lane)) {
    return;
  }
  switch (command.kind) {
    case OfiCommand::kJoin:
      command.lane->do_join(command.address);
      seat(command.lane);
      break;
    case OfiCommand::kSend:
      command.lane->do_send(std::move(command.message));
      has_work(command.lane);
      break;
    case OfiCommand::kRead:
      command.lane->do_read(std::move(command.list));
      has_work(command.lane);
      break;
    case OfiCommand::kClose:
      end(command.lane);
      break;
  }
}

void OfiWorker::has_work(OfiLane* lane) {
  lane->turn().due = 0;
  lane->turn().active = now_ns();
}

bool OfiWorker::is_open(OfiLane* lane) {
  const std::lock_guard lock(mutex_);
  return lanes_.contains(lane);
}

void OfiWorker::seat(OfiLane* lane) {
  if (std::find(seats_.begin(), seats_.end(), lane) != seats_.end()) {
    return;
  }
  seats_.push_back(lane);
  lane->turn() = {0, now_ns(), false};
  if (const int fd = lane->endpoint().wait_fd(); fd >= 0) {
    // Only what is new wakes: the queues of "net" stay readable for ever.
    epoll_event edges{};
    edges.events = EPOLLIN | EPOLLET;
    edges.data.ptr = lane;
    lane->turn().wakes = ::epoll_ctl(queues_, EPOLL_CTL_ADD, fd, &edges) == 0;
  }
}

void OfiWorker::end(OfiLane* lane) {
  {
    const std::lock_guard lock(mutex_);
    lanes_.erase(lane);
  }
  if (std::erase(seats_, lane) > 0) {
    if (lane->turn().wakes) {
      static_cast<void>(::epoll_ctl(queues_, EPOLL_CTL_DEL, lane->endpoint().wait_fd(), nullptr));
    }
  }
  lane->finish();
}

// When it has to be looked for them again.
uint64_t OfiWorker::drive(uint64_t now) {
  uint64_t next = kForever;
  for (OfiLane* const lane : seats_) {
    OfiTurn& turn = lane->turn();
    if (turn.due <= now) {
      if (lane->drive(now)) {
        turn.active = now;
      }
      turn.due = now < turn.active + spin_.patience(now) ? 0 : rest(lane, now);
    }
    next = std::min(next, turn.due);
  }
  return next;
}

uint64_t OfiWorker::rest(OfiLane* lane, uint64_t now) {
  if (!lane->hears()) {
    return kForever;  // it waits to be closed
  }
  int status = try_wait(lane);
  if (status == -FI_EAGAIN) {  // something came meanwhile
    if (lane->drive(now)) {
      lane->turn().active = now;
      return 0;
    }
    status = try_wait(lane);
  }
  const uint64_t longest = status != 0        ? kLongestRest
                           : lane->has_work() ? kLongestWork
                                              : kLongestSleep;
  return now + std::clamp((now - lane->turn().active) / kPatience, kShortestRest, longest);
}

// 0: its queue wakes this thread from now on.
int OfiWorker::try_wait(OfiLane* lane) {
  if (!lane->turn().wakes) {
    return -FI_ENOSYS;
  }
  fid* queue = &lane->endpoint().cq()->fid;
  return fi_trywait(fabric_.handle(), &queue, 1);
}

void OfiWorker::wait(uint64_t next, uint64_t now) {
  if (next > now) {
    if (!mailbox_.may_sleep()) {
      return;
    }
    const uint64_t span = next - now;
    const timespec patience = {static_cast<time_t>(span / (1000 * kMs)),
                               static_cast<long>(span % (1000 * kMs))};
    pollfd waits[2] = {{queues_, POLLIN, 0}, {mailbox_.wake_fd(), POLLIN, 0}};
    static_cast<void>(::ppoll(waits, 2, next == kForever ? nullptr : &patience, nullptr));
    mailbox_.forget_wakes();
    mailbox_.awake();
  } else {
    spin_.give_way();
  }
  wake_lanes();
}

void OfiWorker::wake_lanes() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(queues_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    OfiTurn& turn = static_cast<OfiLane*>(events[static_cast<size_t>(i)].data.ptr)->turn();
    turn.due = 0;
    turn.active = now_ns();
  }
}

}  // namespace gls::net
