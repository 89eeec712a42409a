// Lanes over UCX: what it opens, what it leaves alone, and what it moves. These fail where UCX was
// there to build with and does not run.
#include <signal.h>
#include <sys/resource.h>

#include <array>

#include "net_support.h"

namespace gls::net {
namespace {

constexpr std::array kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};

std::array<void*, kSignals.size()> handlers_of_signals() {
  std::array<void*, kSignals.size()> out;
  for (size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    sigaction(kSignals[i], nullptr, &action);
    out[i] = reinterpret_cast<void*>(action.sa_handler);
  }
  return out;
}
const auto kBefore = handlers_of_signals();  // UCX is loaded later

class NetUcx : public testing::TestWithParam<std::string> {
 protected:
  std::unique_ptr<Endpoint> make(bool listens, uint32_t io_threads = 1) {
    EndpointOptions options = options_for(GetParam());
    options.transport.io_threads = io_threads;
    options.listen = listens ? "127.0.0.1:0" : "";
    options.handlers = make_handlers(kept_);
    auto made = Endpoint::create(context_, std::move(options));
    EXPECT_TRUE(made.ok()) << "UCX does not run here: " << made.status().message();
    return made.take();
  }
  std::shared_ptr<Peer> meet(Endpoint& client, const Endpoint& server) {
    auto peer = client.connect(server.address(), 10000);
    EXPECT_TRUE(peer.ok()) << peer.status().message();
    return peer.take();
  }

  std::shared_ptr<Context> context_ = make_context();
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
};

TEST_P(NetUcx, GoesOverWhatWasAskedFor) {
  const auto server = make(true);
  const auto client = make(false);
  const std::string lane = meet(*client, *server)->connection()->lane();
  EXPECT_TRUE(lane.starts_with("ucx: ")) << lane;
  const bool shared = contains(lane, "posix/memory") || contains(lane, "sysv/memory");
  EXPECT_EQ(shared, GetParam() == "ucx_shm") << lane;
  if (!shared) {
    EXPECT_TRUE(contains(lane, "tcp/lo")) << lane;
  }
}

TEST_P(NetUcx, LeavesSignalsAlone) {
  const auto server = make(true);
  EXPECT_EQ(handlers_of_signals(), kBefore);
}

TEST_P(NetUcx, SeveralThreadsAndPeersKeepTheirBytes) {
  const auto server = make(true, 3);
  const auto client = make(false, 2);
  std::vector<std::shared_ptr<Peer>> peers;
  for (int i = 0; i < 8; ++i) {
    peers.push_back(meet(*client, *server));
  }
  std::atomic<int> good = 0;
  constexpr int kCalls = 400;
  for (int i = 0; i < kCalls; ++i) {
    std::string text(static_cast<size_t>(i % 40 == 0 ? 4000000 + i : i * 7919 % 20000), 'a');
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
TEST_P(NetUcx, IdleCostsNoProcessor) {
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

INSTANTIATE_TEST_SUITE_P(Ways, NetUcx, testing::Values("ucx_tcp", "ucx_shm"),
                         [](const auto& of) { return of.param; });

TEST(NetUcxOptions, AreChecked) {
  EndpointOptions options = options_for("ucx_tcp");
  options.transport.data.devices = "lo,nothere0";
  auto made = Endpoint::create(make_context(), options);
  EXPECT_EQ(made.status().code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(made.status().message(), "net.data_devices: there is no interface \"nothere0\"");
  options.transport.data.devices = "lo";
  options.transport.data.transports = "pigeons";
  made = Endpoint::create(make_context(), options);
  EXPECT_EQ(made.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_TRUE(contains(made.status().message(), "with transports \"pigeons\" on \"lo\""))
      << made.status().message();
}

// On a machine without RDMA that is tcp, and nothing is said of what is not there.
TEST(NetUcxOptions, HaveTransportsThatWork) {
  EndpointOptions options = options_for("ucx_tcp");
  options.transport.data.transports = "";
  options.listen = "127.0.0.1:0";
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const auto context = make_context();
  auto server = Endpoint::create(context, options);
  ASSERT_TRUE(server.ok()) << server.status().message();
  options.listen = "";
  auto client = Endpoint::create(context, options);
  ASSERT_TRUE(client.ok()) << client.status().message();
  auto peer = (*client)->connect((*server)->address(), 10000);
  ASSERT_TRUE(peer.ok()) << peer.status().message();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(contains((*peer)->connection()->lane(), "tcp/lo"));
}

TEST(NetUcxOptions, NeedTheSameOnBothSides) {
  EndpointOptions options = options_for("ucx_tcp");
  options.listen = "127.0.0.1:0";
  const auto server = Endpoint::create(make_context(), std::move(options)).take();
  const auto client = Endpoint::create(make_context(), options_for("key")).take();
  auto peer = client->connect(server->address(), 10000);
  ASSERT_FALSE(peer.ok());
  EXPECT_TRUE(contains(peer.status().message(), "go over tcp and data of peer over ucx/1"))
      << peer.status().message();
}

}  // namespace
}  // namespace gls::net
