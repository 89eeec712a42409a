// Sends and receives messages over a data channel. UCX would assemble a long message in its own
// memory before it asks for the destination. Therefore long messages travel in pieces of our own,
// which are copied to their destination as they arrive.
#include <utility>

#include "plugins/ucx/ucx_channel.h"
#include "plugins/ucx/worker.h"

namespace gls::net {
namespace {

// Pieces that UCX has at once, over all messages of a channel; it has room for fewer without
// waiting.
constexpr size_t kMostPieces = 128;

void on_sent(void* request, ucs_status_t status, void* user_data) {
  UcxWorker::done(static_cast<Operation*>(user_data), request, status, 0);
}

void on_received(void* request, ucs_status_t status, size_t length, void* user_data) {
  UcxWorker::done(static_cast<Operation*>(user_data), request, status, length);
}

}  // namespace

// ---- sending ----

bool UcxChannel::go_on() {
  const bool read = read_more();
  return send_more() || read;
}

void UcxChannel::do_send(SentMessage* message) {
  message->number = next_number_++;
  if (ep_ == nullptr || deaf_) {
    user_->given_back(message->owner);
    delete message;
    return;
  }
  if (message->size <= worker_.piece()) {
    message->all_given = true;
    begin_piece(message);
  } else {
    messages_.push_back(message);
    send_more();
  }
}

// Round-robin, so that no message waits for all of a longer one.
bool UcxChannel::send_more() {
  bool any = false;
  while (!messages_.empty()) {
    SentMessage* const message = messages_.front();
    const bool over = ep_ == nullptr || deaf_ || closing_;
    if (!over && sending_ == kMostPieces) {
      break;
    }
    messages_.pop_front();
    any = true;
    if (over) {
      message->all_given = true;
      end_if_sent(message);
      continue;
    }
    message->all_given = message->size - message->next <= worker_.piece();
    if (!message->all_given) {
      messages_.push_back(message);
    }
    begin_piece(message);
  }
  return any;
}

void UcxChannel::begin_piece(SentMessage* message) {
  Operation* const operation = make_operation();
  operation->message = message;
  operation->head = {remote_token_, message->number, message->next,
                     message->size, worker_.piece(), message->head};
  const std::byte* const data = message->payload + message->next;
  const size_t size = piece_size(operation->head);
  message->next += size;
  ++message->under_way;
  ++sending_;
  ucp_request_param_t param{};
  param.op_attr_mask =
      UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_MEMORY_TYPE;
  param.cb.send = on_sent;
  param.user_data = operation;
  param.memory_type = UCS_MEMORY_TYPE_HOST;
  add(operation);
  const ucs_status_ptr_t request = worker_.ucp().ucp_am_send_nbx(
      ep_, kAmOfChannels, &operation->head, sizeof operation->head, data, size, &param);
  if (!UCS_PTR_IS_PTR(request)) {  // its callback is not called
    done(operation, UCS_PTR_STATUS(request), 0);
  }
}

void UcxChannel::piece_given_back(SentMessage* message) {
  --sending_;
  --message->under_way;
  end_if_sent(message);
}

void UcxChannel::end_if_sent(SentMessage* message) const {
  if (message->under_way == 0 && message->all_given) {
    user_->given_back(message->owner);
    delete message;
  }
}

// ---- receiving ----

ucs_status_t UcxChannel::take(const PieceHead& head, void* data, size_t size,
                              const ucp_am_recv_param_t& param) {
  if (deaf_ || closing_) {
    return UCS_OK;
  }
  if (ep_ != nullptr && !std::exchange(looked_, true)) {
    look();
  }
  if ((param.recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) {
    return take_later(head, data, size);
  }
  switch (arriving_.take(head, static_cast<const std::byte*>(data), size)) {
    case PieceTaken::kGood:
      break;
    case PieceTaken::kOver:
      deaf_ = true;
      break;
    case PieceTaken::kMisplaced:
      break_off("a piece of a message is not where it can be");
      break;
    case PieceTaken::kTwice:
      break_off("a piece of a message came twice");
      break;
  }
  return UCS_OK;
}

// UCX still holds the data, and receives the destination.
ucs_status_t UcxChannel::take_later(const PieceHead& head, void* data, size_t size) {
  if (!is_whole(head, size)) {
    break_off("a piece of a message is too long");
    return UCS_OK;
  }
  ChannelPlace place;
  place.on_gpu = worker_.reaches_gpus();
  if (!user_->message(head.head.data(), size, &place)) {
    deaf_ = true;
    return UCS_OK;
  }
  if (place.token == nullptr) {
    return UCS_OK;
  }
  receive(data, size, place);
  return UCS_INPROGRESS;
}

void UcxChannel::receive(void* data, size_t size, const ChannelPlace& place) {
  Operation* const operation = make_operation();
  operation->owner = place.token;
  operation->size = size;
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                       UCP_OP_ATTR_FIELD_MEMORY_TYPE | UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  param.cb.recv_am = on_received;
  param.user_data = operation;
  param.memory_type = memory_type(place.on_gpu);
  add(operation);
  const ucs_status_ptr_t request =
      worker_.ucp().ucp_am_recv_data_nbx(worker_.handle(), data, place.data, size, &param);
  if (!UCS_PTR_IS_PTR(request)) {
    done(operation, UCS_PTR_STATUS(request), size);
  }
}

}  // namespace gls::net
