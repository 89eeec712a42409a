// Byte streams between two processes: the interfaces that a transport implements, and those that
// its connections implement.
//
// A transport may be a plugin with its own copies of all static data. Therefore only these
// interfaces and plain values cross: no Status, no string, no container, and nothing throws.
#pragma once

#include <cstddef>
#include <cstdint>

#include "system/plugin.h"

namespace gls::net {

struct StreamSpan {
  void* data;
  size_t size;
};

struct StreamError {
  int32_t code = 0;  // GLS_ERR_*
  char text[1024] = {};
};

// The user of a stream. Calls come from the stream's own thread. A thread in write() may call
// pending() and sent(), and a thread in read_by_caller() all but opened() and closed(). There is
// never more than one call at a time for one stream.
class StreamUser {
 public:
  // Connected; the other side is not authenticated yet.
  virtual void reached() noexcept {}
  // The other side is authenticated, too; `security` names the method.
  virtual void opened(const char* security) noexcept = 0;
  // The buffer for the next bytes; never empty. It stays valid until received().
  virtual StreamSpan room() noexcept = 0;
  // This many bytes were written to room(). False: this user is about to close; nothing more is
  // read.
  virtual bool received(size_t bytes) noexcept = 0;
  // Returns the next data to send, at most `most` spans; 0: nothing, until wake(). Each span stays
  // valid until sent() has covered it.
  virtual size_t pending(StreamSpan* spans, size_t most) noexcept = 0;
  virtual void sent(size_t bytes) noexcept = 0;
  // The end, also of a stream that was never opened. Nothing is called after it. The code is
  // GLS_ERR_INVALID_ARGUMENT if another attempt would fail in the same way. That happens if the two
  // sides have different keys, or only one is protected.
  virtual void closed(int32_t code, const char* reason) noexcept = 0;

 protected:
  ~StreamUser() = default;
};

// A thread that waits for something that a stream delivers.
class StreamWaiter {
 public:
  // It has arrived, or never will, or the waiter leaves for a moment.
  virtual bool done() noexcept = 0;
  // How long to sleep at most before done() is checked again; negative: no limit.
  virtual int patience_ms() noexcept { return -1; }

 protected:
  ~StreamWaiter() = default;
};

// One stream. Any thread may call these functions.
class Stream {
 public:
  virtual void start() noexcept = 0;  // call it once
  virtual void wake() noexcept = 0;   // there is something to send
  // As wake(), but may send on this thread, which avoids waking another one. Do not call it from a
  // callback of the user, or under a lock that pending() and sent() need. After closed() it does
  // nothing.
  virtual void write() noexcept = 0;
  // Reads on this thread until `waiter` is done, which avoids waking the stream's own thread. That
  // thread continues afterwards. Checks the waiter after each received piece, after nudge(), after
  // its patience and at the end. Returns false at once if another thread reads, if the stream is
  // not open, or if it cannot read. Do not call it from a callback of the user, or under a lock
  // that the user needs.
  virtual bool read_by_caller(StreamWaiter& waiter) noexcept {
    static_cast<void>(waiter);
    return false;
  }
  // A waiter is done for another reason than received data.
  virtual void nudge() noexcept {}
  virtual void close() noexcept = 0;  // closed() follows, if it was not called yet
  // The caller no longer needs the stream. Does not close it.
  virtual void release() noexcept = 0;

 protected:
  ~Stream() = default;
};

// Receives the incoming streams of a transport.
class StreamListener {
 public:
  // A peer has connected, and is not authenticated yet. The callee owns the stream and releases it
  // later; the stream starts when this has returned. NULL refuses the stream, and the callee does
  // not own it.
  virtual StreamUser* accepted(Stream* stream, const char* remote) noexcept = 0;
  // No connection can be accepted for a moment, for instance because no descriptors are left. True:
  // streams were closed to make room.
  virtual bool no_room(const char* why) noexcept = 0;

 protected:
  ~StreamListener() = default;
};

// Opens and accepts streams, for instance over TCP.
class StreamTransport {
 public:
  // `bound` receives the address in use as "host:port". Call it once per transport.
  virtual bool listen(const char* host, const char* port, StreamListener* listener, char* bound,
                      size_t bound_size, StreamError* error) noexcept = 0;
  virtual void stop_listening() noexcept = 0;
  // The caller owns the stream, starts it, and later releases it. NULL: an error.
  virtual Stream* connect(const char* host, const char* port, StreamUser* user,
                          StreamError* error) noexcept = 0;
  // Closes every stream. When it returns, no user is called any more, and this object is destroyed.
  virtual void destroy() noexcept = 0;

 protected:
  ~StreamTransport() = default;
};

struct StreamOptions {
  uint32_t io_threads;
  // Time without acknowledgement after which the system closes the connection.
  uint32_t user_timeout_ms;
  bool plain;  // neither encrypted nor authenticated
  // Text is zero-terminated; empty: not set.
  const char* psk_file;
  const char* psk_env;  // name of the environment variable that holds the key
  const char* certificate_file;
  const char* key_file;
  const char* ca_file;
  // The required name in a server's certificate; empty: the host connected to; "*": any name.
  const char* expected_name;
};

inline constexpr uint32_t kStreamPluginVersion = 5;

// What a plugin with a transport exports as gls_plugin.
struct StreamPlugin {
  PluginHeader header;
  StreamTransport* (*create)(const StreamOptions* options, StreamError* error);
};

}  // namespace gls::net
