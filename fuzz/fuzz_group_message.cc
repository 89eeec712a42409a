// Messages between processes of a group: any bytes, messages built from the input, and those with
// some bytes changed. A decoded message is encoded again, and then decodes to the same.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "cluster/wire/group_messages.h"
#include "input.h"

namespace {

using namespace gls;
using namespace gls::group;
using net::Message;

const Pool& pool() { return fuzz::shared_context()->buffers(); }

bool same(Bytes a, Bytes b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

bool same(const Member& a, const Member& b) {
  return a.name == b.name && a.host == b.host && a.address == b.address && a.process == b.process;
}

bool same(const JoinRequest& a, const JoinRequest& b) {
  return a.protocol == b.protocol && a.group == b.group && a.rank == b.rank &&
         a.world_size == b.world_size && same(a.member, b.member) && a.timeout_ms == b.timeout_ms;
}

bool same(const OperationRequest& a, const OperationRequest& b) {
  return a.number == b.number && a.kind == b.kind && a.timeout_ms == b.timeout_ms &&
         same(a.data, b.data);
}

bool same(const FunctionRequest& a, const FunctionRequest& b) {
  return a.name == b.name && a.rank == b.rank && a.part == b.part && same(a.data, b.data);
}

template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return same(x, y); });
}

// It appears in logs and errors.
bool shown(const std::string& text) {
  return text.size() <= kMostName && std::all_of(text.begin(), text.end(), [](char c) {
           const auto value = static_cast<unsigned char>(c);
           return value >= 0x20 && value != 0x7f;
         });
}
bool shown(const Member& member) {
  return shown(member.name) && shown(member.host) && shown(member.address);
}

// The result of `decode`.
template <typename Decode>
auto read_one(Bytes bytes, Decode decode) {
  auto read = decode(bytes);
  if (!read.ok()) {
    fuzz::claim_error(read.status());
    return read;
  }
  const Message message = encode(pool(), *read);
  const auto again = decode(message.bytes());
  CLAIM(again.ok() && same(*read, *again));
  return read;
}

bool read_reply(Bytes bytes) {
  Status failure;
  auto reply = decode_reply(bytes, &failure);
  if (!reply.ok()) {
    fuzz::claim_error(reply.status());
    return false;
  }
  Status failure_again;
  if (!failure.ok()) {
    CLAIM(failure.code() < 0 && reply->empty());
    const Message message = make_failure(pool(), failure);
    CLAIM(decode_reply(message.bytes(), &failure_again).ok());
    CLAIM(failure_again.code() == failure.code() && failure_again.message() == failure.message());
    return true;
  }
  const Message message = make_reply(pool(), reply->size());
  if (!reply->empty()) {
    std::memcpy(message.data() + kReplyHead, reply->data(), reply->size());
  }
  const auto again = decode_reply(message.bytes(), &failure_again);
  CLAIM(again.ok() && failure_again.ok() && same(*reply, *again));
  return true;
}

// Tries every decoder. A message has one meaning only, except replies, which have their own format.
void read(Bytes bytes) {
  int read = 0;
  if (const auto join = read_one(bytes, decode_join); join.ok()) {
    ++read;
    CLAIM(shown(join->group) && shown(join->member));
  }
  if (read_one(bytes, decode_operation).ok()) {
    ++read;
  }
  if (const auto function = read_one(bytes, decode_function); function.ok()) {
    ++read;
    CLAIM(shown(function->name));
  }
  if (const auto members = read_one(bytes, decode_members); members.ok()) {
    ++read;
    CLAIM(std::all_of(members->begin(), members->end(), [](const Member& m) { return shown(m); }));
  }
  if (read_one(bytes, decode_items).ok()) {
    ++read;
  }
  CLAIM(read <= 1);
  read_reply(bytes);
}

// In the alignment of the network, and in one that FlatBuffers cannot read.
void read_anywhere(Bytes bytes, bool aligned) {
  const size_t skip = aligned ? 0 : 1;
  const Message message(pool(), skip + bytes.size());
  const auto to = message.bytes().subspan(skip);
  std::copy(bytes.begin(), bytes.end(), to.begin());
  read(to);
}

// ---- messages built from the input ----

std::string text(fuzz::Input& input) {
  std::string out(input.bytes(input.below(16)));
  if (input.below(16) == 0) {
    out.resize(out.size() + 2 * input.number(1), 'x');
  }
  return out;
}

Member member(fuzz::Input& input) {
  Member out;
  out.name = text(input);
  out.host = text(input);
  out.address = text(input);
  out.process = input.number(8);
  return out;
}

Bytes data(fuzz::Input& input) { return std::as_bytes(std::span(input.piece())); }

Message make(fuzz::Input& input) {
  switch (input.below(7)) {
    case 0: {
      JoinRequest request;
      request.protocol = input.byte();
      request.group = text(input);
      request.rank = input.byte();
      request.world_size = input.byte();
      request.member = member(input);
      request.timeout_ms = static_cast<int64_t>(input.number(8));
      return encode(pool(), request);
    }
    case 1: {
      OperationRequest request;
      request.number = input.number(8);
      request.kind = static_cast<OperationKind>(input.below(2));
      request.timeout_ms = static_cast<int64_t>(input.number(2)) - 1;
      request.data = data(input);
      return encode(pool(), request);
    }
    case 2: {
      FunctionRequest request;
      request.name = text(input);
      request.rank = static_cast<int64_t>(input.number(1)) - 1;
      request.part = static_cast<int64_t>(input.number(1)) - 1;
      request.data = data(input);
      return encode(pool(), request);
    }
    case 3: {
      std::vector<Member> members(input.below(5));
      for (Member& one : members) {
        one = member(input);
      }
      return encode(pool(), members);
    }
    case 4: {
      std::vector<Bytes> items(input.below(5));
      for (Bytes& item : items) {
        item = data(input);
      }
      return encode(pool(), items);
    }
    case 5:
      return make_failure(pool(),
                          Status(-1 - static_cast<gls_status_t>(input.below(8)), text(input)));
    default: {
      const Bytes bytes = data(input);
      Message out = make_reply(pool(), bytes.size());
      std::copy(bytes.begin(), bytes.end(), out.data() + kReplyHead);
      return out;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  const uint8_t how = input.byte();
  if (how % 2 == 0) {
    read_anywhere(std::as_bytes(std::span(input.rest())), how % 8 != 6);
    return 0;
  }
  const Message message = make(input);
  read(message.bytes());
  while (!input.empty()) {
    message.bytes()[input.number(2) % message.size()] = static_cast<std::byte>(input.byte());
  }
  read(message.bytes());
  return 0;
}
