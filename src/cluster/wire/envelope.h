// The byte format of messages in src/cluster. A message holds the length of a FlatBuffer (4 bytes,
// then 4 zeros), the FlatBuffer (messages.fbs), and the raw arrays that it describes. Each array
// begins at a multiple of 64 bytes. Gaps are zeros. Integers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "messages_generated.h"
#include "net/core/message.h"
#include "tensor/tensor.h"

namespace gls::cluster {

struct Packed {
  net::Message message;
  std::vector<std::byte*> arrays;  // where the caller writes each array; the rest is written
};

// Finishes the builder. `arrays` are the sizes of the arrays. Throws std::bad_alloc.
template <typename Table>
Packed pack(const std::shared_ptr<BufferPool>& pool, flatbuffers::FlatBufferBuilder& builder,
            flatbuffers::Offset<Table> body, std::span<const uint64_t> arrays);

// Reads a message front to back, and checks every value before use.
class Unpacker {
 public:
  // `bytes` begin at a multiple of 8, and must not change meanwhile.
  explicit Unpacker(std::span<const std::byte> bytes);

  // NULL: the bytes are not a message with this body.
  template <typename Table>
  const Table* body() const {
    return envelope_ != nullptr ? envelope_->body_as<Table>() : nullptr;
  }
  // Reads the next array; its elements have `width` bytes.
  Status take(uint64_t count, uint64_t width, const std::byte** data);
  Status take(uint64_t count, bool wide, IdSpan* ids);
  // Call it after the last array. Checks that nothing follows.
  Status finish() const;

 private:
  std::span<const std::byte> bytes_;
  const wire::Envelope* envelope_ = nullptr;
  size_t at_ = 0;  // end of the bytes read so far
};

Status malformed(const char* what);  // "a request for rows"

// Reads a number that encodes an enumeration whose last value is `last`.
template <typename Choice>
Status take_choice(uint8_t value, Choice last, const char* what, Choice* out) {
  if (value > static_cast<uint8_t>(last)) {
    return invalid("{} is {}, expected 0 to {}", what, value, static_cast<int>(last))
        .with("argument", what);
  }
  *out = static_cast<Choice>(value);
  return {};
}

// ---- implementation ----

Packed pack_finished(const std::shared_ptr<BufferPool>& pool,
                     const flatbuffers::FlatBufferBuilder& builder,
                     std::span<const uint64_t> arrays);

template <typename Table>
Packed pack(const std::shared_ptr<BufferPool>& pool, flatbuffers::FlatBufferBuilder& builder,
            flatbuffers::Offset<Table> body, std::span<const uint64_t> arrays) {
  wire::FinishEnvelopeBuffer(
      builder, wire::CreateEnvelope(builder, wire::BodyTraits<Table>::enum_value, body.Union()));
  return pack_finished(pool, builder, arrays);
}

}  // namespace gls::cluster
