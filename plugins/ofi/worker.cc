#include "plugins/ofi/worker.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/clock.h"

namespace gls::net {
namespace {

// A channel that libfabric does not wake is checked after an eighth of the time since its last
// work. Its wait then grows by little.
constexpr uint64_t kPatience = 8;
constexpr uint64_t kShortestRest = 50000;
constexpr uint64_t kLongestRest = kMs;
// Of a channel with wakes, in case libfabric lost one.
constexpr uint64_t kLongestSleep = 100 * kMs;
// Of a channel that waits for a peer, which may be dead.
constexpr uint64_t kLongestWork = 10 * kMs;

}  // namespace

// ---- start and end ----

std::string OfiWorker::start() {
  queues_ = ::epoll_create1(EPOLL_CLOEXEC);
  timer_ = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  epoll_event edges{};
  edges.events = EPOLLIN | EPOLLET;
  if (queues_ < 0 || timer_ < 0 || ::epoll_ctl(queues_, EPOLL_CTL_ADD, timer_, &edges) != 0) {
    return std::string("cannot make an epoll with a timer: ") + std::strerror(errno);
  }
  return begin(queues_);
}

OfiWorker::~OfiWorker() {
  end();
  for (const int fd : {queues_, timer_}) {
    if (fd >= 0) {
      ::close(fd);
    }
  }
}

// ---- called by other threads ----

OfiLane* OfiWorker::open(LaneUser* user, std::string* why) {
  const GpuTurn turn_of_gpu(gpus_);
  auto lane = std::make_unique<OfiLane>(*this, user, memory_);
  *why = lane->open(fabric_);
  if (!why->empty()) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  lanes_.insert(lane.get());
  return lane.release();
}

// ---- called by the driving thread ----

bool OfiWorker::is_over() {
  take_commands();  // nothing is added after that
  std::vector<OfiLane*> left;
  {
    const std::lock_guard lock(mutex_);
    left.assign(lanes_.begin(), lanes_.end());
  }
  for (OfiLane* const lane : left) {
    end_lane(lane);
  }
  return true;
}

bool OfiWorker::take_commands() {
  std::vector<OfiCommand> commands = helm_->mailbox.take();
  for (OfiCommand& command : commands) {
    obey(command);
  }
  return !commands.empty();
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
      end_lane(command.lane);
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
    // Edge-triggered, because the queues of "net" stay readable forever.
    epoll_event edges{};
    edges.events = EPOLLIN | EPOLLET;
    edges.data.ptr = lane;
    lane->turn().wakes = ::epoll_ctl(queues_, EPOLL_CTL_ADD, fd, &edges) == 0;
  }
}

void OfiWorker::end_lane(OfiLane* lane) {
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

bool OfiWorker::turn() {
  bool busy = take_commands();
  if (some_rest_ || seats_.size() > 1) {
    wake_lanes();
  }
  some_rest_ = false;
  some_are_awake_ = false;
  const uint64_t now = now_ns();
  for (OfiLane* const lane : seats_) {
    OfiTurn& turn = lane->turn();
    if (turn.due <= now) {
      if (lane->drive(now)) {
        turn.active = now;
        busy = true;
      }
      turn.due = now < turn.active + spin_.patience(now) ? 0 : rest(lane, now);
    }
    some_rest_ = some_rest_ || turn.due > now;
    some_are_awake_ = some_are_awake_ || turn.due <= now;
  }
  return busy;
}

// Each channel is checked for a while of its own.
bool OfiWorker::is_tired(bool busy) {
  if (!busy && some_are_awake_) {
    spin_.give_way();
  }
  return !some_are_awake_;
}

bool OfiWorker::arm(int* /*patience*/) {
  wake_lanes();
  const uint64_t now = now_ns();
  uint64_t next = kForever;
  for (OfiLane* const lane : seats_) {
    OfiTurn& turn = lane->turn();
    if (turn.due <= now) {
      turn.due = 0;
      if (lane->drive(now)) {
        turn.active = now;
        return false;
      }
      turn.due = rest(lane, now);
      if (turn.due <= now) {
        return false;
      }
    }
    next = std::min(next, turn.due);
  }
  some_rest_ = true;
  set_timer(next, now);
  return true;
}

uint64_t OfiWorker::rest(OfiLane* lane, uint64_t now) {
  if (!lane->hears()) {
    return kForever;  // it waits to be closed
  }
  int status = try_wait(lane);
  if (status == -FI_EAGAIN) {  // something arrived meanwhile
    if (lane->drive(now)) {
      lane->turn().active = now;
      return 0;
    }
    status = try_wait(lane);
  }
  const uint64_t longest = status != 0        ? kLongestRest
                           : lane->has_work() ? kLongestWork
                                              : kLongestSleep;
  if (status == 0 && fabric_.is_tcp() && !lane->is_held_up()) {
    return now + longest;  // none of its wakes was lost so far
  }
  return now + std::clamp((now - lane->turn().active) / kPatience, kShortestRest, longest);
}

// 0: its queue wakes a waiting thread from now on.
int OfiWorker::try_wait(OfiLane* lane) {
  if (!lane->turn().wakes) {
    return -FI_ENOSYS;
  }
  fid* queue = &lane->endpoint().cq()->fid;
  return fi_trywait(fabric_.handle(), &queue, 1);
}

void OfiWorker::wake_lanes() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(queues_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    auto* const lane = static_cast<OfiLane*>(events[static_cast<size_t>(i)].data.ptr);
    if (lane != nullptr) {  // otherwise it is the timer
      has_work(lane);
    }
  }
}

// A timer that is too early does no harm.
void OfiWorker::set_timer(uint64_t due, uint64_t now) {
  if (due == kForever || (timer_due_ > now && timer_due_ <= due)) {
    return;
  }
  timer_due_ = due;
  itimerspec at{};
  at.it_value.tv_sec = static_cast<time_t>((due - now) / (1000 * kMs));
  at.it_value.tv_nsec = static_cast<long>((due - now) % (1000 * kMs));
  static_cast<void>(::timerfd_settime(timer_, 0, &at, nullptr));
}

}  // namespace gls::net
