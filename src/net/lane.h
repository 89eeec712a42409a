// Lanes: messages between two processes, beside a stream that has let both in. The stream says who
// is there and who is dead; a lane only moves the bytes of requests and replies.
//
// As in net/stream.h: a plugin may offer lanes, so only these interfaces and plain values cross,
// and nothing throws.
#pragma once

#include <gls.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/plugin.h"
#include "net/stream.h"

namespace gls::net {

inline constexpr size_t kLaneHeadBytes = 24;  // of each message, beside its payload
inline constexpr size_t kMostLaneKey = 4096;

// Whether memory is read without a word to the process that has it.
enum class OneSided : uint32_t { kOff, kAuto, kOn };
// Whether what comes goes straight to memory of GPUs.
enum class DeviceMemory : uint32_t { kOff, kAuto, kOn };

// How a lane reads memory of the other side.
enum class LaneReads : uint32_t {
  kNone,      // it cannot
  kEmulated,  // or may do so by messages that the other side's threads answer
  kRdma,      // the hardware does it, and the other side's processor knows nothing of it
};

// How Lane::read() ended.
enum class LaneReadEnd : uint32_t {
  kGood,     // all of it was read
  kLost,     // with the lane, or it is of no more use
  kRefused,  // the other side cannot share that memory; the lane is as good as before
};

// One piece of what is read.
struct LaneRead {
  uint64_t from;  // an address in the other process, within what it shares
  uint64_t size;
  void* to;
};

// All of it from memory with one key.
struct LaneReadList {
  const void* key;
  size_t key_size;
  const LaneRead* reads;
  size_t count;
  // The places are in one piece of memory of one, which the processor does not write.
  bool on_gpu = false;
};

// Where a message goes.
struct LanePlace {
  void* data = nullptr;   // room for the payload
  void* token = nullptr;  // whose it is; null: nobody wants it, and it is dropped
  // Asked with: whether the lane writes this one to memory of a GPU as well. Answered: whether
  // `data` is that.
  bool on_gpu = false;
};

// Who uses a lane. Called on the lane's own thread or on one in write() or read_here(), never twice
// at once for one lane.
class LaneUser {
 public:
  // A message begins; several may be under way at once, and they may overtake each other. False:
  // this user is about to close, and wants nothing more.
  virtual bool message(const void* head, size_t payload, LanePlace* place) noexcept = 0;
  // All of it is there.
  virtual void arrived(void* token) noexcept = 0;
  // It does not come, and nobody writes to its place any more.
  virtual void failed(void* token) noexcept = 0;
  // What was given to send() is not read any more; it may or may not have arrived.
  virtual void given_back(void* message) noexcept = 0;
  // Nothing of what was given to read() is used or written any more.
  virtual void read_done(void* reading, LaneReadEnd end) noexcept = 0;
  // It is of no more use; close() is expected.
  virtual void broken(const char* why) noexcept = 0;
  // The end after close(). Every token and message was given back before; nothing is called after.
  virtual void lane_closed() noexcept = 0;

 protected:
  ~LaneUser() = default;
};

// Any thread may call these.
class Lane {
 public:
  // What the other side gives to join(): at most kMostLaneAddress bytes, valid as long as this.
  virtual StreamSpan address() noexcept = 0;
  // Once. That it cannot be reached is told by broken().
  virtual void join(const void* address, size_t size) noexcept = 0;
  // After join(). `head` has kLaneHeadBytes and is copied; the payload stays valid until
  // given_back(message), which always follows. It may wait for wake() or write().
  virtual void send(const void* head, const void* payload, size_t size, void* message) noexcept = 0;
  // There is something that was given to send().
  virtual void wake() noexcept {}
  // The same; what can be sent at once may be sent on this thread, which saves to wake another. Not
  // from within a call of the user, nor under a lock that the user needs. After lane_closed() it
  // does nothing.
  virtual void write() noexcept { wake(); }
  // As Stream::read_here() and nudge(). What comes is of any lane of the same thread.
  virtual bool read_here(StreamWaiter& waiter) noexcept {
    static_cast<void>(waiter);
    return false;
  }
  virtual void nudge() noexcept {}
  // Once the other side was heard and has heard this one.
  virtual LaneReads reads() noexcept { return LaneReads::kNone; }
  // Where reads() is not kNone. The list, and the places that it names, stay valid until
  // read_done(reading), which always follows. Nobody but the caller checks the bounds.
  virtual void read(const LaneReadList& list, void* reading) noexcept {
    static_cast<void>(list);
    static_cast<void>(reading);
  }
  // How it gets there, for people, as a text that ends with a zero; once the other side was heard
  // and has heard this one.
  virtual void describe(char* text, size_t size) noexcept = 0;
  virtual void close() noexcept = 0;  // lane_closed() follows, once
  // The caller needs it no more; after lane_closed().
  virtual void release() noexcept = 0;

 protected:
  ~Lane() = default;
};

inline constexpr size_t kMostLaneAddress = 32768;

class LaneTransport {
 public:
  // The lane is the caller's, who later closes and releases it. NULL: an error.
  virtual Lane* open(LaneUser* user, StreamError* error) noexcept = 0;
  // Whether its lanes read memory. Both sides say so in their greetings, and must be the same: UCX
  // aborts the process where they are not.
  virtual bool reads() const noexcept { return false; }
  // Lets the other side of each lane read this memory, until this is destroyed. Writes the key that
  // Lane::read() needs there to `key`, which has room for kMostLaneKey bytes, and returns its size;
  // 0: an error. Any thread.
  virtual size_t share(const void* data, size_t size, void* key, StreamError* error) noexcept {
    static_cast<void>(data);
    static_cast<void>(size);
    static_cast<void>(key);
    error->code = GLS_ERR_UNSUPPORTED;
    constexpr char kWhy[] = "these lanes do not read memory";
    std::memcpy(error->text, kWhy, sizeof kWhy);
    return 0;
  }
  // Whether its lanes write to memory of GPUs; false: `why` says why not.
  virtual bool reaches_gpus(StreamError* why) const noexcept {
    why->code = GLS_ERR_UNSUPPORTED;
    constexpr char kWhy[] = "these lanes do not write to memory of GPUs";
    std::memcpy(why->text, kWhy, sizeof kWhy);
    return false;
  }
  // Closes every lane; when it returns no user is called any more and this is gone.
  virtual void destroy() noexcept = 0;

 protected:
  ~LaneTransport() = default;
};

struct LaneOptions {
  uint32_t io_threads;
  // Text ends with a zero.
  const char* devices;     // interfaces, separated by commas; ports are opened on these alone
  const char* transports;  // what may be used of what the plugin knows; empty: it chooses
  // kAuto: where that is RDMA. Likewise of memory of GPUs.
  OneSided one_sided;
  DeviceMemory device_memory;
};

inline constexpr uint32_t kLanePluginVersion = 7;

// What a plugin with lanes exports as gls_plugin.
struct LanePlugin {
  PluginHeader header;
  LaneTransport* (*create)(const LaneOptions* options, StreamError* error);
};

}  // namespace gls::net
