#include "net/core/frame.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/checksum.h"

namespace gls::net {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kHashed = 16;

template <typename T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

template <typename T>
T get(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The error for a peer that uses another protocol. `bytes` has at least two bytes, of which one
// differs from the preamble.
Status not_a_preamble(std::span<const std::byte> bytes) {
  const auto at = [&](size_t i) { return std::to_integer<unsigned>(bytes[i]); };
  constexpr unsigned kTlsHandshake = 0x16;
  constexpr unsigned kTlsAlert = 0x15;
  if ((at(0) == kTlsHandshake || at(0) == kTlsAlert) && at(1) == 3) {
    return invalid("it speaks TLS, and this side was told to be plain (net.plain)");
  }
  constexpr size_t kName = 4;
  if (bytes.size() > kName && std::memcmp(bytes.data(), kPreamble.data(), kName) == 0) {
    return error(GLS_ERR_UNSUPPORTED, "its stream has version {}, expected {}", at(4),
                 kPreamble[4]);
  }
  return corrupt("it does not speak the protocol of GLS");
}

}  // namespace

std::array<std::byte, FrameHeader::kBytes> encode(const FrameHeader& header) {
  std::array<std::byte, FrameHeader::kBytes> bytes;
  put(&bytes[0], header.length);
  put(&bytes[4], static_cast<uint8_t>(header.type));
  put(&bytes[5], header.flags);
  put(&bytes[6], header.kind);
  put(&bytes[8], header.id);
  put(&bytes[kHashed], hash64(std::span(bytes).first(kHashed)));
  return bytes;
}

Result<FrameHeader> decode_header(std::span<const std::byte, FrameHeader::kBytes> bytes) {
  if (get<uint64_t>(&bytes[kHashed]) != hash64(bytes.first(kHashed))) {
    return corrupt("the header of a frame is damaged");
  }
  FrameHeader header;
  header.length = get<uint32_t>(&bytes[0]);
  const auto type = get<uint8_t>(&bytes[4]);
  header.flags = get<uint8_t>(&bytes[5]);
  header.kind = get<uint16_t>(&bytes[6]);
  header.id = get<uint64_t>(&bytes[8]);
  if (type < static_cast<uint8_t>(FrameType::kHello) ||
      type > static_cast<uint8_t>(FrameType::kDone)) {
    return corrupt("a frame has type {}, expected 1 to 12", type);
  }
  if (header.flags != 0) {
    return corrupt("a frame has flags {}, expected 0", header.flags);
  }
  header.type = static_cast<FrameType>(type);
  return header;
}

bool FrameReader::direct() const {
  // One read fetches a short rest together with the next frame; copying it costs less than a second
  // read.
  return in_payload_ && payload_.data() != nullptr && filled_ == 0 && length_ - got_ >= kScratch;
}

std::span<std::byte> FrameReader::room() {
  if (direct()) {
    return payload_.subspan(got_);
  }
  return std::span(scratch_).subspan(filled_);
}

Status FrameReader::received(size_t bytes) {
  if (direct()) {
    got_ += bytes;
    return finish_if_whole();
  }
  filled_ += bytes;
  return parse();
}

Status FrameReader::parse() {
  std::span<const std::byte> rest = std::span(scratch_).first(filled_);
  for (;;) {
    if (in_payload_) {
      const size_t count = std::min(rest.size(), length_ - got_);
      if (count > 0 && payload_.data() != nullptr) {
        std::memcpy(payload_.data() + got_, rest.data(), count);
      }
      got_ += count;
      rest = rest.subspan(count);
      GLS_TRY(finish_if_whole());
      if (in_payload_) {
        break;
      }
    } else if (!greeted_) {
      // A peer with another protocol may send only a few bytes.
      const size_t known = std::min(rest.size(), kPreamble.size());
      if (known > 1 && std::memcmp(rest.data(), kPreamble.data(), known) != 0) {
        return not_a_preamble(rest);
      }
      if (known < kPreamble.size()) {
        break;
      }
      greeted_ = true;
      rest = rest.subspan(kPreamble.size());
    } else {
      if (rest.size() < FrameHeader::kBytes) {
        break;
      }
      GLS_ASSIGN(const FrameHeader header, decode_header(rest.first<FrameHeader::kBytes>()));
      rest = rest.subspan(FrameHeader::kBytes);
      GLS_TRY(begin_frame(header));
    }
  }
  if (!rest.empty()) {
    std::memmove(scratch_.data(), rest.data(), rest.size());
  }
  filled_ = rest.size();
  return {};
}

Status FrameReader::begin_frame(const FrameHeader& header) {
  GLS_ASSIGN(payload_, sink_.begin(header));
  length_ = header.length;
  got_ = 0;
  in_payload_ = true;
  return finish_if_whole();
}

Status FrameReader::finish_if_whole() {
  if (got_ < length_) {
    return {};
  }
  in_payload_ = false;
  payload_ = {};
  return sink_.end();
}

}  // namespace gls::net
