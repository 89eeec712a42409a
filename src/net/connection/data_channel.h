// Data channels (DataChannel) move the bytes of requests and replies between two processes, beside
// an authenticated stream. The stream identifies the peers and detects their loss.
//
// A plugin may provide channels, so the rules of net/core/stream.h apply: only these interfaces and
// plain values cross, and nothing throws.
#pragma once

#include <gls.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "net/core/stream.h"
#include "system/plugin.h"

namespace gls::net {

inline constexpr size_t kChannelHeadBytes = 24;  // sent with each message, beside its payload
inline constexpr size_t kMostChannelKey = 4096;

// Whether memory is read without a request to the process that owns it.
enum class OneSided : uint32_t { kOff, kAuto, kOn };
// Whether payloads arrive directly in GPU memory.
enum class DeviceMemory : uint32_t { kOff, kAuto, kOn };

// How a channel reads memory of the other side.
enum class ChannelReads : uint32_t {
  kNone,      // not at all
  kEmulated,  // perhaps by messages that threads of the other side answer
  kRdma,      // by hardware, without the other side's CPU
};

// The outcome of DataChannel::read().
enum class ChannelReadEnd : uint32_t {
  kGood,     // all bytes were read
  kLost,     // the channel broke or became unusable
  kRefused,  // the other side cannot share that memory; the channel still works
};

// One piece of a read.
struct ChannelRead {
  uint64_t from;  // an address in the other process, within its shared memory
  uint64_t size;
  void* to;
};

// Pieces of a read, all from memory with one key.
struct ChannelReadList {
  const void* key;
  size_t key_size;
  const ChannelRead* reads;
  size_t count;
  // The destinations are in one allocation of GPU memory, which the CPU does not write.
  bool on_gpu = false;
};

// The destination of a message.
struct ChannelPlace {
  void* data = nullptr;   // memory for the payload
  void* token = nullptr;  // identifies the message; null: it is not wanted and dropped
  // On input: whether the channel can write this payload to GPU memory. On output: whether `data`
  // is GPU memory.
  bool on_gpu = false;
};

// The user of a channel. Calls come from the channel's own thread, or from a thread in write() or
// read_by_caller(). There is never more than one call at a time for one channel.
class ChannelUser {
 public:
  // A message begins. Several may be in flight at once, and may overtake each other. False: this
  // user is about to close, and wants nothing more.
  virtual bool message(const void* head, size_t payload, ChannelPlace* place) noexcept = 0;
  // The whole message has arrived.
  virtual void arrived(void* token) noexcept = 0;
  // The message will not arrive, and nothing writes to its destination any more.
  virtual void failed(void* token) noexcept = 0;
  // The channel no longer reads a message given to send(). The message may or may not have arrived.
  virtual void given_back(void* message) noexcept = 0;
  // The channel no longer uses or writes anything given to read().
  virtual void read_done(void* reading, ChannelReadEnd end) noexcept = 0;
  // The channel is unusable; close() must follow.
  virtual void broken(const char* why) noexcept = 0;
  // The end after close(). All tokens and messages were returned before; nothing is called after.
  virtual void channel_closed() noexcept = 0;

 protected:
  ~ChannelUser() = default;
};

// One data channel. Any thread may call these functions.
class DataChannel {
 public:
  // The address that the other side passes to join(): at most kMostChannelAddress bytes, valid as
  // long as this channel.
  virtual StreamSpan address() noexcept = 0;
  // Call it once. broken() reports an unreachable address.
  virtual void join(const void* address, size_t size) noexcept = 0;
  // After join(). `head` has kChannelHeadBytes and is copied. The payload must stay valid until
  // given_back(message), which always follows. The message may be delayed until wake() or write().
  virtual void send(const void* head, const void* payload, size_t size, void* message) noexcept = 0;
  // Sends the messages that were given to send().
  virtual void wake() noexcept {}
  // As wake(), but may send on this thread, which avoids waking another one. Do not call it from a
  // callback of the user, or under a lock that the user needs. After channel_closed() it does
  // nothing.
  virtual void write() noexcept { wake(); }
  // As Stream::read_by_caller() and nudge(). It serves all channels of the same thread.
  virtual bool read_by_caller(StreamWaiter& waiter) noexcept {
    static_cast<void>(waiter);
    return false;
  }
  virtual void nudge() noexcept {}
  // Known once each side has heard the other.
  virtual ChannelReads reads() noexcept { return ChannelReads::kNone; }
  // Where reads() is not kNone. The list, and the destinations that it names, must stay valid until
  // read_done(reading), which always follows. The caller must check the bounds.
  virtual void read(const ChannelReadList& list, void* reading) noexcept {
    static_cast<void>(list);
    static_cast<void>(reading);
  }
  // Describes the path of the data for people, as zero-terminated text. Known once each side has
  // heard the other.
  virtual void describe(char* text, size_t size) noexcept = 0;
  virtual void close() noexcept = 0;  // channel_closed() follows, once
  // The caller no longer needs the channel; after channel_closed().
  virtual void release() noexcept = 0;

 protected:
  ~DataChannel() = default;
};

inline constexpr size_t kMostChannelAddress = 32768;

// Opens data channels, and shares memory with the other sides.
class ChannelTransport {
 public:
  // The caller owns the channel, and later closes and releases it. NULL: an error.
  virtual DataChannel* open(ChannelUser* user, StreamError* error) noexcept = 0;
  // Whether its channels read memory. Both sides state it in their greetings and must agree,
  // because UCX aborts the process otherwise.
  virtual bool reads() const noexcept { return false; }
  // Lets the other side of each channel read this memory, until this object is destroyed. Writes
  // the key for DataChannel::read() to `key`, which has room for kMostChannelKey bytes, and returns
  // its size; 0: an error. Any thread.
  virtual size_t share(const void* data, size_t size, void* key, StreamError* error) noexcept {
    static_cast<void>(data);
    static_cast<void>(size);
    static_cast<void>(key);
    error->code = GLS_ERR_UNSUPPORTED;
    constexpr char kWhy[] = "these channels do not read memory";
    std::memcpy(error->text, kWhy, sizeof kWhy);
    return 0;
  }
  // Whether its channels write to GPU memory; false: `why` states the reason.
  virtual bool reaches_gpus(StreamError* why) const noexcept {
    why->code = GLS_ERR_UNSUPPORTED;
    constexpr char kWhy[] = "these channels do not write to memory of GPUs";
    std::memcpy(why->text, kWhy, sizeof kWhy);
    return false;
  }
  // Closes every channel. When it returns, no user is called any more, and this object is
  // destroyed.
  virtual void destroy() noexcept = 0;

 protected:
  ~ChannelTransport() = default;
};

struct ChannelOptions {
  uint32_t io_threads;
  // Text is zero-terminated.
  const char* devices;     // interfaces, separated by commas; ports are opened only on these
  const char* transports;  // transports of the plugin to use; empty: it chooses
  // kAuto: only where it is RDMA. The same holds for GPU memory.
  OneSided one_sided;
  DeviceMemory device_memory;
};

inline constexpr uint32_t kChannelPluginVersion = 7;

// What a plugin with data channels exports as gls_plugin.
struct ChannelPlugin {
  PluginHeader header;
  ChannelTransport* (*create)(const ChannelOptions* options, StreamError* error);
};

}  // namespace gls::net
