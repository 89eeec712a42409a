#include "plugins/ucx/ucx_channel.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>
#include <utility>

#include "plugins/ucx/worker.h"

namespace gls::net {
namespace {

void on_read(void* request, ucs_status_t status, void* user_data) {
  UcxWorker::done(static_cast<Operation*>(user_data), request, status, 0);
}

void on_error(void* arg, ucp_ep_h ep, ucs_status_t status) {
  static_cast<void>(ep);
  static_cast<UcxChannel*>(arg)->failed(status);
}

// Reads in flight for each channel. More are not faster, and a closing channel waits for them.
constexpr size_t kMostReads = 128;

// Extracts "tcp/eth0, rc_mlx5/mlx5_0:1" from lines such as "#   lane[0]:  4:tcp/eth0.0 md[2] ->
// addr[0] am".
std::string channels_of(std::string_view text) {
  std::string out;
  for (size_t at = text.find("lane["); at != std::string_view::npos; at = text.find("lane[", at)) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end;
    line.remove_prefix(std::min(line.find("]:") + 2, line.size()));
    line.remove_prefix(std::min(line.find(':') + 1, line.size()));
    const std::string name(line.substr(0, line.find(' ')));
    if (!name.empty() && out.find(name) == std::string::npos) {
      out += out.empty() ? name : ", " + name;
    }
  }
  return out;
}

// Whether hardware can read memory, from lines such as "#   lane[1]:  5:rc_mlx5/mlx5_0:1.0
// md[4]". UCX does not report the path of its reads. If one of these paths exists, it is used.
bool reads_by_rdma(std::string_view text) {
  for (size_t at = text.find("lane["); at != std::string_view::npos; at = text.find("lane[", at)) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end;
    if (line.find(":rc_") != std::string_view::npos ||
        line.find(":dc_") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

UcxChannel::UcxChannel(UcxWorker& worker, ChannelUser* user, const ChannelToken& token,
                       const std::vector<std::byte>& worker_address)
    : worker_(worker),
      helm_(worker.helm()),
      user_(user),
      token_(token),
      address_(sizeof token + worker_address.size()),
      arriving_(user) {
  std::memcpy(address_.data(), token.data(), sizeof token);
  std::memcpy(address_.data() + sizeof token, worker_address.data(), worker_address.size());
}

// ---- from any thread ----

void UcxChannel::join(const void* address, size_t size) noexcept {
  const auto* const bytes = static_cast<const std::byte*>(address);
  worker_.post({Command::kJoin, this, nullptr, {bytes, bytes + size}});
}

void UcxChannel::send(const void* head, const void* payload, size_t size, void* message) noexcept {
  // Allocates a few bytes; the process ends if that fails.
  auto* const copy = new SentMessage;  // NOLINT(bugprone-unhandled-exception-at-new)
  copy->owner = message;
  copy->payload = static_cast<const std::byte*>(payload);
  copy->size = size;
  std::memcpy(copy->head.data(), head, kChannelHeadBytes);
  helm_->mailbox.put_quietly({Command::kSend, this, copy, {}});
}

void UcxChannel::wake() noexcept { helm_->mailbox.wake(); }

void UcxChannel::write() noexcept {
  helm_->write([this] { worker_.send_by_caller([this] { return has_more(); }); });
}

bool UcxChannel::read_by_caller(StreamWaiter& waiter) noexcept {
  return helm_->read_by_caller(waiter, [&] { worker_.drive_until(waiter, asked_to_close_); });
}

void UcxChannel::nudge() noexcept { helm_->mailbox.wake(Driver::kGuest); }

void UcxChannel::read(const ChannelReadList& list, void* reading) noexcept {
  auto* const copy = new ReadList;  // NOLINT(bugprone-unhandled-exception-at-new)
  copy->key.assign(static_cast<const char*>(list.key), list.key_size);
  copy->reads = list.reads;
  copy->count = list.count;
  copy->owner = reading;
  copy->on_gpu = list.on_gpu;
  worker_.post({Command::kRead, this, nullptr, {}, copy});
}

void UcxChannel::close() noexcept {
  if (!asked_to_close_.exchange(true)) {
    worker_.post({Command::kClose, this, nullptr, {}});
  }
}

void UcxChannel::describe(char* text, size_t size) noexcept {
  const std::lock_guard lock(text_mutex_);
  text[text_.copy(text, size - 1)] = 0;
}

// ---- called by the driving thread ----

void UcxChannel::do_join(const std::vector<std::byte>& address) {
  if (closing_ || deaf_) {
    return;
  }
  const std::span<const std::byte> worker = after_token(address, &remote_token_);
  if (worker.empty()) {
    break_off("the address of the other side is too short");
    return;
  }
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(worker.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;  // without it, operations never end
  params.err_handler = {on_error, this};
  const ucs_status_t status = worker_.ucp().ucp_ep_create(worker_.handle(), &params, &ep_);
  if (status != UCS_OK) {
    ep_ = nullptr;
    break_off(std::string("it cannot be reached: ") + worker_.ucp().ucs_status_string(status));
    return;
  }
  look();
}

// The chosen transports are known when the endpoint was made, and again when the other side has
// answered.
void UcxChannel::look() {
  char* text = nullptr;
  size_t size = 0;
  FILE* const out = open_memstream(&text, &size);
  if (out == nullptr) {
    return;
  }
  worker_.ucp().ucp_ep_print_info(ep_, out);
  std::fclose(out);
  if (worker_.reads()) {
    reads_ = reads_by_rdma({text, size}) ? ChannelReads::kRdma : ChannelReads::kEmulated;
  }
  {
    const std::lock_guard lock(text_mutex_);
    text_ = "ucx: " + channels_of({text, size});
  }
  std::free(text);
}

// ---- reading ----

// UCX trusts the key, as it trusts the address of a channel.
ucp_rkey_h UcxChannel::find_key(const std::string& key) {
  const auto [found, is_new] = keys_.try_emplace(key, nullptr);
  if (is_new && worker_.ucp().ucp_ep_rkey_unpack(ep_, key.data(), &found->second) != UCS_OK) {
    found->second = nullptr;
  }
  return found->second;
}

bool UcxChannel::read_more() {
  size_t begun = 0;
  const bool over = ep_ == nullptr || deaf_ || closing_;
  while (!lists_.empty() && (over || (reading_ < kMostReads && begun < kMostReads))) {
    ReadList* const list = lists_.front();
    if (over || deaf_) {
      list->good = false;
    }
    if (!list->good || list->next == list->count) {
      lists_.pop_front();
      list->all_given = true;
      end_if_done(list);
      continue;
    }
    const ucp_rkey_h key = find_key(list->key);
    if (key == nullptr) {
      list->good = false;
      break_off("a key of memory is of no use");
      continue;
    }
    begin_read(list, key);
    ++begun;
  }
  return begun > 0;
}

void UcxChannel::begin_read(ReadList* list, ucp_rkey_h key) {
  const ChannelRead& piece = list->reads[list->next++];
  if (piece.size == 0) {
    return;
  }
  Operation* const operation = make_operation();
  operation->list = list;
  operation->size = piece.size;
  ++list->under_way;
  ++reading_;
  ucp_request_param_t param{};
  param.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.cb.send = on_read;
  param.user_data = operation;
  param.memory_type = memory_type(list->on_gpu);
  add(operation);
  const ucs_status_ptr_t request =
      worker_.ucp().ucp_get_nbx(ep_, piece.to, piece.size, piece.from, key, &param);
  if (!UCS_PTR_IS_PTR(request)) {
    done(operation, UCS_PTR_STATUS(request), 0);
  }
}

void UcxChannel::end_if_done(ReadList* list) const {
  if (list->under_way == 0 && list->all_given) {
    user_->read_done(list->owner, list->good ? ChannelReadEnd::kGood : ChannelReadEnd::kLost);
    delete list;
  }
}

void UcxChannel::drop_keys() {
  for (const auto& [bytes, key] : keys_) {
    if (key != nullptr) {
      worker_.ucp().ucp_rkey_destroy(key);
    }
  }
  keys_.clear();
}

// ---- operations of UCX ----

Operation* UcxChannel::make_operation() {
  auto operation = spare_ != nullptr ? std::move(spare_) : std::make_unique<Operation>();
  operation->worker = &worker_;
  operation->channel = this;
  return operation.release();
}

void UcxChannel::recycle(Operation* operation) {
  *operation = {};
  spare_.reset(operation);
}

void UcxChannel::add(Operation* operation) {
  operation->place = table_.size();
  table_.push_back(operation);
}

void UcxChannel::remove(Operation* operation) {
  table_.back()->place = operation->place;
  table_[operation->place] = table_.back();
  table_.pop_back();
}

void UcxChannel::done(Operation* operation, ucs_status_t status, size_t received) {
  remove(operation);
  const bool sized = operation->owner == nullptr;
  const bool good = status == UCS_OK && (sized || received == operation->size);
  if (operation->list != nullptr) {
    --reading_;
    --operation->list->under_way;
    operation->list->good = operation->list->good && good;
    end_if_done(operation->list);
  } else if (operation->message != nullptr) {
    piece_given_back(operation->message);
  } else if (good) {
    user_->arrived(operation->owner);
  } else {
    user_->failed(operation->owner);
  }
  recycle(operation);
  if (!good) {
    break_off(
        worker_.ucp().ucs_status_string(status == UCS_OK ? UCS_ERR_MESSAGE_TRUNCATED : status));
  }
}

void UcxChannel::failed(ucs_status_t status) {
  failed_ = true;
  break_off(worker_.ucp().ucs_status_string(status));
}

void UcxChannel::break_off(const std::string& why) {
  if (!closing_ && !std::exchange(deaf_, true)) {
    user_->broken(why.c_str());
  }
}

void UcxChannel::do_close() {
  asked_to_close_ = true;
  closing_ = true;
  go_on();  // ends requests without operations in UCX
  ep_gone_ = ep_ == nullptr;
  if (ep_gone_) {
    return;
  }
  if (failed_ || !worker_.is_patient()) {
    force_close();
    return;
  }
  ucp_request_param_t param{};
  const ucs_status_ptr_t request = worker_.ucp().ucp_ep_flush_nbx(ep_, &param);
  flush_request_ = UCS_PTR_IS_PTR(request) ? request : nullptr;
}

// Whether UCX still has work for this channel; it completes the work, or reports the loss of the
// peer. The results are not needed any more. But forcing a tcp endpoint to close amid long messages
// to a stopped peer crashes this process when the peer continues.
bool UcxChannel::has_work() const {
  if (failed_) {
    return false;
  }
  return !table_.empty() || (flush_request_ != nullptr && worker_.ucp().ucp_request_check_status(
                                                              flush_request_) == UCS_INPROGRESS);
}

void UcxChannel::force_close() {
  if (flush_request_ != nullptr) {
    worker_.ucp().ucp_request_free(std::exchange(flush_request_, nullptr));
  }
  if (reading_ == 0) {  // otherwise UCX may still use them
    drop_keys();
  }
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  const ucs_status_ptr_t request =
      worker_.ucp().ucp_ep_close_nbx(std::exchange(ep_, nullptr), &param);
  close_request_ = UCS_PTR_IS_PTR(request) ? request : nullptr;
}

bool UcxChannel::ended() {
  if (ep_ != nullptr) {
    if (has_work()) {
      return false;
    }
    force_close();
  }
  if (!ep_gone_) {
    if (close_request_ != nullptr) {
      if (worker_.ucp().ucp_request_check_status(close_request_) == UCS_INPROGRESS) {
        return false;
      }
      worker_.ucp().ucp_request_free(std::exchange(close_request_, nullptr));
    }
    ep_gone_ = true;
    // Sends without a completion; nothing reads their data any more.
    for (size_t i = table_.size(); i-- > 0;) {
      Operation* const operation = table_[i];
      if (operation->message != nullptr) {
        remove(operation);
        piece_given_back(operation->message);
        operation->channel = nullptr;
        worker_.keep(operation);
      }
    }
  }
  if (!table_.empty()) {
    return false;  // waits for operations that may still write
  }
  drop_keys();
  return true;
}

void UcxChannel::finish() {
  while (!table_.empty()) {
    Operation* const operation = table_.back();
    table_.pop_back();
    if (operation->list != nullptr) {
      operation->list->good = false;
      --operation->list->under_way;
      end_if_done(operation->list);
    } else if (operation->message != nullptr) {
      piece_given_back(operation->message);
    } else {
      user_->failed(operation->owner);
    }
    delete operation;
  }
  arriving_.fail();
  user_->channel_closed();
}

}  // namespace gls::net
