// Requests and replies between processes of a group: docs/decisions/0043. A message holds the
// length of a FlatBuffer (8 bytes), the FlatBuffer (group.fbs), and raw bytes from a multiple of 64
// on. Decoding verifies a message, and its result views the bytes.
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
inline constexpr size_t kMostName = 255;  // bytes in the name of a group, a process or a function
inline constexpr std::string_view kOwnNames = "gls.";  // prefix of the library's own functions

// Kinds of requests in frame headers. Never renumber.
enum class Kind : uint16_t { kJoin = 32, kOperation = 33, kFunction = 34 };

using Bytes = std::span<const std::byte>;
using Pool = std::shared_ptr<BufferPool>;

// A process of a group.
struct Member {
  std::string name;
  std::string host;
  std::string address;
  uint64_t process = 0;
  uint32_t local_size = 0;  // on its host, as the launcher sets it; 0: not set
};

// Checks the number of processes on each host, in the order of ranks. Where launchers set it, it
// must be the same on every host. Otherwise ranks computed from local ranks would be wrong on some
// hosts.
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

// These functions throw std::bad_alloc.
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

// A reply has a head of 64 bytes, then the result or an error of the function. Errors of the
// network come as error frames, so callers can tell both apart.
inline constexpr size_t kReplyHead = 64;
net::Message make_reply(const Pool& pool, size_t bytes);  // the caller writes from kReplyHead on
net::Message make_failure(const Pool& pool, const Status& status);
// Returns the result; `failure` receives an error that the function sent. The returned status
// reports whether the message is valid.
Result<Bytes> decode_reply(Bytes message, Status* failure);

}  // namespace gls::group
