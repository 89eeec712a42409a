// A worker of UCX and the thread that drives it, where no other one does so for a while.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "net/lanes/helm.h"
#include "net/lanes/spin.h"
#include "net/ucx/ucp.h"
#include "net/ucx/ucx_lane.h"

namespace gls::net {

inline constexpr unsigned kAmOfLanes = 0;

// What another thread asks of a worker's.
struct Command {
  enum Kind : uint8_t { kJoin, kSend, kRead, kClose };
  Kind kind;
  UcxLane* lane;
  SentMessage* message;
  std::vector<std::byte> address;
  ReadList* list = nullptr;
};

class UcxWorker {
 public:
  struct Manner {
    bool patient;       // lanes that close wait until UCX has done what it was asked
    size_t piece;       // longer messages go in pieces of so many bytes
    bool reads;         // memory of others can be read
    bool reaches_gpus;  // UCX writes to memory of GPUs
  };
  UcxWorker(const Ucp& ucp, ucp_context_h context, const Manner& manner)
      : ucp_(ucp), context_(context), manner_(manner) {}
  // Closes every lane.
  ~UcxWorker();
  UcxWorker(const UcxWorker&) = delete;
  UcxWorker& operator=(const UcxWorker&) = delete;

  // Empty, or what went wrong. Throws std::system_error when the system gives no thread.
  std::string start();

  const Ucp& ucp() const { return ucp_; }
  ucp_worker_h handle() const { return worker_; }
  bool is_patient() const { return manner_.patient; }
  size_t piece() const { return manner_.piece; }
  bool reads() const { return manner_.reads; }
  bool reaches_gpus() const { return manner_.reaches_gpus; }
  // Any thread.
  UcxLane* open(LaneUser* user);
  void post(Command command) { helm_->mailbox.put(std::move(command)); }
  const std::shared_ptr<Helm<Command>>& helm() const { return helm_; }
  size_t num_lanes() const { return num_lanes_; }  // that have not ended

  // With the wheel of the helm. Drives until the waiter is done, or its lane is to close.
  void drive_until(StreamWaiter& waiter, const std::atomic<bool>& closing);
  // With the wheel of the helm. Sends what was given to lanes, for as long as `lane` has something
  // to send and UCX has room soon.
  void send_here(const UcxLane& lane);

  // Who drives, from what UCX calls.
  static void done(Operation* operation, void* request, ucs_status_t status, size_t received);
  // Until UCX has said its last word on it.
  void keep(Operation* operation) { forgotten_.insert(operation); }

 private:
  static ucs_status_t on_message(void* arg, const void* header, size_t header_length, void* data,
                                 size_t length, const ucp_am_recv_param_t* param);
  void run();
  bool drive(int* patience);
  bool is_over(uint64_t now);
  bool turn();
  bool take_commands();
  void obey(Command& command);
  UcxLane* find_lane(const LaneToken& token);
  bool end_lanes();
  bool go_on();
  bool rest(int* patience);
  void take_over();
  void hand_back();
  void sleep_here(StreamWaiter& waiter);
  void set_gate(bool open);

  const Ucp& ucp_;
  const ucp_context_h context_;
  const Manner manner_;
  ucp_worker_h worker_ = nullptr;
  std::vector<std::byte> address_;
  int events_ = -1;  // of UCX
  int gate_ = -1;    // an epoll of these, for its own thread: shut while another one drives
  const std::shared_ptr<Helm<Command>> helm_ = std::make_shared<Helm<Command>>();

  std::mutex mutex_;
  std::map<LaneToken, UcxLane*> lanes_;  // that hear
  std::atomic<size_t> num_lanes_ = 0;

  // Of who drives.
  Spin spin_;
  uint64_t stopped_at_ = 0;   // when its own thread saw that it is to stop
  UcxLane* heard_ = nullptr;  // the last message was of this one
  std::vector<UcxLane*> closing_;
  std::vector<UcxLane*> unfinished_;  // that have more to read or send than UCX has room for
  std::unordered_set<Operation*> forgotten_;
  std::thread thread_;
};

}  // namespace gls::net
