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

OfiChannel* OfiWorker::open(ChannelUser* user, std::string* why) {
  const GpuTurn turn_of_gpu(gpus_);
  auto channel = std::make_unique<OfiChannel>(*this, user, memory_);
  *why = channel->open(fabric_);
  if (!why->empty()) {
    return nullptr;
  }
  const std::lock_guard lock(mutex_);
  channels_.insert(channel.get());
  return channel.release();
}

// ---- called by the driving thread ----

bool OfiWorker::is_over() {
  take_commands();  // nothing is added after that
  std::vector<OfiChannel*> left;
  {
    const std::lock_guard lock(mutex_);
    left.assign(channels_.begin(), channels_.end());
  }
  for (OfiChannel* const channel : left) {
    end_channel(channel);
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
  if (!is_open(command.channel)) {
    return;
  }
  switch (command.kind) {
    case OfiCommand::kJoin:
      command.channel->do_join(command.address);
      seat(command.channel);
      break;
    case OfiCommand::kSend:
      command.channel->do_send(std::move(command.message));
      has_work(command.channel);
      break;
    case OfiCommand::kRead:
      command.channel->do_read(std::move(command.list));
      has_work(command.channel);
      break;
    case OfiCommand::kClose:
      end_channel(command.channel);
      break;
  }
}

void OfiWorker::has_work(OfiChannel* channel) {
  channel->turn().due = 0;
  channel->turn().active = now_ns();
}

bool OfiWorker::is_open(OfiChannel* channel) {
  const std::lock_guard lock(mutex_);
  return channels_.contains(channel);
}

void OfiWorker::seat(OfiChannel* channel) {
  if (std::find(seats_.begin(), seats_.end(), channel) != seats_.end()) {
    return;
  }
  seats_.push_back(channel);
  channel->turn() = {0, now_ns(), false};
  if (const int fd = channel->endpoint().wait_fd(); fd >= 0) {
    // Edge-triggered, because the queues of "net" stay readable forever.
    epoll_event edges{};
    edges.events = EPOLLIN | EPOLLET;
    edges.data.ptr = channel;
    channel->turn().wakes = ::epoll_ctl(queues_, EPOLL_CTL_ADD, fd, &edges) == 0;
  }
}

void OfiWorker::end_channel(OfiChannel* channel) {
  {
    const std::lock_guard lock(mutex_);
    channels_.erase(channel);
  }
  if (std::erase(seats_, channel) > 0) {
    if (channel->turn().wakes) {
      static_cast<void>(
          ::epoll_ctl(queues_, EPOLL_CTL_DEL, channel->endpoint().wait_fd(), nullptr));
    }
  }
  channel->finish();
}

bool OfiWorker::turn() {
  bool busy = take_commands();
  if (some_rest_ || seats_.size() > 1) {
    wake_channels();
  }
  some_rest_ = false;
  some_are_awake_ = false;
  const uint64_t now = now_ns();
  for (OfiChannel* const channel : seats_) {
    OfiTurn& turn = channel->turn();
    if (turn.due <= now) {
      if (channel->drive(now)) {
        turn.active = now;
        busy = true;
      }
      turn.due = now < turn.active + spin_.patience(now) ? 0 : rest(channel, now);
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
  wake_channels();
  const uint64_t now = now_ns();
  uint64_t next = kForever;
  for (OfiChannel* const channel : seats_) {
    OfiTurn& turn = channel->turn();
    if (turn.due <= now) {
      turn.due = 0;
      if (channel->drive(now)) {
        turn.active = now;
        return false;
      }
      turn.due = rest(channel, now);
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

uint64_t OfiWorker::rest(OfiChannel* channel, uint64_t now) {
  if (!channel->hears()) {
    return kForever;  // it waits to be closed
  }
  int status = try_wait(channel);
  if (status == -FI_EAGAIN) {  // something arrived meanwhile
    if (channel->drive(now)) {
      channel->turn().active = now;
      return 0;
    }
    status = try_wait(channel);
  }
  const uint64_t longest = status != 0           ? kLongestRest
                           : channel->has_work() ? kLongestWork
                                                 : kLongestSleep;
  if (status == 0 && fabric_.is_tcp() && !channel->is_held_up()) {
    return now + longest;  // none of its wakes was lost so far
  }
  return now + std::clamp((now - channel->turn().active) / kPatience, kShortestRest, longest);
}

// 0: its queue wakes a waiting thread from now on.
int OfiWorker::try_wait(OfiChannel* channel) {
  if (!channel->turn().wakes) {
    return -FI_ENOSYS;
  }
  fid* queue = &channel->endpoint().cq()->fid;
  return fi_trywait(fabric_.handle(), &queue, 1);
}

void OfiWorker::wake_channels() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(queues_, events.data(), static_cast<int>(events.size()), 0);
  for (int i = 0; i < count; ++i) {
    auto* const channel = static_cast<OfiChannel*>(events[static_cast<size_t>(i)].data.ptr);
    if (channel != nullptr) {  // otherwise it is the timer
      has_work(channel);
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
