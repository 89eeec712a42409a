// Bounds of an endpoint. All are finite: what a peer does costs no more than this.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace gls::net {

struct Limits {
  uint32_t max_message_bytes = uint32_t{1} << 30;  // of one request or reply
  // Requests of one connection that have no answer yet, in each direction. A caller waits for room;
  // a peer that sends more has its connection closed.
  uint32_t max_calls = 1024;
  uint64_t max_call_bytes = uint64_t{64} << 20;  // one longer request may be alone
  // While so many bytes wait to be sent on a connection, no further handler begins for it.
  uint64_t max_queued_bytes = uint64_t{64} << 20;
  // While more waits on all connections of an endpoint together, one with more than its share of
  // this gets no further handler, and each other one at a time.
  uint64_t max_all_queued_bytes = uint64_t{4} << 30;
  uint32_t max_running = 8;  // handlers of one connection at once
  uint32_t heartbeat_ms = 1000;
  uint32_t peer_timeout_ms = 5000;  // of silence; then the peer is lost
  uint32_t handshake_timeout_ms = 5000;
  uint32_t max_pending = 128;  // connections that have not greeted; beyond it the oldest goes
  uint32_t max_connections = 16384;
  uint32_t backoff_min_ms = 50;  // between attempts to connect again
  uint32_t backoff_max_ms = 2000;
};

Status check(const Limits& limits);

}  // namespace gls::net
