// Which transport an endpoint uses, and how it is protected.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "net/connection/data_channel.h"
#include "net/connection/self_channel.h"
#include "net/connection/self_transport.h"
#include "net/core/stream.h"

namespace gls::net {

// One of these, and only one: a key that both sides have, certificates, or nothing because that was
// asked for.
struct Security {
  bool plain = false;
  std::string psk_file;  // the key: raw bytes, hexadecimal or base64, at least 32 bytes of it
  std::string psk_env;   // name of an environment variable that has it, in hexadecimal or base64
  std::string certificate_file;  // PEM: our own, then what signed it
  std::string key_file;
  std::string ca_file;        // who signs those of peers
  std::string expected_name;  // of a server's certificate; empty: the host; "*": any
};

// What requests and replies go over, if not over the stream.
struct DataOptions {
  std::string name = "tcp";  // the stream; or "ucx", "ofi"; or "self": within this process
  std::string devices;       // of ucx, ofi: interfaces, with commas between; not empty
  std::string transports;    // of ucx, ofi; empty: those for networks
  std::shared_ptr<SelfLaneFaults> faults;  // of self
  OneSided one_sided = OneSided::kOff;
  DeviceMemory device_memory = DeviceMemory::kOff;
};

struct TransportOptions {
  std::string name = "tcp";  // or "self": within this process
  Security security;         // of tcp
  uint32_t io_threads = 1;
  std::shared_ptr<SelfFaults> faults;  // of self
  DataOptions data;
};

struct DestroyTransport {
  void operator()(StreamTransport* transport) const { transport->destroy(); }
};
using TransportPtr = std::unique_ptr<StreamTransport, DestroyTransport>;

struct DestroyLanes {
  void operator()(LaneTransport* lanes) const { lanes->destroy(); }
};
using LanesPtr = std::unique_ptr<LaneTransport, DestroyLanes>;

// Null: data go over the stream.
Result<LanesPtr> make_lanes(const TransportOptions& options);
// What a greeting says of them; `lanes` may be null.
std::string lane_name(const DataOptions& data, const LaneTransport* lanes);

Result<TransportPtr> make_transport(const TransportOptions& options, uint32_t user_timeout_ms);

// "host:port", "[address]:port". An error names `argument`.
Result<std::pair<std::string, std::string>> split_address(const std::string& address,
                                                          const char* argument);
// The host of an address, with its brackets.
std::string host_of(const std::string& address);
// Whether it is that of every interface, of who listens there.
bool is_wildcard(const std::string& host);

}  // namespace gls::net
