#include "cluster/wire/envelope.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace gls::cluster {
namespace {

static_assert(std::endian::native == std::endian::little, "arrays are sent as they are");

constexpr size_t kArrayAlignment = 64;
constexpr size_t kPrefix = 8;
constexpr uint64_t kMostHeaderBytes = uint64_t{64} << 20;
constexpr uint32_t kMostDepth = 8;
constexpr uint32_t kMostTables = 1 << 17;  // enough for a server of each of the most parts

size_t aligned(size_t at) { return (at + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment; }

bool all_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

Packed pack_finished(const std::shared_ptr<BufferPool>& pool,
                     const flatbuffers::FlatBufferBuilder& builder,
                     std::span<const uint64_t> arrays) {
  const uint32_t length = builder.GetSize();
  size_t size = kPrefix + length;
  for (const uint64_t bytes : arrays) {
    size = aligned(size) + bytes;
  }
  Packed out{net::Message(pool, size), {}};
  std::byte* const data = out.message.data();
  if (data == nullptr) {
    return out;  // impossible: a message has a header
  }
  const uint64_t prefix = length;
  std::memcpy(data, &prefix, kPrefix);
  std::memcpy(data + kPrefix, builder.GetBufferPointer(), length);
  size_t at = kPrefix + length;
  for (const uint64_t bytes : arrays) {
    const size_t begin = aligned(at);
    std::memset(data + at, 0, begin - at);
    out.arrays.push_back(data + begin);
    at = begin + bytes;
  }
  return out;
}

Unpacker::Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {
  uint64_t length = 0;  // includes the zeros that follow, so that they are checked, too
  if (bytes.size() <= kPrefix) {
    return;
  }
  std::memcpy(&length, bytes.data(), kPrefix);
  if (length > std::min<uint64_t>(bytes.size() - kPrefix, kMostHeaderBytes) ||
      reinterpret_cast<uintptr_t>(bytes.data()) % kPrefix != 0) {
    return;
  }
  const auto* const header = reinterpret_cast<const uint8_t*>(bytes.data()) + kPrefix;
  flatbuffers::Verifier verifier(header, length, kMostDepth, kMostTables);
  if (length >= 8 && wire::VerifyEnvelopeBuffer(verifier)) {
    envelope_ = wire::GetEnvelope(header);
    at_ = kPrefix + length;
  }
}

Status Unpacker::take(uint64_t count, uint64_t width, const std::byte** data) {
  const size_t begin = aligned(at_);
  if (begin > bytes_.size() || (width > 0 && count > (bytes_.size() - begin) / width)) {
    return corrupt("an array of {} elements of {} bytes does not fit into the {} bytes sent", count,
                   width, bytes_.size());
  }
  if (!all_zero(bytes_.subspan(at_, begin - at_))) {
    return corrupt("what lies between arrays is not zero");
  }
  *data = bytes_.data() + begin;
  at_ = begin + count * width;
  return {};
}

Status Unpacker::take(uint64_t count, bool wide, IdSpan* ids) {
  const std::byte* data = nullptr;
  GLS_TRY(take(count, uint64_t{wide ? 8U : 4U}, &data));
  *ids = IdSpan(data, wide, static_cast<int64_t>(count));
  return {};
}

Status Unpacker::finish() const {
  if (at_ != bytes_.size()) {
    return corrupt("{} bytes were sent, expected {}", bytes_.size(), at_);
  }
  return {};
}

Status malformed(const char* what) { return corrupt("{} is not well-formed", what); }

}  // namespace gls::cluster
