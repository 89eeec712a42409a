// The user of a data channel whose other side is the fuzzer. It accepts a limited number of bytes,
// and checks the outcome for each destination.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "input.h"
#include "net/connection/data_channel.h"

namespace gls::fuzz {

// The bytes from `at` on of any message with this number. No two of its pages are equal.
inline std::vector<std::byte> bytes_of(uint64_t number, uint64_t at, size_t size) {
  constexpr size_t kPage = 256;
  static const std::array<std::byte, 2 * kPage> ramp = [] {
    std::array<std::byte, 2 * kPage> out{};
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<std::byte>(i);
    }
    return out;
  }();
  std::vector<std::byte> out(size);
  for (size_t i = 0; i < size;) {
    const uint64_t here = at + i;
    const size_t count = std::min<size_t>(size - i, kPage - here % kPage);
    std::memcpy(&out[i], &ramp[(number * 7 + here + here / kPage) % kPage], count);
    i += count;
  }
  return out;
}

class ChannelUser final : public net::ChannelUser {
 public:
  static constexpr size_t kMostBytes = size_t{1} << 20;  // of one message
  static constexpr size_t kMostAtOnce = 40;

  // The number of the next message, whatever it contains, and what the user does with it.
  uint64_t number = 0;
  bool wants = true;
  bool closes = false;
  bool looks = true;  // checks its bytes, which follow from its number

  bool message(const void* head, size_t payload, net::ChannelPlace* place) noexcept override {
    CLAIM(!closed_ && head != nullptr && place->token == nullptr);
    last_size = payload;
    if (closes || payload > kMostBytes || places_.size() == kMostAtOnce) {
      closed_ = true;
      return false;
    }
    if (wants) {
      auto made = std::make_unique<Place>();
      made->number = number;
      made->looks = looks;
      made->bytes.resize(payload);
      place->data = made->bytes.data();
      place->token = made.get();
      places_.emplace(made.get(), std::move(made));
    }
    ++began;
    return true;
  }
  // Pieces are written to their destinations only, so that all bytes are covered.
  void arrived(void* token) noexcept override {
    const auto found = places_.find(token);
    CLAIM(found != places_.end());
    const Place& place = *found->second;
    CLAIM(!place.looks || place.bytes == bytes_of(place.number, 0, place.bytes.size()));
    came.insert(place.number);
    places_.erase(found);
  }
  void failed(void* token) noexcept override { CLAIM(places_.erase(token) == 1); }
  void given_back(void* message) noexcept override { CLAIM(sent.erase(message) == 1); }
  void read_done(void* /*reading*/, net::ChannelReadEnd /*end*/) noexcept override { std::abort(); }
  void broken(const char* /*why*/) noexcept override { std::abort(); }
  void channel_closed() noexcept override { std::abort(); }

  size_t arriving() const { return places_.size(); }
  bool closed() const { return closed_; }
  uint64_t number_of(void* token) const { return places_.at(token)->number; }

  size_t last_size = 0;
  size_t began = 0;
  std::multiset<uint64_t> came;
  std::set<void*> sent;

 private:
  struct Place {
    uint64_t number;
    bool looks;
    std::vector<std::byte> bytes;
  };
  std::map<void*, std::unique_ptr<Place>> places_;
  bool closed_ = false;
};

}  // namespace gls::fuzz
