#include "net/connection/self_transport.h"

#include <gls.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/text.h"

namespace gls::net {
namespace {

constexpr size_t kPipeBytes = size_t{256} << 10;
constexpr size_t kMostSpans = 16;

// The thread of one transport. Other objects may still hold it after it has stopped.
class Loop {
 public:
  explicit Loop(std::shared_ptr<SelfFaults> faults) : faults_(std::move(faults)) {}

  void begin() {
    thread_ = std::thread([this] { run(); });
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    thread_.join();
    std::deque<std::function<void()>> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(queue_);
  }
  void post(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) {
        return;
      }
      queue_.push_back(std::move(task));
    }
    wake_.notify_one();
  }
  // At the end: faults no longer delay it.
  void heal() { healed_ = true; }
  SelfFaults& faults() const { return *faults_; }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      if (stopping_) {
        return;
      }
      const auto task = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      suffer();
      task();
      lock.lock();
    }
  }
  void suffer() const {
    while (faults_->frozen && !healed_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (const uint32_t delay = faults_->delay_ms; delay > 0 && !healed_) {
      std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    }
  }

  const std::shared_ptr<SelfFaults> faults_;
  std::atomic<bool> healed_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

// One direction: a ring buffer of this size.
class Pipe {
 public:
  size_t write(std::span<const StreamSpan> spans) {
    const std::lock_guard lock(mutex_);
    size_t written = 0;
    for (StreamSpan span : spans) {
      while (span.size > 0 && size_ < kPipeBytes) {
        const size_t at = (begin_ + size_) % kPipeBytes;
        const size_t count = std::min({span.size, kPipeBytes - size_, kPipeBytes - at});
        std::memcpy(&ring_[at], span.data, count);
        size_ += count;
        written += count;
        span = {static_cast<std::byte*>(span.data) + count, span.size - count};
      }
    }
    return written;
  }
  size_t read(StreamSpan room) {
    const std::lock_guard lock(mutex_);
    const size_t count = std::min({room.size, size_, kPipeBytes - begin_});
    std::memcpy(room.data, &ring_[begin_], count);
    begin_ = (begin_ + count) % kPipeBytes;
    size_ -= count;
    return count;
  }
  void end() { ended_ = true; }
  bool ended() const { return ended_; }

 private:
  std::mutex mutex_;
  std::vector<std::byte> ring_ = std::vector<std::byte>(kPipeBytes);
  size_t begin_ = 0;
  size_t size_ = 0;
  std::atomic<bool> ended_ = false;
};

class SelfTransport;

class SelfStream final : public Stream, public std::enable_shared_from_this<SelfStream> {
 public:
  SelfStream(SelfTransport& transport, std::shared_ptr<Loop> loop)
      : transport_(transport), loop_(std::move(loop)) {}

  void join(const std::shared_ptr<SelfStream>& other, std::shared_ptr<Pipe> in,
            std::shared_ptr<Pipe> out) {
    other_ = other;
    in_ = std::move(in);
    out_ = std::move(out);
  }
  void set_user(StreamUser* user) { user_ = user; }
  void set_target(std::string target) { target_ = std::move(target); }
  void hold() { held_ = shared_from_this(); }

  // Stream
  void start() noexcept override;
  void wake() noexcept override { post(&SelfStream::pump_out); }
  void write() noexcept override { wake(); }
  void close() noexcept override { post(&SelfStream::close_here); }
  void release() noexcept override { const auto last = std::move(held_); }

  void post(void (SelfStream::*task)()) {
    loop_->post([self = shared_from_this(), task] { (self.get()->*task)(); });
  }
  // Runs on the transport's own thread.
  void open();
  void pump_in();
  void pump_out();
  void close_here() { finish(GLS_ERR_IO, "it was closed here"); }
  void finish(int32_t code, const std::string& reason);

 private:
  void connect();
  bool broken();

  SelfTransport& transport_;
  const std::shared_ptr<Loop> loop_;
  StreamUser* user_ = nullptr;  // null when closed
  std::string target_;          // set on the connecting side
  std::shared_ptr<SelfStream> held_;
  std::weak_ptr<SelfStream> other_;
  std::shared_ptr<Pipe> in_;
  std::shared_ptr<Pipe> out_;
  bool opened_ = false;
  bool stopped_ = false;  // its user reads no more
};

// All listening addresses.
struct Hub {
  std::mutex mutex;
  std::map<std::string, SelfTransport*> listeners;
  uint32_t next_port = 1;
};
Hub& hub() {
  static Hub& value = *new Hub;  // never destroyed: its users may be static, too
  return value;
}

class SelfTransport final : public StreamTransport {
 public:
  explicit SelfTransport(std::shared_ptr<SelfFaults> faults)
      : loop_(std::make_shared<Loop>(std::move(faults))) {
    loop_->begin();
  }

  bool listen(const char* host, const char* port, StreamListener* listener, char* bound,
              size_t bound_size, StreamError* error) noexcept override {
    const std::lock_guard lock(hub().mutex);
    std::string address;
    do {
      const std::string number =
          std::strcmp(port, "0") == 0 ? std::to_string(hub().next_port++) : port;
      address = std::string(host) + ":" + number;
    } while (std::strcmp(port, "0") == 0 && hub().listeners.contains(address));
    if (!hub().listeners.emplace(address, this).second) {
      error->code = GLS_ERR_ALREADY_EXISTS;
      formatted("{} is in use", address).copy(error->text, sizeof error->text - 1);
      return false;
    }
    listener_ = listener;
    address_ = address;
    bound[address.copy(bound, bound_size - 1)] = 0;
    return true;
  }

  void stop_listening() noexcept override {
    const std::lock_guard lock(hub().mutex);
    if (!address_.empty()) {
      hub().listeners.erase(address_);
      address_.clear();
    }
    listener_ = nullptr;
  }

  Stream* connect(const char* host, const char* port, StreamUser* user,
                  StreamError* error) noexcept override {
    static_cast<void>(error);
    auto stream = std::make_shared<SelfStream>(*this, loop_);
    stream->set_user(user);
    stream->set_target(std::string(host) + ":" + port);
    stream->hold();
    return stream.get();
  }

  void destroy() noexcept override {
    stop_listening();
    loop_->heal();
    std::mutex mutex;
    std::condition_variable done;
    bool closed = false;
    loop_->post([&] {
      while (!streams_.empty()) {
        const auto stream = *streams_.begin();
        stream->finish(GLS_ERR_INVALID_STATE, "the endpoint is gone");
      }
      const std::lock_guard lock(mutex);
      closed = true;
      done.notify_all();
    });
    {
      std::unique_lock lock(mutex);
      done.wait(lock, [&] { return closed; });
    }
    loop_->stop();
    delete this;
  }

  // Accepts a stream that connects; runs on its thread. False: no transport listens at the address.
  static bool meet(const std::string& address, const std::shared_ptr<SelfStream>& caller,
                   std::shared_ptr<Pipe>* in, std::shared_ptr<Pipe>* out,
                   std::shared_ptr<SelfStream>* other) {
    const std::lock_guard lock(hub().mutex);
    const auto found = hub().listeners.find(address);
    if (found == hub().listeners.end()) {
      return false;
    }
    SelfTransport& there = *found->second;
    *in = std::make_shared<Pipe>();
    *out = std::make_shared<Pipe>();
    *other = std::make_shared<SelfStream>(there, there.loop_);
    (*other)->join(caller, *out, *in);
    there.loop_->post([&there, stream = *other] { there.accept(stream); });
    return true;
  }

  void insert(const std::shared_ptr<SelfStream>& stream) { streams_.insert(stream); }
  void erase(const std::shared_ptr<SelfStream>& stream) { streams_.erase(stream); }

 private:
  void accept(const std::shared_ptr<SelfStream>& stream) {
    StreamListener* const listener = listener_;
    stream->hold();
    StreamUser* const user =
        listener != nullptr ? listener->accepted(stream.get(), "self") : nullptr;
    if (user == nullptr) {
      stream->release();
    }
    stream->set_user(user);
    if (user == nullptr) {
      stream->finish(GLS_ERR_IO, "");
    } else {
      insert(stream);
      stream->open();
    }
  }

  const std::shared_ptr<Loop> loop_;
  std::atomic<StreamListener*> listener_ = nullptr;
  std::string address_;                                      // under the hub's lock
  std::unordered_set<std::shared_ptr<SelfStream>> streams_;  // used by the loop's thread
};

void SelfStream::start() noexcept {
  if (!target_.empty()) {  // the accepting side is opened when it is accepted
    post(&SelfStream::connect);
  }
}

void SelfStream::connect() {
  if (user_ == nullptr) {
    return;
  }
  transport_.insert(shared_from_this());
  std::shared_ptr<SelfStream> other;
  if (!SelfTransport::meet(target_, shared_from_this(), &in_, &out_, &other)) {
    finish(GLS_ERR_IO, "nobody listens there");
    return;
  }
  other_ = other;
  open();
}

void SelfStream::open() {
  opened_ = true;
  user_->opened("within this process");
  pump_in();
}

bool SelfStream::broken() {
  if (loop_->faults().dead) {
    finish(GLS_ERR_IO, "the connection broke");
  }
  return user_ == nullptr || !opened_;
}

void SelfStream::pump_in() {
  while (!broken() && !stopped_) {
    const bool ended = in_->ended();  // read before looking for the last bytes
    const size_t count = in_->read(user_->room());
    if (count == 0) {
      if (ended) {
        finish(GLS_ERR_IO, "the other side closed the connection");
      }
      return;
    }
    stopped_ = !user_->received(count);
    if (const auto other = other_.lock()) {
      other->post(&SelfStream::pump_out);
    }
  }
}

void SelfStream::pump_out() {
  while (!broken()) {
    std::array<StreamSpan, kMostSpans> spans;
    const size_t count = user_->pending(spans.data(), spans.size());
    if (count == 0) {
      return;
    }
    size_t bytes = 0;
    if (loop_->faults().drop) {
      for (const StreamSpan& span : std::span(spans).first(count)) {
        bytes += span.size;
      }
    } else {
      bytes = out_->write(std::span(spans).first(count));
    }
    if (bytes == 0) {
      return;  // the reading side reports when there is room
    }
    ++loop_->faults().writes;
    user_->sent(bytes);
    if (const auto other = other_.lock()) {
      other->post(&SelfStream::pump_in);
    }
  }
}

void SelfStream::finish(int32_t code, const std::string& reason) {
  if (out_ != nullptr) {
    out_->end();
  }
  if (const auto other = other_.lock()) {
    other->post(&SelfStream::pump_in);
  }
  if (StreamUser* const user = std::exchange(user_, nullptr); user != nullptr) {
    user->closed(code, reason.c_str());
  }
  transport_.erase(shared_from_this());
}

}  // namespace

StreamTransport* make_self_transport(std::shared_ptr<SelfFaults> faults) {
  return new SelfTransport(faults != nullptr ? std::move(faults) : std::make_shared<SelfFaults>());
}

}  // namespace gls::net
