// A server's description of columns that clients can read from its memory: docs/decisions/0049.
// Decoding verifies a message against its bytes. The code that uses it checks that it fits the
// graph.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/wire/messages.h"
#include "net/connection/control.h"
#include "tensor/dtype.h"

namespace gls::cluster {

struct RemoteMemoryRequest {
  uint64_t graph = 0;
  uint32_t part = 0;
};

// Consecutive rows of a column, `row_stride` bytes apart.
struct RemoteMemoryWindow {
  bool of_nodes = true;
  size_t type = 0;
  std::string column;
  DLDataType dtype{};
  uint64_t row_bytes = 0;
  uint64_t rows = 0;
  uint64_t address = 0;  // in the server's address space
  std::shared_ptr<const net::Bytes> key;
  uint64_t row_stride = 0;
};

net::Message encode(const Pool& pool, const RemoteMemoryRequest& request);
Result<RemoteMemoryRequest> decode_windows_request(Bytes bytes);
net::Message encode_windows(const Pool& pool, const std::vector<RemoteMemoryWindow>& windows);
Result<std::vector<RemoteMemoryWindow>> decode_windows(Bytes bytes);

}  // namespace gls::cluster
