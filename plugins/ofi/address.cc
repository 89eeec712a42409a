#include "plugins/ofi/address.h"

#include <algorithm>
#include <cstring>

#include "plugins/ofi/packet.h"

namespace gls::net {
namespace {

std::string provider_of(const OfiAddress& address) {
  return {address.provider.data(), ::strnlen(address.provider.data(), address.provider.size())};
}

// Makes text fit for logs and errors: one printable line.
std::string shown(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

}  // namespace

std::string read_address(std::span<const std::byte> bytes, std::span<const std::byte> local,
                         OfiAddress* remote) {
  if (bytes.size() <= sizeof *remote) {
    return "the address of the other side is too short";
  }
  OfiAddress own;
  std::memcpy(remote, bytes.data(), sizeof *remote);
  std::memcpy(&own, local.data(), sizeof own);
  if (remote->wire != kOfiWire) {
    return "the other side's channels have version " + std::to_string(remote->wire) +
           ", expected " + std::to_string(kOfiWire);
  }
  const std::string provider = provider_of(*remote);
  if (provider != provider_of(own)) {
    return "the other side's provider is \"" + shown(provider) + "\", expected \"" +
           provider_of(own) + "\"; say which in net.data_transports";
  }
  // libfabric reads as many bytes as names in this format have.
  const auto name = bytes.subspan(sizeof *remote);
  const auto own_name = local.subspan(sizeof own);
  if (remote->format != own.format || name.size() != own_name.size()) {
    return "the other side has addresses of another kind: IPv4 and IPv6, for instance";
  }
  if (remote->most_piece < kPacketBytes) {
    return "the address of the other side is damaged";
  }
  return {};
}

}  // namespace gls::net
