#include "net/connection/settings.h"

#include <algorithm>
#include <cstdlib>

#include "system/cpu.h"

namespace gls::net {

Result<TransportOptions> transport_options(const Settings& settings) {
  TransportOptions out;
  out.io_threads = static_cast<uint32_t>(
      std::min<int64_t>(settings.integer(Setting::kNetIoThreads), UINT32_MAX));
  constexpr const char* kData[] = {"tcp", "ucx", "ofi"};  // in the order of the setting
  out.data.name = kData[settings.choice(Setting::kNetData)];
  out.data.devices = settings.text(Setting::kNetDataDevices);
  out.data.transports = settings.text(Setting::kNetDataTransports);
  constexpr OneSided kOneSided[] = {OneSided::kAuto, OneSided::kOff, OneSided::kOn};
  out.data.one_sided = kOneSided[settings.choice(Setting::kNetOneSided)];
  constexpr DeviceMemory kDeviceMemory[] = {DeviceMemory::kAuto, DeviceMemory::kOff,
                                            DeviceMemory::kOn};
  out.data.device_memory = kDeviceMemory[settings.choice(Setting::kNetDeviceMemory)];
  Security& security = out.security;
  security.plain = settings.flag(Setting::kNetPlain);
  security.psk_file = settings.text(Setting::kNetKeyFile);
  security.certificate_file = settings.text(Setting::kNetCertificateFile);
  security.key_file = settings.text(Setting::kNetCertificateKeyFile);
  security.ca_file = settings.text(Setting::kNetCaFile);
  security.expected_name = settings.text(Setting::kNetCertificateName);
  const bool chosen = security.plain || !security.psk_file.empty() ||
                      !security.certificate_file.empty() || !security.key_file.empty() ||
                      !security.ca_file.empty();
  if (chosen) {
    return out;
  }
  const std::string variable = settings.text(Setting::kNetKeyVariable);
  const char* const key = variable.empty() ? nullptr : std::getenv(variable.c_str());
  if (key == nullptr || *key == '\0') {
    return invalid(
               "nothing protects connections: set net.key_file (GLS_NET_KEY_FILE) to the file of a "
               "key, or {} to a key, or net.certificate_file and those with it; or net.plain "
               "(GLS_NET_PLAIN) to true where the network is protected otherwise",
               variable.empty() ? "net.key_variable" : variable)
        .with("argument", "net.key_file");
  }
  security.psk_env = variable;
  return out;
}

Limits limits(const Settings& settings) {
  Limits out;
  out.peer_timeout_ms = static_cast<uint32_t>(
      std::min<int64_t>(settings.integer(Setting::kNetPeerTimeout), UINT32_MAX));
  out.max_connections = static_cast<uint32_t>(
      std::min<int64_t>(settings.integer(Setting::kNetMaxConnections), UINT32_MAX));
  out.max_all_queued_bytes =
      std::clamp(usable_memory() / 4, out.max_queued_bytes, out.max_all_queued_bytes);
  // Several heartbeats must be missed before a peer counts as lost.
  out.heartbeat_ms = std::clamp<uint32_t>(out.peer_timeout_ms / 5, 1, out.heartbeat_ms);
  return out;
}

}  // namespace gls::net
