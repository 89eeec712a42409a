#include "net/connection/transport.h"

#include <charconv>

namespace gls::net {
namespace {

Status check(const Security& security) {
  const bool certificates =
      !security.certificate_file.empty() || !security.key_file.empty() || !security.ca_file.empty();
  const int kinds = int{security.plain} + int{!security.psk_file.empty()} +
                    int{!security.psk_env.empty()} + int{certificates};
  if (kinds != 1) {
    return invalid(
               "security: {} of plain, a key in a file, a key in the environment, and certificates "
               "were "
               "given, expected exactly one",
               kinds)
        .with("argument", "security");
  }
  if (certificates && (security.certificate_file.empty() || security.key_file.empty() ||
                       security.ca_file.empty())) {
    return invalid("security: certificates need all of certificate_file, key_file and ca_file")
        .with("argument", "security");
  }
  return {};
}

}  // namespace

Result<TransportPtr> make_transport(const TransportOptions& options, uint32_t user_timeout_ms) {
  constexpr uint32_t kMostThreads = 64;
  if (options.io_threads == 0 || options.io_threads > kMostThreads) {
    return invalid("io_threads is {}, expected 1 to {}", options.io_threads, kMostThreads)
        .with("argument", "io_threads");
  }
  if (options.make) {
    return TransportPtr(options.make());
  }
  const Security& security = options.security;
  GLS_TRY(check(security));
  GLS_ASSIGN(const PluginHeader* const header, load_plugin("tcp", kStreamPluginVersion));
  StreamOptions plain{};
  plain.io_threads = options.io_threads;
  plain.user_timeout_ms = user_timeout_ms;
  plain.plain = security.plain;
  plain.psk_file = security.psk_file.c_str();
  plain.psk_env = security.psk_env.c_str();
  plain.certificate_file = security.certificate_file.c_str();
  plain.key_file = security.key_file.c_str();
  plain.ca_file = security.ca_file.c_str();
  plain.expected_name = security.expected_name.c_str();
  StreamError failure;
  const auto* const plugin = reinterpret_cast<const StreamPlugin*>(header);
  TransportPtr transport(plugin->create(&plain, &failure));
  if (transport == nullptr) {
    return Status(failure.code, failure.text).with("argument", "security");
  }
  return transport;
}

Result<ChannelsPtr> make_channels(const TransportOptions& options) {
  const DataOptions& data = options.data;
  if (data.name == "tcp" && data.one_sided == OneSided::kOn) {
    return invalid("net.one_sided is on, and net.data is tcp: connections read no memory")
        .with("argument", "net.one_sided");
  }
  if (data.name == "tcp") {
    return ChannelsPtr();
  }
  if (data.make) {
    return ChannelsPtr(data.make(data));
  }
  if (data.name != "ucx" && data.name != "ofi") {
    return invalid("data go over \"{}\", expected \"tcp\", \"ucx\" or \"ofi\"", data.name)
        .with("argument", "net.data");
  }
  const bool ucx = data.name == "ucx";
  if (data.devices.empty()) {
    return invalid(
               "net.data is {}, and net.data_devices (GLS_NET_DATA_DEVICES) does not say on which "
               "interfaces, as \"eth1\" or \"mlx5_0{}\": {} opens ports that nothing protects",
               data.name, ucx ? ":1" : "", ucx ? "UCX" : "libfabric")
        .with("argument", "net.data_devices");
  }
  GLS_ASSIGN(const PluginHeader* const header, load_plugin(data.name, kChannelPluginVersion));
  ChannelOptions plain{};
  plain.io_threads = options.io_threads;
  plain.devices = data.devices.c_str();
  plain.transports = data.transports.c_str();
  plain.one_sided = data.one_sided;
  plain.device_memory = data.device_memory;
  StreamError failure;
  const auto* const plugin = reinterpret_cast<const ChannelPlugin*>(header);
  ChannelsPtr channels(plugin->create(&plain, &failure));
  if (channels == nullptr) {
    return Status(failure.code, failure.text).with("argument", "net.data");
  }
  return channels;
}

std::string channel_name(const DataOptions& data, const ChannelTransport* channels) {
  return channels == nullptr ? ""
                             : formatted("{}/{}{}", data.name, kChannelPluginVersion,
                                         channels->reads() ? " with one-sided reads" : "");
}

Result<std::pair<std::string, std::string>> split_address(const std::string& address,
                                                          const char* argument) {
  const size_t colon = address.rfind(':');
  unsigned port = 0;
  std::string host = address.substr(0, colon == std::string::npos ? 0 : colon);
  bool good = !host.empty() && colon + 1 < address.size();
  if (good) {
    const char* const end = address.data() + address.size();
    const auto [at, failure] = std::from_chars(address.data() + colon + 1, end, port);
    good = failure == std::errc() && at == end && port <= 65535;
  }
  if (good && host.front() == '[') {
    good = host.size() > 2 && host.back() == ']';
    host = good ? host.substr(1, host.size() - 2) : host;
  } else if (good) {
    good = host.find(':') == std::string::npos;
  }
  if (!good) {
    return invalid("{} is \"{}\", expected \"host:port\" with a port of 0 to 65535", argument,
                   address)
        .with("argument", argument);
  }
  return std::pair(std::move(host), std::to_string(port));
}

std::string host_of(const std::string& address) { return address.substr(0, address.rfind(':')); }

bool is_wildcard(const std::string& host) {
  return host == "0.0.0.0" || host == "[::]" || host == "*";
}

}  // namespace gls::net
