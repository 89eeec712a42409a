// What arrives on channels over UCX and libfabric, without either: what is taken, and what is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "plugins/ofi/address.h"
#include "plugins/ofi/protocol.h"
#include "plugins/ucx/reassembly.h"

namespace gls::net {
namespace {

// Takes messages of up to 1 MiB.
class User final : public ChannelUser {
 public:
  bool message(const void* /*head*/, size_t payload, ChannelPlace* place) noexcept override {
    if (payload > size_t{1} << 20) {
      return false;
    }
    may_be_on_gpu.push_back(place->on_gpu);
    place->on_gpu = place->on_gpu && on_gpu;
    if (wants) {
      places.emplace_back(payload);
      place->data = places.back().data();
      place->token = &places.back();
    }
    return true;
  }
  void arrived(void* token) noexcept override {
    texts.emplace_back();
    for (const std::byte byte : *static_cast<std::vector<std::byte>*>(token)) {
      texts.back().push_back(static_cast<char>(byte));
    }
  }
  void failed(void* /*token*/) noexcept override { ++failures; }
  void given_back(void* message) noexcept override { returned.push_back(message); }
  void read_done(void* /*reading*/, ChannelReadEnd /*end*/) noexcept override { FAIL(); }
  void broken(const char* /*why*/) noexcept override { FAIL(); }
  void channel_closed() noexcept override { FAIL(); }

  bool wants = true;
  bool on_gpu = false;
  std::vector<bool> may_be_on_gpu;  // of each message
  std::list<std::vector<std::byte>> places;
  std::vector<std::string> texts;
  std::vector<void*> returned;
  int failures = 0;
};

std::string some_text(size_t size) {
  std::string out(size, 0);
  for (size_t i = 0; i < size; ++i) {
    out[i] = static_cast<char>(i + i / 251);
  }
  return out;
}

// ---- UCX ----

class Pieces : public testing::Test {
 protected:
  PieceTaken take(uint64_t number, uint64_t at, const std::string& text, uint64_t piece) {
    PieceHead head{};
    head.number = number;
    head.at = at;
    head.size = text.size();
    head.piece = piece;
    return take(head, text.substr(at, piece));
  }
  PieceTaken take(const PieceHead& head, const std::string& bytes) {
    return messages_.take(head, reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
  }

  User user_;
  Reassembly messages_{&user_};
};

TEST_F(Pieces, ArriveInAnyOrder) {
  const std::string first = some_text(5 * kLeastPiece - 1);
  const std::string second = some_text(2 * kLeastPiece);
  for (const uint64_t at : {3, 0, 4, 1}) {
    EXPECT_EQ(take(1, at * kLeastPiece, first, kLeastPiece), PieceTaken::kGood);
  }
  EXPECT_EQ(take(2, kLeastPiece, second, kLeastPiece), PieceTaken::kGood);
  EXPECT_EQ(take(3, 0, "short", kLeastPiece), PieceTaken::kGood);
  EXPECT_EQ(take(4, 0, "", kLeastPiece), PieceTaken::kGood);
  EXPECT_EQ(messages_.incomplete(), 2U);
  EXPECT_EQ(take(2, 0, second, kLeastPiece), PieceTaken::kGood);
  EXPECT_EQ(take(1, 2 * kLeastPiece, first, kLeastPiece), PieceTaken::kGood);
  EXPECT_EQ(user_.texts, (std::vector<std::string>{"short", "", second, first}));
  EXPECT_EQ(messages_.incomplete(), 0U);
}

TEST_F(Pieces, OfWhatNobodyWantsAreDropped) {
  user_.wants = false;
  const std::string text = some_text(2 * kLeastPiece);
  EXPECT_EQ(take(1, 0, text, kLeastPiece), PieceTaken::kGood);
  EXPECT_EQ(take(1, kLeastPiece, text, kLeastPiece), PieceTaken::kGood);
  EXPECT_EQ(messages_.incomplete(), 0U);
  EXPECT_TRUE(user_.texts.empty());
}

TEST_F(Pieces, ThatAreNowhereAreNotTaken) {
  const std::string text = some_text(3 * kLeastPiece);
  const auto one = [&](uint64_t at, uint64_t size, uint64_t piece, size_t given) {
    PieceHead head{};
    head.at = at;
    head.size = size;
    head.piece = piece;
    return take(head, text.substr(0, given));
  };
  constexpr uint64_t kPiece = kLeastPiece;
  EXPECT_EQ(one(0, 2 * kPiece, 0, kPiece), PieceTaken::kMisplaced);
  EXPECT_EQ(one(0, 2 * kPiece, kPiece - 1, kPiece - 1), PieceTaken::kMisplaced);
  EXPECT_EQ(one(1, 2 * kPiece, kPiece, kPiece), PieceTaken::kMisplaced);
  EXPECT_EQ(one(0, 2 * kPiece, kPiece, kPiece - 1), PieceTaken::kMisplaced);
  EXPECT_EQ(one(0, 2 * kPiece, kPiece, kPiece + 1), PieceTaken::kMisplaced);
  EXPECT_EQ(one(2 * kPiece, 2 * kPiece, kPiece, kPiece), PieceTaken::kMisplaced);
  EXPECT_EQ(one(2 * kPiece, 2 * kPiece, kPiece, 0), PieceTaken::kMisplaced);
  EXPECT_EQ(one(-kPiece, 2 * kPiece, kPiece, kPiece), PieceTaken::kMisplaced);
  EXPECT_EQ(one(kPiece, 0, kPiece, kPiece), PieceTaken::kMisplaced);
  EXPECT_EQ(one(kPiece, UINT64_MAX, kPiece, kPiece), PieceTaken::kOver);
  EXPECT_TRUE(user_.places.empty());
  // Of a message of which others say something else.
  EXPECT_EQ(one(0, 3 * kPiece, kPiece, kPiece), PieceTaken::kGood);
  EXPECT_EQ(one(kPiece, 4 * kPiece, kPiece, kPiece), PieceTaken::kMisplaced);
  EXPECT_EQ(one(2 * kPiece, 3 * kPiece, 2 * kPiece, kPiece), PieceTaken::kMisplaced);
  EXPECT_EQ(one(0, 3 * kPiece, kPiece, kPiece), PieceTaken::kTwice);
  messages_.fail();
  EXPECT_EQ(user_.failures, 1);
}

TEST(UcxAddress, HasATokenAndMore) {
  std::vector<std::byte> address(sizeof(ChannelToken) + 3, std::byte{7});
  ChannelToken token{};
  EXPECT_EQ(after_token(address, &token).data(), address.data() + sizeof token);
  EXPECT_EQ(after_token(address, &token).size(), 3U);
  EXPECT_EQ(token[1], 0x0707070707070707U);
  address.resize(sizeof token);
  EXPECT_TRUE(after_token(address, &token).empty());
  EXPECT_TRUE(after_token({}, &token).empty());
}

// ---- libfabric: addresses ----

constexpr size_t kName = 16;

std::vector<std::byte> address_with(const std::string& provider, OfiAddress with) {
  with.provider = {};
  provider.copy(with.provider.data(), with.provider.size());
  std::vector<std::byte> out(sizeof with + kName);
  std::memcpy(out.data(), &with, sizeof with);
  return out;
}

std::string refusal(const std::vector<std::byte>& address) {
  OfiAddress there{};
  return read_address(address, address_with("net", {{}, kOfiWire, 3, kMostPiece, {}}), &there);
}

TEST(OfiAddresses, AreChecked) {
  const OfiAddress sound{{}, kOfiWire, 3, kPacketBytes, {}};
  EXPECT_EQ(refusal(address_with("net", sound)), "");
  std::vector<std::byte> cut = address_with("net", sound);
  cut.pop_back();
  const std::string other_kind =
      "the other side has addresses of another kind: IPv4 and IPv6, for instance";
  EXPECT_EQ(refusal(cut), other_kind);
  cut.resize(sizeof sound);
  EXPECT_EQ(refusal(cut), "the address of the other side is too short");
  EXPECT_EQ(refusal({}), "the address of the other side is too short");
  OfiAddress other = sound;
  other.format = 4;
  EXPECT_EQ(refusal(address_with("net", other)), other_kind);
  other = sound;
  other.wire = 9;
  EXPECT_EQ(refusal(address_with("net", other)),
            "the other side's channels have version 9, expected 1");
  other = sound;
  other.most_piece = kPacketBytes - 1;
  EXPECT_EQ(refusal(address_with("net", other)), "the address of the other side is damaged");
}

// It goes into logs.
TEST(OfiAddresses, WhatTheySayIsPrintable) {
  const OfiAddress sound{{}, kOfiWire, 3, kMostPiece, {}};
  EXPECT_EQ(refusal(address_with("n\nt\x1b\xff", sound)),
            "the other side's provider is \"n?t\?\?\", expected \"net\"; say which in "
            "net.data_transports");
  const std::string longest(sound.provider.size(), 'x');
  EXPECT_EQ(refusal(address_with(longest, sound)),
            "the other side's provider is \"" + longest +
                "\", expected \"net\"; say which in net.data_transports");
}

// ---- libfabric: packets ----

class Dialogue : public testing::Test {
 protected:
  static constexpr ChannelToken kToken = {1, 2};

  void SetUp() override {
    static const std::byte bytes[8]{};
    memory_.add(bytes);
    begin();
  }
  void begin(bool on_gpus = false) {
    talk_ = std::make_unique<OfiProtocol>(&user_, memory_);
    talk_->begin(kToken, 7, kMostPiece, true, on_gpus);
    talk_->join(2 * kPacketBytes);
    came_ = 0;
  }
  PacketHead head(PacketKind kind) {
    PacketHead out{};
    out.token = kToken;
    out.kind = static_cast<uint32_t>(kind);
    out.number = came_;
    return out;
  }
  OfiHeard hear(const PacketHead& head, const std::string& payload = {}) {
    std::vector<std::byte> packet(sizeof head + payload.size());
    std::memcpy(packet.data(), &head, sizeof head);
    std::memcpy(packet.data() + sizeof head, payload.data(), payload.size());
    PacketHead got{};
    const OfiHeard heard = talk_->got(packet.data(), packet.size(), &got);
    came_ += heard == OfiHeard::kStranger ? 0 : 1;
    return heard;
  }
  OfiHeard offer(uint64_t id, uint64_t size) {
    PacketHead one = head(PacketKind::kOffer);
    one.id = id;
    one.size = size;
    return hear(one);
  }
  // Empty: it makes sense. Else why not, and all begins anew.
  std::string nonsense(const PacketHead& head, const std::string& payload = {}) {
    if (hear(head, payload) != OfiHeard::kNonsense) {
      return {};
    }
    std::string why = talk_->why();
    talk_->end();
    begin();
    return why;
  }
  // A long message of this side.
  void* offer_here() {
    auto message = std::make_unique<OfiTransfer>();
    message->size = 5 * kPacketBytes;
    message->owner = message->data = mine_.data();
    talk_->offered(std::move(message));
    return mine_.data();
  }

  User user_;
  OfiMemory memory_;
  std::unique_ptr<OfiProtocol> talk_;
  std::vector<std::byte> mine_ = std::vector<std::byte>(5 * kPacketBytes);
  uint64_t came_ = 0;
};

TEST_F(Dialogue, StrangersAreNotHeard) {
  PacketHead one = head(PacketKind::kMessage);
  one.token[1] ^= 1;
  EXPECT_EQ(hear(one), OfiHeard::kStranger);
  one = head(PacketKind::kMessage);
  PacketHead got{};
  EXPECT_EQ(talk_->got(&one, sizeof one - 1, &got), OfiHeard::kStranger);
  one.size = kMostInPacket + 1;
  EXPECT_EQ(hear(one, some_text(one.size)), OfiHeard::kStranger);
  EXPECT_EQ(hear(head(PacketKind::kCredit)), OfiHeard::kGood);  // nothing of that was counted
}

TEST_F(Dialogue, ShortMessagesArrive) {
  for (const std::string& text : {std::string(), some_text(kMostInPacket)}) {
    PacketHead one = head(PacketKind::kMessage);
    one.size = text.size();
    EXPECT_EQ(hear(one, text), OfiHeard::kGood);
    EXPECT_EQ(user_.texts.back(), text);
  }
  PacketHead one = head(PacketKind::kMessage);
  one.size = 4;
  EXPECT_EQ(nonsense(one, "short"), "a message of the other side has 5 bytes and says 4");
}

TEST_F(Dialogue, LongMessagesArriveInPieces) {
  const std::string text = some_text(5 * kPacketBytes);
  ASSERT_EQ(offer(9, text.size()), OfiHeard::kGood);
  ASSERT_EQ(talk_->to_receive().size(), 1U);
  OfiTransfer& transfer = *talk_->to_receive().front();
  EXPECT_EQ(transfer.tag, 7U);
  ASSERT_EQ(transfer.pieces.size(), 3U);
  EXPECT_EQ(nonsense(head(PacketKind::kCredit)), "");
  talk_->to_receive().pop_front();
  talk_->tell(transfer);
  EXPECT_EQ(talk_->answers().front().tag, 7U);
  size_t at = 0;
  for (OfiOperation& piece : transfer.pieces) {
    std::memcpy(piece.data, text.data() + at, piece.size);
    at += piece.size;
  }
  EXPECT_EQ(at, text.size());
  for (int i = 0; i < 3; ++i, ++came_) {
    talk_->piece_came();
    talk_->piece_done(transfer);
  }
  EXPECT_EQ(user_.texts, std::vector<std::string>{text});
  EXPECT_FALSE(talk_->has_transfers());
  ASSERT_EQ(offer(9, text.size()), OfiHeard::kGood);  // it is free again
  EXPECT_EQ(talk_->to_receive().front()->tag, 10U);
  talk_->end();
  EXPECT_EQ(user_.failures, 1);
}

// Long ones alone, and what the user says is so.
TEST_F(Dialogue, PiecesMayGoToGpus) {
  for (const bool on_gpus : {false, true}) {
    begin(on_gpus);
    PacketHead one = head(PacketKind::kMessage);
    one.size = 5;
    EXPECT_EQ(hear(one, "short"), OfiHeard::kGood);
    user_.on_gpu = false;
    ASSERT_EQ(offer(1, kPacketBytes), OfiHeard::kGood);
    EXPECT_FALSE(talk_->to_receive().back()->on_gpu);
    user_.on_gpu = true;
    ASSERT_EQ(offer(2, kPacketBytes), OfiHeard::kGood);
    EXPECT_EQ(talk_->to_receive().back()->on_gpu, on_gpus);
    EXPECT_EQ(user_.may_be_on_gpu, (std::vector<bool>{false, on_gpus, on_gpus}));
    user_.may_be_on_gpu.clear();
    talk_->end();
  }
}

TEST_F(Dialogue, OffersAreChecked) {
  const std::string no_sense = "an offer of the other side makes no sense";
  PacketHead one = head(PacketKind::kOffer);
  for (const uint64_t size : {uint64_t{0}, uint64_t{kMostInPacket}, UINT64_MAX}) {
    one.size = size;
    EXPECT_EQ(nonsense(one), no_sense);
  }
  ASSERT_EQ(offer(1, kPacketBytes), OfiHeard::kGood);
  one = head(PacketKind::kOffer);
  one.id = 1;
  one.size = kPacketBytes;
  EXPECT_EQ(nonsense(one), no_sense);
  EXPECT_EQ(offer(1, size_t{2} << 20), OfiHeard::kOver);
  begin();
  user_.wants = false;
  for (uint64_t i = 0; i < kMostOffers; ++i) {
    ASSERT_EQ(offer(i, kPacketBytes), OfiHeard::kGood);
  }
  EXPECT_EQ(talk_->answers().back().kind, PacketKind::kUnwanted);
  EXPECT_FALSE(talk_->has_transfers());
  one = head(PacketKind::kMemory);
  EXPECT_EQ(hear(one), OfiHeard::kNonsense);
  EXPECT_EQ(talk_->why(), "the other side asks for more than 256 keys at once");
  one = head(PacketKind::kOffer);
  one.size = kPacketBytes;
  EXPECT_EQ(nonsense(one), "the other side offers more than 256 messages that were not answered");
}

TEST_F(Dialogue, AnswersAreToWhatWasOffered) {
  PacketHead one = head(PacketKind::kGo);
  one.id = 1;
  one.tag = 5;
  EXPECT_EQ(nonsense(one), "the other side wants what was not offered");
  one.kind = static_cast<uint32_t>(PacketKind::kUnwanted);
  EXPECT_EQ(nonsense(one), "the other side refuses what was not offered");
  for (const uint64_t tag : {kPacketTag, uint64_t{1} << kTagBits}) {
    offer_here();
    one = head(PacketKind::kGo);
    one.id = 1;
    one.tag = tag;
    EXPECT_EQ(nonsense(one), "the other side wants pieces with tags that make no sense");
  }
  void* const mine = offer_here();
  user_.returned.clear();
  one.tag = 5;
  EXPECT_EQ(nonsense(one), "");
  EXPECT_EQ(talk_->to_send().front()->pieces.size(), 3U);
  one.number = came_;
  EXPECT_EQ(hear(one), OfiHeard::kNonsense);  // twice
  one.kind = static_cast<uint32_t>(PacketKind::kUnwanted);
  one.number = came_;
  EXPECT_EQ(nonsense(one), "the other side refuses what was not offered");
  EXPECT_EQ(user_.returned, std::vector<void*>{mine});
  offer_here();
  one.number = came_;
  EXPECT_EQ(nonsense(one), "");
  EXPECT_EQ(user_.returned, (std::vector<void*>{mine, mine}));
}

TEST_F(Dialogue, OrderAndCreditsAreChecked) {
  PacketHead one = head(PacketKind::kCredit);
  one.number = 1;
  EXPECT_EQ(nonsense(one), "the connection broke, and what was on its way is lost");
  one = head(PacketKind::kCredit);
  one.credits = 1;
  EXPECT_EQ(nonsense(one), "the other side gives back 1 credits, expected 0 at most");
  talk_->use_credit();
  EXPECT_EQ(nonsense(one), "");
  EXPECT_EQ(talk_->credits(), kPackets);
  one = head(PacketKind::kCredit);
  EXPECT_EQ(nonsense(one, "x"), "a packet of the other side has bytes that belong to nothing");
  one = head(static_cast<PacketKind>(99));
  EXPECT_EQ(nonsense(one), "a packet of the other side is of kind 99");
}

TEST_F(Dialogue, KeysAreThoseThatWereAskedFor) {
  PacketHead one = head(PacketKind::kMemory);
  EXPECT_EQ(nonsense(one), "");
  one = head(PacketKind::kMemory);
  one.id = 1;
  EXPECT_EQ(nonsense(one), "the other side asks for memory that is not shared");
  one = head(PacketKind::kKey);
  one.id = 3;
  EXPECT_EQ(nonsense(one), "the other side gives a key that nobody asked for");
  OfiReadList* const list = nullptr;
  talk_->key_of(3).waiting.push_back(list);
  talk_->key_of(3);
  EXPECT_EQ(talk_->to_ask().size(), 1U);
  one.tag = 11;
  one.size = 12;
  EXPECT_EQ(nonsense(one), "");
  EXPECT_TRUE(talk_->key_of(3).is_known);
  EXPECT_EQ(talk_->key_of(3).of.key, 11U);
  EXPECT_EQ(talk_->key_of(3).of.base, 12U);
  EXPECT_EQ(talk_->waiting(3), std::vector<OfiReadList*>{list});
  one = head(PacketKind::kNoKey);
  one.id = 3;
  EXPECT_EQ(nonsense(one), "the other side gives a key that nobody asked for");
}

}  // namespace
}  // namespace gls::net
