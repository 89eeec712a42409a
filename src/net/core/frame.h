// Frames: the format of messages in a byte stream. A stream begins with a preamble of 8 bytes. Each
// frame is a header of 24 bytes and a payload. Integers are little-endian.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"

namespace gls::net {

inline constexpr std::array<unsigned char, 8> kPreamble = {'G', 'L', 'S', 'N', 1, 0, '\r', '\n'};

enum class FrameType : uint8_t {
  kHello = 1,    // Control.Hello, from the connecting side
  kWelcome = 2,  // Control.Hello, the reply
  kRefused = 3,  // Control.Failure, then the end
  kRequest = 4,
  kReply = 5,
  kError = 6,      // Control.Failure, instead of a reply
  kCancel = 7,     // of a request, which is still answered
  kHeartbeat = 8,  // no payload
  kGoodbye = 9,    // Control.Goodbye
  // Control.DataChannel on the stream; on the channel itself an empty message, so that the peer
  // hears it.
  kChannel = 10,
  kJoined = 11,  // the sender has joined its channel
  kDone = 12,    // the sender has said goodbye, and has the replies to all its calls
};

struct FrameHeader {
  uint32_t length = 0;  // of the payload
  FrameType type = FrameType::kHeartbeat;
  uint8_t flags = 0;  // none defined
  uint16_t kind = 0;  // of a request
  uint64_t id = 0;    // of a request, chosen by its sender

  static constexpr size_t kBytes = 24;
};

// Includes a hash of the fields. A reader that lost its position notices it before it uses a wrong
// length.
std::array<std::byte, FrameHeader::kBytes> encode(const FrameHeader& header);
Result<FrameHeader> decode_header(std::span<const std::byte, FrameHeader::kBytes> bytes);

// Receives the frames of a FrameReader.
class FrameSink {
 public:
  // A frame begins. Returns the destination of its payload, header.length bytes. A span without
  // data drops the payload.
  virtual Result<std::span<std::byte>> begin(const FrameHeader& header) = 0;
  virtual Status end() = 0;

 protected:
  ~FrameSink() = default;
};

// Cuts a stream into frames. Long payloads are read directly into their destination.
class FrameReader {
 public:
  explicit FrameReader(FrameSink& sink) : sink_(sink), scratch_(kScratch) {}

  std::span<std::byte> room();
  // This many bytes were written to room(). After an error, the stream is unusable.
  Status received(size_t bytes);

 private:
  static constexpr size_t kScratch = 16384;

  bool direct() const;
  Status parse();
  Status begin_frame(const FrameHeader& header);
  Status finish_if_whole();

  FrameSink& sink_;
  std::vector<std::byte> scratch_;
  size_t filled_ = 0;  // of scratch_
  bool greeted_ = false;
  bool in_payload_ = false;
  std::span<std::byte> payload_;
  size_t length_ = 0;
  size_t got_ = 0;
};

}  // namespace gls::net
