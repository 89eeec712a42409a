// Open files, from one process to another on the same host. Who wants them opens an inbox, and says
// where it is and a secret over a connection that is authenticated; who has them sends them there.
// Inboxes are Unix sockets without a path: they are found only within one network namespace.
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
  std::array<uint8_t, 32> secret{};  // places can be listed by anybody on the host
};

class DescriptorInbox {
 public:
  static Result<DescriptorInbox> open();

  const InboxAddress& address() const { return address_; }
  // So many files that were sent here before; nothing is waited for. What came from those who do
  // not know the secret is closed.
  Result<std::vector<FileDescriptor>> take(size_t count) const;

 private:
  InboxAddress address_;
  FileDescriptor listener_;
};

// Waits for nobody. GLS_ERR_NOT_FOUND: there is no such inbox on this host.
Status send_descriptors(const InboxAddress& to, std::span<const FileDescriptor> files);

// The same for two processes that can reach each other's inboxes; 0: that cannot be told.
uint64_t host_number();

}  // namespace gls::net
