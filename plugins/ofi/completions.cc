// Handles what arrives on a channel, and the completions that libfabric reports.
#include <utility>

#include "plugins/ofi/ofi_channel.h"

namespace gls::net {
namespace {

constexpr int kMostRounds = 8;  // before other channels are served
constexpr size_t kAtOnce = 16;

}  // namespace

bool OfiChannel::read_queue(bool* any) {
  std::array<fi_cq_msg_entry, kAtOnce> entries;
  for (int i = 0; i < kMostRounds && !deaf_; ++i) {
    const ssize_t count = fi_cq_read(endpoint_.cq(), entries.data(), entries.size());
    if (count == -FI_EAGAIN || count == 0) {
      return true;
    }
    *any = true;
    if (count == -FI_EAVAIL) {
      read_error();
    } else if (count < 0) {
      break_off(error_text(*ofi_, count));
    }
    for (ssize_t k = 0; k < count; ++k) {
      const fi_cq_msg_entry& entry = entries[static_cast<size_t>(k)];
      if (entry.op_context == nullptr) {
        continue;  // a write of no bytes by another peer, which needs no key and is reported anyway
      }
      done(static_cast<OfiOperation*>(entry.op_context), entry.len);
    }
  }
  return deaf_;
}

// After any error, one of the sides waits for something that will not arrive.
void OfiChannel::read_error() {
  fi_cq_err_entry entry{};
  const ssize_t count = fi_cq_readerr(endpoint_.cq(), &entry, 0);
  if (count == 1) {
    break_off(error_text(*ofi_, entry.err));
  } else if (count != -FI_EAGAIN) {
    break_off(error_text(*ofi_, count));
  }
}

void OfiChannel::done(OfiOperation* operation, size_t size) {
  switch (operation->kind) {
    case OfiOperation::kPacketIn:
      if (!deaf_) {
        got_packet(operation, size);
      }
      idle_in_.push_back(operation);
      break;
    case OfiOperation::kPacketOut:
      idle_out_.push_back(operation);
      break;
    case OfiOperation::kPieceIn:
      if (size != operation->size) {
        break_off("a piece of a message is too short");
        break;
      }
      talk_.piece_came();
      heard_now();
      if (operation->transfer->on_gpu && operation->transfer->is_last()) {
        endpoint_.forget(operation->transfer);
      }
      talk_.piece_done(*operation->transfer);
      break;
    case OfiOperation::kPieceOut:
      talk_.piece_done(*operation->transfer);
      break;
    case OfiOperation::kRead:
      read_piece_done(operation);
      break;
  }
}

void OfiChannel::heard_now() {
  heard_ = true;
  quiet_ = now_;
  probes_ = 0;
}

void OfiChannel::got_packet(OfiOperation* packet, size_t size) {
  PacketHead head;
  const OfiHeard heard = talk_.got(packet->data, size, &head);
  if (heard == OfiHeard::kStranger) {
    return;
  }
  heard_now();
  if (!std::exchange(may_speak_, true)) {
    greeted_ = true;
  }
  const auto kind = static_cast<PacketKind>(head.kind);
  packet->counts = kind != PacketKind::kCredit;
  if (heard == OfiHeard::kOver) {
    deaf_ = true;
  } else if (heard == OfiHeard::kNonsense) {
    break_off(talk_.why());
  } else if (kind == PacketKind::kMemory) {
    got_memory(head.id);
  } else if (kind == PacketKind::kKey || kind == PacketKind::kNoKey) {
    const std::vector<OfiReadList*> lists = talk_.waiting(head.id);
    to_read_.insert(to_read_.end(), lists.begin(), lists.end());
  }
}

}  // namespace gls::net
