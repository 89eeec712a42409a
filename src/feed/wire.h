// The messages between a feed and its trainers, over a Unix-domain socket that preserves message
// boundaries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace gls {

// A file descriptor that is closed with its owner.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  ~Fd() { reset(); }
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

inline constexpr uint32_t kFeedMagic = 0x46534c47;  // "GLSF"
inline constexpr uint32_t kFeedVersion = 1;
inline constexpr size_t kMostText = 16384;  // in one message

enum class Tell : uint32_t {
  // Messages to a feed.
  kHello = 1,    // rank, world size (0: the feed's), part, parts
  kStart = 2,    // epoch, finished batches of it
  kStop = 3,     // the started run is cancelled
  kTaken = 4,    // the next batch was returned to the user
  kRelease = 5,  // offset of a block
  kLeave = 6,    // goodbye
  // Messages to a trainer.
  // Bytes of the memory, bytes of the text at its start, world size; the descriptor goes with it.
  kWelcome = 101,
  kRefused = 102,  // status; text: an error
  kBatch = 103,    // step, offset of the block, bytes, bytes of its description; wait_ns
  kError = 104,    // step, status; text: an error
  kFull = 105,     // a batch is ready, but the memory has no room for it
  kClosed = 106,   // the feed ends
};

struct Message {
  uint32_t magic = kFeedMagic;
  uint32_t version = kFeedVersion;
  uint32_t tell = 0;
  uint32_t reserved = 0;
  uint64_t run = 0;  // grows with each start; messages of earlier runs are void
  uint64_t a = 0;
  uint64_t b = 0;
  uint64_t c = 0;
  uint64_t d = 0;
  uint64_t e = 0;

  static Message of(Tell tell, uint64_t run = 0) {
    Message out;
    out.tell = static_cast<uint32_t>(tell);
    out.run = run;
    return out;
  }
  bool is(Tell what) const { return tell == static_cast<uint32_t>(what); }
};

// Bytes to send.
std::string packed(const Message& message, std::string_view text = {});

enum class Sent : uint8_t { kDone, kFull, kGone };
// Never waits. Sends `fd`, too, if it is not negative.
Sent send_packed(int socket, std::string_view packed, int fd = -1);

struct Received {
  enum class What : uint8_t { kMessage, kNothing, kGone, kDamaged };
  What what = What::kNothing;
  Message message;
  std::string text;
  Fd fd;
};
// Never waits.
Received receive(int socket);

// An error as text, and back. Any text converts back to some error.
std::string pack_error(const Status& status);
Status unpack_error(uint64_t code, std::string_view text);

// A listening socket. It replaces a file that a killed process left.
struct Listener {
  Fd socket;
  std::string path;
  uint64_t device = 0;
  uint64_t inode = 0;

  static Result<Listener> open(const std::string& path, uint32_t mode);
  // Removes the file, if it still belongs to this socket.
  void close();
};
// Not set: no process listens there (yet).
Result<std::optional<Fd>> connect_to(const std::string& path);

// Becomes readable when the process at the other end has ended, even if its children still hold the
// socket. Not set where the system cannot detect it.
Fd watch_peer(int socket, int64_t* pid);
Fd make_event();
void signal_event(int fd);
void clear_event(int fd);

}  // namespace gls
