// Input to a host's inbox for open files: senders with and without the secret, packets of any
// length with any number of files, and descriptors that are not files. The receiver gets what one
// sender with the secret sent, in order, or nothing. Everything else is closed.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <filesystem>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "input.h"
#include "net/core/descriptors.h"
#include "system/file.h"

namespace {

using namespace gls;

constexpr size_t kMostFiles = 128;  // in an accepted packet
constexpr size_t kRegular = 3;

const std::string& text_of(size_t which) {
  static const std::string all[kRegular] = {"", "one", std::string(5000, 'x')};
  return all[which];
}

// The first ones are regular files.
const std::vector<FileDescriptor>& files() {
  static const std::vector<FileDescriptor> all = [] {
    std::vector<FileDescriptor> out;
    for (size_t i = 0; i < kRegular; ++i) {
      out.emplace_back(memfd_create("fuzz", MFD_CLOEXEC));
      const std::string& text = text_of(i);
      CLAIM(write(out.back().get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    out.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
    out.emplace_back(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    out.emplace_back(open(".", O_PATH | O_CLOEXEC));
    out.emplace_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    int ends[2];
    CLAIM(pipe2(ends, O_CLOEXEC) == 0);
    out.emplace_back(ends[0]);
    out.emplace_back(ends[1]);
    return out;
  }();
  return all;
}

size_t open_files() {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

void check(const FileDescriptor& file, size_t which) {
  struct stat sent {};
  struct stat got {};
  CLAIM(fstat(files()[which].get(), &sent) == 0 && fstat(file.get(), &got) == 0);
  CLAIM(sent.st_dev == got.st_dev && sent.st_ino == got.st_ino);
  CLAIM((fcntl(file.get(), F_GETFD) & FD_CLOEXEC) != 0);
  auto mapped = MappedFile::of(file, "fuzz");
  CLAIM(mapped.ok() == (which < kRegular));
  if (!mapped.ok()) {
    fuzz::claim_error(mapped.status());
    return;
  }
  const auto bytes = (*mapped)->bytes();
  CLAIM(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()) ==
        text_of(which));
}

class Play {
 public:
  explicit Play(fuzz::Input& input) : input_(input) {
    auto opened = net::DescriptorInbox::open();
    CLAIM(opened.ok());
    inbox_ = opened.take();
  }

  void run() {
    while (!input_.empty()) {
      switch (input_.below(8)) {
        case 0:
          call();
          break;
        case 1:
          send_as_it_should_be();
          break;
        case 2:
        case 3:
          take();
          break;
        case 4:
          if (!sockets_.empty()) {
            sockets_.erase(sockets_.begin() + input_.byte() % static_cast<int>(sockets_.size()));
          }
          break;
        default:
          send();
      }
    }
    take();
  }

 private:
  struct Packet {
    bool is_good;
    std::vector<size_t> files;
  };
  struct Caller {
    std::deque<Packet> packets;
  };
  struct Socket {
    FileDescriptor fd;
    std::shared_ptr<Caller> caller;
  };

  void call() {
    sockaddr_un to{};
    to.sun_family = AF_UNIX;
    std::string name = "gls-";
    for (const uint8_t byte : inbox_.address().place) {
      name += "0123456789abcdef"[byte >> 4];
      name += "0123456789abcdef"[byte & 15];
    }
    name.copy(to.sun_path + 1, sizeof to.sun_path - 1);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    Socket made{FileDescriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
                std::make_shared<Caller>()};
    if (connect(made.fd.get(), reinterpret_cast<const sockaddr*>(&to), size) == 0) {
      callers_.push_back(made.caller);
      sockets_.push_back(std::move(made));
    }
  }

  // Any bytes as a secret, and up to more files than one packet may have.
  void send() {
    if (sockets_.empty()) {
      return;
    }
    const Socket& socket = sockets_[input_.byte() % sockets_.size()];
    const auto& secret = inbox_.address().secret;
    std::string bytes(secret.begin(), secret.end());
    switch (input_.below(4)) {
      case 0:
        bytes[input_.byte() % bytes.size()] ^= static_cast<char>(input_.byte());
        break;
      case 1:
        bytes.resize(input_.byte() % 64, 'x');
        break;
      default:
        break;
    }
    std::vector<size_t> which(input_.chance() ? input_.below(4) : input_.below(253));
    for (size_t& one : which) {
      one = input_.below(static_cast<uint32_t>(files().size()));
    }
    iovec piece = {bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    std::vector<uint64_t> control(CMSG_SPACE(sizeof(int) * which.size()) / sizeof(uint64_t));
    if (!which.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = control.size() * sizeof(uint64_t);
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int) * which.size());
      for (size_t i = 0; i < which.size(); ++i) {
        const int fd = files()[which[i]].get();
        std::memcpy(CMSG_DATA(header) + i * sizeof fd, &fd, sizeof fd);
      }
    }
    if (sendmsg(socket.fd.get(), &message, MSG_NOSIGNAL) >= 0) {
      const bool good = std::equal(bytes.begin(), bytes.end(), secret.begin(), secret.end(),
                                   [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
      socket.caller->packets.push_back({good && which.size() <= kMostFiles, std::move(which)});
    }
  }

  void send_as_it_should_be() {
    std::vector<FileDescriptor> copies;
    auto caller = std::make_shared<Caller>();
    const size_t count = 1 + input_.byte();
    for (size_t i = 0; i < count; ++i) {
      const size_t which = i % files().size();
      copies.emplace_back(fcntl(files()[which].get(), F_DUPFD_CLOEXEC, 0));
      if (i % kMostFiles == 0) {
        caller->packets.push_back({true, {}});
      }
      caller->packets.back().files.push_back(which);
    }
    if (net::send_descriptors(inbox_.address(), copies).ok()) {
      callers_.push_back(std::move(caller));
    }
  }

  // The files that can be taken, with the senders in order.
  bool expect(size_t count, std::vector<size_t>* out) {
    while (!callers_.empty()) {
      const std::shared_ptr<Caller> caller = std::move(callers_.front());
      callers_.pop_front();
      out->clear();
      while (out->size() < count && !caller->packets.empty()) {
        const Packet packet = std::move(caller->packets.front());
        caller->packets.pop_front();
        if (!packet.is_good || packet.files.empty()) {
          break;
        }
        out->insert(out->end(), packet.files.begin(), packet.files.end());
      }
      if (out->size() == count) {
        return true;
      }
    }
    return false;
  }

  void take() {
    const size_t count = input_.byte();
    std::vector<size_t> expected;
    const bool there = expect(count, &expected);
    auto taken = inbox_.take(count);
    CLAIM(taken.ok() == there);
    if (!there) {
      fuzz::claim_error(taken.status());
      return;
    }
    CLAIM(taken->size() == count);
    for (size_t i = 0; i < count; ++i) {
      check((*taken)[i], expected[i]);
    }
  }

  fuzz::Input& input_;
  net::DescriptorInbox inbox_;
  std::vector<Socket> sockets_;
  std::deque<std::shared_ptr<Caller>> callers_;  // senders that were not accepted yet
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  static_cast<void>(files());
  const size_t before = open_files();
  Play(input).run();
  CLAIM(open_files() == before);
  return 0;
}
