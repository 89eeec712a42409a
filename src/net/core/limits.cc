#include "net/core/limits.h"

namespace gls::net {

Status check(const Limits& limits) {
  const auto range = [](const char* name, uint64_t value, uint64_t least, uint64_t most) -> Status {
    if (value < least || value > most) {
      return invalid("{} is {}, expected {} to {}", name, value, least, most)
          .with("argument", name);
    }
    return {};
  };
  constexpr uint64_t kMostMs = uint64_t{3600} * 1000;
  GLS_TRY(range("max_message_bytes", limits.max_message_bytes, 4096, UINT32_MAX));
  GLS_TRY(range("max_calls", limits.max_calls, 1, 1 << 20));
  GLS_TRY(range("max_call_bytes", limits.max_call_bytes, 4096, uint64_t{1} << 40));
  GLS_TRY(range("max_queued_bytes", limits.max_queued_bytes, 4096, uint64_t{1} << 40));
  GLS_TRY(range("max_all_queued_bytes", limits.max_all_queued_bytes, 4096, uint64_t{1} << 50));
  GLS_TRY(range("max_running", limits.max_running, 1, 1 << 16));
  GLS_TRY(range("heartbeat_ms", limits.heartbeat_ms, 1, kMostMs));
  GLS_TRY(
      range("peer_timeout_ms", limits.peer_timeout_ms, 2 * uint64_t{limits.heartbeat_ms}, kMostMs));
  GLS_TRY(range("handshake_timeout_ms", limits.handshake_timeout_ms, 1, kMostMs));
  GLS_TRY(range("max_pending", limits.max_pending, 1, 1 << 16));
  GLS_TRY(range("max_connections", limits.max_connections, 1, 1 << 20));
  GLS_TRY(range("backoff_min_ms", limits.backoff_min_ms, 1, kMostMs));
  return range("backoff_max_ms", limits.backoff_max_ms, limits.backoff_min_ms, kMostMs);
}

}  // namespace gls::net
