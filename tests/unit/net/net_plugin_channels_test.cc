// Channels of other libraries beside connections: what they leave alone, and what they move. These
// fail where a library was there to build with and does not run.
#include <signal.h>
#include <sys/resource.h>

#include <array>

#include "net_support.h"

namespace gls::net {
namespace {

// Without SIGBUS, of which the library has a handler for mapped files (decision 0088).
constexpr std::array kSignals = {SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGTERM};

std::array<void*, kSignals.size()> handlers_of_signals() {
  std::array<void*, kSignals.size()> out;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    sigaction(kSignals[i], nullptr, &action);
    out[i] = reinterpret_cast<void*>(action.sa_handler);
  }
  return out;
}
const auto kBefore = handlers_of_signals();  // the libraries are loaded later

TEST_P(NetData, LeavesSignalsAlone) {
  const auto server = make(true);
  EXPECT_EQ(handlers_of_signals(), kBefore);
}

TEST_P(NetData, SeveralThreadsAndPeersKeepTheirBytes) {
  const auto server = make(true, 3);
  const auto client = make(false, 2);
  std::vector<std::shared_ptr<Peer>> peers;
  for (int i = 0; i < 8; ++i) {
    peers.push_back(meet(*client, *server));
  }
  std::atomic<int> good = 0;
  constexpr int kCalls = 400;
  for (int i = 0; i < kCalls; ++i) {
    const int size = i % 100 == 0 ? 20000000 : i % 40 == 0 ? 4000000 : i * 7919 % 40000;
    std::string text(static_cast<size_t>(size + i), 'a');
    for (size_t k = 0; k < text.size(); k += 97) {
      text[k] = static_cast<char>(i + static_cast<int>(k));
    }
    Message request = bytes_of(*context_, text);
    peers[static_cast<size_t>(i) % peers.size()]->call(
        kEcho, std::move(request), {60000, true}, [&good, text](Result<Message> reply) {
          good += reply.ok() && reply->text() == text ? 1 : 0;
        });
  }
  EXPECT_TRUE(eventually([&] { return good == kCalls; }, 60000)) << good;
}

// It spins for a moment after the last message, and then sleeps.
TEST_P(NetData, IdleCostsNoProcessor) {
  const auto server = make(true);
  const auto client = make(false);
  const auto peer = meet(*client, *server);
  const auto used = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  };
  const double before = used();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_LT(used() - before, 0.2);
  EXPECT_TRUE(call_and_wait(*peer, kEcho, bytes_of(*context_, "awake"), {}).ok());
}

// Long ones, short ones and empty ones, from both sides, and some that nobody wants any more.
TEST_P(NetData, BothSidesAskAtOnce) {
  const auto server = make(true);
  const auto client = make(false);
  const auto there = meet(*client, *server);
  ASSERT_TRUE(eventually([&] { return server->connections().size() == 1; }));
  const auto here = server->connections()[0];
  std::atomic<int> good = 0;
  std::atomic<int> ended = 0;
  constexpr int kCalls = 300;
  for (int i = 0; i < kCalls; ++i) {
    const std::string text(static_cast<size_t>(i % 10 == 0  ? 0
                                               : i % 3 == 0 ? 300000 + i
                                                            : i * 50),
                           static_cast<char>('a' + i % 26));
    const auto done = [&, text](Result<Message> reply) {
      good += reply.ok() && reply->text() == text ? 1 : 0;
      ++ended;
    };
    const CallId id = there->call(kEcho, bytes_of(*context_, text), {60000, true}, done);
    here->call(kEcho, bytes_of(*context_, text), {60000, true}, done);
    if (i % 7 == 0) {
      there->cancel(id);
    }
  }
  EXPECT_TRUE(eventually([&] { return ended == 2 * kCalls; }, 60000)) << ended;
  EXPECT_GE(good, 2 * kCalls - (kCalls + 6) / 7);
  EXPECT_TRUE(eventually([&] { return there->connection()->calls_in_flight() == 0; }));
  EXPECT_EQ(there->epoch(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Ways, NetData, testing::ValuesIn(channel_ways()),
                         [](const auto& of) { return of.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(NetData);

}  // namespace
}  // namespace gls::net
