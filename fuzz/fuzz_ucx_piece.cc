// Input to a UCX channel: addresses, and messages in pieces, some valid and some from the input.
// Accepted pieces must be within their message, a whole message must arrive unchanged, and each
// destination must be returned once.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "channel_user.h"
#include "plugins/ucx/reassembly.h"

namespace {

using namespace gls;
using namespace gls::net;

constexpr uint64_t kFirstNumber = 1000;  // of valid messages

class Play {
 public:
  explicit Play(fuzz::Input& input) : input_(input) {}

  void run() {
    for (bool good = true; good && !input_.empty();) {
      user_.closes = false;
      switch (input_.below(6)) {
        case 0:
          begin();
          break;
        case 1:
        case 2:
        case 3:
          good = send();
          break;
        case 4:
          good = send_again();
          break;
        default:
          good = send_anything();
      }
      CLAIM(messages_.incomplete() <= user_.began && user_.arriving() <= messages_.incomplete());
    }
    messages_.fail();
    CLAIM(user_.arriving() == 0 && messages_.incomplete() == 0);
  }

 private:
  struct Sent {
    PieceHead head;
    std::vector<uint64_t> left;  // offsets of pieces that were not sent
    std::vector<uint64_t> gone;
    bool is_wanted;
    bool is_spoiled = false;
  };

  void begin() {
    if (sent_.size() == fuzz::ChannelUser::kMostAtOnce) {
      return;
    }
    Sent one{};
    one.head.number = kFirstNumber + sent_.size();
    one.head.size = input_.number(2);
    one.head.piece = kLeastPiece + input_.number(2) % 8192;
    one.is_wanted = input_.below(4) != 0;
    uint64_t at = 0;
    do {
      one.left.push_back(at);
      at += one.head.piece;
    } while (at < one.head.size);
    sent_.push_back(std::move(one));
  }

  PieceTaken take(const PieceHead& head, size_t size) {
    user_.number = head.number;
    const std::vector<std::byte> data = fuzz::bytes_of(head.number, head.at, size);
    return messages_.take(head, data.data(), size);
  }

  bool send() {
    if (sent_.empty()) {
      return true;
    }
    Sent& one = sent_[input_.byte() % sent_.size()];
    if (one.left.empty()) {
      return true;
    }
    const auto which = one.left.begin() + static_cast<ptrdiff_t>(input_.byte() % one.left.size());
    PieceHead head = one.head;
    head.at = *which;
    user_.wants = one.is_wanted;
    user_.closes = input_.byte() == 255;
    const size_t came = user_.came.count(head.number);
    const PieceTaken taken = take(head, piece_size(head));
    one.gone.push_back(*which);
    one.left.erase(which);
    if (one.is_spoiled) {
      return taken == PieceTaken::kGood;
    }
    CLAIM(taken == (user_.closed() ? PieceTaken::kOver : PieceTaken::kGood));
    if (taken == PieceTaken::kGood) {
      CLAIM(user_.came.count(head.number) == came + (one.left.empty() && one.is_wanted ? 1 : 0));
    }
    return taken == PieceTaken::kGood;
  }

  // Repeats a piece of an incomplete message.
  bool send_again() {
    for (Sent& one : sent_) {
      if (!one.is_spoiled && !one.left.empty() && !one.gone.empty()) {
        PieceHead head = one.head;
        head.at = one.gone[input_.byte() % one.gone.size()];
        CLAIM(take(head, piece_size(head)) == PieceTaken::kTwice);
        return false;
      }
    }
    return true;
  }

  bool send_anything() {
    const bool of_one = input_.chance() && !sent_.empty();
    PieceHead head{};
    if (of_one) {
      Sent& one = sent_[input_.byte() % sent_.size()];
      head = one.head;
      one.is_spoiled = true;
    } else {
      head.number = input_.byte();
      head.size = any();
      head.piece = any();
    }
    head.at = any();
    switch (input_.below(4)) {
      case 0:
        head.size = any();
        break;
      case 1:
        head.piece = any();
        break;
      default:
        head.at -= head.piece != 0 ? head.at % head.piece : 0;
    }
    const bool fits = input_.chance() && head.at < head.size;
    const size_t size = fits ? std::min<size_t>(piece_size(head), 65536) : input_.number(2);
    user_.wants = input_.chance();
    const size_t began = user_.began;
    const PieceTaken taken = take(head, size);
    if (taken == PieceTaken::kGood) {
      CLAIM(head.at <= head.size && size <= head.size - head.at);
      CLAIM(is_whole(head, size) || (head.piece >= kLeastPiece && head.at % head.piece == 0));
      CLAIM(user_.began == began || user_.last_size == head.size);
    } else {
      CLAIM(user_.began == began);
    }
    return taken == PieceTaken::kGood;
  }

  uint64_t any() {
    switch (input_.below(4)) {
      case 0:
        return input_.number(8);
      case 1:
        return input_.byte();
      case 2:
        return kLeastPiece * input_.byte();
      default:
        return input_.number(3);
    }
  }

  fuzz::Input& input_;
  fuzz::ChannelUser user_;
  Reassembly messages_{&user_};
  std::vector<Sent> sent_;
};

void read_address(std::span<const std::byte> bytes) {
  ChannelToken token{};
  const auto worker = after_token(bytes, &token);
  CLAIM(worker.empty() == (bytes.size() <= sizeof token));
  if (!worker.empty()) {
    CLAIM(worker.data() + worker.size() == bytes.data() + bytes.size());
    CLAIM(std::memcmp(token.data(), bytes.data(), sizeof token) == 0);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  if (input.below(16) == 15) {
    read_address(std::as_bytes(std::span(input.rest())));
  } else {
    Play(input).run();
  }
  return 0;
}
