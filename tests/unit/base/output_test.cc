// Text for readers that have stopped or are gone.
#include "base/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "system/file_descriptor.h"

namespace gls {
namespace {

struct Ends {
  FileDescriptor reader;
  FileDescriptor writer;
};

Ends pipe_ends() {
  int ends[2];
  EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}
Ends socket_ends() {
  int ends[2];
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// What is there now.
std::string read_now(int descriptor) {
  std::string out;
  std::array<char, 65536> piece;
  pollfd there = {descriptor, POLLIN, 0};
  while (::poll(&there, 1, 0) == 1 && (there.revents & POLLIN) != 0) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got <= 0) {
      break;
    }
    out.append(piece.data(), static_cast<size_t>(got));
  }
  return out;
}

TEST(Output, IsDroppedWhileNobodyReadsAndCounted) {
  for (Ends (*const make)() : {pipe_ends, socket_ends}) {
    const Ends ends = make();
    Lines lines(ends.writer.get());
    std::string expected;
    uint64_t number = 0;
    const auto next = [&] { return "line " + std::to_string(number++) + "\n"; };
    for (std::string line = next(); lines.write(line); line = next()) {
      expected += line;
    }
    EXPECT_FALSE(lines.write(next()));
    EXPECT_EQ(lines.num_dropped(), 2u);
    EXPECT_EQ(read_now(ends.reader.get()), expected);
    EXPECT_TRUE(lines.write("again\n"));
    EXPECT_EQ(read_now(ends.reader.get()),
              "gls: 2 lines of the log were dropped: nobody read them\nagain\n");
    EXPECT_TRUE(lines.write("more\n"));
    EXPECT_EQ(read_now(ends.reader.get()), "more\n");
    // The other processes that have the same file open are not changed.
    EXPECT_EQ(::fcntl(ends.writer.get(), F_GETFL) & O_NONBLOCK, 0);
  }
}

TEST(Output, OfAReaderThatIsGoneRaisesNoSignal) {
  for (Ends (*const make)() : {pipe_ends, socket_ends}) {
    Ends ends = make();
    ends.reader = FileDescriptor();
    EXPECT_EQ(write_at_once(ends.writer.get(), "text\n"), EPIPE);
    EXPECT_EQ(write_at_once(ends.writer.get(), "text\n", 10), EPIPE);
  }
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGPIPE), 0);
}

TEST(Output, WaitsForAReaderWhoCatchesUp) {
  const Ends ends = pipe_ends();
  std::string text(1 << 20, 'x');  // more than fits
  std::string got;
  std::thread reader([&] {
    std::array<char, 4096> piece;
    while (got.size() < text.size()) {
      const ssize_t size = ::read(ends.reader.get(), piece.data(), piece.size());
      ASSERT_GT(size, 0);
      got.append(piece.data(), static_cast<size_t>(size));
    }
  });
  EXPECT_EQ(write_at_once(ends.writer.get(), text, 60000), 0);
  reader.join();
  EXPECT_EQ(got, text);
}

TEST(Output, LinesOfThreadsDoNotMix) {
  const Ends ends = pipe_ends();
  Lines lines(ends.writer.get());
  std::vector<std::thread> threads;
  for (char c = 'a'; c < 'e'; ++c) {
    threads.emplace_back([&lines, c] {
      for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(lines.write(std::string(1000, c) + "\n"));
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  const std::string all = read_now(ends.reader.get());
  ASSERT_EQ(all.size(), 4u * 10 * 1001);
  for (size_t at = 0; at < all.size(); at += 1001) {
    EXPECT_EQ(all.substr(at, 1001), std::string(1000, all[at]) + "\n");
  }
}

}  // namespace
}  // namespace gls
