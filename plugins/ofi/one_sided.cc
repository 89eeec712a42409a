// Reads memory of the other side, and shares memory that the other side reads.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/clock.h"
#include "plugins/ofi/ofi_channel.h"
#include "plugins/ofi/worker.h"

namespace gls::net {
namespace {

// The provider for TCP may lose reads with a connection, and packet numbers do not cover reads. It
// mostly reports the loss. If no read ends for this long, it did not.
constexpr uint64_t kStuck = 60000 * kMs;
// The provider answers reads before anything else. Reads are therefore posted in rounds of this
// many bytes, between which messages of the other side progress.
constexpr uint64_t kRoundBytes = uint64_t{16} << 20;

}  // namespace

// ---- from any thread ----

void OfiChannel::read(const ChannelReadList& list, void* reading) noexcept {
  // Allocates a few bytes; the process ends if that fails.
  auto copy = std::make_unique<OfiReadList>();
  // An invalid key becomes a number that does not exist, and the other side refuses it.
  copy->memory = UINT64_MAX;
  if (list.key_size == sizeof copy->memory) {
    std::memcpy(&copy->memory, list.key, sizeof copy->memory);
  }
  copy->reads = list.reads;
  copy->count = list.count;
  copy->owner = reading;
  copy->on_gpu = list.on_gpu;
  helm_->mailbox.put({OfiCommand::kRead, this, nullptr, {}, std::move(copy)});
}

// ---- called by the driving thread ----

void OfiChannel::do_read(std::unique_ptr<OfiReadList> list) {
  OfiReadList* const key = list.get();
  read_lists_.emplace(key, std::move(list));
  if (deaf_ || closed_) {
    end_list(key, ChannelReadEnd::kLost);
  } else {
    to_read_.push_back(key);
  }
}

bool OfiChannel::read_more() {
  bool any = false;
  while (!to_read_.empty() && !deaf_) {
    OfiReadList* const list = to_read_.front();
    if (list->next == list->count) {
      to_read_.pop_front();
      list->all_given = true;
      any = true;
      if (list->under_way == 0) {
        end_list(list, ChannelReadEnd::kGood);
      }
      continue;
    }
    OfiProtocol::Key& key = talk_.key_of(list->memory);
    if (!key.is_known) {
      to_read_.pop_front();
      any = true;
      if (key.is_refused) {  // none of it was posted then
        end_list(list, ChannelReadEnd::kRefused);
      } else {
        key.waiting.push_back(list);
      }
      continue;
    }
    if (!read_piece(list, key.of)) {
      break;
    }
    any = true;
  }
  if (reads_are_stuck()) {
    break_off("what is read of the other side's memory does not come");
  }
  return any;
}

bool OfiChannel::ask_for_keys() {
  bool any = false;
  std::deque<uint64_t>& to_ask = talk_.to_ask();
  while (!to_ask.empty()) {
    PacketHead head{};
    head.kind = static_cast<uint32_t>(PacketKind::kMemory);
    head.id = to_ask.front();
    if (!send_packet(head, nullptr, 0)) {
      break;
    }
    to_ask.pop_front();
    any = true;
  }
  return any;
}

bool OfiChannel::reads_are_stuck() const {
  return in_order_ && idle_reading_.size() < reading_.size() &&
         now_ > std::max(read_moved_, excused_) + kStuck;
}

// False: not now, or never.
bool OfiChannel::read_piece(OfiReadList* list, const OfiKey& key) {
  const ChannelRead& read = list->reads[list->next];
  if (read.size == list->at) {
    ++list->next;
    list->at = 0;
    return true;
  }
  if (idle_reading_.empty() && reading_.size() == kMostReads) {
    round_is_full_ = in_order_;
  }
  if (round_is_full_ || (idle_reading_.empty() && reading_.size() == kMostReads)) {
    return false;
  }
  if (idle_reading_.empty()) {
    reading_.push_back(std::make_unique<OfiOperation>());
    reading_.back()->kind = OfiOperation::kRead;
    idle_reading_.push_back(reading_.back().get());
  }
  if (list->on_gpu && !list->is_known && !know_places(list)) {
    return false;
  }
  OfiOperation* const piece = idle_reading_.back();
  piece->list = list;
  piece->size = std::min(talk_.piece(), read.size - list->at);
  piece->data = static_cast<std::byte*>(read.to) + list->at;
  const ssize_t status = fi_read(endpoint_.ep(), piece->data, piece->size, list->desc, to_,
                                 read.from + list->at - key.base, key.key, &piece->context);
  if (status == -FI_EAGAIN) {
    blocked_ = true;
    return false;
  }
  if (status != 0) {
    break_off(error_text(*ofi_, status));
    return false;
  }
  read_moved_ = idle_reading_.size() == reading_.size() ? now_ : read_moved_;
  idle_reading_.pop_back();
  list->at += piece->size;
  ++list->under_way;
  reading_bytes_ += piece->size;
  round_is_full_ = in_order_ && reading_bytes_ >= kRoundBytes;
  return true;
}

void OfiChannel::read_piece_done(OfiOperation* operation) {
  read_moved_ = now_;
  OfiReadList* const list = operation->list;
  idle_reading_.push_back(operation);
  reading_bytes_ -= operation->size;
  round_is_full_ = round_is_full_ && idle_reading_.size() < reading_.size();
  --list->under_way;
  if (list->under_way == 0 && list->all_given) {
    end_list(list, ChannelReadEnd::kGood);
  }
}

// Registers all destinations at once, because they are in one allocation.
bool OfiChannel::know_places(OfiReadList* list) {
  const std::byte* from = nullptr;
  const std::byte* to = nullptr;
  for (const ChannelRead& read : std::span(list->reads, list->count)) {
    if (read.size > 0) {
      const auto* const at = static_cast<const std::byte*>(read.to);
      from = from == nullptr ? at : std::min(from, at);
      to = std::max(to, at + read.size);
    }
  }
  list->is_known = know(list, {from, to}, &list->desc);
  return list->is_known;
}

void OfiChannel::end_list(OfiReadList* list, ChannelReadEnd end) {
  if (list->on_gpu) {
    endpoint_.forget(list);
  }
  void* const owner = list->owner;
  read_lists_.erase(list);
  user_->read_done(owner, end);
}

void OfiChannel::got_memory(uint64_t memory) {
  OfiKey key{};
  if (endpoint_.share(*fabric_, memory, memory_.find(memory), &key).empty()) {
    talk_.answer({PacketKind::kKey, memory, key.key, key.base});
  } else {
    talk_.answer({PacketKind::kNoKey, memory, 0});
  }
}

}  // namespace gls::net
