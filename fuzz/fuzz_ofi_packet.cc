// Input to a libfabric channel: addresses, and packets, some valid and some from the input.
// Meanwhile this side offers messages, and pieces come and go. Queues must stay bounded, pieces
// must be within their messages, and everything must be returned once.
#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "channel_user.h"
#include "plugins/ofi/address.h"
#include "plugins/ofi/protocol.h"

namespace {

using namespace gls;
using namespace gls::net;

constexpr ChannelToken kToken = {0x1122334455667788, 0x99aabbccddeeff00};
constexpr uint64_t kFirstTag = 1000;
constexpr uint64_t kFirstId = uint64_t{1} << 32;  // for valid offers
constexpr uint64_t kMemories = 2;                 // shared memory regions

const OfiMemory& memory() {
  static const std::byte bytes[16]{};
  static OfiMemory all;
  static const uint64_t count = [] {
    for (uint64_t i = 0; i < kMemories; ++i) {
      all.add(bytes);
    }
    return kMemories;
  }();
  static_cast<void>(count);
  return all;
}

class Play {
 public:
  explicit Play(fuzz::Input& input) : input_(input), in_order_(input.chance()) {
    talk_.begin(kToken, kFirstTag, kPacketBytes + input.number(3), in_order_);
    talk_.join(kPacketBytes + input.number(2));
  }

  void run() {
    while (!input_.empty() && good_) {
      step();
      CLAIM(talk_.credits() <= kPackets);
      CLAIM(talk_.answers().size() + talk_.to_receive().size() <= kMostOffers);
      CLAIM(user_.sent.size() <= kMostOffers);
      CLAIM(talk_.has_transfers() == (user_.arriving() + user_.sent.size() > 0));
    }
    talk_.end();
    CLAIM(!talk_.has_transfers() && user_.arriving() == 0 && user_.sent.empty());
  }

 private:
  void step() {
    switch (input_.below(12)) {
      case 0:
        any_bytes();
        break;
      case 1:
        anything();
        break;
      case 2:
        message();
        break;
      case 3:
      case 4:
        offer();
        break;
      case 5:
        await();
        break;
      case 6:
        piece_comes();
        break;
      case 7:
        offer_here();
        break;
      case 8:
        answer_to_offer();
        break;
      case 9:
        piece_goes();
        break;
      case 10:
        say();
        break;
      default:
        keys();
    }
  }

  // ---- packets ----

  PacketHead head(PacketKind kind) {
    PacketHead out{};
    out.token = kToken;
    out.kind = static_cast<uint32_t>(kind);
    out.number = came_;
    return out;
  }

  static bool is_message(const PacketHead& head) {
    return head.kind == static_cast<uint32_t>(PacketKind::kMessage);
  }

  OfiHeard hear(std::span<const std::byte> packet) {
    const std::vector<std::byte> copy(packet.begin(), packet.end());  // of exactly this size
    PacketHead head{};
    const uint32_t credits = talk_.credits();
    const size_t offers = talk_.to_receive().size();
    const OfiHeard heard = talk_.got(copy.data(), copy.size(), &head);
    const bool ours = copy.size() >= sizeof head && copy.size() <= kPacketBytes &&
                      std::memcmp(copy.data(), kToken.data(), sizeof kToken) == 0;
    CLAIM((heard == OfiHeard::kStranger) == !ours);
    good_ = heard == OfiHeard::kGood || heard == OfiHeard::kStranger;
    came_ += ours ? 1 : 0;
    switch (heard) {
      case OfiHeard::kStranger:
        CLAIM(talk_.credits() == credits);
        break;
      case OfiHeard::kGood:
        CLAIM(!in_order_ || head.number == came_ - 1);
        CLAIM(talk_.credits() == credits + head.credits);
        CLAIM(copy.size() - sizeof head == (is_message(head) ? head.size : 0));
        if (talk_.to_receive().size() > offers) {
          CLAIM(head.kind == static_cast<uint32_t>(PacketKind::kOffer));
          CLAIM(head.size > kMostInPacket);
          check(*talk_.to_receive().back(), OfiOperation::kPieceIn);
        }
        obey(head);
        break;
      case OfiHeard::kOver:
        CLAIM(user_.closed());
        break;
      case OfiHeard::kNonsense:
        CLAIM(!talk_.why().empty());
    }
    return heard;
  }

  // Does what the protocol leaves to the code with libfabric.
  void obey(const PacketHead& head) {
    const auto kind = static_cast<PacketKind>(head.kind);
    CLAIM(kind >= PacketKind::kMessage && kind <= PacketKind::kNoKey);
    if (kind == PacketKind::kMemory) {
      CLAIM(head.id < kMemories);
      talk_.answer({PacketKind::kKey, head.id, 5, 0});
    } else if (kind == PacketKind::kKey || kind == PacketKind::kNoKey) {
      static_cast<void>(talk_.waiting(head.id));
      const OfiProtocol::Key& key = talk_.key_of(head.id);
      CLAIM(key.is_known != key.is_refused && key.waiting.empty());
    } else if (kind == PacketKind::kGo) {
      check(*talk_.to_send().back(), OfiOperation::kPieceOut);
    }
  }

  OfiHeard hear(const PacketHead& head, std::span<const std::byte> payload) {
    std::vector<std::byte> packet(sizeof head + payload.size());
    std::memcpy(packet.data(), &head, sizeof head);
    std::copy(payload.begin(), payload.end(), packet.begin() + sizeof head);
    return hear(packet);
  }

  void any_bytes() {
    const std::string_view bytes = input_.piece();
    user_.looks = false;
    user_.closes = false;
    ids_taken_ = hear(std::as_bytes(std::span(bytes))) != OfiHeard::kStranger || ids_taken_;
    user_.looks = true;
  }

  void anything() {
    PacketHead one = head(static_cast<PacketKind>(input_.below(10)));
    one.credits = input_.below(4) == 0 ? static_cast<uint32_t>(input_.number(4)) : 0;
    one.number += input_.byte() == 255 ? 1 : 0;
    one.id = any();
    ids_taken_ = ids_taken_ || one.id >= kFirstId;
    one.size = any();
    one.tag = any();
    user_.number = input_.byte();
    user_.wants = input_.chance();
    user_.closes = input_.byte() == 255;
    const size_t size = input_.below(4) == 0 ? input_.number(2) % (kPacketBytes + 100) : 0;
    hear(one, fuzz::bytes_of(user_.number, 0, size));
  }

  uint64_t any() {
    return input_.chance() ? input_.byte() : input_.number(input_.chance() ? 3 : 8);
  }

  void message() {
    PacketHead one = head(PacketKind::kMessage);
    one.size = input_.number(2) % (kMostInPacket + 1);
    user_.number = input_.byte();
    user_.wants = input_.chance();
    user_.closes = false;
    const size_t came = user_.came.count(user_.number);
    const OfiHeard heard = hear(one, fuzz::bytes_of(user_.number, 0, one.size));
    CLAIM(heard == (user_.closed() ? OfiHeard::kOver : OfiHeard::kGood));
    CLAIM(user_.came.count(user_.number) == came + (good_ && user_.wants ? 1 : 0));
  }

  void offer() {
    PacketHead one = head(PacketKind::kOffer);
    one.id = next_id_++;
    one.size = kMostInPacket + 1 + input_.number(2) % 30000;
    user_.number = input_.byte();
    user_.wants = input_.below(4) != 0;
    user_.closes = false;
    const bool room = talk_.answers().size() + talk_.to_receive().size() < kMostOffers;
    CLAIM(hear(one, {}) == OfiHeard::kGood || user_.closed() || !room || ids_taken_);
  }

  // The pieces must cover the whole message in order, without tags of another message.
  void check(const OfiTransfer& transfer, OfiOperation::Kind kind) {
    const auto* at = static_cast<const std::byte*>(transfer.data);
    for (const OfiOperation& piece : transfer.pieces) {
      CLAIM(piece.kind == kind && piece.data == at && piece.transfer == &transfer);
      CLAIM(piece.size > 0 && piece.size <= talk_.piece());
      at += piece.size;
    }
    CLAIM(at == static_cast<const std::byte*>(transfer.data) + transfer.size);
    if (kind == OfiOperation::kPieceIn) {
      CLAIM(transfer.tag == next_tag_);
      next_tag_ += transfer.pieces.size();
    }
  }

  // ---- completions of libfabric ----

  void await() {
    if (!talk_.to_receive().empty()) {
      OfiTransfer* const transfer = talk_.to_receive().front();
      talk_.to_receive().pop_front();
      talk_.tell(*transfer);
      awaited_.push_back({transfer, user_.number_of(transfer->owner)});
    }
  }

  void piece_comes() {
    if (awaited_.empty()) {
      return;
    }
    const auto which = awaited_.begin() + input_.byte() % static_cast<int>(awaited_.size());
    const auto [transfer, number] = *which;
    OfiOperation& piece = transfer->pieces[transfer->posted++];
    const auto at = static_cast<size_t>(static_cast<std::byte*>(piece.data) -
                                        static_cast<std::byte*>(transfer->data));
    const std::vector<std::byte> data = fuzz::bytes_of(number, at, piece.size);
    std::memcpy(piece.data, data.data(), data.size());
    if (transfer->posted == transfer->pieces.size()) {
      awaited_.erase(which);
    }
    talk_.piece_came();
    ++came_;
    talk_.piece_done(*transfer);
  }

  void offer_here() {
    if (!talk_.may_offer() || bytes_here_ > fuzz::ChannelUser::kMostBytes) {
      return;
    }
    auto message = std::make_unique<OfiTransfer>();
    const size_t size = kMostInPacket + 1 + input_.number(2) % 30000;
    bytes_here_ += size;
    here_.push_back(std::make_unique<std::vector<std::byte>>(size));
    message->owner = here_.back().get();
    message->data = here_.back()->data();
    message->size = size;
    user_.sent.insert(message->owner);
    talk_.offered(std::move(message));
    CLAIM(talk_.next_id() == here_.size() + 1);
  }

  void answer_to_offer() {
    const bool wanted = input_.below(4) != 0;
    PacketHead one = head(wanted ? PacketKind::kGo : PacketKind::kUnwanted);
    one.id = 1 + input_.below(static_cast<uint32_t>(here_.size() + 1));
    one.tag = 1 + input_.number(4);
    const size_t before = user_.sent.size();
    if (hear(one, {}) != OfiHeard::kGood) {
      return;
    }
    CLAIM(one.id <= here_.size() && user_.sent.size() == before - (wanted ? 0 : 1));
    CLAIM(!wanted || talk_.to_send().back()->tag == one.tag);
  }

  // The address sanitizer checks that the memory still exists.
  void piece_goes() {
    if (talk_.to_send().empty()) {
      return;
    }
    OfiTransfer& transfer = *talk_.to_send().front();
    const OfiOperation& piece = transfer.pieces[transfer.posted++];
    const std::vector<std::byte> zeros(piece.size);
    CLAIM(std::memcmp(piece.data, zeros.data(), zeros.size()) == 0);
    if (transfer.posted == transfer.pieces.size()) {
      talk_.to_send().pop_front();
    }
    talk_.piece_done(transfer);
  }

  void say() {
    while (talk_.has_credit() && !talk_.answers().empty()) {
      talk_.use_credit();
      talk_.answers().pop_front();
    }
  }

  void keys() {
    const uint64_t number = input_.below(4);
    talk_.key_of(number).waiting.push_back(nullptr);
    CLAIM(talk_.to_ask().size() <= 4);
  }

  fuzz::Input& input_;
  const bool in_order_;
  fuzz::ChannelUser user_;
  OfiProtocol talk_{&user_, memory()};
  bool good_ = true;
  bool ids_taken_ = false;  // other offers may use the ids of valid ones
  uint64_t came_ = 0;
  uint64_t next_id_ = kFirstId;
  uint64_t next_tag_ = kFirstTag;
  std::vector<std::pair<OfiTransfer*, uint64_t>> awaited_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> here_;
  size_t bytes_here_ = 0;
};

// ---- addresses ----

std::vector<std::byte> own_address() {
  OfiAddress here{};
  here.token = kToken;
  here.wire = kOfiWire;
  here.format = 3;
  here.most_piece = kMostPiece;
  std::strncpy(here.provider.data(), "net", here.provider.size() - 1);
  std::vector<std::byte> out(sizeof here + 16);
  std::memcpy(out.data(), &here, sizeof here);
  return out;
}

void read(std::span<const std::byte> bytes) {
  const std::vector<std::byte> own = own_address();
  OfiAddress there{};
  const std::string why = read_address(bytes, own, &there);
  CLAIM(std::all_of(why.begin(), why.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  if (why.empty()) {
    CLAIM(bytes.size() == own.size() && there.most_piece >= kPacketBytes);
  }
}

// The address of this side, with some bytes changed.
void read_changed(fuzz::Input& input) {
  std::vector<std::byte> address = own_address();
  read(address);
  while (!input.empty()) {
    std::byte& changed = address[input.byte() % address.size()];
    changed = static_cast<std::byte>(input.byte());
  }
  read(address);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  switch (input.below(8)) {
    case 6:
      read(std::as_bytes(std::span(input.rest())));
      break;
    case 7:
      read_changed(input);
      break;
    default:
      Play(input).run();
  }
  return 0;
}
