// What processes of a group ask each other: docs/decisions/0043. A message is the length of a
// FlatBuffer (8 bytes), the FlatBuffer (group.fbs) and, from a multiple of 64 on, raw bytes. What
// was decoded was verified, and views the bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "net/core/message.h"
#include "system/memory.h"

namespace gls::group {

inline constexpr uint32_t kProtocol = 1;
inline constexpr size_t kMostName = 255;               // bytes, of a group, a process or a function
inline constexpr std::string_view kOwnNames = "gls.";  // of functions that are the library's

// Of requests, in their frames. Never renumber.
enum class Kind : uint16_t { kJoin = 32, kOperation = 33, kFunction = 34 };

using Bytes = std::span<const std::byte>;
using Pool = std::shared_ptr<BufferPool>;

// A process of a group.
struct Member {
  std::string name;
  std::string host;
  std::string address;
  uint64_t process = 0;
  uint32_t local_size = 0;  // on its host, as its launcher says; 0: it does not
};

// Where launchers say how many processes each host has, it is the same everywhere: else what is
// made of a local rank and that number is wrong on some. By rank.
Status check_even(std::span<const Member> members);

struct JoinRequest {
  uint32_t protocol = kProtocol;
  std::string group;
  uint32_t rank = 0;
  uint32_t world_size = 0;
  Member member;
  int64_t timeout_ms = -1;
};

enum class OperationKind : uint8_t { kBarrier = 0, kGather = 1 };
const char* name_of(OperationKind kind);  // "barrier"

struct OperationRequest {
  uint64_t number = 0;
  OperationKind kind = OperationKind::kBarrier;
  int64_t timeout_ms = -1;
  Bytes data;
};

struct FunctionRequest {
  std::string name;
  int64_t rank = -1;
  int64_t part = -1;
  Bytes data;
};

// They throw std::bad_alloc.
net::Message encode(const Pool& pool, const JoinRequest& request);
net::Message encode(const Pool& pool, const OperationRequest& request);
net::Message encode(const Pool& pool, const FunctionRequest& request);
net::Message encode(const Pool& pool, std::span<const Member> members);
net::Message encode(const Pool& pool, std::span<const Bytes> items);

Result<JoinRequest> decode_join(Bytes message);
Result<OperationRequest> decode_operation(Bytes message);
Result<FunctionRequest> decode_function(Bytes message);
Result<std::vector<Member>> decode_members(Bytes message);
Result<std::vector<Bytes>> decode_items(Bytes message);

// Replies are 64 bytes and then what was answered, bytes or an error: errors of the network come as
// such, and so the two are told from each other.
inline constexpr size_t kReplyHead = 64;
net::Message make_reply(const Pool& pool, size_t bytes);  // to be written from kReplyHead on
net::Message make_failure(const Pool& pool, const Status& status);
// The bytes; an error that was sent, in `failure`. The status returned is about the message.
Result<Bytes> decode_reply(Bytes message, Status* failure);

}  // namespace gls::group
