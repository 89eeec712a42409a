// Sends open files from one process to another on the same host. The receiver opens an inbox. It
// sends the inbox's address and a secret over an authenticated connection, and the sender delivers
// the files there. Inboxes are Unix sockets without a path, visible only within one network
// namespace.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "system/file_descriptor.h"

namespace gls::net {

struct InboxAddress {
  std::array<uint8_t, 16> place{};
  std::array<uint8_t, 32> secret{};  // any process on the host can list addresses
};

class DescriptorInbox {
 public:
  static Result<DescriptorInbox> open();

  const InboxAddress& address() const { return address_; }
  // Takes this many files that were sent earlier, without waiting. Files from senders that do not
  // know the secret are closed.
  Result<std::vector<FileDescriptor>> take(size_t count) const;

 private:
  InboxAddress address_;
  FileDescriptor listener_;
};

// Does not wait. GLS_ERR_NOT_FOUND: the inbox does not exist on this host.
Status send_descriptors(const InboxAddress& to, std::span<const FileDescriptor> files);

// Equal for two processes that can reach each other's inboxes; 0: unknown.
uint64_t host_number();

}  // namespace gls::net
