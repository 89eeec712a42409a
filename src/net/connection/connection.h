// One authenticated stream between two endpoints, with a lane beside it where both were told to use
// one: calls in both directions, many at once, answered in any order.
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

// Of an attempt to connect that failed: whether another one would end likewise, as the two sides do
// not fit. Else the other side may be there, or have room, later.
inline bool is_lasting(const Status& why) {
  return why.code() == GLS_ERR_INVALID_ARGUMENT || why.code() == GLS_ERR_UNSUPPORTED;
}

using CallId = uint64_t;  // of this process; 0: of no call

// Gets the reply or the error of a call, exactly once. Runs on the caller's thread when the call
// fails at once, else on one of the network: it must be short, and must neither wait nor throw.
using Completion = std::function<void(Result<Message>)>;

// Where the payload of a reply goes, if it has just as many bytes: others have memory of their own,
// which tells them apart. Where there is no outcome, or another one, it may still be written to, as
// long as it has an owner here.
struct ReplyPlace {
  std::shared_ptr<const void> owner;
  std::span<std::byte> bytes;
  // In memory of one, for lanes that write there; what comes otherwise has memory of the host.
  bool on_gpu = false;
};

struct CallOptions {
  int64_t timeout_ms = 30000;  // negative: none
  // Whether to wait for room when as many calls are in flight as the peer takes, until the work of
  // this thread is given up (context/stop_scope.h); else that is an error. From a completion there
  // is no waiting.
  bool wait = true;
  // What is asked for, of static storage, for errors: "rows of a column"; null: they name the kind.
  const char* what = nullptr;
  ReplyPlace place = {};
};

// Gets the outcome of Connection::read(), as a Completion does.
using ReadCompletion = std::function<void(const Status&)>;

// What a peer has told how to read: a key, pieces of the memory that it shares, and where they go.
struct Reading {
  std::shared_ptr<const Bytes> key;
  std::vector<LaneRead> pieces;
  // What owns the places. It is let go when nobody writes there any more: before the outcome where
  // that is good, else maybe long after it.
  std::shared_ptr<const void> places;
  bool on_gpu = false;  // the places are in memory of one
};

// kJoining: greeted, and the lane is not there yet.
enum class ConnectionState : uint8_t { kOpening, kGreeting, kJoining, kUp, kDraining, kClosed };

// What a connection needs of its endpoint, which outlives it until gone() has returned.
class ConnectionHost {
 public:
  virtual const Limits& limits() const = 0;
  virtual const Hello& hello() const = 0;
  virtual const Handlers& handlers() const = 0;
  virtual const std::shared_ptr<BufferPool>& buffers() const = 0;
  virtual LaneTransport* lanes() { return nullptr; }  // null: none, and hello() says none
  virtual const std::shared_ptr<AllQueues>& queues() const = 0;  // of all connections
  // As Connection::share().
  virtual Result<Bytes> share(const std::shared_ptr<const void>& owner,
                              std::span<const std::byte> memory) = 0;
  // Whether who sent this greeting may come in.
  virtual Status admit(Connection& connection, const Hello& theirs) = 0;
  virtual void is_up(Connection& connection) = 0;
  virtual void is_lost(Connection& connection, const Status& why) = 0;
  // The stream has ended; nothing is called on it any more.
  virtual void gone(Connection& connection) = 0;
  // On the context's threads; of requests of `connection`.
  virtual void run(std::shared_ptr<Connection> connection, std::function<void()> task) = 0;
  virtual void look_at(uint64_t time_ns) = 0;  // sweep() is needed not later than this

 protected:
  ~ConnectionHost() = default;
};

class Connection final : public StreamUser,
                         private FrameSink,
                         private LaneUser,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(ConnectionHost& host, bool inbound, std::string address);
  ~Connection();

  // Before start(): how long it may take to greet, from now on.
  void greet_within(uint64_t ms);
  // Before start(): the stream whose user this is.
  void attach(Stream* stream) { stream_ = stream; }

  // Sends a request. `done` gets its outcome. Outcomes of other calls may be told on this thread
  // meanwhile.
  CallId call(uint16_t kind, Message request, const CallOptions& options, Completion done);
  // The call ends now, with GLS_ERR_CANCELED, if it has not ended.
  void cancel(CallId id);

  // How this side can read memory that the peer shares.
  LaneReads reads() const;
  // Reads it, where reads() is not kNone: nobody but the caller checks that the pieces are within
  // what is shared. It is under way as a call is: it has a deadline, and farewells wait for it.
  void read(Reading reading, const CallOptions& options, ReadCompletion done);
  // Lets the peers of this endpoint read `memory`, from now on until the endpoint ends. The key
  // that they need; for the same memory always the same.
  Result<Bytes> share(const std::shared_ptr<const void>& owner, std::span<const std::byte> memory);

  // Reads requests and replies that come on this thread until `waiter` is done, if nobody else
  // does: as Stream::read_here(). nudge() wakes whoever does.
  bool read_here(StreamWaiter& waiter);
  void nudge();

  // Takes no new request and makes no new call; closes when those under way are done.
  void drain(const std::string& reason);
  // Ends everything now.
  void fail(const Status& why);

  // What time brings: deadlines, heartbeats, silence. Returns when to look again. `excused`: this
  // process itself was not running, so that silence proves nothing.
  uint64_t sweep(uint64_t now, bool excused);

  ConnectionState state() const;
  bool inbound() const { return inbound_; }
  const std::string& address() const { return address_; }
  Hello remote() const;  // their greeting; empty before it came
  std::string security() const;
  std::string lane() const;  // what the lane goes over; empty: none
  std::string who() const;   // name and address, for errors
  Status why_closed() const;
  bool said_goodbye() const { return said_goodbye_; }  // the other side did
  uint64_t queued_bytes() const;                       // waiting to be sent
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
    const char* what;  // is asked for; may be null
    Completion done;   // empty: ended, but the peer has not answered yet
    ReplyPlace place;
    bool arriving = false;  // its reply has begun, on the lane
  };
  // A frame on its way out.
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
  // Of a call that has ended. The place may be the last owner of much memory, and goes after the
  // lock.
  struct Forgotten {
    Completion done;
    ReplyPlace place;
  };
  struct Ended {
    Forgotten forgotten;
    Status status;
  };

  // FrameSink, on the thread that reads
  Result<std::span<std::byte>> begin(const FrameHeader& header) override;
  Status end() override;

  Status check_order(const FrameHeader& header) const;
  Status check_request(const FrameHeader& header) const;
  Result<bool> is_wanted(const FrameHeader& header) const;
  ReplyPlace take_place(const FrameHeader& header);
  // `on_gpu`: it can go to memory of one.
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

  // The lane: lane_traffic.cc. LaneUser is called on the lane's thread.
  struct Arrival {
    FrameHeader header;
    Message payload;
  };
  bool message(const void* head, size_t payload, LanePlace* place) noexcept override;
  void arrived(void* token) noexcept override;
  void failed(void* token) noexcept override;
  void given_back(void* message) noexcept override;
  void read_done(void* reading, LaneReadEnd end) noexcept override;
  void broken(const char* why) noexcept override;
  void lane_closed() noexcept override;
  Status open_lane();
  Status got_lane();
  Status got_joined();
  Status got_done();
  Status got_probe(const FrameHeader& header);
  Status message_begins(const FrameHeader& header, LanePlace* place);
  Status check_lane_order(const FrameHeader& header) const;
  bool becomes_up();
  void push_on_lane(FrameHeader header, Message message);
  bool is_canceled_early(uint64_t id);
  uint64_t sweep_lane(uint64_t now, bool excused, Status* why);
  // What is read over the lane.
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

  // Of the thread that reads.
  FrameReader reader_;
  FrameHeader header_;
  Message incoming_;
  bool wanted_ = true;  // else it is read and dropped

  std::atomic<uint64_t> last_heard_;
  std::atomic<uint64_t> last_sent_;

  mutable std::mutex mutex_;
  std::condition_variable room_;
  ConnectionState state_ = ConnectionState::kOpening;
  Status why_;
  bool telling_ = false;  // the host is being told that it is lost
  std::string security_;
  Hello remote_;
  uint64_t greeting_deadline_;
  bool reached_ = false;
  bool refusing_ = false;  // closes when the reason is sent
  std::atomic<bool> said_goodbye_ = false;
  std::string farewell_;           // why no new calls
  bool no_more_requests_ = false;  // the peer said goodbye

  std::unordered_map<CallId, Call> calls_;
  std::set<std::pair<uint64_t, CallId>> deadlines_;
  uint64_t call_bytes_ = 0;
  std::unordered_map<CallId, PendingRead> reads_;  // deadlines: among those of calls

  struct Serving {
    std::weak_ptr<Request::State> request;  // empty: its payload is not there yet
    uint64_t bytes;
    bool canceled = false;
  };
  std::unordered_map<uint64_t, Serving> serving_;  // by the peer's id of the call
  std::list<std::shared_ptr<Request::State>> waiting_;
  uint64_t serving_bytes_ = 0;
  uint32_t running_ = 0;

  std::list<Outgoing> queue_;  // only the stream's thread takes from it
  QueuedBytes queued_;
  bool writing_ = false;  // the stream will ask for more by itself
  bool ended_ = false;    // it calls nothing any more, and is not to be called
  bool greeted_ = false;  // our preamble is in the queue

  Lane* lane_ = nullptr;                      // set once, before calls begin
  std::shared_ptr<Connection> kept_by_lane_;  // until the lane has closed
  std::string lane_text_;
  bool lane_closing_ = false;       // nothing is sent on it any more
  bool lane_asked_ = false;         // to send, but not told so yet
  bool lane_addressed_ = false;     // the peer has said where its lane is
  bool lane_heard_ = false;         // something has come over it
  bool lane_joined_there_ = false;  // the peer has heard us
  uint64_t lane_requests_sent_ = 0;
  uint64_t lane_requests_got_ = 0;
  uint64_t lane_requests_said_ = 0;  // by the peer's goodbye
  size_t lane_arriving_ = 0;         // messages that have begun
  size_t lane_lent_ = 0;             // that it sends
  std::deque<uint64_t> early_cancels_;
  bool said_done_ = false;
  bool peer_done_ = false;
  std::atomic<uint64_t> lane_last_heard_ = 0;
  std::atomic<uint64_t> lane_last_sent_ = 0;
};

}  // namespace gls::net
