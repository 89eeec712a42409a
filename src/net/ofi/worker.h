// A thread that alone drives some lanes.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "net/lanes/mailbox.h"
#include "net/lanes/spin.h"
#include "net/ofi/fabric.h"
#include "net/ofi/ofi_lane.h"

namespace gls::net {

// What another thread asks of a worker's.
struct OfiCommand {
  enum Kind : uint8_t { kJoin, kSend, kRead, kClose };
  Kind kind;
  OfiLane* lane;
  std::unique_ptr<OfiTransfer> message;
  std::vector<std::byte> address;
  std::unique_ptr<OfiReadList> list = nullptr;
};

class OfiWorker {
 public:
  OfiWorker(const OfiFabric& fabric, const OfiMemory& memory) : fabric_(fabric), memory_(memory) {}
  // Closes every lane.
  ~OfiWorker();
  OfiWorker(const OfiWorker&) = delete;
  OfiWorker& operator=(const OfiWorker&) = delete;

  // Empty, or what went wrong. Throws std::system_error when the system gives no thread.
  std::string start();

  // Any thread.
  OfiLane* open(LaneUser* user, std::string* why);
  void post(OfiCommand command) { mailbox_.put(std::move(command)); }

 private:
  void run();
  void obey(OfiCommand& command);
  static void has_work(OfiLane* lane);
  bool is_open(OfiLane* lane);
  void seat(OfiLane* lane);
  void end(OfiLane* lane);
  uint64_t drive(uint64_t now);
  uint64_t rest(OfiLane* lane, uint64_t now);
  int try_wait(OfiLane* lane);
  void wait(uint64_t next, uint64_t now);
  void wake_lanes();

  const OfiFabric& fabric_;
  const OfiMemory& memory_;
  Mailbox<OfiCommand> mailbox_;
  int queues_ = -1;  // an epoll of the lanes' queues

  std::mutex mutex_;
  std::unordered_set<OfiLane*> lanes_;  // all that are open

  // Of its thread.
  Spin spin_;
  std::vector<OfiLane*> seats_;  // those that were joined
  std::thread thread_;
};

}  // namespace gls::net
