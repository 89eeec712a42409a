// A connection, and whatever the other side of its stream does to it, while this side makes calls,
// cancels, serves, drains, and time passes. Every call ends once, and what is queued stays bounded.
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "input.h"
#include "net/connection.h"

namespace {

using namespace gls;
using namespace gls::net;

constexpr uint64_t kSecond = 1000000000;

struct FakeStream final : Stream {
  void start() noexcept override {}
  void wake() noexcept override { awake = true; }
  void write() noexcept override { awake = true; }
  void close() noexcept override { closing = true; }
  void release() noexcept override { ++released; }
  bool awake = false;
  bool closing = false;
  int released = 0;
};

struct FakeHost final : ConnectionHost {
  FakeHost() {
    limits_.max_message_bytes = 8192;
    limits_.max_calls = 4;
    limits_.max_call_bytes = 16384;
    limits_.max_queued_bytes = 4096;
    limits_.max_running = 2;
    hello_.id[0] = 1;
    hello_.library_version = "0.1.0";
    hello_.role = "server";
    hello_.name = "fuzzed";
    hello_.max_message_bytes = limits_.max_message_bytes;
    hello_.max_calls = limits_.max_calls;
    hello_.max_call_bytes = limits_.max_call_bytes;
    hello_.heartbeat_ms = 1000;
    handlers_[1] = [](const Request& request) {
      request.answer(request.reply(request.bytes().size()));
    };
    handlers_[2] = [](const Request& request) { request.fail(invalid("no")); };
    handlers_[3] = [this](const Request& request) { kept.push_back(request); };
    handlers_[4] = [](const Request&) {};
  }
  const Limits& limits() const override { return limits_; }
  const Hello& hello() const override { return hello_; }
  const Handlers& handlers() const override { return handlers_; }
  const std::shared_ptr<BufferPool>& buffers() const override {
    return fuzz::shared_context()->buffers();
  }
  Result<Bytes> share(const std::shared_ptr<const void>&, std::span<const std::byte>) override {
    return error(GLS_ERR_UNSUPPORTED, "nothing is shared here");
  }
  Status admit(Connection&, const Hello& theirs) override {
    return theirs.name == "unwanted" ? invalid("not you") : Status();
  }
  void is_up(Connection&) override { ++ups; }
  void is_lost(Connection&, const Status& why) override {
    CLAIM(!why.ok());
    ++losses;
  }
  void gone(Connection&) override { ++ends; }
  void run(std::function<void()> task) override { tasks.push_back(std::move(task)); }
  void look_at(uint64_t) override {}

  Limits limits_;
  Hello hello_;
  Handlers handlers_;
  std::vector<Request> kept;
  std::deque<std::function<void()>> tasks;
  int ups = 0;
  int losses = 0;
  int ends = 0;
};

class Play {
 public:
  explicit Play(fuzz::Input& input) : input_(input), inbound_(input.chance()) {
    connection_ = std::make_shared<Connection>(host_, inbound_, "fuzz:1");
    connection_->attach(&stream_);
    connection_->opened("nothing");
  }

  void run() {
    for (const unsigned char c : kPreamble) {
      to_come_.push_back(std::byte{c});
    }
    if (input_.chance()) {
      greet();
    }
    while (!input_.empty() && open_) {
      step();
      CLAIM(connection_->queued_bytes() <= 4096 + 8 * 8192 + 65536);
      CLAIM(connection_->calls_in_flight() <= 8);
      CLAIM(connection_->waiting_requests() <= 4);
    }
    end();
  }

 private:
  void greet() {
    Hello hello = host_.hello_;
    hello.id[0] = 2;
    hello.name = input_.chance() ? "friend" : "unwanted";
    hello.max_calls = 8;
    hello.max_call_bytes = 8192;
    frame(inbound_ ? FrameType::kHello : FrameType::kWelcome, 0, 0, encode_hello(hello));
    receive(1 + input_.byte() * 8);
  }

  void frame(FrameType type, uint16_t kind, uint64_t id, const Bytes& payload) {
    FrameHeader header;
    header.length = static_cast<uint32_t>(payload.size());
    header.type = type;
    header.kind = kind;
    header.id = id;
    const auto head = encode(header);
    to_come_.insert(to_come_.end(), head.begin(), head.end());
    to_come_.insert(to_come_.end(), payload.begin(), payload.end());
  }

  void receive(size_t step) {
    size_t at = 0;
    while (at < to_come_.size() && open_) {
      const StreamSpan room = connection_->room();
      CLAIM(room.size > 0);
      const size_t count = std::min({room.size, step, to_come_.size() - at});
      std::memcpy(room.data, to_come_.data() + at, count);
      at += count;
      if (!connection_->received(count)) {
        CLAIM(stream_.closing);
        close();
      }
    }
    to_come_.clear();
  }

  void call() {
    calls_.push_back(0);
    const size_t index = calls_.size() - 1;
    Message request(host_.buffers(), input_.number(2) % 9000);
    ids_.push_back(connection_->call(input_.byte(), std::move(request),
                                     {static_cast<int64_t>(input_.byte()) * 100, false},
                                     [this, index](Result<Message> reply) {
                                       CLAIM(++calls_[index] == 1);
                                       CLAIM(reply.ok() || reply.status().code() < 0);
                                     }));
  }

  void step() {
    switch (input_.below(12)) {
      case 0: {
        const std::string_view raw = input_.piece();
        const auto bytes = std::as_bytes(std::span(raw));
        to_come_.insert(to_come_.end(), bytes.begin(), bytes.end());
        break;
      }
      case 1:
        frame(static_cast<FrameType>(1 + input_.below(13)), input_.byte(), input_.number(2),
              Bytes(input_.number(2) % 9000));
        break;
      case 2:
        frame(FrameType::kRequest, 1 + input_.byte() % 5, input_.number(1),
              Bytes(input_.number(2) % 9000));
        break;
      case 3:  // an answer, sometimes to a call that was made
        frame(input_.chance() ? FrameType::kReply : FrameType::kError, 0,
              ids_.empty() ? input_.byte() : ids_[input_.byte() % ids_.size()],
              input_.chance() ? encode_failure(invalid("no")) : Bytes(input_.number(2) % 9000));
        break;
      case 4:
        frame(input_.chance() ? FrameType::kCancel : FrameType::kHeartbeat, 0, input_.byte(), {});
        break;
      case 5:
        frame(FrameType::kGoodbye, 0, 0, encode_goodbye({"bye", input_.byte()}));
        break;
      case 6:
        call();
        break;
      case 7:
        if (!ids_.empty()) {
          connection_->cancel(ids_[input_.byte() % ids_.size()]);
        }
        break;
      case 8:
        work();
        break;
      case 9:
        send(input_.number(2));
        break;
      case 10:
        host_.kept.clear();
        break;
      default:
        later();
    }
    receive(1 + input_.byte() * 64);
  }

  void later() {
    if (input_.below(8) == 0) {
      connection_->drain("enough");
    }
    time_ += input_.byte() * kSecond / 20;
    const uint64_t next = connection_->sweep(now_at_start_ + time_, input_.chance());
    CLAIM(next > now_at_start_ + time_);
  }

  void work() {
    if (!host_.tasks.empty()) {
      const auto task = std::move(host_.tasks.front());
      host_.tasks.pop_front();
      task();
    }
  }

  void send(size_t most) {
    StreamSpan spans[3];
    const size_t count = connection_->pending(spans, 3);
    size_t sum = 0;
    for (size_t i = 0; i < count; ++i) {
      CLAIM(spans[i].size > 0);
      sum += spans[i].size;
    }
    if (sum > 0) {
      connection_->sent(std::min(sum, most + 1));
    }
    if (stream_.closing) {
      close();
    }
  }

  void close() {
    if (std::exchange(open_, false)) {
      connection_->closed(GLS_ERR_IO, "the other side closed the connection");
    }
  }

  void end() {
    while (!host_.tasks.empty()) {
      work();
    }
    close();
    host_.kept.clear();
    while (!host_.tasks.empty()) {
      work();
    }
    for (const int ended : calls_) {
      CLAIM(ended == 1);
    }
    CLAIM(connection_->state() == ConnectionState::kClosed);
    CLAIM(connection_->calls_in_flight() == 0 && connection_->queued_bytes() == 0);
    CLAIM(host_.losses == 1 && host_.ends == 1 && host_.ups <= 1);
    connection_.reset();
    CLAIM(stream_.released == 1);
  }

  fuzz::Input& input_;
  const bool inbound_;
  FakeHost host_;
  FakeStream stream_;
  std::shared_ptr<Connection> connection_;
  const uint64_t now_at_start_ = now_ns();
  uint64_t time_ = 0;
  Bytes to_come_;
  std::vector<int> calls_;
  std::vector<CallId> ids_;
  bool open_ = true;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  Play(input).run();
  return 0;
}
