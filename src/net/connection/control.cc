#include "net/connection/control.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "net/connection/data_channel.h"
#include "wire_generated.h"

namespace gls::net {
namespace {

constexpr size_t kMostText = 4096;
constexpr size_t kMostDetails = 16;
constexpr uint32_t kMostTables = 64;
constexpr uint32_t kMostDepth = 8;
constexpr uint32_t kLongestHeartbeat = 3600 * 1000;

Bytes finished(flatbuffers::FlatBufferBuilder& builder, wire::Body type,
               flatbuffers::Offset<void> body) {
  wire::FinishControlBuffer(builder, wire::CreateControl(builder, type, body));
  Bytes bytes(builder.GetSize());
  std::memcpy(bytes.data(), builder.GetBufferPointer(), bytes.size());
  return bytes;
}

// A copy of the bytes that FlatBuffers may read: aligned and unchanging.
class Verified {
 public:
  explicit Verified(std::span<const std::byte> bytes) : words_((bytes.size() + 7) / 8) {
    if (!bytes.empty()) {
      std::memcpy(words_.data(), bytes.data(), bytes.size());
    }
    flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(words_.data()), bytes.size(),
                                   kMostDepth, kMostTables);
    if (bytes.size() >= 8 && wire::VerifyControlBuffer(verifier)) {
      control_ = wire::GetControl(words_.data());
    }
  }
  template <typename T>
  const T* body() const {
    return control_ != nullptr ? control_->body_as<T>() : nullptr;
  }

 private:
  std::vector<uint64_t> words_;
  const wire::Control* control_ = nullptr;
};

// Makes text from a peer fit for logs and errors: one printable line.
std::string clean(const flatbuffers::String& text, size_t most) {
  std::string out(text.data(), std::min<size_t>(text.size(), most));
  for (char& c : out) {
    const auto value = static_cast<unsigned char>(c);
    if (value < 0x20 || value == 0x7f) {
      c = ' ';
    }
  }
  return out;
}

Status bad(const char* what) { return corrupt("it sent {} that is not well-formed", what); }

gls_status_t known_code(int32_t code) {
  return code < 0 && code >= GLS_ERR_INTERNAL ? code : GLS_ERR_INTERNAL;
}

}  // namespace

Bytes encode_hello(const Hello& hello) {
  flatbuffers::FlatBufferBuilder builder;
  const auto id = builder.CreateVector(hello.id.data(), hello.id.size());
  const auto version = builder.CreateString(hello.library_version);
  const auto role = builder.CreateString(hello.role);
  const auto name = builder.CreateString(hello.name);
  const auto channel = hello.channel.empty() ? 0 : builder.CreateString(hello.channel);
  const auto body = wire::CreateHello(builder, hello.protocol_min, hello.protocol_max, id, version,
                                      role, name, hello.max_message_bytes, hello.max_calls,
                                      hello.max_call_bytes, hello.heartbeat_ms, channel);
  return finished(builder, wire::Body::Hello, body.Union());
}

Result<Hello> decode_hello(std::span<const std::byte> bytes) {
  const Verified verified(bytes);
  const auto* const body = verified.body<wire::Hello>();
  if (body == nullptr || body->id()->size() != EndpointId().size() ||
      body->library_version()->size() > kMostNameBytes || body->role()->size() > kMostNameBytes ||
      body->name()->size() > kMostNameBytes ||
      (body->channel() != nullptr && body->channel()->size() > kMostNameBytes)) {
    return bad("a greeting");
  }
  Hello hello;
  hello.protocol_min = body->protocol_min();
  hello.protocol_max = body->protocol_max();
  std::copy_n(body->id()->data(), hello.id.size(), hello.id.begin());
  hello.library_version = clean(*body->library_version(), kMostNameBytes);
  hello.role = clean(*body->role(), kMostNameBytes);
  hello.name = clean(*body->name(), kMostNameBytes);
  hello.max_message_bytes = body->max_message_bytes();
  hello.max_calls = body->max_calls();
  hello.max_call_bytes = body->max_call_bytes();
  hello.heartbeat_ms = body->heartbeat_ms();
  if (body->channel() != nullptr) {
    hello.channel = clean(*body->channel(), kMostNameBytes);
  }
  if (hello.protocol_min == 0 || hello.protocol_min > hello.protocol_max || hello.max_calls == 0 ||
      hello.max_message_bytes == 0 || hello.max_call_bytes == 0 || hello.heartbeat_ms == 0 ||
      hello.heartbeat_ms > kLongestHeartbeat) {
    return bad("a greeting");
  }
  return hello;
}

Bytes encode_failure(const Status& status) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<wire::Detail>> details;
  for (size_t i = 0; i < kMostDetails; ++i) {
    const std::string* const key = status.detail_key(i);
    if (key == nullptr) {
      break;
    }
    details.push_back(
        wire::CreateDetail(builder, builder.CreateString(key->substr(0, kMostNameBytes)),
                           builder.CreateString(status.detail(*key)->substr(0, kMostNameBytes))));
  }
  const auto message = builder.CreateString(status.message().substr(0, kMostText));
  const auto body =
      wire::CreateFailure(builder, status.code(), message, builder.CreateVector(details));
  return finished(builder, wire::Body::Failure, body.Union());
}

Status decode_failure(std::span<const std::byte> bytes, Status* failure) {
  const Verified verified(bytes);
  const auto* const body = verified.body<wire::Failure>();
  if (body == nullptr) {
    return bad("an error");
  }
  Status status(known_code(body->code()), clean(*body->message(), kMostText));
  if (body->details() != nullptr) {
    const size_t count = std::min<size_t>(body->details()->size(), kMostDetails);
    for (flatbuffers::uoffset_t i = 0; i < count; ++i) {
      const auto* const detail = body->details()->Get(i);
      status = std::move(status).with(clean(*detail->key(), kMostNameBytes),
                                      clean(*detail->value(), kMostNameBytes));
    }
  }
  *failure = std::move(status);
  return {};
}

Bytes encode_goodbye(const Goodbye& goodbye) {
  flatbuffers::FlatBufferBuilder builder;
  const auto text = builder.CreateString(goodbye.reason.substr(0, kMostText));
  return finished(builder, wire::Body::Goodbye,
                  wire::CreateGoodbye(builder, text, goodbye.channel_requests).Union());
}

Result<Goodbye> decode_goodbye(std::span<const std::byte> bytes) {
  const Verified verified(bytes);
  const auto* const body = verified.body<wire::Goodbye>();
  if (body == nullptr) {
    return bad("a farewell");
  }
  return Goodbye{clean(*body->reason(), kMostText), body->channel_requests()};
}

Bytes encode_channel(std::span<const std::byte> address) {
  flatbuffers::FlatBufferBuilder builder;
  const auto bytes =
      builder.CreateVector(reinterpret_cast<const uint8_t*>(address.data()), address.size());
  return finished(builder, wire::Body::DataChannel,
                  wire::CreateDataChannel(builder, bytes).Union());
}

Result<Bytes> decode_channel(std::span<const std::byte> bytes) {
  const Verified verified(bytes);
  const auto* const body = verified.body<wire::DataChannel>();
  if (body == nullptr || body->address()->size() == 0 ||
      body->address()->size() > kMostChannelAddress) {
    return bad("an address of its channel");
  }
  const auto address = std::as_bytes(std::span(body->address()->data(), body->address()->size()));
  return Bytes(address.begin(), address.end());
}

Result<uint32_t> choose_protocol(const Hello& ours, const Hello& theirs) {
  const uint32_t highest = std::min(ours.protocol_max, theirs.protocol_max);
  if (highest < ours.protocol_min || highest < theirs.protocol_min) {
    return error(GLS_ERR_UNSUPPORTED,
                 "versions {} to {} of the protocol (GLS {}) meet {} to {} (GLS {})",
                 theirs.protocol_min, theirs.protocol_max, theirs.library_version,
                 ours.protocol_min, ours.protocol_max, ours.library_version);
  }
  return highest;
}

}  // namespace gls::net
