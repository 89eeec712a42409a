// A connection whose other side is the input: it controls the stream, and the data channel if there
// is one. This side makes calls, reads, cancels, serves and drains, and time passes. Every call and
// read must end once, and queues must stay bounded.
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
#include "net/connection/connection.h"

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

// A data channel on which events happen when the input chooses them, within the promises of
// net/connection/data_channel.h.
class FakeChannel final : public DataChannel {
 public:
  FakeChannel(ChannelUser* user, ChannelReads reads) : user_(user), reads_(reads) {}

  StreamSpan address() noexcept override { return {address_, sizeof address_}; }
  void join(const void* address, size_t size) noexcept override {
    CLAIM(address != nullptr && size > 0 && size <= kMostChannelAddress);
    CLAIM(!std::exchange(joined_, true) && !closing_);
  }
  void send(const void* head, const void* payload, size_t size, void* message) noexcept override {
    CLAIM(head != nullptr && (payload != nullptr || size == 0) && message != nullptr);
    CLAIM(joined_ && !closing_);
    sent_.push_back({payload, size, message});
  }
  ChannelReads reads() noexcept override { return reads_; }
  void read(const ChannelReadList& list, void* reading) noexcept override {
    CLAIM(joined_ && !closing_ && reads_ != ChannelReads::kNone && reading != nullptr);
    reading_.push_back({list, reading});
  }
  void describe(char* text, size_t size) noexcept override { std::strncpy(text, "fake", size - 1); }
  void close() noexcept override { closing_ = true; }
  void release() noexcept override {
    CLAIM(user_ == nullptr);
    ++released;
  }

  bool closing() const { return closing_; }
  bool closed() const { return user_ == nullptr; }

  void message(const FrameHeader& header, size_t payload) {
    ChannelPlace place;
    const auto head = encode(header);
    // A user that returned false wants no more messages.
    if (!unwanted_ && !broken_ && !closed()) {
      unwanted_ = !user_->message(head.data(), payload, &place);
      if (!unwanted_ && place.token != nullptr) {
        CLAIM(place.data != nullptr || payload == 0);
        arriving_.push_back({place, payload});
      }
      CLAIM(!unwanted_ || closing_);
    }
  }
  void arrive(size_t which) {
    if (!arriving_.empty()) {
      const Arriving one = take(&arriving_, which);
      fill(one.place.data, one.size);
      user_->arrived(one.place.token);
    }
  }
  void give_back(size_t which) {
    if (!sent_.empty()) {
      const Sent one = take(&sent_, which);
      check(one.payload, one.size);
      user_->given_back(one.message);
    }
  }
  void end_read(size_t which, ChannelReadEnd end) {
    if (!reading_.empty()) {
      const BeingRead one = take(&reading_, which);
      check(one.list.key, one.list.key_size);
      for (size_t i = 0; i < one.list.count; ++i) {  // a lost message may have arrived in part
        fill(one.list.reads[i].to, one.list.reads[i].size);
      }
      user_->read_done(one.reading, end);
    }
  }
  void break_off() {
    if (!closed() && !std::exchange(broken_, true)) {
      user_->broken("somebody cut it");
      CLAIM(closing_);
    }
  }
  // Returns all tokens and messages, and calls nothing afterwards.
  void end() {
    CLAIM(closing_);
    while (!arriving_.empty()) {
      user_->failed(take(&arriving_, 0).place.token);
    }
    while (!sent_.empty()) {
      give_back(0);
    }
    while (!reading_.empty()) {
      end_read(0, ChannelReadEnd::kLost);
    }
    std::exchange(user_, nullptr)->channel_closed();
  }

  int released = 0;

 private:
  struct Arriving {
    ChannelPlace place;
    size_t size;
  };
  struct Sent {
    const void* payload;
    size_t size;
    void* message;
  };
  struct BeingRead {
    ChannelReadList list;
    void* reading;
  };
  template <typename T>
  static T take(std::vector<T>* from, size_t which) {
    const auto at = from->begin() + static_cast<ptrdiff_t>(which % from->size());
    const T out = *at;
    from->erase(at);
    return out;
  }
  static void fill(void* to, size_t size) {
    if (size > 0) {
      std::memset(to, 7, size);
    }
  }
  // The address sanitizer checks that the memory still exists.
  static void check(const void* bytes, size_t size) {
    const auto* const at = static_cast<const unsigned char*>(bytes);
    static_cast<void>(std::count(at, at + size, 7));
  }

  ChannelUser* user_;
  const ChannelReads reads_;
  uint64_t address_[1] = {5};
  bool joined_ = false;
  bool closing_ = false;
  bool broken_ = false;
  bool unwanted_ = false;
  std::vector<Arriving> arriving_;
  std::vector<Sent> sent_;
  std::vector<BeingRead> reading_;
};

struct FakeChannels final : ChannelTransport {
  DataChannel* open(ChannelUser* user, StreamError* error) noexcept override {
    CLAIM(channel == nullptr);
    if (refuses) {
      error->code = GLS_ERR_IO;
      std::strncpy(error->text, "no such device", sizeof error->text - 1);
      return nullptr;
    }
    channel = std::make_unique<FakeChannel>(user, how);
    return channel.get();
  }
  bool reads() const noexcept override { return how != ChannelReads::kNone; }
  void destroy() noexcept override {}

  bool refuses = false;
  ChannelReads how = ChannelReads::kNone;
  std::unique_ptr<FakeChannel> channel;
};

// The settings that the first byte of the input chooses.
struct Way {
  explicit Way(uint8_t byte)
      : inbound((byte & 1) != 0),
        channels((byte & 2) != 0),
        reads((byte & 4) != 0),
        refuses((byte & 0xf8) == 0xf8) {}
  bool inbound;
  bool channels;
  bool reads;
  bool refuses;
};

struct FakeHost final : ConnectionHost {
  explicit FakeHost(const Way& way) : has_channels(way.channels) {
    channels_.refuses = way.refuses;
    channels_.how = way.reads ? ChannelReads::kRdma : ChannelReads::kNone;
    hello_.channel = has_channels ? "fake" : "";
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
  const std::shared_ptr<AllQueues>& queues() const override { return queues_; }
  ChannelTransport* channels() override { return has_channels ? &channels_ : nullptr; }
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
  void run(std::shared_ptr<Connection>, std::function<void()> task) override {
    tasks.push_back(std::move(task));
  }
  void look_at(uint64_t) override {}

  const std::shared_ptr<AllQueues> queues_ = std::make_shared<AllQueues>();
  Limits limits_;
  Hello hello_;
  Handlers handlers_;
  const bool has_channels;
  FakeChannels channels_;
  std::vector<Request> kept;
  std::deque<std::function<void()>> tasks;
  int ups = 0;
  int losses = 0;
  int ends = 0;
};

class Play {
 public:
  explicit Play(fuzz::Input& input) : input_(input) {
    connection_ = std::make_shared<Connection>(host_, way_.inbound, "fuzz:1");
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
    frame(way_.inbound ? FrameType::kHello : FrameType::kWelcome, 0, 0, encode_hello(hello));
    receive(1 + input_.byte() * 8);
    if (way_.channels && input_.chance()) {
      join();
    }
  }

  // The other side of the channel, behaving correctly.
  void join() {
    frame(FrameType::kChannel, 0, 0, encode_channel(std::as_bytes(std::span("there"))));
    receive(1000);
    message(FrameType::kChannel, 0, 0, 0);
    frame(FrameType::kJoined, 0, 0, {});
    receive(1000);
  }

  FakeChannel* channel() { return host_.channels_.channel.get(); }  // null: not opened

  void message(FrameType type, uint16_t kind, uint64_t id, uint32_t size) {
    if (channel() != nullptr) {
      channel()->message({size, type, 0, kind, id}, size);
    }
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

  void read() {
    reads_.push_back(0);
    const size_t index = reads_.size() - 1;
    auto places = std::make_shared<Bytes>(input_.number(2) % 1000);
    Reading reading;
    reading.key = std::make_shared<const Bytes>(1 + input_.below(8));
    for (size_t at = 0; at < places->size(); at += 100) {
      const size_t size = std::min<size_t>(100, places->size() - at);
      reading.pieces.push_back({input_.number(1), size, places->data() + at});
    }
    reading.places = std::move(places);
    connection_->read(std::move(reading), {static_cast<int64_t>(input_.byte()) * 100, false},
                      [this, index](const Status& status) {
                        CLAIM(++reads_[index] == 1);
                        CLAIM(status.ok() || status.code() < 0);
                      });
  }

  void step() {
    switch (input_.below(way_.channels ? 21 : 12)) {
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
      case 3:  // a reply, sometimes to a real call
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
      case 11:
        later();
        break;
      case 12:
        read();
        break;
      case 13:
        frame(input_.chance() ? FrameType::kDone : FrameType::kJoined, 0, 0, {});
        break;
      case 14:
        frame(FrameType::kChannel, 0, 0,
              encode_channel(std::as_bytes(std::span(input_.bytes(input_.below(16))))));
        break;
      default:
        if (channel() != nullptr && !channel()->closed()) {
          channel_step();
        }
    }
    receive(1 + input_.byte() * 64);
  }

  void channel_step() {
    switch (input_.below(10)) {
      case 0: {
        const auto size = static_cast<uint32_t>(input_.number(2) % 9000);
        const auto said = static_cast<uint32_t>(input_.below(8) == 0 ? input_.byte() : size);
        channel()->message({said, static_cast<FrameType>(1 + input_.below(13)), 0, input_.byte(),
                            input_.number(2)},
                           size);
        break;
      }
      case 1:
      case 2:
        message(FrameType::kRequest, static_cast<uint16_t>(1 + input_.byte() % 5), input_.byte(),
                static_cast<uint32_t>(input_.number(2) % 9000));
        break;
      case 3:  // a reply, mostly to a real call
        message(FrameType::kReply, 0,
                ids_.empty() ? input_.byte() : ids_[input_.byte() % ids_.size()],
                static_cast<uint32_t>(input_.number(2) % 9000));
        break;
      case 4:
        message(FrameType::kChannel, 0, 0, 0);
        break;
      case 5:
        channel()->arrive(input_.byte());
        break;
      case 6:
        channel()->give_back(input_.byte());
        break;
      case 7:
        channel()->end_read(input_.byte(), static_cast<ChannelReadEnd>(input_.below(3)));
        break;
      case 8:
        if (input_.below(4) == 0) {
          channel()->break_off();
        }
        break;
      default:
        if (channel()->closing()) {
          channel()->end();
        }
    }
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
    const bool channel_first = channel() != nullptr && input_.chance();
    if (channel_first) {
      end_channel();
    }
    close();
    if (channel() != nullptr && !channel_first) {
      end_channel();
    }
    host_.kept.clear();
    while (!host_.tasks.empty()) {
      work();
    }
    for (const int ended : calls_) {
      CLAIM(ended == 1);
    }
    for (const int ended : reads_) {
      CLAIM(ended == 1);
    }
    CLAIM(connection_->state() == ConnectionState::kClosed);
    CLAIM(connection_->calls_in_flight() == 0 && connection_->queued_bytes() == 0);
    CLAIM(host_.losses == 1 && host_.ends == 1 && host_.ups <= 1);
    connection_.reset();
    CLAIM(stream_.released == 1);
    CLAIM(channel() == nullptr || channel()->released == 1);
  }

  void end_channel() {
    if (!channel()->closed()) {
      channel()->break_off();
      CLAIM(channel()->closing());
      channel()->end();
    }
  }

  fuzz::Input& input_;
  const Way way_{input_.byte()};
  FakeHost host_{way_};
  FakeStream stream_;
  std::shared_ptr<Connection> connection_;
  const uint64_t now_at_start_ = now_ns();
  uint64_t time_ = 0;
  Bytes to_come_;
  std::vector<int> calls_;
  std::vector<int> reads_;
  std::vector<CallId> ids_;
  bool open_ = true;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  Play(input).run();
  return 0;
}
