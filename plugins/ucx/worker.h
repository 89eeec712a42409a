// Drives a worker of UCX; see plugins/channels/channel_worker.h.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plugins/channels/channel_worker.h"
#include "plugins/ucx/ucp.h"
#include "plugins/ucx/ucx_channel.h"

namespace gls::net {

inline constexpr unsigned kAmOfChannels = 0;

// A command from another thread to the driving thread.
struct Command {
  enum Kind : uint8_t { kJoin, kSend, kRead, kClose };
  Kind kind;
  UcxChannel* channel;
  SentMessage* message;
  std::vector<std::byte> address;
  ReadList* list = nullptr;
};

class UcxWorker final : public ChannelWorker<Command> {
 public:
  struct Manner {
    bool patient;       // closing channels wait until UCX has finished its operations
    size_t piece;       // longer messages are sent in pieces of this many bytes
    bool reads;         // memory of peers can be read
    bool reaches_gpus;  // UCX writes to GPU memory
    GpuContext* gpu;    // for the driving thread; NULL: UCX asks no CUDA driver
  };
  UcxWorker(const Ucp& ucp, ucp_context_h context, const Manner& manner)
      : ChannelWorker(manner.gpu), ucp_(ucp), context_(context), manner_(manner) {}
  // Closes every channel.
  ~UcxWorker();

  // Returns an error text, or empty. Throws std::system_error when the system cannot start a
  // thread.
  std::string start();

  const Ucp& ucp() const { return ucp_; }
  ucp_worker_h handle() const { return worker_; }
  bool is_patient() const { return manner_.patient; }
  size_t piece() const { return manner_.piece; }
  bool reads() const { return manner_.reads; }
  bool reaches_gpus() const { return manner_.reaches_gpus; }
  // Any thread.
  UcxChannel* open(ChannelUser* user);
  void post(Command command) { helm_->mailbox.put(std::move(command)); }
  size_t num_channels() const { return num_channels_; }  // channels that have not ended

  // Runs on the driving thread, from callbacks of UCX.
  static void done(Operation* operation, void* request, ucs_status_t status, size_t received);
  // Keeps it until UCX has completed it.
  void keep(Operation* operation) { forgotten_.insert(operation); }

 private:
  static ucs_status_t on_message(void* arg, const void* header, size_t header_length, void* data,
                                 size_t length, const ucp_am_recv_param_t* param);
  std::string make(int* events);
  bool turn() override;
  bool arm(int* patience) override;
  void begin_to_send() override;
  bool can_be_left() const override { return closing_.empty() && unfinished_.empty(); }
  bool is_over() override;
  bool take_commands();
  void obey(Command& command);
  UcxChannel* find_channel(const ChannelToken& token);
  bool end_channels();
  bool go_on();

  const Ucp& ucp_;
  const ucp_context_h context_;
  const Manner manner_;
  ucp_worker_h worker_ = nullptr;
  std::vector<std::byte> address_;

  std::mutex mutex_;
  std::map<ChannelToken, UcxChannel*> channels_;  // channels that receive
  std::atomic<size_t> num_channels_ = 0;

  // Used by the driving thread.
  uint64_t stopped_at_ = 0;      // when its own thread noticed the request to stop
  UcxChannel* heard_ = nullptr;  // the channel of the last message
  std::vector<UcxChannel*> closing_;
  std::vector<UcxChannel*> unfinished_;  // channels with more to read or send than UCX has room for
  std::unordered_set<Operation*> forgotten_;
};

}  // namespace gls::net
