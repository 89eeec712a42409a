// Channels over UCX: what it opens, and what it is asked for. These fail where UCX was
// there to build with and does not run.
#include <arpa/inet.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "gpu_driver.h"
#include "net_support.h"
#include "own_sockets.h"
#include "plugins/ucx/worker.h"

namespace gls::net {
namespace {

using NetUcx = NetData;

TEST_P(NetUcx, GoesOverWhatWasAskedFor) {
  const auto server = make(true);
  const auto client = make(false);
  const std::string channel = meet(*client, *server)->connection()->channel();
  EXPECT_TRUE(channel.starts_with("ucx: ")) << channel;
  const bool shared = contains(channel, "posix/memory") || contains(channel, "sysv/memory");
  EXPECT_EQ(shared, GetParam() == "ucx_shm") << channel;
  if (!shared) {
    EXPECT_TRUE(contains(channel, "tcp/lo")) << channel;
  }
}

// And not before somebody was let in.
TEST_P(NetUcx, ListensOnThatInterfaceAlone) {
  const auto server = make(true);
  const auto client = make(false);
  EXPECT_EQ(listening().size(), 1U);  // the server's
  const auto peer = meet(*client, *server);
  const std::vector<Socket> all = listening();
  EXPECT_GE(all.size(), 3U);
  for (const Socket& one : all) {
    EXPECT_EQ(one.host, htonl(INADDR_LOOPBACK));
  }
}

// Long messages go in pieces of 8128 or 65344 bytes.
TEST_P(NetUcx, MessagesOfAnyNumberOfPiecesArrive) {
  const auto server = make(true);
  const auto client = make(false);
  const auto peer = meet(*client, *server);
  for (const size_t piece : {size_t{8128}, size_t{65344}}) {
    for (const size_t pieces : {size_t{1}, size_t{2}, size_t{129}}) {
      for (const size_t size : {piece * pieces - 1, piece * pieces, piece * pieces + 1}) {
        std::string text(size, 0);
        for (size_t i = 0; i < size; ++i) {
          text[i] = static_cast<char>(i + i / 251);
        }
        auto reply = call_and_wait(*peer, kEcho, bytes_of(*context_, text), {60000, true});
        ASSERT_TRUE(reply.ok()) << reply.status().message();
        EXPECT_EQ(reply->text(), text) << size;
      }
    }
  }
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
  EXPECT_TRUE(contains((*peer)->connection()->channel(), "tcp/lo"));
}

TEST(NetUcxOptions, NeedTheSameOnBothSides) {
  EndpointOptions options = options_for("ucx_tcp");
  options.listen = "127.0.0.1:0";
  const auto server = Endpoint::create(make_context(), std::move(options)).take();
  const auto client = Endpoint::create(make_context(), options_for("key")).take();
  auto peer = client->connect(server->address(), 10000);
  ASSERT_FALSE(peer.ok());
  EXPECT_TRUE(contains(peer.status().message(), "go over tcp and data of peer over ucx/7"))
      << peer.status().message();
}

// ---- memory of GPUs ----

// Calls of a worker of UCX that ask the driver about events, with a context and without.
struct SpiedUcp {
  static inline Ucp real;
  static inline std::atomic<uint64_t> with = 0;
  static inline std::atomic<uint64_t> without = 0;

  static void count() { ++(DriverOfTests::stack.empty() ? without : with); }
  static Ucp functions() {
    Ucp out = real;
    out.ucp_worker_progress = [](ucp_worker_h worker) {
      count();
      return real.ucp_worker_progress(worker);
    };
    out.ucp_worker_arm = [](ucp_worker_h worker) {
      count();
      return real.ucp_worker_arm(worker);
    };
    out.ucp_worker_destroy = [](ucp_worker_h worker) {
      count();
      real.ucp_worker_destroy(worker);
    };
    return out;
  }
};

TEST(NetUcxOfGpus, WhoDrivesHasAContextOfAGpuThatIsUsed) {
  std::string why;
  const Ucp* const loaded = load_ucp(&why);
  ASSERT_NE(loaded, nullptr) << why;
  SpiedUcp::real = *loaded;
  const Ucp ucp = SpiedUcp::functions();
  ucp_config_t* config = nullptr;
  ASSERT_EQ(ucp.ucp_config_read(nullptr, nullptr, &config), UCS_OK);
  ucp.ucp_config_modify(config, "TLS", "tcp");
  ucp.ucp_config_modify(config, "NET_DEVICES", "lo");
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  ucp_context_h context = nullptr;
  ASSERT_EQ(ucp.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context), UCS_OK);
  ucp.ucp_config_release(config);
  GpuContext gpu(DriverOfTests::functions());
  {
    UcxWorker worker(ucp, context, {true, SIZE_MAX, false, true, &gpu});
    ASSERT_EQ(worker.start(), "");
    const auto drives_until = [&worker](const std::atomic<uint64_t>& calls) {
      for (int rounds = 0; calls < 2 && rounds < 20'000; ++rounds) {
        worker.helm()->mailbox.wake();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      EXPECT_GE(calls, 2U);
    };
    // A device that nobody uses is left alone.
    drives_until(SpiedUcp::without);
    EXPECT_EQ(SpiedUcp::with, 0U);
    EXPECT_EQ(DriverOfTests::retained, 0);
    DriverOfTests::active = true;
    // Its own thread, and this one when it drives.
    drives_until(SpiedUcp::with);
    const uint64_t without = SpiedUcp::without;
    {
      const std::lock_guard wheel(worker.helm()->wheel);
      const uint64_t before = SpiedUcp::with;
      bool more = true;
      worker.send_by_caller([&more] { return std::exchange(more, false); });
      EXPECT_GT(SpiedUcp::with, before);
    }
    EXPECT_EQ(SpiedUcp::without, without);
    EXPECT_TRUE(DriverOfTests::stack.empty());
    // A thread with a context of its own keeps it.
    int own = 0;
    DriverOfTests::stack.push_back(&own);
    EXPECT_FALSE(gpu.enter());
    DriverOfTests::stack.clear();
    SpiedUcp::without = 0;
  }
  EXPECT_EQ(SpiedUcp::without, 0U);  // its end, too
  EXPECT_EQ(DriverOfTests::retained, 1);
  EXPECT_TRUE(DriverOfTests::stack.empty());
  ucp.ucp_cleanup(context);
}

}  // namespace
}  // namespace gls::net
