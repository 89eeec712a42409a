#include "cluster/wire/group_messages.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "cluster/wire/wire_integers.h"
#include "group_generated.h"
#include "net/connection/control.h"

namespace gls::group {
namespace {

constexpr size_t kPrefix = 8;
constexpr size_t kAlign = 64;
constexpr uint32_t kMostTables = 1 << 16;
constexpr uint32_t kMostDepth = 8;

size_t aligned(size_t size) { return (size + kAlign - 1) / kAlign * kAlign; }

using Builder = flatbuffers::FlatBufferBuilder;

template <typename Table>
net::Message pack(const Pool& pool, Builder& builder, wire::Body type,
                  flatbuffers::Offset<Table> body, std::span<const Bytes> items) {
  wire::FinishMessageBuffer(builder, wire::CreateMessage(builder, type, body.Union()));
  const uint64_t length = builder.GetSize();
  const size_t begin = aligned(kPrefix + length);
  size_t size = begin;
  for (const Bytes item : items) {
    size += item.size();
  }
  net::Message out(pool, size);
  std::memset(out.data(), 0, begin);
  std::memcpy(out.data(), &length, sizeof length);
  std::memcpy(out.data() + kPrefix, builder.GetBufferPointer(), length);
  std::byte* at = out.data() + begin;
  for (const Bytes item : items) {
    if (!item.empty()) {
      std::memcpy(at, item.data(), item.size());
      at += item.size();
    }
  }
  return out;
}

struct Unpacked {
  const wire::Message* message = nullptr;
  Bytes rest;
  template <typename Table>
  const Table* body() const {
    return message != nullptr ? message->body_as<Table>() : nullptr;
  }
};

Unpacked unpack(Bytes bytes) {
  uint64_t length = 0;
  if (bytes.size() < kPrefix) {
    return {};
  }
  std::memcpy(&length, bytes.data(), sizeof length);
  if (length < 8 || length > bytes.size() - kPrefix || aligned(kPrefix + length) > bytes.size() ||
      reinterpret_cast<uintptr_t>(bytes.data()) % kPrefix != 0) {
    return {};
  }
  const auto* const header = reinterpret_cast<const uint8_t*>(bytes.data()) + kPrefix;
  flatbuffers::Verifier verifier(header, length, kMostDepth, kMostTables);
  if (!wire::VerifyMessageBuffer(verifier)) {
    return {};
  }
  return {wire::GetMessage(header), bytes.subspan(aligned(kPrefix + length))};
}

Status malformed(const char* what) { return corrupt("{} is not well-formed", what); }

// Makes text fit for logs and errors: one printable line of bounded length.
std::string clean(const flatbuffers::String& text) {
  std::string out(text.data(), std::min<size_t>(text.size(), kMostName));
  for (char& c : out) {
    const auto value = static_cast<unsigned char>(c);
    if (value < 0x20 || value == 0x7f) {
      c = ' ';
    }
  }
  return out;
}

flatbuffers::Offset<wire::Member> write(Builder& builder, const Member& member) {
  const auto name = builder.CreateString(member.name);
  const auto host = builder.CreateString(member.host);
  const auto address = builder.CreateString(member.address);
  return wire::CreateMember(builder, name, host, address, member.process, member.local_size);
}

Member read(const wire::Member& member) {
  return {clean(*member.name()), clean(*member.host()), clean(*member.address()), member.process(),
          member.local_size()};
}

}  // namespace

Status check_even(std::span<const Member> members) {
  const Member* first = nullptr;
  for (const Member& member : members) {
    if (member.local_size == 0) {
      continue;
    }
    if (first == nullptr) {
      first = &member;
    }
    if (member.local_size != first->local_size) {
      return error(GLS_ERR_UNSUPPORTED,
                   "the launcher has started {} processes on {} (rank {}) and {} on {} (rank {}), "
                   "expected as many on each host; give rank and world_size as arguments where "
                   "that is meant",
                   first->local_size, first->host, first - members.data(), member.local_size,
                   member.host, &member - members.data())
          .with("argument", "launcher");
    }
  }
  return {};
}

const char* name_of(OperationKind kind) {
  return kind == OperationKind::kBarrier ? "barrier" : "all-gather";
}

net::Message encode(const Pool& pool, const JoinRequest& request) {
  Builder builder;
  const auto name = builder.CreateString(request.group);
  const auto member = write(builder, request.member);
  return pack(pool, builder, wire::Body::Join,
              wire::CreateJoin(builder, request.protocol, name, request.rank, request.world_size,
                               member, request.timeout_ms),
              {});
}

net::Message encode(const Pool& pool, const OperationRequest& request) {
  Builder builder;
  return pack(pool, builder, wire::Body::Operation,
              wire::CreateOperation(builder, request.number, static_cast<uint8_t>(request.kind),
                                    request.timeout_ms),
              std::span(&request.data, 1));
}

net::Message encode(const Pool& pool, const FunctionRequest& request) {
  Builder builder;
  const auto name = builder.CreateString(request.name);
  return pack(pool, builder, wire::Body::Function,
              wire::CreateFunction(builder, name, request.rank, request.part),
              std::span(&request.data, 1));
}

net::Message encode(const Pool& pool, std::span<const Member> members) {
  Builder builder;
  std::vector<flatbuffers::Offset<wire::Member>> written;
  written.reserve(members.size());
  for (const Member& member : members) {
    written.push_back(write(builder, member));
  }
  return pack(pool, builder, wire::Body::Joined,
              wire::CreateJoined(builder, builder.CreateVector(written)), {});
}

net::Message encode(const Pool& pool, std::span<const Bytes> items) {
  Builder builder;
  std::vector<uint64_t> sizes;
  sizes.reserve(items.size());
  for (const Bytes item : items) {
    sizes.push_back(item.size());
  }
  return pack(pool, builder, wire::Body::Gathered,
              wire::CreateGathered(builder, builder.CreateVector(sizes)), items);
}

Result<JoinRequest> decode_join(Bytes message) {
  const Unpacked unpacked = unpack(message);
  const auto* const body = unpacked.body<wire::Join>();
  if (body == nullptr || !unpacked.rest.empty()) {
    return malformed("a request to join a group");
  }
  return JoinRequest{body->protocol(),   clean(*body->group()), body->rank(),
                     body->world_size(), read(*body->member()), body->timeout_ms()};
}

Result<OperationRequest> decode_operation(Bytes message) {
  const Unpacked unpacked = unpack(message);
  const auto* const body = unpacked.body<wire::Operation>();
  if (body == nullptr || body->kind() > static_cast<uint8_t>(OperationKind::kGather)) {
    return malformed("a request for an operation");
  }
  return OperationRequest{body->number(), static_cast<OperationKind>(body->kind()),
                          body->timeout_ms(), unpacked.rest};
}

Result<FunctionRequest> decode_function(Bytes message) {
  const Unpacked unpacked = unpack(message);
  const auto* const body = unpacked.body<wire::Function>();
  if (body == nullptr) {
    return malformed("a call of a function");
  }
  return FunctionRequest{clean(*body->name()), body->rank(), body->part(), unpacked.rest};
}

Result<std::vector<Member>> decode_members(Bytes message) {
  const Unpacked unpacked = unpack(message);
  const auto* const body = unpacked.body<wire::Joined>();
  if (body == nullptr || !unpacked.rest.empty()) {
    return malformed("a list of members");
  }
  std::vector<Member> out;
  out.reserve(body->members()->size());
  for (const auto* const member : *body->members()) {
    out.push_back(read(*member));
  }
  return out;
}

Result<std::vector<Bytes>> decode_items(Bytes message) {
  const Unpacked unpacked = unpack(message);
  const auto* const body = unpacked.body<wire::Gathered>();
  if (body == nullptr) {
    return malformed("an answer to an all-gather");
  }
  Bytes rest = unpacked.rest;
  std::vector<Bytes> out;
  out.reserve(body->sizes()->size());
  for (const uint64_t size : cluster::numbers_in(*body->sizes())) {
    if (size > rest.size()) {
      return malformed("an answer to an all-gather");
    }
    out.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
  if (!rest.empty()) {
    return malformed("an answer to an all-gather");
  }
  return out;
}

net::Message make_reply(const Pool& pool, size_t bytes) {
  net::Message out(pool, kReplyHead + bytes);
  std::memset(out.data(), 0, kReplyHead);
  return out;
}

net::Message make_failure(const Pool& pool, const Status& status) {
  const net::Bytes failure = net::encode_failure(status);
  net::Message out = make_reply(pool, failure.size());
  out.data()[0] = std::byte{1};
  std::memcpy(out.data() + kReplyHead, failure.data(), failure.size());
  return out;
}

Result<Bytes> decode_reply(Bytes message, Status* failure) {
  if (message.size() < kReplyHead || message[0] > std::byte{1}) {
    return malformed("a reply");
  }
  const Bytes rest = message.subspan(kReplyHead);
  if (message[0] == std::byte{1}) {
    GLS_TRY(net::decode_failure(rest, failure));
    return Bytes();
  }
  return rest;
}

}  // namespace gls::group
