// Frames: how messages lie in a stream of bytes. A stream begins with a preamble of 8 bytes; each
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
  kHello = 1,    // Control.Hello, by who connected
  kWelcome = 2,  // Control.Hello, the answer
  kRefused = 3,  // Control.Failure, then the end
  kRequest = 4,
  kReply = 5,
  kError = 6,      // Control.Failure, in place of a reply
  kCancel = 7,     // of a request; it is still answered
  kHeartbeat = 8,  // no payload
  kGoodbye = 9,    // Control.Goodbye
  kLane = 10,      // Control.Lane; on the lane itself: nothing, so that it is heard
  kJoined = 11,    // the sender's lane is joined
  kDone = 12,      // the sender has said goodbye, and has the answers to all its calls
};

struct FrameHeader {
  uint32_t length = 0;  // of the payload
  FrameType type = FrameType::kHeartbeat;
  uint8_t flags = 0;  // none yet
  uint16_t kind = 0;  // of a request
  uint64_t id = 0;    // of a request, chosen by who sends it

  static constexpr size_t kBytes = 24;
};

// With a hash of the fields, so that a stream that lost its place is noticed before a length from
// it is believed.
std::array<std::byte, FrameHeader::kBytes> encode(const FrameHeader& header);
Result<FrameHeader> decode_header(std::span<const std::byte, FrameHeader::kBytes> bytes);

// What a FrameReader gives its frames to.
class FrameSink {
 public:
  // A frame begins. Returns where its payload goes, header.length bytes; a span without data: it is
  // read and dropped.
  virtual Result<std::span<std::byte>> begin(const FrameHeader& header) = 0;
  virtual Status end() = 0;

 protected:
  ~FrameSink() = default;
};

// Cuts a stream into frames. Long payloads are read straight to where they go.
class FrameReader {
 public:
  explicit FrameReader(FrameSink& sink) : sink_(sink), scratch_(kScratch) {}

  std::span<std::byte> room();
  // So many bytes were put into room(). After an error the stream is of no more use.
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
