#include "self_channel.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gls::net {
namespace {

class SelfChannels;

struct Parcel {
  uint64_t to = 0;
  std::array<std::byte, kChannelHeadBytes> head{};
  std::vector<std::byte> payload;
  void* begun = nullptr;  // the token of the receiver
};

struct SharedBytes {
  SelfChannels* by = nullptr;
  uint64_t begin = 0;
  uint64_t size = 0;
};

// All channels by address, and all shared memory by key.
struct ChannelHub {
  std::mutex mutex;
  std::unordered_map<uint64_t, SelfChannels*> channels;
  std::unordered_map<uint64_t, SharedBytes> shared;
  uint64_t next = 1;
};
ChannelHub& channel_hub() {
  static ChannelHub& value = *new ChannelHub;  // never destroyed: its users may be static, too
  return value;
}

class SelfChannel final : public DataChannel {
 public:
  SelfChannel(SelfChannels& channels, ChannelUser* user, uint64_t id)
      : channels_(channels), user_(user), id_(id) {}

  StreamSpan address() noexcept override { return {&id_, sizeof id_}; }
  void join(const void* address, size_t size) noexcept override {
    std::memcpy(&there_, address, std::min(size, sizeof there_));
  }
  void send(const void* head, const void* payload, size_t size, void* message) noexcept override;
  ChannelReads reads() noexcept override;
  void read(const ChannelReadList& list, void* reading) noexcept override;
  void describe(char* text, size_t size) noexcept override {
    std::strncpy(text, "self: memory", size - 1);
  }
  void close() noexcept override;
  void release() noexcept override { delete this; }

  uint64_t id() const { return id_; }
  ChannelUser* user() const { return user_; }  // null: closed; used by the thread
  void end() { std::exchange(user_, nullptr)->channel_closed(); }

 private:
  SelfChannels& channels_;
  ChannelUser* user_;
  uint64_t id_;
  uint64_t there_ = 0;
  std::atomic<bool> closing_ = false;
};

class SelfChannels final : public ChannelTransport {
 public:
  SelfChannels(std::shared_ptr<SelfChannelFaults> faults, OneSided one_sided,
               DeviceMemory device_memory)
      : faults_(std::move(faults)),
        one_sided_(one_sided),
        reaches_gpus_(device_memory != DeviceMemory::kOff),
        thread_([this] { run(); }) {}

  DataChannel* open(ChannelUser* user, StreamError* error) noexcept override {
    static_cast<void>(error);
    const std::lock_guard lock(channel_hub().mutex);
    // NOLINTNEXTLINE(bugprone-unhandled-exception-at-new): for tests
    auto* const channel = new SelfChannel(*this, user, channel_hub().next++);
    channel_hub().channels.emplace(channel->id(), this);
    post([this, channel] { open_.emplace(channel->id(), channel); });
    return channel;
  }

  size_t share(const void* data, size_t size, void* key, StreamError* error) noexcept override {
    if (one_sided_ == OneSided::kOff) {
      return ChannelTransport::share(data, size, key, error);
    }
    const std::lock_guard lock(channel_hub().mutex);
    const uint64_t number = channel_hub().next++;
    channel_hub().shared[number] = {this, reinterpret_cast<uint64_t>(data), size};
    std::memcpy(key, &number, sizeof number);
    return sizeof number;
  }

  void destroy() noexcept override {
    {
      const std::lock_guard lock(channel_hub().mutex);
      std::erase_if(channel_hub().shared, [this](const auto& of) { return of.second.by == this; });
    }
    post([this] {
      while (!open_.empty()) {
        close(open_.begin()->second);
      }
      stopping_ = true;
    });
    thread_.join();
    delete this;
  }

  void post(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
  }

  // Functions below run on the thread.
  void send(Parcel parcel) {
    const std::lock_guard lock(channel_hub().mutex);
    if (const auto found = channel_hub().channels.find(parcel.to);
        found != channel_hub().channels.end()) {
      SelfChannels* const there = found->second;
      there->post(
          [there, parcel = std::move(parcel)]() mutable { there->take(std::move(parcel)); });
    }
  }
  void close(SelfChannel* channel) {
    {
      const std::lock_guard lock(channel_hub().mutex);
      channel_hub().channels.erase(channel->id());
    }
    if (channel->user() == nullptr) {
      return;
    }
    for (Parcel& parcel : held_) {
      if (parcel.to == channel->id() && parcel.begun != nullptr) {
        channel->user()->failed(parcel.begun);
      }
    }
    std::erase_if(held_, [&](const Parcel& parcel) { return parcel.to == channel->id(); });
    for (const HeldRead& held : held_reads_) {
      if (held.channel == channel) {
        channel->user()->read_done(held.reading, ChannelReadEnd::kLost);
      }
    }
    std::erase_if(held_reads_, [&](const HeldRead& held) { return held.channel == channel; });
    open_.erase(channel->id());
    channel->end();
  }

  bool reads() const noexcept override { return one_sided_ != OneSided::kOff; }
  bool reaches_gpus(StreamError* why) const noexcept override {
    return reaches_gpus_ || ChannelTransport::reaches_gpus(why);
  }
  void read(SelfChannel* channel, const ChannelReadList& list, void* reading) {
    if (channel->user() ==
        nullptr) {  // never sent: the channel has closed, and accepts nothing more
      return;
    }
    if (faults_->hold_reads) {
      held_reads_.push_back({channel, list, reading});
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(faults_->slow_reads_ms));
    if (faults_->refuse_reads) {
      channel->user()->read_done(reading, ChannelReadEnd::kRefused);
      return;
    }
    const bool good = copy(list);
    channel->user()->read_done(reading, good ? ChannelReadEnd::kGood : ChannelReadEnd::kLost);
    if (!good) {
      channel->user()->broken("what was read is not shared");
    }
  }

 private:
  struct HeldRead {
    SelfChannel* channel;
    ChannelReadList list;
    void* reading;
  };

  static bool copy(const ChannelReadList& list) {
    uint64_t key = 0;
    std::memcpy(&key, list.key, std::min(list.key_size, sizeof key));
    const std::lock_guard lock(channel_hub().mutex);  // so that it stays shared
    const auto found = channel_hub().shared.find(key);
    for (size_t i = 0; i < list.count; ++i) {
      const ChannelRead& each = list.reads[i];
      if (found == channel_hub().shared.end() || each.from < found->second.begin ||
          each.from - found->second.begin > found->second.size ||
          each.size > found->second.size - (each.from - found->second.begin)) {
        return false;
      }
      std::memcpy(each.to, reinterpret_cast<const void*>(each.from), each.size);
    }
    return true;
  }
  void read_held() {
    while (!held_reads_.empty() && !faults_->hold_reads) {
      const HeldRead held = held_reads_.back();
      held_reads_.pop_back();
      read(held.channel, held.list, held.reading);
    }
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (tasks_.empty() && held_.empty() && held_reads_.empty()) {
        changed_.wait(lock, [this] { return !tasks_.empty(); });
      } else if (tasks_.empty()) {
        changed_.wait_for(lock, std::chrono::milliseconds(1));
      }
      std::deque<std::function<void()>> tasks;
      tasks.swap(tasks_);
      lock.unlock();
      for (const auto& task : tasks) {
        task();
      }
      deliver_held();
      read_held();
      lock.lock();
    }
  }

  void take(Parcel parcel) {
    if (faults_->lose) {
      return;
    }
    if (faults_->hold) {
      held_.push_back(std::move(parcel));
    } else if (begin(parcel)) {
      if (faults_->halfway) {
        held_.push_back(std::move(parcel));
      } else {
        finish(parcel);
      }
    }
  }
  void deliver_held() {
    while (!held_.empty() && !faults_->hold && !faults_->halfway) {
      Parcel parcel = std::move(held_.back());
      held_.pop_back();
      if (parcel.begun != nullptr || begin(parcel)) {
        finish(parcel);
      }
    }
  }
  bool begin(Parcel& parcel) {
    const auto found = open_.find(parcel.to);
    if (found == open_.end()) {
      return false;
    }
    ChannelUser* const user = found->second->user();
    if (faults_->broken) {
      user->broken("somebody cut it");
      return false;
    }
    ChannelPlace place;
    place.on_gpu = reaches_gpus_ && parcel.payload.size() >= kLeastToGpus;
    if (!user->message(parcel.head.data(), parcel.payload.size(), &place) ||
        place.token == nullptr) {
      return false;
    }
    parcel.begun = place.token;
    if (!parcel.payload.empty()) {
      std::memcpy(place.data, parcel.payload.data(), parcel.payload.size());
    }
    return true;
  }
  void finish(const Parcel& parcel) {
    if (const auto found = open_.find(parcel.to); found != open_.end()) {
      found->second->user()->arrived(parcel.begun);
    }
  }

  const std::shared_ptr<SelfChannelFaults> faults_;
  const OneSided one_sided_;
  const bool reaches_gpus_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::map<uint64_t, SelfChannel*> open_;
  std::vector<Parcel> held_;
  std::vector<HeldRead> held_reads_;
  std::thread thread_;  // last: it uses the other members
};

void SelfChannel::send(const void* head, const void* payload, size_t size, void* message) noexcept {
  Parcel parcel;
  parcel.to = there_;
  std::memcpy(parcel.head.data(), head, kChannelHeadBytes);
  channels_.post([this, parcel = std::move(parcel), payload, size, message]() mutable {
    if (user_ == nullptr) {
      return;
    }
    parcel.payload.resize(size);
    if (size > 0) {
      std::memcpy(parcel.payload.data(), payload, size);
    }
    channels_.send(std::move(parcel));
    user_->given_back(message);
  });
}

ChannelReads SelfChannel::reads() noexcept {
  return channels_.reads() ? ChannelReads::kRdma : ChannelReads::kNone;
}

void SelfChannel::read(const ChannelReadList& list, void* reading) noexcept {
  channels_.post([this, list, reading] { channels_.read(this, list, reading); });
}

void SelfChannel::close() noexcept {
  if (!closing_.exchange(true)) {
    channels_.post([this] { channels_.close(this); });
  }
}

}  // namespace

ChannelTransport* make_self_channels(std::shared_ptr<SelfChannelFaults> faults, OneSided one_sided,
                                     DeviceMemory device_memory) {
  return new SelfChannels(
      faults != nullptr ? std::move(faults) : std::make_shared<SelfChannelFaults>(), one_sided,
      device_memory);
}

}  // namespace gls::net
