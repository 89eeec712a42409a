// Channels over libfabric: what it opens, and what it is asked for. These fail where libfabric was
// there to build with and does not run.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <random>

#include "net_support.h"
#include "own_sockets.h"
#include "plugins/ofi/ofi_endpoint.h"

namespace gls::net {
namespace {

DataOptions data(const std::string& devices, const std::string& transports) {
  DataOptions out;
  out.name = "ofi";
  out.devices = devices;
  out.transports = transports;
  return out;
}

Status refused(const DataOptions& with) {
  EndpointOptions options = options_for("ofi_tcp");
  options.transport.data = with;
  return Endpoint::create(make_context(), std::move(options)).status().copy();
}

bool is_tcp(const std::string& channel) {
  return channel == "ofi: net/lo" || channel == "ofi: tcp/lo";
}

using NetOfi = NetData;

TEST_P(NetOfi, GoesOverWhatWasAskedFor) {
  const auto server = make(true);
  const auto client = make(false);
  EXPECT_TRUE(is_tcp(meet(*client, *server)->connection()->channel()));
}

// And not before somebody was let in.
TEST_P(NetOfi, ListensOnThatInterfaceAlone) {
  const auto server = make(true);
  const auto client = make(false);
  EXPECT_EQ(listening().size(), 1U);  // the server's
  const auto peer = meet(*client, *server);
  const std::vector<Socket> all = listening();
  EXPECT_GE(all.size(), 3U);  // the server's, and one of each channel
  for (const Socket& one : all) {
    EXPECT_EQ(one.host, htonl(INADDR_LOOPBACK));
  }
}

// A stranger has no tag and no token. What libfabric does with nonsense is its own, but this much
// it bears, and so do those who are connected.
TEST_P(NetOfi, NonsenseAtItsPortsIsBorne) {
  const auto server = make(true);
  const auto client = make(false);
  const auto peer = meet(*client, *server);
  std::mt19937 random(11);
  std::vector<int> strangers;
  for (const Socket& one : listening()) {
    for (int i = 0; i < 10; ++i) {
      const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      sockaddr_in to{};
      to.sin_family = AF_INET;
      to.sin_addr.s_addr = one.host;
      to.sin_port = htons(one.port);
      ASSERT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
      std::vector<char> nonsense(random() % 5000);
      std::generate(nonsense.begin(), nonsense.end(),
                    [&] { return static_cast<char>(i % 2 == 0 ? random() : 0); });
      static_cast<void>(::send(fd, nonsense.data(), nonsense.size(), MSG_NOSIGNAL));
      if (i % 3 == 0) {
        ::close(fd);
      } else {
        strangers.push_back(fd);
      }
    }
  }
  for (int i = 0; i < 50; ++i) {
    const std::string text(static_cast<size_t>(i) * 2000, 'x');
    Result<Message> reply = call_and_wait(*peer, kEcho, bytes_of(*context_, text), {20000, true});
    ASSERT_TRUE(reply.ok()) << reply.status().message();
    EXPECT_TRUE(reply->text() == text);
  }
  EXPECT_EQ(peer->epoch(), 1U);
  for (const int fd : strangers) {
    ::close(fd);
  }
  EXPECT_TRUE(meet(*client, *server) != nullptr);
}

// A write of nothing needs no key, and its target is told of it all the same.
TEST_P(NetOfi, WritesOfStrangersAreBorne) {
  const auto server = make(true);
  const auto client = make(false);
  const auto peer = meet(*client, *server);
  std::string why;
  const Ofi* const ofi = load_ofi(&why);
  ASSERT_NE(ofi, nullptr) << why;
  OfiFabric fabric(*ofi);
  ASSERT_EQ(fabric.begin({1, "lo", "net,tcp", OneSided::kOn, DeviceMemory::kOff}, &why), 0) << why;
  int written = 0;
  for (const Socket& one : listening()) {
    OfiEndpoint stranger;
    ASSERT_EQ(stranger.open(fabric), "");
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = one.host;
    to.sin_port = htons(one.port);
    fi_addr_t address = FI_ADDR_UNSPEC;
    ASSERT_EQ(fi_av_insert(stranger.av(), &to, 1, &address, 0, nullptr), 1);
    fi_msg_rma nothing{};
    nothing.addr = address;
    nothing.data = 7;
    // The server's own port speaks another protocol, and refuses to connect.
    for (int i = 0; i < 500; ++i) {
      fi_cq_msg_entry entry{};
      static_cast<void>(fi_cq_read(stranger.cq(), &entry, 1));  // makes progress
      if (fi_writemsg(stranger.ep(), &nothing, FI_REMOTE_CQ_DATA) == 0) {
        ++written;
      }
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
  EXPECT_GT(written, 0);
  for (int i = 0; i < 20; ++i) {
    const std::string text(static_cast<size_t>(i) * 2000, 'x');
    Result<Message> reply = call_and_wait(*peer, kEcho, bytes_of(*context_, text), {20000, true});
    ASSERT_TRUE(reply.ok()) << reply.status().message();
    EXPECT_TRUE(reply->text() == text);
  }
  EXPECT_EQ(peer->epoch(), 1U);
}

// libfabric makes another, and says nothing of what was lost with it: no call may wait for that.
TEST_P(NetOfi, ALostConnectionLeavesNoCallBehind) {
  const auto server = make(true);
  const auto client = make(false);
  const auto peer = meet(*client, *server);
  const std::string& address = server->address();
  const auto port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  std::atomic<int> ended = 0;
  int begun = 0;
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(peer->wait_until_up(20000, true).ok());
    const std::vector<Socket> all = connected();
    const int calls = round % 5 == 0 ? 50 : 1;
    for (int i = 0; i < calls; ++i, ++begun) {
      const std::string text(i % 5 == 4 ? 500000 : 1000, static_cast<char>('a' + i % 26));
      peer->call(kEcho, bytes_of(*context_, text), {-1, true},
                 [&ended, text](Result<Message> reply) {
                   EXPECT_TRUE(!reply.ok() || reply->text() == text);
                   ++ended;
                 });
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20 * round));
    for (const Socket& one : all) {
      if (one.port != port && one.peer_port != port) {
        sockaddr nowhere{};  // AF_UNSPEC: what was not read is dropped, and the other side is told
        static_cast<void>(::connect(one.fd, &nowhere, sizeof nowhere));
      }
    }
    ASSERT_TRUE(eventually([&] { return ended == begun; }, 20000)) << ended << " of " << begun;
  }
  // The loss may be seen by this one.
  EXPECT_TRUE(eventually([&] {
    Result<Message> reply =
        call_and_wait(*peer, kEcho, bytes_of(*context_, "again"), {20000, true});
    EXPECT_TRUE(reply.ok() || reply.status().code() == GLS_ERR_IO) << reply.status().message();
    return reply.ok();
  }));
}

// Nor may a read wait for it; what was read is what is there.
TEST_P(NetOfi, ALostConnectionLeavesNoReadBehind) {
  constexpr uint16_t kWhere = 20;
  constexpr size_t kPiece = 4096;
  auto memory = std::make_shared<std::vector<std::byte>>(size_t{8} << 20);
  for (size_t i = 0; i < memory->size(); ++i) {
    (*memory)[i] = static_cast<std::byte>(i * 31 + i / 251);
  }
  EndpointOptions options = options_for(GetParam());
  options.transport.data.one_sided = OneSided::kOn;
  options.listen = "127.0.0.1:0";
  options.handlers[kWhere] = [memory, this](const Request& request) {
    const auto key = request.connection()->share(memory, *memory);
    request.answer(key.ok() ? Message::copied(context_->buffers(), *key) : Message());
  };
  auto made = Endpoint::create(context_, options);
  ASSERT_TRUE(made.ok()) << made.status().message();
  const auto server = made.take();
  options.listen = "";
  const auto client = Endpoint::create(context_, options).take();
  const auto peer = meet(*client, *server);
  const std::string& address = server->address();
  const auto port = static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  int good = 0;
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(peer->wait_until_up(20000, true).ok());
    const auto connection = peer->connection();
    auto reply = call_and_wait(*peer, kWhere, {}, {20000, true});
    if (connection == nullptr || !reply.ok()) {
      continue;  // what was cut before was seen late
    }
    const auto out = std::make_shared<std::vector<std::byte>>(memory->size());
    Reading reading{
        std::make_shared<const Bytes>(reply->data(), reply->data() + reply->size()), {}, out};
    for (size_t at = 0; at < memory->size(); at += kPiece) {
      reading.pieces.push_back(
          {reinterpret_cast<uint64_t>(memory->data()) + at, kPiece, out->data() + at});
    }
    const std::vector<Socket> all = connected();
    auto done = std::make_shared<std::promise<bool>>();
    auto ended = done->get_future();
    connection->read(std::move(reading), {-1, true},
                     [done](const Status& status) { done->set_value(status.ok()); });
    std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
    for (const Socket& one : all) {
      if (round % 3 != 0 && one.port != port && one.peer_port != port) {
        sockaddr nowhere{};  // AF_UNSPEC: what was not read is dropped, and the other side is told
        static_cast<void>(::connect(one.fd, &nowhere, sizeof nowhere));
      }
    }
    ASSERT_EQ(ended.wait_for(std::chrono::seconds(20)), std::future_status::ready) << round;
    if (ended.get()) {
      ++good;
      EXPECT_TRUE(*out == *memory);
    }
  }
  EXPECT_GT(good, 0);
}

INSTANTIATE_TEST_SUITE_P(Ways, NetOfi, testing::Values("ofi_tcp"),
                         [](const auto& of) { return of.param; });

TEST(NetOfiOptions, AreChecked) {
  Status status = refused(data("nothere0", "net"));
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(status.message(), "net.data_devices: there is no interface \"nothere0\"");
  status = refused(data("lo,eth0", ""));
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(status.message(),
            "net.data_devices is \"lo,eth0\", expected one interface: libfabric uses one");
  status = refused(data("lo", "pigeons,efa"));
  EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED);
  EXPECT_TRUE(status.message().starts_with(
      "libfabric has none of \"pigeons\", \"efa\" on \"lo\" for tagged messages; it has \""))
      << status.message();
  status = refused(data("lo", "shm"));
  EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED);
  EXPECT_TRUE(contains(status.message(), "libfabric's shm is not used")) << status.message();
  status = refused(data("lo", "tcp;ofi_rxm"));
  EXPECT_EQ(status.code(), GLS_ERR_UNSUPPORTED);
  EXPECT_TRUE(contains(status.message(), "\"tcp;ofi_rxm\" is not used")) << status.message();
  status = refused(data("", ""));
  EXPECT_TRUE(contains(status.message(), "net.data is ofi, and net.data_devices"));
}

// On a machine without RDMA that is tcp, and nothing is said of what is not there.
TEST(NetOfiOptions, HaveProvidersThatWork) {
  EndpointOptions options = options_for("ofi_tcp");
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
  EXPECT_TRUE(is_tcp((*peer)->connection()->channel()));
}

// The provider for TCP knows no GPU: it is as without, and who insists hears why.
TEST(NetOfiOptions, SayWhyNothingLandsOnGpus) {
  for (const DeviceMemory wanted : {DeviceMemory::kOff, DeviceMemory::kAuto, DeviceMemory::kOn}) {
    EndpointOptions options = options_for("ofi_tcp");
    options.transport.data.device_memory = wanted;
    options.listen = "127.0.0.1:0";
    auto server = Endpoint::create(make_context(), options);
    ASSERT_TRUE(server.ok()) << server.status().message();
    const Status reached = (*server)->reaches_gpus();
    EXPECT_EQ(reached.code(), GLS_ERR_UNSUPPORTED);
    EXPECT_EQ(*reached.detail("argument"), "net.device_memory");
    if (wanted == DeviceMemory::kOn) {
      EXPECT_TRUE(contains(reached.message(), "\" knows no memory of GPUs (FI_HMEM)"))
          << reached.message();
    } else {
      EXPECT_EQ(reached.message(),
                "net.device_memory is off, or auto and libfabric's provider is not one for RDMA");
    }
    options.listen = "";
    const auto client = Endpoint::create(make_context(), options).take();
    EXPECT_TRUE(client->connect((*server)->address(), 10000).ok());
  }
}

TEST(NetOfiOptions, NeedTheSameOnBothSides) {
  EndpointOptions options = options_for("ofi_tcp");
  options.listen = "127.0.0.1:0";
  const auto server = Endpoint::create(make_context(), std::move(options)).take();
  for (const char* way : {"key", "ucx_tcp"}) {
#ifndef GLS_TEST_UCX
    if (std::string(way) == "ucx_tcp") {
      continue;
    }
#endif
    const auto client = Endpoint::create(make_context(), options_for(way)).take();
    auto peer = client->connect(server->address(), 10000);
    ASSERT_FALSE(peer.ok());
    EXPECT_TRUE(contains(peer.status().message(), "data of peer over ofi/7"))
        << peer.status().message();
  }
  // Of libfabric's, too; which side says it is a matter of who is first.
  options = options_for("ofi_tcp");
  options.transport.data.transports = "sockets";
  auto made = Endpoint::create(make_context(), std::move(options));
  if (!made.ok()) {
    GTEST_SKIP() << made.status().message();
  }
  auto peer = (*made)->connect(server->address(), 10000);
  ASSERT_FALSE(peer.ok());
  EXPECT_TRUE(contains(peer.status().message(), "the other side's provider is \"") ||
              contains(peer.status().message(), "the other side closed the connection"))
      << peer.status().message();
}

}  // namespace
}  // namespace gls::net
