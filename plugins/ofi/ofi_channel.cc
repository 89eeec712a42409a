// The start and end of a channel, and the operations that it posts. completions.cc handles
// arrivals, and one_sided.cc reads of memory.
#include "plugins/ofi/ofi_channel.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/clock.h"
#include "plugins/ofi/address.h"
#include "plugins/ofi/worker.h"

namespace gls::net {
namespace {

constexpr uint64_t kQuiet = 1000 * kMs;   // before it checks whether the connection broke
constexpr uint64_t kAbsent = 1000 * kMs;  // without a turn: the process was stopped

}  // namespace

OfiChannel::OfiChannel(OfiWorker& worker, ChannelUser* user, const OfiMemory& memory)
    : worker_(worker), helm_(worker.helm()), user_(user), memory_(memory), talk_(user, memory) {}

std::string OfiChannel::open(const OfiFabric& fabric) {
  fabric_ = &fabric;
  ofi_ = &fabric.ofi();
  reads_ = fabric.reads();
  provider_ = fabric.provider();
  device_ = fabric.device();
  in_order_ = fabric.is_tcp();
  ChannelToken tags;
  if (!make_random(&token_) || !make_random(&tags)) {
    return "the system gives no random bytes";
  }
  if (std::string why = endpoint_.open(fabric); !why.empty()) {
    return why;
  }
  OfiAddress local{};
  local.token = token_;
  local.wire = kOfiWire;
  local.format = fabric.info()->addr_format;
  local.most_piece = std::min<uint64_t>(fabric.info()->ep_attr->max_msg_size, kMostPiece);
  provider_.copy(local.provider.data(), local.provider.size() - 1);
  const std::vector<std::byte>& name = endpoint_.name();
  address_.resize(sizeof local + name.size());
  std::memcpy(address_.data(), &local, sizeof local);
  std::memcpy(address_.data() + sizeof local, name.data(), name.size());
  talk_.begin(token_, 1 + (tags[0] >> (64 - kTagBits + 1)), local.most_piece, in_order_,
              fabric.gpus() != nullptr);
  return {};
}

// ---- from any thread ----

void OfiChannel::join(const void* address, size_t size) noexcept {
  const auto* const bytes = static_cast<const std::byte*>(address);
  helm_->mailbox.put({OfiCommand::kJoin, this, nullptr, {bytes, bytes + size}});
}

void OfiChannel::send(const void* head, const void* payload, size_t size, void* message) noexcept {
  // Allocates a few bytes; the process ends if that fails.
  auto transfer = std::make_unique<OfiTransfer>();
  transfer->owner = message;
  transfer->data = const_cast<void*>(payload);  // libfabric only reads it
  transfer->size = size;
  std::memcpy(transfer->head.data(), head, kChannelHeadBytes);
  helm_->mailbox.put_quietly({OfiCommand::kSend, this, std::move(transfer), {}});
}

void OfiChannel::wake() noexcept { helm_->mailbox.wake(); }

void OfiChannel::write() noexcept {
  helm_->write([this] { worker_.send_by_caller([this] { return has_more_to_send(); }); });
}

bool OfiChannel::read_by_caller(StreamWaiter& waiter) noexcept {
  return helm_->read_by_caller(waiter, [&] { worker_.drive_until(waiter, asked_to_close_); });
}

void OfiChannel::nudge() noexcept { helm_->mailbox.wake(Driver::kGuest); }

void OfiChannel::close() noexcept {
  if (!asked_to_close_.exchange(true)) {
    helm_->mailbox.put({OfiCommand::kClose, this, nullptr, {}});
  }
}

void OfiChannel::describe(char* text, size_t size) noexcept {
  const std::string name = "ofi: " + provider_ + "/" + device_;
  text[name.copy(text, size - 1)] = 0;
}

// ---- called by the driving thread ----

void OfiChannel::do_join(const std::vector<std::byte>& address) {
  if (closed_ || deaf_ || joined_) {
    return;
  }
  OfiAddress remote{};
  if (const std::string why = read_address(address, address_, &remote); !why.empty()) {
    break_off(why);
    return;
  }
  const std::byte* const name = address.data() + sizeof remote;
  const int inserted = fi_av_insert(endpoint_.av(), name, 1, &to_, 0, nullptr);
  if (inserted != 1 || to_ == FI_ADDR_NOTAVAIL) {
    break_off("libfabric does not take the address of the other side");
    return;
  }
  remote_token_ = remote.token;
  may_speak_ = token_ < remote_token_;
  talk_.join(remote.most_piece);
  places_ = std::make_unique_for_overwrite<std::byte[]>(kPlaces * kPacketBytes);
  in_.resize(kPlaces);
  for (size_t i = 0; i < in_.size(); ++i) {
    in_[i].data = places_.get() + i * kPacketBytes;
    in_[i].size = kPacketBytes;
    idle_in_.push_back(&in_[i]);
  }
  joined_ = true;
}

void OfiChannel::do_send(std::unique_ptr<OfiTransfer> message) {
  if (closed_) {
    return;  // there is no user to notify
  }
  if (deaf_) {
    user_->given_back(message->owner);
    return;
  }
  waiting_.push_back(std::move(message));
}

bool OfiChannel::drive(uint64_t now) {
  excused_ = now_ != 0 && now > now_ + kAbsent ? now : excused_;
  now_ = now;
  blocked_ = false;
  if (!hears()) {
    return false;
  }
  bool read = false;
  if (!read_queue(&read)) {
    return true;  // more data remain, maybe of a lost connection
  }
  return flush() || read;
}

bool OfiChannel::flush() {
  bool any = post_places();
  if (!may_speak_ || (!greeted_ && !greet())) {
    return any;
  }
  any = post_pieces(&talk_.to_receive()) || any;
  any = read_more() || any;
  any = ask_for_keys() || any;
  any = send_answers() || any;
  any = post_pieces(&talk_.to_send()) || any;
  any = send_messages() || any;
  if (owed_ >= kPackets / 2) {
    any = send_credit() || any;
  }
  return probe() || any;
}

// Messages that this channel waits for may have been lost without notice. The number in any packet
// reveals the loss.
bool OfiChannel::probe() {
  const bool waits = !waiting_.empty() || talk_.has_transfers() || !read_lists_.empty();
  if (!in_order_ || !heard_ || !waits || probes_ == kMostProbes ||
      now_ < quiet_ + (probes_ + 1) * kQuiet || !send_credit()) {
    return false;
  }
  ++probes_;
  return true;
}

bool OfiChannel::greet() {
  greeted_ = send_credit();
  return greeted_;
}

bool OfiChannel::send_credit() {
  PacketHead head{};
  head.kind = static_cast<uint32_t>(PacketKind::kCredit);
  return send_packet(head, nullptr, 0);
}

bool OfiChannel::post_places() {
  bool any = false;
  while (!idle_in_.empty() && post(idle_in_.back(), kPacketTag)) {
    OfiOperation* const place = idle_in_.back();
    idle_in_.pop_back();
    owed_ += std::exchange(place->counts, false) ? 1 : 0;
    any = true;
  }
  return any;
}

bool OfiChannel::post_pieces(std::deque<OfiTransfer*>* transfers) {
  bool any = false;
  while (!transfers->empty()) {
    OfiTransfer& transfer = *transfers->front();
    if (transfer.on_gpu && !transfer.is_known && !know_place(&transfer)) {
      return any;
    }
    while (transfer.posted < transfer.pieces.size()) {
      if (!post(&transfer.pieces[transfer.posted], transfer.tag + transfer.posted)) {
        return any;
      }
      ++transfer.posted;
      any = true;
    }
    transfers->pop_front();
    if (transfer.pieces.front().kind == OfiOperation::kPieceIn) {
      talk_.tell(transfer);
    }
  }
  return any;
}

bool OfiChannel::send_answers() {
  bool any = false;
  std::deque<OfiProtocol::Answer>& answers = talk_.answers();
  while (!answers.empty()) {
    const OfiProtocol::Answer& answer = answers.front();
    PacketHead head{};
    head.kind = static_cast<uint32_t>(answer.kind);
    head.id = answer.id;
    head.tag = answer.tag;
    head.size = answer.size;
    if (!send_packet(head, nullptr, 0)) {
      break;
    }
    answers.pop_front();
    any = true;
  }
  return any;
}

bool OfiChannel::send_messages() {
  bool any = false;
  while (!waiting_.empty() && !deaf_) {
    const OfiTransfer& message = *waiting_.front();
    const bool fits = message.size <= kMostInPacket;
    if (!fits && !talk_.may_offer()) {
      break;
    }
    PacketHead head{};
    head.kind = static_cast<uint32_t>(fits ? PacketKind::kMessage : PacketKind::kOffer);
    head.size = message.size;
    head.head = message.head;
    head.id = fits ? 0 : talk_.next_id();
    if (!send_packet(head, message.data, fits ? message.size : 0)) {
      break;
    }
    std::unique_ptr<OfiTransfer> sent = std::move(waiting_.front());
    waiting_.pop_front();
    any = true;
    if (fits) {
      user_->given_back(sent->owner);  // libfabric copied it
    } else {
      talk_.offered(std::move(sent));
    }
  }
  return any;
}

// False: not now, or never.
bool OfiChannel::send_packet(PacketHead head, const void* payload, size_t size) {
  const bool free_of_charge = head.kind == static_cast<uint32_t>(PacketKind::kCredit);
  if ((!free_of_charge && !talk_.has_credit()) || (idle_out_.empty() && out_.size() == kPlaces)) {
    return false;
  }
  if (idle_out_.empty()) {
    out_.push_back(std::make_unique<OutPacket>());
    out_.back()->operation.kind = OfiOperation::kPacketOut;
    out_.back()->operation.data = out_.back()->bytes.data();
    idle_out_.push_back(&out_.back()->operation);
  }
  OfiOperation* const packet = idle_out_.back();
  head.token = remote_token_;
  head.credits = owed_;
  head.number = sent_;
  auto* const bytes = static_cast<std::byte*>(packet->data);
  std::memcpy(bytes, &head, sizeof head);
  if (size > 0) {
    std::memcpy(bytes + sizeof head, payload, size);
  }
  packet->size = sizeof head + size;
  if (!post(packet, kPacketTag)) {
    return false;
  }
  idle_out_.pop_back();
  owed_ = 0;
  if (!free_of_charge) {
    talk_.use_credit();
  }
  return true;
}

// False: not now, or never.
bool OfiChannel::post(OfiOperation* operation, uint64_t tag) {
  if (deaf_) {
    return false;
  }
  const bool receives =
      operation->kind == OfiOperation::kPacketIn || operation->kind == OfiOperation::kPieceIn;
  const ssize_t status =
      receives ? fi_trecv(endpoint_.ep(), operation->data, operation->size, operation->desc,
                          FI_ADDR_UNSPEC, tag, 0, &operation->context)
               : fi_tsend(endpoint_.ep(), operation->data, operation->size, nullptr, to_, tag,
                          &operation->context);
  if (status == -FI_EAGAIN) {
    blocked_ = true;
  } else if (status != 0) {
    break_off(error_text(*ofi_, status));
  } else {
    sent_ += receives ? 0 : 1;
  }
  return status == 0;
}

// False: never. Such data are not requested in another way, so the end of the channel notifies the
// other side.
bool OfiChannel::know(const void* whose, OfiBytes memory, void** desc) {
  const std::string why = endpoint_.know(*fabric_, whose, memory, desc);
  if (!why.empty()) {
    break_off(why);
  }
  return why.empty();
}

bool OfiChannel::know_place(OfiTransfer* transfer) {
  void* desc = nullptr;
  transfer->is_known =
      know(transfer, {static_cast<const std::byte*>(transfer->data), transfer->size}, &desc);
  for (OfiOperation& piece : transfer->pieces) {
    piece.desc = desc;
  }
  return transfer->is_known;
}

void OfiChannel::break_off(const std::string& why) {
  if (!closed_ && !std::exchange(deaf_, true)) {
    user_->broken(why.c_str());
  }
}

void OfiChannel::finish() {
  closed_ = true;
  endpoint_.close();  // from here on, libfabric uses none of our memory
  talk_.end();
  for (const auto& transfer : waiting_) {
    user_->given_back(transfer->owner);
  }
  waiting_.clear();
  to_read_.clear();
  while (!read_lists_.empty()) {
    end_list(read_lists_.begin()->first, ChannelReadEnd::kLost);
  }
  user_->channel_closed();
}

}  // namespace gls::net
