#include "cluster/wire/remote_memory_messages.h"

#include <utility>

#include "cluster/wire/envelope.h"
#include "net/connection/data_channel.h"

namespace gls::cluster {
namespace {

constexpr size_t kMostWindows = size_t{1} << 16;
constexpr size_t kMostColumnName = 4096;

}  // namespace

net::Message encode(const Pool& pool, const RemoteMemoryRequest& request) {
  flatbuffers::FlatBufferBuilder builder;
  return pack(pool, builder, wire::CreateRemoteMemoryRequest(builder, request.graph, request.part),
              {})
      .message;
}

Result<RemoteMemoryRequest> decode_windows_request(Bytes bytes) {
  const Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::RemoteMemoryRequest>();
  if (body == nullptr) {
    return malformed("a request for windows");
  }
  GLS_TRY(unpacker.finish());
  return RemoteMemoryRequest{body->graph(), body->part()};
}

net::Message encode_windows(const Pool& pool, const std::vector<RemoteMemoryWindow>& windows) {
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<wire::RemoteMemoryWindow>> list;
  list.reserve(windows.size());
  for (const RemoteMemoryWindow& window : windows) {
    const auto column = builder.CreateString(window.column);
    const auto dtype = builder.CreateString(dtype_name(window.dtype));
    const auto key = builder.CreateVector(reinterpret_cast<const uint8_t*>(window.key->data()),
                                          window.key->size());
    list.push_back(wire::CreateRemoteMemoryWindow(
        builder, window.of_nodes, static_cast<uint32_t>(window.type), column, dtype,
        window.row_bytes, window.rows, window.address, key, window.row_stride));
  }
  return pack(pool, builder, wire::CreateWindows(builder, builder.CreateVector(list)), {}).message;
}

Result<std::vector<RemoteMemoryWindow>> decode_windows(Bytes bytes) {
  const Unpacker unpacker(bytes);
  const auto* const body = unpacker.body<wire::Windows>();
  if (body == nullptr || body->windows()->size() > kMostWindows) {
    return malformed("a list of windows");
  }
  GLS_TRY(unpacker.finish());
  std::vector<RemoteMemoryWindow> out;
  out.reserve(body->windows()->size());
  for (const auto* window : *body->windows()) {
    if (window->column()->size() > kMostColumnName || window->key()->size() == 0 ||
        window->key()->size() > net::kMostChannelKey) {
      return malformed("a window");
    }
    GLS_ASSIGN(const DLDataType dtype, parse_dtype(window->dtype()->string_view()));
    const auto* const key = reinterpret_cast<const std::byte*>(window->key()->data());
    out.push_back({window->of_nodes(), window->type(), window->column()->str(), dtype,
                   window->row_bytes(), window->rows(), window->address(),
                   std::make_shared<const net::Bytes>(key, key + window->key()->size()),
                   window->row_stride()});
  }
  return out;
}

}  // namespace gls::cluster
