// Peers that die, freeze, fall silent or are slow.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "net_support.h"
#include "test_paths.h"

namespace gls::net {
namespace {

Limits quick_limits() {
  Limits limits;
  limits.heartbeat_ms = 100;
  limits.peer_timeout_ms = 1000;
  return limits;
}

// ---- within one process, with faults injected ----

class NetSelfFaults : public testing::Test {
 protected:
  void SetUp() override {
    EndpointOptions server = options_for("self");
    server.limits = quick_limits();
    server.transport.faults = faults_;
    server.listen = "here:0";
    server.role = "server";
    server.name = "faulty";
    server.handlers = make_handlers(kept_);
    server_ = Endpoint::create(context_, std::move(server)).take();
    EndpointOptions client = options_for("self");
    client.limits = quick_limits();
    client.transport.faults = faults_of_client_;
    client_ = Endpoint::create(context_, std::move(client)).take();
    peer_ = client_->connect(server_->address(), 5000).take();
  }
  void TearDown() override { kept_->drop(); }

  std::shared_ptr<SelfFaults> faults_ = std::make_shared<SelfFaults>();
  std::shared_ptr<SelfFaults> faults_of_client_ = std::make_shared<SelfFaults>();
  std::shared_ptr<Context> context_ = make_context();
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::unique_ptr<Endpoint> server_;
  std::unique_ptr<Endpoint> client_;
  std::shared_ptr<Peer> peer_;
};

TEST_F(NetSelfFaults, SilenceIsReportedWithTheName) {
  faults_->drop = true;
  Result<Message> reply = call_and_wait(*peer_, kEcho, bytes_of(*context_, "hello"), {-1, true});
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.status().code(), GLS_ERR_IO);
  EXPECT_TRUE(contains(reply.status().message(), "server \"faulty\" at " + server_->address()));
  EXPECT_TRUE(contains(reply.status().message(), "it was silent for 1"))
      << reply.status().message();
  // And both find each other again when the fault is gone.
  faults_->drop = false;
  EXPECT_TRUE(eventually([&] { return peer_->state() == PeerState::kUp; }, 20000));
}

TEST_F(NetSelfFaults, AFrozenPeerIsReported) {
  faults_->frozen = true;
  Result<Message> reply = call_and_wait(*peer_, kEcho, {}, {-1, true});
  faults_->frozen = false;
  EXPECT_EQ(reply.status().code(), GLS_ERR_IO);
}

TEST_F(NetSelfFaults, ABrokenConnectionEndsItsCallsAtOnce) {
  std::atomic<int> ended = 0;
  for (int i = 0; i < 100; ++i) {
    peer_->call(kNever, {}, {-1, true}, [&](Result<Message> reply) {
      ended += !reply.ok() && reply.status().code() == GLS_ERR_IO ? 1 : 0;
    });
  }
  ASSERT_TRUE(eventually([&] { return kept_->size() == 100; }));
  faults_->dead = true;
  EXPECT_TRUE(eventually([&] { return ended == 100; }));
  // The other side hears of it by itself.
  EXPECT_TRUE(eventually([&] {
    const std::lock_guard lock(kept_->mutex);
    return std::all_of(kept_->requests.begin(), kept_->requests.end(),
                       [](const Request& request) { return request.canceled(); });
  }));
}

TEST_F(NetSelfFaults, ASlowPeerIsNotADeadOne) {
  faults_->delay_ms = 30;
  for (int i = 0; i < 20; ++i) {
    Result<Message> reply = call_and_wait(*peer_, kEcho, bytes_of(*context_, "hello"), {-1, true});
    ASSERT_TRUE(reply.ok()) << reply.status().message();
  }
  EXPECT_EQ(peer_->epoch(), 1U);
}

// Questions of many batches at once cost the system as few.
TEST_F(NetSelfFaults, WhatWaitsIsSentTogether) {
  constexpr int kCalls = 100;
  std::atomic<int> answered = 0;
  faults_of_client_->frozen = true;
  const uint64_t before = faults_of_client_->writes;
  for (int i = 0; i < kCalls; ++i) {
    peer_->call(kEcho, bytes_of(*context_, "hello"), {-1, true},
                [&](Result<Message> reply) { answered += reply.ok() ? 1 : 0; });
  }
  faults_of_client_->frozen = false;
  ASSERT_TRUE(eventually([&] { return answered == kCalls; }));
  EXPECT_GE(faults_of_client_->writes, before + 1);
  EXPECT_LE(faults_of_client_->writes, before + kCalls / 5);
}

TEST_F(NetSelfFaults, WhoIsIdleIsKept) {
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  EXPECT_EQ(peer_->epoch(), 1U);
  EXPECT_EQ(peer_->state(), PeerState::kUp);
}

TEST_F(NetSelfFaults, AClosedPeerStaysClosed) {
  peer_->close();
  Result<Message> reply = call_and_wait(*peer_, kEcho, {}, {-1, true});
  EXPECT_EQ(reply.status().code(), GLS_ERR_INVALID_STATE);
  EXPECT_TRUE(eventually([&] { return server_->connections().empty(); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(peer_->state(), PeerState::kClosed);
}

TEST(NetLimits, NonsenseIsNamed) {
  Limits limits;
  limits.peer_timeout_ms = 1500;
  Status status = check(limits);
  EXPECT_EQ(status.message(), "peer_timeout_ms is 1500, expected 2000 to 3600000");
  EXPECT_EQ(*status.detail("argument"), "peer_timeout_ms");
  EXPECT_TRUE(check({}).ok());
}

TEST(NetLimits, AHeartbeatThatIsTooSlowIsRefused) {
  const auto context = make_context();
  EndpointOptions server = options_for("self");
  server.limits = quick_limits();
  server.listen = "there:0";
  const auto listening = Endpoint::create(context, std::move(server)).take();
  const auto client = Endpoint::create(context, options_for("self")).take();
  Result<std::shared_ptr<Peer>> peer = client->connect(listening->address(), 5000);
  ASSERT_FALSE(peer.ok());
  EXPECT_TRUE(contains(peer.status().message(),
                       "a heartbeat of 1000 ms is too slow for a timeout of peers of 1000 ms"))
      << peer.status().message();
}

TEST(NetAddress, WhatIsNoneIsRefused) {
  for (const char* bad : {"", ":", "host", "host:", ":1", "host:65536", "host:-1", "host:1x",
                          "::1:5", "[]:5", "[::1:5"}) {
    EXPECT_FALSE(split_address(bad, "listen").ok()) << bad;
  }
  EXPECT_EQ(split_address("[::1]:5", "listen")->first, "::1");
  EXPECT_EQ(split_address("a.b:65535", "listen")->second, "65535");
}

#ifdef GLS_TEST_PLUGINS

// ---- another process ----

class ServerProcess {
 public:
  ServerProcess(const std::string& way, const std::string& address) {
    int in[2];
    int out[2];
    EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    const std::string key = write_file("key", kTestKey);
    pid_ = fork();
    if (pid_ == 0) {
      dup2(in[0], 0);
      dup2(out[1], 1);
      execl(test::kNetServer, test::kNetServer, way.c_str(), address.c_str(), key.c_str(), nullptr);
      _exit(127);
    }
    close(in[0]);
    close(out[1]);
    in_ = in[1];
    char c = 0;
    while (read(out[0], &c, 1) == 1 && c != '\n') {
      address_ += c;
    }
    close(out[0]);
  }
  ~ServerProcess() {
    signal(SIGKILL);
    int status = 0;
    waitpid(pid_, &status, 0);
    close(in_);
  }
  void signal(int number) const { kill(pid_, number); }
  const std::string& address() const { return address_; }

 private:
  pid_t pid_ = -1;
  int in_ = -1;
  std::string address_;
};

// Files of shared memory, and segments of System V, that are there now.
std::set<std::string> shared_memory() {
  std::set<std::string> out;
  std::error_code gone;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", gone)) {
    if (!entry.is_directory(gone)) {  // those of tests
      out.insert(entry.path().string());
    }
  }
  std::ifstream table("/proc/sysvipc/shm");
  std::string line;
  std::getline(table, line);
  for (std::string key, id; std::getline(table, line);) {
    std::istringstream(line) >> key >> id;
    out.insert("segment " + id);
  }
  return out;
}

// As where a server is away for a moment, and its port is chosen for a connection meanwhile.
TEST(NetTcp, ListensWhereAConnectionBegan) {
  const auto kept = std::make_shared<Kept>();
  const auto context = make_context();
  EndpointOptions options = options_for("plain");
  options.handlers = make_handlers(kept);
  const auto client = Endpoint::create(context, options).take();
  options.listen = "127.0.0.1:0";
  const auto server = Endpoint::create(context, options).take();
  const auto peer = client->connect(server->address(), 10000).take();
  options.listen = server->connections().at(0)->address();
  auto other = Endpoint::create(context, options);
  ASSERT_TRUE(other.ok()) << other.status().message();
  const auto met = client->connect((*other)->address(), 10000).take();
  for (const auto& each : {peer, met}) {
    EXPECT_TRUE(call_and_wait(*each, kEcho, bytes_of(*context, "here"), {}).ok());
  }
}

class NetProcess : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    before_ = shared_memory();
    EndpointOptions options = options_for(GetParam());
    options.limits.heartbeat_ms = 200;
    options.limits.peer_timeout_ms = 2000;  // the server says a heartbeat of 1000 ms
    client_ = Endpoint::create(context_, std::move(options)).take();
    server_.emplace(GetParam(), "127.0.0.1:0");
    Result<std::shared_ptr<Peer>> peer = client_->connect(server_->address(), 10000);
    ASSERT_TRUE(peer.ok()) << peer.status().message();
    peer_ = peer.take();
  }

  // Calls in flight, half of which are never answered.
  void begin_calls(int count) {
    for (int i = 0; i < count; ++i) {
      peer_->call(i % 2 == 0 ? kNever : kEcho, bytes_of(*context_, std::string(1000, 'x')),
                  {-1, true}, [this, i](Result<Message> reply) {
                    if (i % 2 == 0) {
                      failed_ += reply.ok() ? 0 : 1;
                      const std::lock_guard lock(mutex_);
                      text_ = reply.status().message();
                    }
                    ++ended_;
                  });
    }
  }

  std::shared_ptr<Context> context_ = make_context();
  std::unique_ptr<Endpoint> client_;
  std::optional<ServerProcess> server_;
  std::shared_ptr<Peer> peer_;
  std::atomic<int> ended_ = 0;
  std::atomic<int> failed_ = 0;
  std::mutex mutex_;
  std::set<std::string> before_;  // of shared memory
  std::string text_;
};

TEST_P(NetProcess, AKilledOneIsReportedAndFoundAgain) {
  begin_calls(400);
  server_->signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return ended_ == 400; }));
  EXPECT_EQ(failed_, 200);
  {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(contains(text_, "server \"that may die\" at " + server_->address())) << text_;
    EXPECT_TRUE(contains(text_, "a call of kind 3 with 1000 bytes had no answer")) << text_;
  }
  const std::string address = server_->address();
  server_.emplace(GetParam(), address);
  EXPECT_EQ(server_->address(), address);
  const Status up = peer_->wait_until_up(20000, true);
  EXPECT_TRUE(up.ok()) << up.message();
  EXPECT_EQ(peer_->epoch(), 2U);
  EXPECT_TRUE(call_and_wait(*peer_, kEcho, bytes_of(*context_, "again"), {}).ok());
}

// Others may make and remove some at the same time.
TEST_P(NetProcess, AKilledOneLeavesNoSharedMemory) {
  begin_calls(100);
  server_->signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return ended_ == 100; }));
  peer_ = nullptr;
  client_ = nullptr;
  std::set<std::string> left = shared_memory();
  std::erase_if(left, [&](const std::string& one) { return before_.contains(one); });
  EXPECT_TRUE(eventually(
      [&] {
        const std::set<std::string> now = shared_memory();
        return std::none_of(left.begin(), left.end(),
                            [&](const std::string& one) { return now.contains(one); });
      },
      30000))
      << (left.empty() ? "" : *left.begin());
}

TEST_P(NetProcess, AStoppedOneIsReported) {
  begin_calls(20);
  server_->signal(SIGSTOP);
  EXPECT_TRUE(eventually([&] { return ended_ == 20; }, 20000));
  EXPECT_GE(failed_, 10);
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(contains(text_, "it was silent for 2")) << text_;
}

// Wakes after it was given up: it is met again, and nothing of the old connection reaches the new.
TEST_P(NetProcess, AStoppedOneComesBack) {
  begin_calls(20);
  server_->signal(SIGSTOP);
  EXPECT_TRUE(eventually([&] { return ended_ == 20; }, 20000));
  server_->signal(SIGCONT);
  EXPECT_TRUE(peer_->wait_until_up(20000, true).ok());
  EXPECT_TRUE(call_and_wait(*peer_, kEcho, bytes_of(*context_, "awake"), {}).ok());
  EXPECT_EQ(ended_, 20);
}

// Some are on their way in each direction when it happens.
TEST_P(NetProcess, LongMessagesUnderWayEndToo) {
  const std::string text(3 << 20, 'x');
  const auto begin = [&] {
    for (int i = 0; i < 20; ++i) {
      peer_->call(kEcho, bytes_of(*context_, text), {-1, true}, [&](Result<Message> reply) {
        EXPECT_TRUE(!reply.ok() || reply->text() == text);
        ++ended_;
      });
    }
  };
  begin();
  server_->signal(SIGSTOP);
  EXPECT_TRUE(eventually([&] { return ended_ == 20; }, 20000)) << ended_;
  server_->signal(SIGCONT);
  ASSERT_TRUE(peer_->wait_until_up(20000, true).ok());
  begin();
  EXPECT_TRUE(eventually([&] { return ended_ >= 22; }, 20000)) << ended_;
  server_->signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return ended_ == 40; }, 20000)) << ended_;
  const std::string address = server_->address();
  server_.emplace(GetParam(), address);
  const Status up = peer_->wait_until_up(20000, true);
  ASSERT_TRUE(up.ok()) << up.message();
  Result<Message> reply = call_and_wait(*peer_, kEcho, bytes_of(*context_, text), {});
  ASSERT_TRUE(reply.ok()) << reply.status().message();
  EXPECT_TRUE(reply->text() == text);
}

INSTANTIATE_TEST_SUITE_P(Ways, NetProcess, testing::ValuesIn(process_ways()),
                         [](const auto& of) { return of.param; });

#endif

}  // namespace
}  // namespace gls::net
