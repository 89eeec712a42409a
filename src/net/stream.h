// Streams of bytes between two processes: what a transport offers, and what the connections on top
// of it offer to the transport.
//
// A transport may be a plugin with its own copies of everything static, so only these interfaces
// and plain values cross: no Status, no string, no container, and nothing throws.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/plugin.h"

namespace gls::net {

struct StreamSpan {
  void* data;
  size_t size;
};

struct StreamError {
  int32_t code = 0;  // GLS_ERR_*
  char text[1024] = {};
};

// Who uses a stream. Called on the stream's own thread, pending() and sent() on one that called
// write(), too, and all but opened() and closed() on one in read_here(); never twice at once for
// one stream.
class StreamUser {
 public:
  // Connected; the other side has proved nothing yet.
  virtual void reached() noexcept {}
  // The other side has proved who it is, too; `security` says how.
  virtual void opened(const char* security) noexcept = 0;
  // Where the next bytes are to be put; never empty. Stays valid until received().
  virtual StreamSpan room() noexcept = 0;
  // So many were put there. False: this user is about to close; nothing more is read.
  virtual bool received(size_t bytes) noexcept = 0;
  // What is to be sent next, at most `most` spans; 0: nothing, until wake(). Each span stays valid
  // until sent() has covered it.
  virtual size_t pending(StreamSpan* spans, size_t most) noexcept = 0;
  virtual void sent(size_t bytes) noexcept = 0;
  // The end, also of a stream that was never opened. Nothing is called after it. The code is
  // GLS_ERR_INVALID_ARGUMENT where another attempt would end likewise: the two sides are protected
  // by different keys, or only one is.
  virtual void closed(int32_t code, const char* reason) noexcept = 0;

 protected:
  ~StreamUser() = default;
};

// Who waits for something that a stream brings.
class StreamWaiter {
 public:
  virtual bool done() noexcept = 0;  // it has come, or will not come, or is not waited for now
  // How long to sleep at most before done() is looked at again; negative: as long as nothing comes.
  virtual int patience_ms() noexcept { return -1; }

 protected:
  ~StreamWaiter() = default;
};

// Any thread may call these.
class Stream {
 public:
  virtual void start() noexcept = 0;  // once
  virtual void wake() noexcept = 0;   // there is something to send
  // The same; what can be sent at once may be sent on this thread, which saves to wake another. Not
  // from within a call of the user, nor under a lock that pending() and sent() need. After closed()
  // it does nothing.
  virtual void write() noexcept = 0;
  // Reads on this thread until `waiter` is done, which saves to wake the stream's own thread; that
  // one goes on afterwards. Looks at the waiter after each piece that came, after nudge(), after
  // its patience and at the end. False, at once: another thread does so, the stream is not open, or
  // it cannot. Not from within a call of the user, nor under a lock that the user needs.
  virtual bool read_here(StreamWaiter& waiter) noexcept {
    static_cast<void>(waiter);
    return false;
  }
  // A waiter is done by something else than what came.
  virtual void nudge() noexcept {}
  virtual void close() noexcept = 0;  // closed() follows, if it has not come yet
  // The caller needs it no more. Closes nothing.
  virtual void release() noexcept = 0;

 protected:
  ~Stream() = default;
};

class StreamListener {
 public:
  // Somebody has connected who has not proved anything yet. The stream is the callee's, which
  // releases it later, and starts when this has returned. NULL refuses, and the callee has nothing.
  virtual StreamUser* accepted(Stream* stream, const char* remote) noexcept = 0;
  // No connection can be accepted for a moment: descriptors are exhausted, for instance. True:
  // streams were closed to make room.
  virtual bool no_room(const char* why) noexcept = 0;

 protected:
  ~StreamListener() = default;
};

class StreamTransport {
 public:
  // `bound` gets the address in use as "host:port". Once per transport.
  virtual bool listen(const char* host, const char* port, StreamListener* listener, char* bound,
                      size_t bound_size, StreamError* error) noexcept = 0;
  virtual void stop_listening() noexcept = 0;
  // The stream is the caller's, who starts and later releases it. NULL: an error.
  virtual Stream* connect(const char* host, const char* port, StreamUser* user,
                          StreamError* error) noexcept = 0;
  // Closes every stream; when it returns no user is called any more and this is gone.
  virtual void destroy() noexcept = 0;

 protected:
  ~StreamTransport() = default;
};

struct StreamOptions {
  uint32_t io_threads;
  uint32_t user_timeout_ms;  // after so long without acknowledgement the system gives up
  bool plain;                // neither encrypted nor authenticated
  // Text ends with a zero; empty: not given.
  const char* psk_file;
  const char* psk_env;  // name of the variable that has the key
  const char* certificate_file;
  const char* key_file;
  const char* ca_file;
  // The name that a server's certificate must have; empty: the host connected to; "*": any.
  const char* expected_name;
};

inline constexpr uint32_t kStreamPluginVersion = 5;

// What a plugin with a transport exports as gls_plugin.
struct StreamPlugin {
  PluginHeader header;
  StreamTransport* (*create)(const StreamOptions* options, StreamError* error);
};

}  // namespace gls::net
