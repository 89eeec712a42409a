// Network input before authentication: frames and control messages. The first byte chooses. A
// matching hash cannot be guessed, so one choice computes it.
#include <algorithm>
#include <cstring>

#include "input.h"
#include "net/connection/control.h"
#include "net/connection/data_channel.h"
#include "net/core/frame.h"

namespace {

using namespace gls;
using namespace gls::net;

// Accepts frames up to 64 KiB.
struct Sink : FrameSink {
  Result<std::span<std::byte>> begin(const FrameHeader& header) override {
    CLAIM(!open);
    if (header.length > sizeof memory) {
      return corrupt("a frame of {} bytes", header.length);
    }
    open = true;
    return header.flags == 0 && header.kind % 3 == 0 ? std::span<std::byte>()
                                                     : std::span(memory).first(header.length);
  }
  Status end() override {
    CLAIM(open);
    open = false;
    ++frames;
    return {};
  }
  bool open = false;
  size_t frames = 0;
  std::byte memory[65536];
};

void read_stream(std::span<const std::byte> bytes, size_t step) {
  static Sink sink;
  sink.open = false;
  FrameReader reader(sink);
  while (!bytes.empty()) {
    const std::span<std::byte> room = reader.room();
    CLAIM(!room.empty());
    const size_t count = std::min({room.size(), step, bytes.size()});
    std::memcpy(room.data(), bytes.data(), count);
    const Status status = reader.received(count);
    if (!status.ok()) {
      fuzz::claim_error(status);
      return;
    }
    bytes = bytes.subspan(count);
  }
}

void read_frames(fuzz::Input& input) {
  Bytes stream;
  for (const unsigned char c : kPreamble) {
    stream.push_back(std::byte{c});
  }
  const size_t step = 1 + input.byte();
  while (!input.empty() && stream.size() < 100000) {
    FrameHeader header;
    header.length = static_cast<uint32_t>(input.number(2) % 40000);
    header.type = static_cast<FrameType>(1 + input.below(13));
    header.kind = input.byte();
    header.id = input.byte();
    const auto head = encode(header);
    stream.insert(stream.end(), head.begin(), head.end());
    const size_t given = header.length - std::min<size_t>(header.length, input.below(4));
    stream.resize(stream.size() + given);
  }
  read_stream(stream, step);
}

void read_control(std::span<const std::byte> bytes) {
  if (Result<Hello> hello = decode_hello(bytes); hello.ok()) {
    CLAIM(hello->protocol_min >= 1 && hello->protocol_min <= hello->protocol_max);
    CLAIM(hello->name.size() <= kMostNameBytes && hello->max_calls > 0);
    Result<Hello> again = decode_hello(encode_hello(*hello));
    CLAIM(again.ok() && again->id == hello->id && again->name == hello->name);
  } else {
    fuzz::claim_error(hello.status());
  }
  Status failure;
  if (decode_failure(bytes, &failure).ok()) {
    CLAIM(!failure.ok() && failure.code() < 0);
    Status again;
    CLAIM(decode_failure(encode_failure(failure), &again).ok());
    CLAIM(again.code() == failure.code());
  }
  if (Result<Goodbye> goodbye = decode_goodbye(bytes); goodbye.ok()) {
    Result<Goodbye> again = decode_goodbye(encode_goodbye(*goodbye));
    CLAIM(again.ok() && again->reason == goodbye->reason);
    CLAIM(again->channel_requests == goodbye->channel_requests);
  }
  if (Result<Bytes> address = decode_channel(bytes); address.ok()) {
    CLAIM(!address->empty() && address->size() <= kMostChannelAddress);
    Result<Bytes> again = decode_channel(encode_channel(*address));
    CLAIM(again.ok() && *again == *address);
  } else {
    fuzz::claim_error(address.status());
  }
}

// Valid ones with some bytes changed, as the rest of the input chooses.
void read_changed(fuzz::Input& input) {
  Bytes message;
  switch (input.below(4)) {
    case 0: {
      Hello hello;
      hello.name = input.bytes(input.below(16));
      hello.channel = input.bytes(input.below(16));
      hello.max_message_bytes = 1 + input.number(4);
      hello.max_calls = 1 + input.byte();
      hello.max_call_bytes = 1 + input.number(4);
      hello.heartbeat_ms = 1 + input.byte();
      message = encode_hello(hello);
      break;
    }
    case 1:
      message = encode_failure(invalid("{}", input.piece()).with("argument", "ids"));
      break;
    case 2: {
      Goodbye goodbye;
      goodbye.reason = input.piece();
      goodbye.channel_requests = input.number(8);
      message = encode_goodbye(goodbye);
      break;
    }
    default: {
      const std::string_view address = input.piece();
      message = encode_channel(std::as_bytes(std::span(address)));
    }
  }
  read_control(message);
  while (!input.empty()) {
    message[input.number(2) % message.size()] = static_cast<std::byte>(input.byte());
  }
  read_control(message);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const auto rest = std::as_bytes(std::span(data, size)).subspan(1);
  switch (data[0] % 4) {
    case 0:
      read_stream(rest, 1 + data[0]);
      break;
    case 1: {
      fuzz::Input input(data + 1, size - 1);
      read_frames(input);
      break;
    }
    case 2:
      read_control(rest);
      break;
    default: {
      fuzz::Input input(data + 1, size - 1);
      read_changed(input);
    }
  }
  return 0;
}
