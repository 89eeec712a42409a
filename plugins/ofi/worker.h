// Drives some data channels over libfabric; see plugins/channels/channel_worker.h.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plugins/channels/channel_worker.h"
#include "plugins/ofi/fabric.h"
#include "plugins/ofi/ofi_channel.h"

namespace gls::net {

// A command from another thread to the driving thread.
struct OfiCommand {
  enum Kind : uint8_t { kJoin, kSend, kRead, kClose };
  Kind kind;
  OfiChannel* channel;
  std::unique_ptr<OfiTransfer> message;
  std::vector<std::byte> address;
  std::unique_ptr<OfiReadList> list = nullptr;
};

class OfiWorker final : public ChannelWorker<OfiCommand> {
 public:
  OfiWorker(const OfiFabric& fabric, const OfiMemory& memory)
      : ChannelWorker(fabric.gpus()), fabric_(fabric), memory_(memory) {}
  // Closes every channel.
  ~OfiWorker();

  // Returns an error text, or empty. Throws std::system_error when the system cannot start a
  // thread.
  std::string start();

  // Any thread.
  OfiChannel* open(ChannelUser* user, std::string* why);

 private:
  bool turn() override;
  bool is_tired(bool busy) override;
  bool arm(int* patience) override;
  bool is_over() override;
  bool take_commands();
  void obey(OfiCommand& command);
  static void has_work(OfiChannel* channel);
  bool is_open(OfiChannel* channel);
  void seat(OfiChannel* channel);
  void end_channel(OfiChannel* channel);
  uint64_t rest(OfiChannel* channel, uint64_t now);
  int try_wait(OfiChannel* channel);
  void wake_channels();
  void set_timer(uint64_t due, uint64_t now);

  const OfiFabric& fabric_;
  const OfiMemory& memory_;
  int queues_ = -1;  // an epoll of the channels' queues and of timer_
  int timer_ = -1;   // when to check a channel that nothing wakes

  std::mutex mutex_;
  std::unordered_set<OfiChannel*> channels_;  // all open channels

  // Used by the driving thread.
  std::vector<OfiChannel*> seats_;  // channels that were joined
  bool some_rest_ = false;
  bool some_are_awake_ = false;
  uint64_t timer_due_ = 0;
};

}  // namespace gls::net
