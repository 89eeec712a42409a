// Encodes and decodes control messages: greetings, errors and goodbyes. Decoding verifies the bytes
// first.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"

namespace gls::net {

inline constexpr uint32_t kProtocolMin = 2;
inline constexpr uint32_t kProtocolMax = 2;
// Limits for control messages. Greetings of unknown peers have the smaller limit.
inline constexpr size_t kMostGreetingBytes = 4096;
inline constexpr size_t kMostControlBytes = 65536;
inline constexpr size_t kMostNameBytes = 256;

using EndpointId = std::array<uint8_t, 16>;
using Bytes = std::vector<std::byte>;

struct Hello {
  uint32_t protocol_min = kProtocolMin;
  uint32_t protocol_max = kProtocolMax;
  EndpointId id{};
  std::string library_version;
  std::string role;
  std::string name;
  uint64_t max_message_bytes = 0;
  uint32_t max_calls = 0;
  uint64_t max_call_bytes = 0;
  uint32_t heartbeat_ms = 0;
  std::string channel;  // kind and version; empty: no channel
};

struct Goodbye {
  std::string reason;
  uint64_t channel_requests = 0;  // requests sent on the channel
};

Bytes encode_hello(const Hello& hello);
Result<Hello> decode_hello(std::span<const std::byte> bytes);

// An error with its code, message and details; long texts are cut.
Bytes encode_failure(const Status& status);
// `failure` receives the error that was sent. The returned status reports whether the bytes are
// valid.
Status decode_failure(std::span<const std::byte> bytes, Status* failure);

Bytes encode_goodbye(const Goodbye& goodbye);
Result<Goodbye> decode_goodbye(std::span<const std::byte> bytes);

// The address of a data channel; at most kMostChannelAddress bytes.
Bytes encode_channel(std::span<const std::byte> address);
Result<Bytes> decode_channel(std::span<const std::byte> bytes);

// The highest version that both sides support.
Result<uint32_t> choose_protocol(const Hello& ours, const Hello& theirs);

}  // namespace gls::net
