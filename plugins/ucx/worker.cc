#include "plugins/ucx/worker.h"

#include <sched.h>

#include <algorithm>
#include <cstring>

#include "base/clock.h"
#include "system/memory.h"

namespace gls::net {
namespace {

constexpr uint64_t kLongestEnd = 200000000;  // ns for channels to close before the worker ends
constexpr int kPause = 10;                   // ms between checks of closing channels
// A message with an unregistered id crashes UCX.
constexpr unsigned kMostAmIds = 256;
constexpr size_t kAhead = 1024;  // of a payload

ucs_status_t on_nonsense(void* /*arg*/, const void* /*header*/, size_t /*header_length*/,
                         void* /*data*/, size_t /*length*/, const ucp_am_recv_param_t* /*param*/) {
  return UCS_OK;
}

}  // namespace

// ---- start and end ----

std::string UcxWorker::start() {
  int events = -1;
  std::string why;
  {
    const GpuTurn turn_of_gpu(gpus_);  // no other thread drives yet
    why = make(&events);
  }
  return why.empty() ? begin(events) : why;
}

std::string UcxWorker::make(int* events) {
  const auto failed = [this](const char* what, ucs_status_t status) {
    return std::string(what) + ": " + ucp_.ucs_status_string(status);
  };
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  ucs_status_t status = ucp_.ucp_worker_create(context_, &params, &worker_);
  if (status != UCS_OK) {
    worker_ = nullptr;
    return failed("UCX makes no worker", status);
  }
  for (unsigned id = 0; id < kMostAmIds; ++id) {
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
                         UCP_AM_HANDLER_PARAM_FIELD_ARG | UCP_AM_HANDLER_PARAM_FIELD_FLAGS;
    handler.id = id;
    handler.cb = id == kAmOfChannels ? on_message : on_nonsense;
    handler.arg = this;
    handler.flags = UCP_AM_FLAG_WHOLE_MSG;
    status = ucp_.ucp_worker_set_am_recv_handler(worker_, &handler);
    if (status != UCS_OK) {
      return failed("UCX takes no handler of messages", status);
    }
  }
  ucp_address_t* address = nullptr;
  size_t size = 0;
  status = ucp_.ucp_worker_get_address(worker_, &address, &size);
  if (status != UCS_OK) {
    return failed("UCX has no address", status);
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(address);
  address_.assign(bytes, bytes + size);
  ucp_.ucp_worker_release_address(worker_, address);
  if (size + sizeof(ChannelToken) > kMostChannelAddress) {
    return "the address of UCX has " + std::to_string(size) + " bytes; name fewer devices";
  }
  status = ucp_.ucp_worker_get_efd(worker_, events);
  if (status != UCS_OK) {
    return failed("UCX cannot be waited for with these transports", status);
  }
  return {};
}

UcxWorker::~UcxWorker() {
  end();
  const GpuTurn turn_of_gpu(gpus_);  // no other thread drives any more
  for (UcxChannel* const channel : closing_) {
    channel->drop_keys();
  }
  if (worker_ != nullptr) {
    ucp_.ucp_worker_destroy(worker_);
  }
  // Nothing reads or writes any more.
  for (UcxChannel* const channel : closing_) {
    channel->finish();
  }
  for (Operation* const operation : forgotten_) {
    delete operation;
  }
}

// ---- called by other threads ----

UcxChannel* UcxWorker::open(ChannelUser* user) {
  ChannelToken token;
  if (!make_random(&token)) {
    return nullptr;
  }
  auto channel = std::make_unique<UcxChannel>(*this, user, token, address_);
  const std::lock_guard lock(mutex_);
  channels_.emplace(token, channel.get());
  ++num_channels_;
  return channel.release();
}

// ---- called by the driving thread ----

bool UcxWorker::is_over() {
  const uint64_t now = now_ns();
  if (stopped_at_ == 0) {
    stopped_at_ = now;
    const std::lock_guard lock(mutex_);
    for (const auto& [token, channel] : channels_) {
      helm_->mailbox.put({Command::kClose, channel, nullptr, {}});
    }
    return false;
  }
  return helm_->mailbox.empty() && (closing_.empty() || now > stopped_at_ + kLongestEnd);
}

bool UcxWorker::turn() {
  bool busy = take_commands();
  busy = ucp_.ucp_worker_progress(worker_) != 0 || busy;
  busy = go_on() || busy;
  return end_channels() || busy;
}

bool UcxWorker::take_commands() {
  std::vector<Command> commands = helm_->mailbox.take();
  for (Command& command : commands) {
    obey(command);
  }
  return !commands.empty();
}

void UcxWorker::obey(Command& command) {
  switch (command.kind) {
    case Command::kJoin:
      command.channel->do_join(command.address);
      break;
    case Command::kSend:
      command.channel->do_send(command.message);
      break;
    case Command::kRead:
      command.channel->do_read(command.list);
      break;
    case Command::kClose: {
      if (command.channel->is_closing()) {
        break;
      }
      {
        const std::lock_guard lock(mutex_);
        channels_.erase(command.channel->token());
      }
      heard_ = nullptr;
      std::erase(unfinished_, command.channel);
      command.channel->do_close();
      closing_.push_back(command.channel);
      return;
    }
  }
  if (command.channel->has_more() &&
      std::find(unfinished_.begin(), unfinished_.end(), command.channel) == unfinished_.end()) {
    unfinished_.push_back(command.channel);
  }
}

bool UcxWorker::go_on() {
  bool any = false;
  for (UcxChannel* const channel : unfinished_) {
    any = channel->go_on() || any;
  }
  std::erase_if(unfinished_, [](const UcxChannel* channel) { return !channel->has_more(); });
  return any;
}

bool UcxWorker::end_channels() {
  bool any = false;
  for (size_t i = 0; i < closing_.size();) {
    UcxChannel* const channel = closing_[i];
    if (channel->ended()) {
      closing_[i] = closing_.back();
      closing_.pop_back();
      channel->finish();
      --num_channels_;
      any = true;
    } else {
      ++i;
    }
  }
  return any;
}

bool UcxWorker::arm(int* patience) {
  const ucs_status_t status = ucp_.ucp_worker_arm(worker_);
  if (!closing_.empty() || status != UCS_OK) {
    *patience = kPause;
  }
  if (status == UCS_ERR_BUSY) {
    ::sched_yield();  // arrivals are seen in the next turn, and the thread that makes room may run
  }
  return status != UCS_ERR_BUSY;
}

// Leaves arrivals alone as long as UCX accepts what must be sent, because the sending thread may be
// about to wait for them.
void UcxWorker::begin_to_send() {
  take_commands();
  go_on();
}

// ---- callbacks of UCX, within progress ----

ucs_status_t UcxWorker::on_message(void* arg, const void* header, size_t header_length, void* data,
                                   size_t length, const ucp_am_recv_param_t* param) {
  auto* const self = static_cast<UcxWorker*>(arg);
  PieceHead head;
  if (header_length != sizeof head) {
    return UCS_OK;
  }
  // The head is behind the payload, in cache lines that another CPU has just written. Prefetches
  // the first lines of the payload while the head arrives.
  if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
    for (size_t at = 0; at < std::min(length, kAhead); at += kCacheLine) {
      __builtin_prefetch(static_cast<const std::byte*>(data) + at);
    }
  }
  std::memcpy(&head, header, sizeof head);  // it may be unaligned
  UcxChannel* const channel = self->find_channel(head.token);
  return channel != nullptr ? channel->take(head, data, length, *param) : UCS_OK;
}

// Only the driving thread removes channels.
UcxChannel* UcxWorker::find_channel(const ChannelToken& token) {
  if (heard_ == nullptr || heard_->token() != token) {
    const std::lock_guard lock(mutex_);
    const auto found = channels_.find(token);
    heard_ = found != channels_.end() ? found->second : nullptr;
  }
  return heard_;
}

void UcxWorker::done(Operation* operation, void* request, ucs_status_t status, size_t received) {
  UcxWorker* const self = operation->worker;
  self->ucp_.ucp_request_free(request);
  if (operation->channel == nullptr) {
    self->forgotten_.erase(operation);
    delete operation;
    return;
  }
  operation->channel->done(operation, status, received);
}

}  // namespace gls::net
