// The bytes of a request or a reply, in memory from a pool or of another owner.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

#include "system/memory.h"

namespace gls::net {

class Message {
 public:
  Message() = default;  // empty
  // The contents are undefined. Throws std::bad_alloc.
  Message(const std::shared_ptr<BufferPool>& pool, size_t size) : size_(size) {
    if (size > 0) {
      buffer_ = pool->acquire(size);
      data_ = buffer_.as<>();
      capacity_ = buffer_.capacity();
    }
  }
  // In memory of `owner`.
  Message(std::shared_ptr<const void> owner, std::span<std::byte> place)
      : owner_(std::move(owner)),
        data_(place.data()),
        size_(place.size()),
        capacity_(place.size()) {}
  Message(Message&& other) noexcept { *this = std::move(other); }
  Message& operator=(Message&& other) noexcept {
    buffer_ = std::move(other.buffer_);
    owner_ = std::move(other.owner_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }
  ~Message() = default;
  // Joins the spans, one after another.
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

  // Shares the bytes of another message, to send it more than once. The bytes must not change.
  static Message shared(std::shared_ptr<const Message> whole) {
    const Message& of = *whole;
    Message message(std::move(whole), of.bytes());
    message.capacity_ = of.capacity_;
    return message;
  }

  std::byte* data() const { return data_; }
  size_t size() const { return size_; }
  // The allocated memory, which may be larger than the message.
  size_t capacity() const { return capacity_; }
  std::span<std::byte> bytes() const { return {data(), size_}; }
  std::string_view text() const { return {reinterpret_cast<char*>(data()), size_}; }
  // Only for messages in memory from a pool.
  Buffer take() && { return std::move(buffer_); }

 private:
  Buffer buffer_;
  std::shared_ptr<const void> owner_;
  std::byte* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace gls::net
