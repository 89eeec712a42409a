// Limits of an endpoint. All are finite, so they bound what any peer can cost.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace gls::net {

struct Limits {
  uint32_t max_message_bytes = uint32_t{1} << 30;  // of one request or reply
  // Requests of one connection without a reply, in each direction. A caller waits for room; a peer
  // that sends more is disconnected.
  uint32_t max_calls = 1024;
  uint64_t max_call_bytes = uint64_t{64} << 20;  // a single longer request is allowed
  // While this many bytes wait to be sent on a connection, no further handler starts for it.
  uint64_t max_queued_bytes = uint64_t{64} << 20;
  // While more bytes wait on all connections of an endpoint together, scheduling is restricted. A
  // connection with more than its share of bytes starts no handler; each other connection runs one
  // at a time.
  uint64_t max_all_queued_bytes = uint64_t{4} << 30;
  uint32_t max_running = 8;  // handlers of one connection at the same time
  uint32_t heartbeat_ms = 1000;
  uint32_t peer_timeout_ms = 5000;  // of silence, after which the peer counts as lost
  uint32_t handshake_timeout_ms = 5000;
  // Connections before their greeting; beyond the limit, the oldest is closed.
  uint32_t max_pending = 128;
  uint32_t max_connections = 16384;
  uint32_t backoff_min_ms = 50;  // between attempts to reconnect
  uint32_t backoff_max_ms = 2000;
};

Status check(const Limits& limits);

}  // namespace gls::net
