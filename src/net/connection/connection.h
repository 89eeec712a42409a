// One authenticated connection between two endpoints. Both sides can make calls, many at once, and
// replies come in any order. Payloads go over the stream, or over a data channel (DataChannel)
// beside it if both sides are configured to use one.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "net/connection/control.h"
#include "net/connection/data_channel.h"
#include "net/connection/request.h"
#include "net/core/frame.h"
#include "net/core/limits.h"
#include "net/core/message.h"
#include "net/core/queued_bytes.h"
#include "net/core/stream.h"

namespace gls::net {

// Whether another attempt to connect would fail in the same way, because the two sides do not
// match. Otherwise the other side may be reachable, or have room, later.
inline bool is_lasting(const Status& why) {
  return why.code() == GLS_ERR_INVALID_ARGUMENT || why.code() == GLS_ERR_UNSUPPORTED;
}

using CallId = uint64_t;  // unique in this process; 0: no call

// Receives the reply or the error of a call, exactly once. Runs on the caller's thread if the call
// fails at once, else on a network thread. It must be short, and must neither wait nor throw.
using Completion = std::function<void(Result<Message>)>;

// The memory for the payload of a reply, used if the reply has exactly that many bytes. Other
// replies get memory of their own, so the caller can tell them apart. If the call fails or gets
// another reply, the memory may still be written to while `owner` is held here.
struct ReplyPlace {
  std::shared_ptr<const void> owner;
  std::span<std::byte> bytes;
  // The memory is on a GPU. Only channels that can write there use it; other replies get host
  // memory.
  bool on_gpu = false;
};

struct CallOptions {
  int64_t timeout_ms = 30000;  // negative: no limit
  // Whether to wait when the maximum number of calls is in flight, until the work of this thread is
  // cancelled (context/stop_scope.h). Otherwise that is an error. Calls from a completion never
  // wait.
  bool wait = true;
  // Names the request in errors, such as "rows of a column"; a static string. Null: errors name the
  // kind.
  const char* what = nullptr;
  ReplyPlace place = {};
};

// Receives the outcome of Connection::read(), under the rules of Completion.
using ReadCompletion = std::function<void(const Status&)>;

// A one-sided read: the key that the peer sent, pieces of the peer's shared memory, and their
// destinations.
struct Reading {
  std::shared_ptr<const Bytes> key;
  std::vector<ChannelRead> pieces;
  // Owner of the destinations, released when nothing writes there any more. That is before a
  // successful outcome, or perhaps long after a failure.
  std::shared_ptr<const void> places;
  bool on_gpu = false;  // the destinations are in GPU memory
};

// kJoining: the greeting is complete, and the channel is not connected yet.
enum class ConnectionState : uint8_t { kOpening, kGreeting, kJoining, kUp, kDraining, kClosed };

// What a connection needs of its endpoint. The endpoint outlives it until gone() has returned.
class ConnectionHost {
 public:
  virtual const Limits& limits() const = 0;
  virtual const Hello& hello() const = 0;
  virtual const Handlers& handlers() const = 0;
  virtual const std::shared_ptr<BufferPool>& buffers() const = 0;
  // null: no data channels, and hello() names none.
  virtual ChannelTransport* channels() { return nullptr; }
  // Of all connections of the endpoint.
  virtual const std::shared_ptr<AllQueues>& queues() const = 0;
  // See Connection::share().
  virtual Result<Bytes> share(const std::shared_ptr<const void>& owner,
                              std::span<const std::byte> memory) = 0;
  // Decides whether to accept the peer that sent this greeting.
  virtual Status admit(Connection& connection, const Hello& theirs) = 0;
  virtual void is_up(Connection& connection) = 0;
  virtual void is_lost(Connection& connection, const Status& why) = 0;
  // The stream has ended; nothing is called on it any more.
  virtual void gone(Connection& connection) = 0;
  // Runs a task for a request of `connection` on the context's threads.
  virtual void run(std::shared_ptr<Connection> connection, std::function<void()> task) = 0;
  virtual void look_at(uint64_t time_ns) = 0;  // sweep() must run at this time or earlier

 protected:
  ~ConnectionHost() = default;
};

class Connection final : public StreamUser,
                         private FrameSink,
                         private ChannelUser,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(ConnectionHost& host, bool inbound, std::string address);
  ~Connection();

  // Call it before start(). Limits the time for the greeting, from now on.
  void greet_within(uint64_t ms);
  // Call it before start(). Sets the stream that this connection uses.
  void attach(Stream* stream) { stream_ = stream; }

  // Sends a request. `done` receives its outcome. Completions of other calls may also run on this
  // thread meanwhile.
  CallId call(uint16_t kind, Message request, const CallOptions& options, Completion done);
  // Ends the call with GLS_ERR_CANCELED, unless it has ended.
  void cancel(CallId id);

  // How this side can read memory that the peer shares.
  ChannelReads reads() const;
  // Reads memory of the peer, where reads() is not kNone. The caller must check that the pieces are
  // within the shared memory. Like a call, it has a deadline, and drain() waits for it.
  void read(Reading reading, const CallOptions& options, ReadCompletion done);
  // Shares `memory` with the peers of this endpoint until the endpoint ends. Returns the key that
  // they need; the same memory always has the same key.
  Result<Bytes> share(const std::shared_ptr<const void>& owner, std::span<const std::byte> memory);

  // Reads incoming requests and replies on this thread until `waiter` is done, unless another
  // thread does so: see Stream::read_by_caller(). nudge() wakes the reading thread.
  bool read_by_caller(StreamWaiter& waiter);
  void nudge();

  // Accepts no new request and makes no new call. Closes when the current ones have ended.
  void drain(const std::string& reason);
  // Ends everything now.
  void fail(const Status& why);

  // Applies deadlines, sends heartbeats, and detects silent peers. Returns the time of the next
  // sweep. `excused`: this process itself did not run, so silence proves nothing.
  uint64_t sweep(uint64_t now, bool excused);

  ConnectionState state() const;
  bool inbound() const { return inbound_; }
  const std::string& address() const { return address_; }
  Hello remote() const;  // the peer's greeting; empty before it arrived
  std::string security() const;
  std::string channel() const;  // the transport of the data channel; empty: no channel
  std::string who() const;      // name and address of the peer, for errors
  Status why_closed() const;
  bool said_goodbye() const { return said_goodbye_; }  // whether the peer said goodbye
  uint64_t queued_bytes() const;                       // bytes that wait to be sent
  size_t waiting_requests() const;
  size_t calls_in_flight() const;

  // StreamUser
  void reached() noexcept override;
  void opened(const char* security) noexcept override;
  StreamSpan room() noexcept override;
  bool received(size_t bytes) noexcept override;
  size_t pending(StreamSpan* spans, size_t most) noexcept override;
  void sent(size_t bytes) noexcept override;
  void closed(int32_t code, const char* reason) noexcept override;

 private:
  friend class Request;
  class Telling;
  struct Call {
    uint16_t kind;
    uint64_t bytes;
    uint64_t deadline;
    int64_t timeout_ms;
    const char* what;  // names the request; may be null
    Completion done;   // empty: the call has ended, but the peer has not answered yet
    ReplyPlace place;
    bool arriving = false;  // its reply has begun to arrive on the channel
  };
  // A frame that waits to be sent.
  struct Outgoing {
    std::array<std::byte, kPreamble.size() + FrameHeader::kBytes> head;
    size_t head_size = 0;
    size_t sent = 0;
    Message message;
    Bytes control;
    std::span<const std::byte> payload() const {
      return control.empty() ? std::span<const std::byte>(message.bytes()) : control;
    }
    size_t size() const { return head_size + payload().size(); }
  };
  using Lock = std::unique_lock<std::mutex>;
  // The rest of a call that has ended. It may hold the last reference to much memory, so it is
  // destroyed after the lock is released.
  struct Forgotten {
    Completion done;
    ReplyPlace place;
  };
  struct Ended {
    Forgotten forgotten;
    Status status;
  };

  // FrameSink, on the reading thread
  Result<std::span<std::byte>> begin(const FrameHeader& header) override;
  Status end() override;

  Status check_order(const FrameHeader& header) const;
  Status check_request(const FrameHeader& header) const;
  Result<bool> is_wanted(const FrameHeader& header) const;
  ReplyPlace take_place(const FrameHeader& header);
  // `on_gpu`: the payload can go to GPU memory.
  Message make_payload(const FrameHeader& header, ReplyPlace place, bool on_gpu) const;
  Status got_hello();
  Status got_welcome();
  Status got_request(const FrameHeader& header, Message payload);
  Status got_answer(const FrameHeader& header, Message payload, bool wanted);
  Status got_cancel();
  Status got_goodbye();
  Status check_greeting(const Hello& theirs) const;
  void refuse_locked(const Status& why);
  bool refuse_stranger(const Status& why) noexcept;

  Status wait_for_room(Lock& lock, uint64_t bytes, uint64_t deadline, const CallOptions& options);
  bool has_room(uint64_t bytes) const;
  Status not_up() const;
  void push(FrameHeader header, Message message, Bytes control);
  void say_goodbye(const std::string& reason);
  void wake();
  void send(Lock& lock);
  void start_handlers();
  bool is_put_back(std::shared_ptr<Request::State>* request);
  void handle(const std::shared_ptr<Request::State>& request);
  void answered(Request::State& request, Message reply, Bytes failure);
  void close_if_done();
  void close_stream();
  Forgotten forget(std::unordered_map<CallId, Call>::iterator call);
  static CallId next_id();
  Status call_error(gls_status_t code, const Call& call, const std::string& why) const;
  std::string who_locked() const;

  // The data channel: data_channel_traffic.cc. The channel's thread calls ChannelUser.
  struct Arrival {
    FrameHeader header;
    Message payload;
  };
  bool message(const void* head, size_t payload, ChannelPlace* place) noexcept override;
  void arrived(void* token) noexcept override;
  void failed(void* token) noexcept override;
  void given_back(void* message) noexcept override;
  void read_done(void* reading, ChannelReadEnd end) noexcept override;
  void broken(const char* why) noexcept override;
  void channel_closed() noexcept override;
  Status open_channel();
  Status got_channel();
  Status got_joined();
  Status got_done();
  Status got_probe(const FrameHeader& header);
  Status message_begins(const FrameHeader& header, ChannelPlace* place);
  Status check_channel_order(const FrameHeader& header) const;
  bool becomes_up();
  void push_on_channel(FrameHeader header, Message message);
  bool is_canceled_early(uint64_t id);
  uint64_t sweep_channel(uint64_t now, bool excused, Status* why);
  // A one-sided read over the channel.
  struct PendingRead {
    uint64_t deadline;
    int64_t timeout_ms;
    const char* what;
    uint64_t bytes;
    ReadCompletion done;
  };
  struct LentRead {
    CallId id;
    Reading reading;
  };
  Status read_error(gls_status_t code, const PendingRead& read, const std::string& why) const;

  ConnectionHost& host_;  // not to be used after gone()
  const Limits limits_;
  const std::shared_ptr<BufferPool> buffers_;
  const bool inbound_;
  const std::string address_;
  Stream* stream_ = nullptr;

  // Used by the reading thread.
  FrameReader reader_;
  FrameHeader header_;
  Message incoming_;
  bool wanted_ = true;  // false: the payload is read and dropped

  std::atomic<uint64_t> last_heard_;
  std::atomic<uint64_t> last_sent_;

  mutable std::mutex mutex_;
  std::condition_variable room_;
  ConnectionState state_ = ConnectionState::kOpening;
  Status why_;
  bool telling_ = false;  // the host is being notified of the loss
  std::string security_;
  Hello remote_;
  uint64_t greeting_deadline_;
  bool reached_ = false;
  bool refusing_ = false;  // closes after the reason was sent
  std::atomic<bool> said_goodbye_ = false;
  std::string farewell_;           // why no new calls are made
  bool no_more_requests_ = false;  // the peer said goodbye

  std::unordered_map<CallId, Call> calls_;
  std::set<std::pair<uint64_t, CallId>> deadlines_;
  uint64_t call_bytes_ = 0;
  std::unordered_map<CallId, PendingRead> reads_;  // their deadlines are among those of calls

  struct Serving {
    std::weak_ptr<Request::State> request;  // empty: its payload has not arrived yet
    uint64_t bytes;
    bool canceled = false;
  };
  std::unordered_map<uint64_t, Serving> serving_;  // by the peer's id of the call
  std::list<std::shared_ptr<Request::State>> waiting_;
  uint64_t serving_bytes_ = 0;
  uint32_t running_ = 0;

  std::list<Outgoing> queue_;  // only the stream's thread removes from it
  QueuedBytes queued_;
  bool writing_ = false;  // the stream will ask for more without a wake()
  bool ended_ = false;    // the stream calls nothing any more, and must not be called
  bool greeted_ = false;  // the preamble of this side is in the queue

  DataChannel* channel_ = nullptr;               // set once, before calls begin
  std::shared_ptr<Connection> kept_by_channel_;  // until the channel has closed
  std::string channel_text_;
  bool channel_closing_ = false;    // nothing is sent on the channel any more
  bool channel_asked_ = false;      // there are messages to send, and the channel was not woken yet
  bool channel_addressed_ = false;  // the peer has sent the address of its channel
  bool channel_heard_ = false;      // something has arrived over the channel
  bool remote_channel_joined_ = false;  // the peer has heard this side over the channel
  uint64_t channel_requests_sent_ = 0;
  uint64_t channel_requests_got_ = 0;
  uint64_t channel_requests_said_ = 0;  // from the peer's goodbye
  size_t channel_arriving_ = 0;         // messages that have begun to arrive
  size_t channel_lent_ = 0;             // messages that the channel is sending
  std::deque<uint64_t> early_cancels_;
  bool said_done_ = false;
  bool peer_done_ = false;
  std::atomic<uint64_t> channel_last_heard_ = 0;
  std::atomic<uint64_t> channel_last_sent_ = 0;
};

}  // namespace gls::net
