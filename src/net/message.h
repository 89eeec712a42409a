// The bytes of a request or of a reply, in memory from a pool.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "base/memory.h"

namespace gls::net {

class Message {
 public:
  Message() = default;  // no bytes
  // Contents undefined. Throws std::bad_alloc.
  Message(const std::shared_ptr<BufferPool>& pool, size_t size) : size_(size) {
    if (size > 0) {
      buffer_ = pool->acquire(size);
    }
  }
  // The spans one after another.
  static Message gathered(const std::shared_ptr<BufferPool>& pool,
                          std::span<const std::span<const std::byte>> spans) {
    size_t size = 0;
    for (const auto& span : spans) {
      size += span.size();
    }
    Message message(pool, size);
    std::byte* at = message.data();
    for (const auto& span : spans) {
      if (!span.empty()) {
        std::memcpy(at, span.data(), span.size());
        at += span.size();
      }
    }
    return message;
  }
  static Message copied(const std::shared_ptr<BufferPool>& pool, std::span<const std::byte> bytes) {
    return gathered(pool, std::span(&bytes, 1));
  }

  // The bytes of another one, in place, to be sent more than once: nobody writes them.
  static Message shared(std::shared_ptr<const Message> whole) {
    Message message;
    message.size_ = whole->size();
    message.whole_ = std::move(whole);
    return message;
  }

  std::byte* data() const { return whole_ != nullptr ? whole_->data() : buffer_.as<>(); }
  size_t size() const { return size_; }
  // Of memory, which is as much or more.
  size_t capacity() const { return whole_ != nullptr ? whole_->capacity() : buffer_.capacity(); }
  std::span<std::byte> bytes() const { return {data(), size_}; }
  std::string_view text() const { return {reinterpret_cast<char*>(data()), size_}; }
  // Not of one that is shared.
  Buffer take() && { return std::move(buffer_); }

 private:
  Buffer buffer_;
  std::shared_ptr<const Message> whole_;
  size_t size_ = 0;
};

}  // namespace gls::net
