// Chooses the transport of an endpoint and its protection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "net/connection/data_channel.h"
#include "net/core/stream.h"

namespace gls::net {

// Exactly one of these: a key that both sides have, certificates, or no protection by explicit
// request.
struct Security {
  bool plain = false;
  std::string psk_file;  // the key as raw bytes, hexadecimal or base64; at least 32 bytes
  std::string psk_env;   // name of the environment variable that holds it, in hexadecimal or base64
  std::string certificate_file;  // PEM: the certificate of this side, then the ones that signed it
  std::string key_file;
  std::string ca_file;  // the authority that signs certificates of peers
  // Required name in a server's certificate; empty: the host; "*": any name.
  std::string expected_name;
};

// The data channel that carries requests and replies, if they do not use the stream.
struct DataOptions {
  std::string name = "tcp";  // the stream; or "ucx", "ofi"
  std::string devices;       // for ucx, ofi: interfaces, separated by commas; not empty
  std::string transports;    // for ucx, ofi; empty: the network transports
  OneSided one_sided = OneSided::kOff;
  DeviceMemory device_memory = DeviceMemory::kOff;
  // Makes the data channels instead of the plugin `name`: a test has its own.
  std::function<ChannelTransport*(const DataOptions&)> make;
};

struct TransportOptions {
  Security security;
  uint32_t io_threads = 1;
  DataOptions data;
  // Makes the transport instead of the plugin "tcp": a test has its own.
  std::function<StreamTransport*()> make;
};

struct DestroyTransport {
  void operator()(StreamTransport* transport) const { transport->destroy(); }
};
using TransportPtr = std::unique_ptr<StreamTransport, DestroyTransport>;

struct DestroyChannels {
  void operator()(ChannelTransport* channels) const { channels->destroy(); }
};
using ChannelsPtr = std::unique_ptr<ChannelTransport, DestroyChannels>;

// Null: payloads go over the stream.
Result<ChannelsPtr> make_channels(const TransportOptions& options);
// What a greeting states about the channels; `channels` may be null.
std::string channel_name(const DataOptions& data, const ChannelTransport* channels);

Result<TransportPtr> make_transport(const TransportOptions& options, uint32_t user_timeout_ms);

// Splits "host:port" or "[address]:port". An error names `argument`.
Result<std::pair<std::string, std::string>> split_address(const std::string& address,
                                                          const char* argument);
// The host of an address, including its brackets.
std::string host_of(const std::string& address);
// Whether the host stands for every interface of a listening process.
bool is_wildcard(const std::string& host);

}  // namespace gls::net
