// Who gets in, who does not, and what strangers can do to the port. Without the part tcp there is
// no port, and only what is refused before it is looked for can be tested.
#include "net_support.h"
#include "sanitized.h"

#ifdef GLS_TEST_PLUGINS
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <random>

#include "net/core/frame.h"
#include "net_certificates.h"
#endif

namespace gls::net {
namespace {

Status create_error(const EndpointOptions& options) {
  Result<std::unique_ptr<Endpoint>> made = Endpoint::create(make_context(), options);
  return made.ok() ? Status() : made.status().copy();
}

TEST(NetSecurity, ExactlyOneKindIsGiven) {
  EndpointOptions none;
  EXPECT_EQ(*create_error(none).detail("argument"), "security");
  EndpointOptions both;
  both.transport.security.plain = true;
  both.transport.security.psk_env = "X";
  EXPECT_TRUE(contains(create_error(both).message(), "security: 2 of plain"));
  EndpointOptions half;
  half.transport.security.ca_file = "x";
  EXPECT_TRUE(contains(create_error(half).message(), "certificates need all of"));
}

#ifdef GLS_TEST_PLUGINS

struct Pair {
  std::unique_ptr<Endpoint> server;
  std::unique_ptr<Endpoint> client;
  Status status;  // of connecting
};

Pair meet(const Security& server_security, const Security& client_security) {
  const auto context = make_context();
  const auto kept = std::make_shared<Kept>();
  EndpointOptions server = options_for("plain");
  server.transport.security = server_security;
  server.listen = "127.0.0.1:0";
  server.handlers = make_handlers(kept);
  server.limits.handshake_timeout_ms = 1500;
  EndpointOptions client = options_for("plain");
  client.transport.security = client_security;
  client.limits.handshake_timeout_ms = 1500;
  Pair pair;
  Result<std::unique_ptr<Endpoint>> made = Endpoint::create(context, std::move(server));
  EXPECT_TRUE(made.ok()) << made.status().message();
  pair.server = made.take();
  made = Endpoint::create(context, std::move(client));
  EXPECT_TRUE(made.ok()) << made.status().message();
  pair.client = made.take();
  Result<std::shared_ptr<Peer>> peer = pair.client->connect(pair.server->address(), 10000);
  if (!peer.ok()) {
    pair.status = std::move(peer.status());
    return pair;
  }
  Result<Message> reply = call_and_wait(**peer, kEcho, bytes_of(*context, "hello"), {5000, true});
  if (!reply.ok()) {
    pair.status = std::move(reply.status());
  }
  return pair;
}

Security plain() {
  Security security;
  security.plain = true;
  return security;
}
Security key(const std::string& name, const std::string& text) {
  Security security;
  security.psk_file = write_file(name, text);
  return security;
}

std::string hex_of(const std::string& bytes) {
  std::string out;
  for (const char c : bytes) {
    const char* const digits = "0123456789abcdef";
    out += digits[static_cast<unsigned char>(c) >> 4];
    out += digits[c & 15];
  }
  return out;
}

TEST(NetSecurity, TheSameKeyInAnyNotation) {
  const std::string raw = "\x01\x02\xff raw bytes of thirty-two ....";
  ASSERT_EQ(raw.size(), 32U);
  const Pair hex = meet(key("raw", raw), key("hex", hex_of(raw) + "\n"));
  EXPECT_TRUE(hex.status.ok()) << hex.status.message();
  EXPECT_TRUE(contains(hex.server->connections().at(0)->security(), "TLSv1.3"));
  const Pair base64 =
      meet(key("raw", raw), key("base64", "AQL/IHJhdyBieXRlcyBvZiB0aGlydHktdHdvIC4uLi4=\n"));
  EXPECT_TRUE(base64.status.ok()) << base64.status.message();
  setenv("GLS_TEST_KEY", hex_of(raw).c_str(), 1);
  Security environment;
  environment.psk_env = "GLS_TEST_KEY";
  EXPECT_TRUE(meet(key("raw", raw), environment).status.ok());
}

TEST(NetSecurity, BadKeysAreRefusedWithoutShowingThem) {
  const auto refused = [](const Security& security) {
    EndpointOptions options = options_for("plain");
    options.transport.security = security;
    return create_error(options).message();
  };
  const std::string shortened = refused(key("short", "c0ffee00c0ffee00"));
  EXPECT_TRUE(contains(shortened, "has a key of 8 bytes, expected 32 to 256")) << shortened;
  EXPECT_FALSE(contains(shortened, "c0ffee"));
  Security missing;
  missing.psk_file = "/nowhere/key";
  EXPECT_TRUE(contains(refused(missing), "cannot read key file /nowhere/key: No such file"));
  Security unset;
  unset.psk_env = "GLS_TEST_NO_SUCH_KEY";
  EXPECT_TRUE(contains(refused(unset), "environment variable GLS_TEST_NO_SUCH_KEY is not set"));
  setenv("GLS_TEST_BAD_KEY", "not a key!", 1);
  Security bad;
  bad.psk_env = "GLS_TEST_BAD_KEY";
  const std::string text = refused(bad);
  EXPECT_TRUE(contains(text, "is neither hexadecimal nor base64")) << text;
  EXPECT_FALSE(contains(text, "not a key!"));
  const Security open = key("open", kTestKey);
  chmod(open.psk_file.c_str(), 0644);
  EXPECT_TRUE(contains(refused(open), "is open to others")) << refused(open);
}

TEST(NetSecurity, AnotherKeyIsRefused) {
  const Pair pair = meet(key("one", kTestKey), key("other", std::string(64, 'a')));
  ASSERT_FALSE(pair.status.ok());
  EXPECT_TRUE(contains(pair.status.message(), "is the key the same on both sides?"))
      << pair.status.message();
  EXPECT_EQ(pair.server->stats().admitted, 0U);
  EXPECT_EQ(pair.server->stats().accepted, 1U);
}

TEST(NetSecurity, PlainAndTlsDoNotMeet) {
  const Pair to_tls = meet(key("one", kTestKey), plain());
  ASSERT_FALSE(to_tls.status.ok());
  EXPECT_TRUE(
      contains(to_tls.status.message(), "it speaks TLS, and this side was told to be plain"))
      << to_tls.status.message();
  const Pair to_plain = meet(plain(), key("one", kTestKey));
  EXPECT_TRUE(contains(to_plain.status.message(), "does not speak TLS (is it plain?)"))
      << to_plain.status.message();
  EXPECT_EQ(to_tls.server->stats().admitted, 0U);
  EXPECT_EQ(to_plain.server->stats().admitted, 0U);
}

Security use(const std::string& name, const Certificate& own, const Certificate& ca,
             const std::string& expected = "") {
  Security security;
  security.certificate_file = write_file(name + ".pem", own.pem());
  security.key_file = write_file(name + ".key", own.key_pem());
  security.ca_file = write_file(name + ".ca", ca.pem());
  security.expected_name = expected;
  return security;
}

class NetCertificates : public testing::Test {
 protected:
  const Certificate ca_{"GLS test CA", nullptr, ""};
  const Certificate other_ca_{"another CA", nullptr, ""};
  const Certificate server_{"server", &ca_, "IP:127.0.0.1,DNS:graph.example"};
  const Certificate client_{"client", &ca_, ""};
};

TEST_F(NetCertificates, OfOneAuthorityMeet) {
  const Pair pair = meet(use("server", server_, ca_), use("client", client_, ca_));
  EXPECT_TRUE(pair.status.ok()) << pair.status.message();
  EXPECT_TRUE(contains(pair.server->connections().at(0)->security(), "certificates"));
  EXPECT_TRUE(
      meet(use("server", server_, ca_), use("client", client_, ca_, "graph.example")).status.ok());
}

TEST_F(NetCertificates, NamesAreChecked) {
  const Certificate nameless("server", &ca_, "DNS:elsewhere.example");
  const Pair pair = meet(use("server", nameless, ca_), use("client", client_, ca_));
  EXPECT_TRUE(contains(pair.status.message(), "IP address mismatch")) << pair.status.message();
  EXPECT_TRUE(meet(use("server", nameless, ca_), use("client", client_, ca_, "*")).status.ok());
  EXPECT_FALSE(
      meet(use("server", nameless, ca_), use("client", client_, ca_, "graph.example")).status.ok());
}

TEST_F(NetCertificates, OfAnotherAuthorityAreRefusedByBothSides) {
  const Certificate stranger("client", &other_ca_, "IP:127.0.0.1");
  const Pair by_server = meet(use("server", server_, ca_), use("client", stranger, ca_));
  EXPECT_TRUE(contains(by_server.status.message(), "does it trust our certificate"))
      << by_server.status.message();
  EXPECT_EQ(by_server.server->stats().admitted, 0U);
  const Pair by_client = meet(use("server", stranger, ca_), use("client", client_, ca_));
  EXPECT_TRUE(contains(by_client.status.message(), "the other side's certificate is refused"))
      << by_client.status.message();
  EXPECT_EQ(by_client.server->stats().admitted, 0U);
}

// One that was good when its endpoint was made. Our own is looked at before: net_files_test.cc.
TEST_F(NetCertificates, ThoseThatExpireAreRefused) {
  constexpr long kSeconds = 5;
  const Certificate short_lived("server", &ca_, "IP:127.0.0.1", -7200, kSeconds);
  const auto made_ns = now_ns();
  const auto context = make_context();
  EndpointOptions server = options_for("plain");
  server.transport.security = use("server", short_lived, ca_);
  server.listen = "127.0.0.1:0";
  EndpointOptions client = options_for("plain");
  client.transport.security = use("client", client_, ca_);
  const auto listening = Endpoint::create(context, std::move(server)).take();
  const auto other = Endpoint::create(context, std::move(client)).take();
  ASSERT_TRUE(eventually([&] { return now_ns() - made_ns > uint64_t{kSeconds + 2} * 1000000000; }));
  const Status status = other->connect(listening->address(), 10000).status().copy();
  EXPECT_TRUE(contains(status.message(), "certificate has expired")) << status.message();
}

TEST_F(NetCertificates, AndKeysDoNotMeet) {
  EXPECT_FALSE(meet(use("server", server_, ca_), key("one", kTestKey)).status.ok());
  EXPECT_FALSE(meet(key("one", kTestKey), use("client", client_, ca_)).status.ok());
}

// ---- strangers at the port ----

// As options_for(), and with certificates of one authority for both sides.
EndpointOptions options_of(const std::string& way) {
  if (way != "certificates") {
    return options_for(way);
  }
  static const Certificate authority("GLS test CA", nullptr, "");
  static const Certificate own("anybody", &authority, "IP:127.0.0.1");
  EndpointOptions options = options_for("plain");
  options.transport.security = use("anybody", own, authority);
  return options;
}

class Stranger {
 public:
  explicit Stranger(const std::string& address) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to.sin_port = htons(static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
    EXPECT_EQ(::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    const timeval limit{10, 0};  // nobody is kept waiting for so long: it is closed before
    setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  ~Stranger() { ::close(fd_); }
  Stranger(const Stranger&) = delete;
  Stranger& operator=(const Stranger&) = delete;
  bool say(std::span<const std::byte> bytes) const {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }
  // Whether the other side closes within the time.
  bool is_closed(int64_t timeout_ms) const {
    timeval limit{timeout_ms / 1000, timeout_ms % 1000 * 1000};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    char drop[4096];
    for (;;) {
      const ssize_t n = ::recv(fd_, drop, sizeof drop, 0);
      if (n == 0 || (n < 0 && errno != EAGAIN)) {
        return true;
      }
      if (n < 0) {
        return false;
      }
    }
  }

 private:
  int fd_;
};

Bytes preamble_and(const FrameHeader& header) {
  Bytes out;
  for (const unsigned char c : kPreamble) {
    out.push_back(std::byte{c});
  }
  const auto head = encode(header);
  out.insert(out.end(), head.begin(), head.end());
  return out;
}

class NetStrangers : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    EndpointOptions options = options_of(GetParam());
    options.listen = "127.0.0.1:0";
    options.handlers = make_handlers(kept_);
    options.limits.handshake_timeout_ms = 700;
    options.limits.max_pending = 32;
    server_ = Endpoint::create(warnings_.context(), std::move(options)).take();
  }
  // A friend gets in and is served, whatever strangers did.
  void TearDown() override {
    const auto client = Endpoint::create(context_, options_of(GetParam())).take();
    Result<std::shared_ptr<Peer>> peer = client->connect(server_->address(), 10000, true);
    ASSERT_TRUE(peer.ok()) << peer.status().message();
    Result<Message> reply = call_and_wait(**peer, kEcho, bytes_of(*context_, "hello"), {});
    EXPECT_TRUE(reply.ok()) << reply.status().message();
    EXPECT_EQ(server_->stats().admitted, 1U);
    EXPECT_TRUE(eventually([&] { return server_->stats().pending == 0; }));
    EXPECT_EQ(server_->stats().connections, 1U);
    EXPECT_EQ(warnings_.all(), "");  // whoever reaches the port could fill the log
  }

  Warnings warnings_;
  std::shared_ptr<Context> context_ = make_context();
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::unique_ptr<Endpoint> server_;
};

TEST_P(NetStrangers, RandomBytes) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 200; ++i) {
    Bytes bytes(1 + random() % 3000);
    for (std::byte& b : bytes) {
      b = static_cast<std::byte>(random());
    }
    const Stranger stranger(server_->address());
    stranger.say(bytes);
    if (i % 10 == 0 && bytes.size() > 100) {
      EXPECT_TRUE(stranger.is_closed(5000)) << i;
    }
  }
}

TEST_P(NetStrangers, ATlsGreetingAndThenGarbage) {
  std::mt19937_64 random(12);
  for (int i = 0; i < 100; ++i) {
    Bytes bytes(600);
    for (std::byte& b : bytes) {
      b = static_cast<std::byte>(random());
    }
    const unsigned char head[] = {0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3};
    std::memcpy(bytes.data(), head, sizeof head);
    const Stranger stranger(server_->address());
    stranger.say(bytes);
  }
}

TEST_P(NetStrangers, FramesOfHugeLengthOrWrongOrder) {
  for (int type = 1; type <= 12; ++type) {
    for (const uint32_t length : {0U, 4097U, 65537U, UINT32_MAX}) {
      const Stranger stranger(server_->address());
      stranger.say(preamble_and({length, static_cast<FrameType>(type), 0, 1, 1}));
      if (length > 65536) {
        EXPECT_TRUE(stranger.is_closed(5000)) << type << ", " << length;
      }
    }
  }
}

TEST_P(NetStrangers, TruncatedFrames) {
  Bytes whole = preamble_and({300, FrameType::kHello, 0, 0, 0});
  whole.resize(whole.size() + 300);
  for (size_t size = 0; size < whole.size(); size += 5) {
    const Stranger stranger(server_->address());
    stranger.say(std::span(whole).first(size));
  }
}

TEST_P(NetStrangers, AThousandWhoConnectAndSayNothing) {
  std::vector<std::unique_ptr<Stranger>> strangers;
  strangers.reserve(500);
  for (int i = 0; i < 500; ++i) {
    strangers.push_back(std::make_unique<Stranger>(server_->address()));
    if (i % 50 == 0) {
      EXPECT_LE(server_->stats().pending, 32U);
    }
  }
  for (int i = 0; i < 500; ++i) {
    const Stranger gone(server_->address());
  }
  EXPECT_TRUE(eventually([&] { return server_->stats().accepted >= 1000; }));
  EXPECT_LE(server_->stats().pending, 32U);
  EXPECT_TRUE(strangers.back()->is_closed(5000));
  EXPECT_TRUE(strangers.front()->is_closed(5000));
}

TEST_P(NetStrangers, WhoGreetsByteByByteIsCutOff) {
  const Stranger stranger(server_->address());
  Bytes bytes = preamble_and({300, FrameType::kHello, 0, 0, 0});
  if (GetParam() != "plain") {
    bytes = {std::byte{0x16}, std::byte{3}, std::byte{1}, std::byte{2}, std::byte{0}};
  }
  const uint64_t begin = now_ns();
  for (size_t i = 0; now_ns() - begin < 600000000; ++i) {
    stranger.say(std::span(bytes).subspan(std::min(i, bytes.size() - 1), 1));
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
  }
  EXPECT_TRUE(stranger.is_closed(5000));
}

INSTANTIATE_TEST_SUITE_P(Ways, NetStrangers, testing::Values("plain", "key", "certificates"),
                         [](const auto& of) { return of.param; });

// ---- floods ----

// The address sanitizer keeps what was freed, to notice who uses it, and the thread sanitizer
// writes down who touched what: how much memory is resident says nothing there.
constexpr bool kCountsMemory = !test::kSanitized;
constexpr uint64_t kMostGrowth = uint64_t{64} << 20;
constexpr uint64_t kFloodNs = 2000000000;

uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  uint64_t size = 0;
  uint64_t resident = 0;
  statm >> size >> resident;
  EXPECT_GT(resident, 0U);
  return resident * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void append(Bytes* to, std::span<const std::byte> bytes) {
  to->insert(to->end(), bytes.begin(), bytes.end());
}

class NetFloods : public testing::TestWithParam<std::string> {
 protected:
  // Done again and again.
  using Flood = std::function<void()>;

  void SetUp() override {
    EndpointOptions options = options_of(GetParam());
    options.listen = "127.0.0.1:0";
    options.handlers = make_handlers(kept_);
    options.limits.handshake_timeout_ms = 700;
    options.limits.max_pending = 32;
    // What a peer may cost. Silence is not what this is about: so many threads send here that one
    // may be kept waiting.
    options.limits.max_message_bytes = 256 << 10;
    options.limits.max_calls = 256;
    options.limits.max_call_bytes = 1 << 20;
    options.limits.max_queued_bytes = 1 << 20;
    options.limits.peer_timeout_ms = 60000;
    options.lost = [this](const Connection& connection, const Status& why) {
      overdrawn_ += contains(why.message(), "without awaiting an answer") ? 1 : 0;
      const std::string name = connection.remote().name;
      newcomers_ += name == "newcomer" ? 1 : 0;
      others_ += name.empty() || name == "newcomer" ? 0 : 1;
    };
    server_ = Endpoint::create(warnings_.context(), std::move(options)).take();
    EndpointOptions other = options_of(GetParam());
    other.limits.peer_timeout_ms = 60000;
    client_ = Endpoint::create(context_, std::move(other)).take();
    Result<std::shared_ptr<Peer>> peer = client_->connect(server_->address(), 10000);
    ASSERT_TRUE(peer.ok()) << peer.status().message();
    friend_ = peer.take();
    text_.assign(5000, 'x');
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(is_served());
    }
  }
  void TearDown() override {
    kept_->drop();
    server_->shutdown("the test is over", 0);
  }

  bool is_served() {
    Result<Message> reply =
        call_and_wait(*friend_, kEcho, bytes_of(*context_, text_), {60000, true});
    EXPECT_TRUE(reply.ok()) << reply.status().message();
    return reply.ok() && reply->size() == text_.size() &&
           std::memcmp(reply->data(), text_.data(), text_.size()) == 0;
  }

  // Serves the friend for so long, and then until `enough`, while each flood has a thread.
  template <typename Enough>
  void endure(const std::vector<Flood>& floods, Enough enough) {
    const uint64_t before = resident_bytes();
    uint64_t most = before;
    std::vector<std::thread> threads;
    threads.reserve(floods.size());
    for (const Flood& flood : floods) {
      threads.emplace_back([this, &flood] {
        while (!over_) {
          flood();
        }
      });
    }
    const uint64_t begin = now_ns();
    bool served = true;
    const auto goes_on = [&] {
      const uint64_t ns = now_ns() - begin;
      return ns < kFloodNs || (!enough() && ns < 30 * kFloodNs);
    };
    bool bounded = true;
    while (served && bounded && goes_on()) {
      served = is_served();
      most = std::max(most, resident_bytes());
      bounded = !kCountsMemory || most < before + kMostGrowth;
    }
    over_ = true;
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_TRUE(served);
    EXPECT_TRUE(bounded) << "it grew by " << (most - before) / 1024 << " KiB";
    EXPECT_TRUE(enough());
  }

  // So many at once, each of whom says it all, and connects again when that was enough for the
  // server.
  void pour(const Bytes& first, const Bytes& then, size_t sockets) {
    std::vector<std::unique_ptr<Stranger>> strangers(sockets);
    while (!over_) {
      for (std::unique_ptr<Stranger>& stranger : strangers) {
        if (stranger == nullptr) {
          stranger = std::make_unique<Stranger>(server_->address());
          if (!first.empty() && !stranger->say(first)) {
            stranger = nullptr;
            continue;
          }
        }
        if (!stranger->say(then)) {
          stranger = nullptr;
        }
      }
    }
  }

  Warnings warnings_;
  std::shared_ptr<Context> context_ = make_context();
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::atomic<int> overdrawn_ = 0;
  // Who was let in and is gone.
  std::atomic<uint64_t> newcomers_ = 0;
  std::atomic<int> others_ = 0;
  std::atomic<bool> over_ = false;
  std::string text_;
  std::unique_ptr<Endpoint> server_;
  std::unique_ptr<Endpoint> client_;
  std::shared_ptr<Peer> friend_;
};

TEST_P(NetFloods, OfStrangersBeforeAnyGreeting) {
  std::mt19937_64 random(13);
  Bytes garbage(65536);
  for (std::byte& b : garbage) {
    b = static_cast<std::byte>(random());
  }
  const Bytes zeros(65536);
  const Bytes greeting = preamble_and({4096, FrameType::kHello, 0, 0, 0});
  // A greeting of TLS of nearly 128 KiB, in records of 16 KiB.
  Bytes record(5 + 16384);
  const unsigned char head[] = {0x16, 3, 1, 0x40, 0, 1, 1, 0xff, 0, 3, 3};
  std::memcpy(record.data(), head, sizeof head);
  Bytes more = record;
  std::memset(more.data() + 5, 0, 16384);
  const uint64_t accepted = server_->stats().accepted;
  // Whoever has the key gets in all the while.
  std::atomic<int> came = 0;
  const Flood newcomer = [&] {
    EndpointOptions options = options_of(GetParam());
    options.name = "newcomer";
    const auto client = Endpoint::create(context_, std::move(options)).take();
    Result<std::shared_ptr<Peer>> peer = client->connect(server_->address(), 60000, true);
    ASSERT_TRUE(peer.ok()) << peer.status().message();
    Result<Message> reply = call_and_wait(**peer, kEcho, bytes_of(*context_, "hello"), {});
    EXPECT_TRUE(reply.ok()) << reply.status().message();
    came += reply.ok() ? 1 : 0;
  };
  endure({[&] { pour({}, garbage, 8); }, [&] { pour({}, garbage, 8); },
          [&] { pour(greeting, zeros, 8); }, [&] { pour(greeting, garbage, 8); },
          [&] { pour(record, more, 8); }, [&] { pour(record, garbage, 8); }, newcomer},
         [&] { return server_->stats().accepted > accepted + 100 && came >= 3; });
  EXPECT_LE(server_->stats().pending, 32U);
  EXPECT_TRUE(eventually([&] { return server_->stats().admitted == 1 + newcomers_; }));
  EXPECT_EQ(others_, 0);
  EXPECT_EQ(warnings_.all(), "");

  const auto another = Endpoint::create(context_, options_of(GetParam())).take();
  Result<std::shared_ptr<Peer>> peer = another->connect(server_->address(), 10000, true);
  ASSERT_TRUE(peer.ok()) << peer.status().message();
  EXPECT_TRUE(call_and_wait(**peer, kEcho, bytes_of(*context_, "hello"), {}).ok());
}

INSTANTIATE_TEST_SUITE_P(Ways, NetFloods, testing::Values("plain", "key", "certificates"),
                         [](const auto& of) { return of.param; });

// Peers that were let in, send requests whatever the server said that it takes, and read nothing.
// These know no TLS.
class NetGreedyPeers : public NetFloods {};
TEST_P(NetGreedyPeers, SendBeyondTheirCredits) {
  std::atomic<uint32_t> next = 1;
  const auto flood = [&](const std::vector<uint16_t>& kinds, size_t size, int pause_ms) {
    Hello hello;
    const uint32_t number = next++;
    std::memcpy(hello.id.data(), &number, sizeof number);
    hello.library_version = "0";
    hello.role = "client";
    hello.name = "greedy";
    hello.max_message_bytes = 1 << 30;
    hello.max_calls = 1 << 20;
    hello.max_call_bytes = uint64_t{1} << 40;
    hello.heartbeat_ms = 1000;
    const Bytes payload = encode_hello(hello);
    Bytes first = preamble_and({static_cast<uint32_t>(payload.size()), FrameType::kHello, 0, 0, 0});
    append(&first, payload);
    const Stranger stranger(server_->address());
    bool open = stranger.say(first);
    Bytes request(FrameHeader::kBytes + size);
    const uint64_t asked = 200000;  // of kLarge: so much for each
    if (size >= sizeof asked) {
      std::memcpy(request.data() + FrameHeader::kBytes, &asked, sizeof asked);
    }
    for (uint64_t id = 1; open && !over_; ++id) {
      const auto head = encode(FrameHeader{static_cast<uint32_t>(size), FrameType::kRequest, 0,
                                           kinds[id % kinds.size()], id});
      std::copy(head.begin(), head.end(), request.begin());
      open = stranger.say(request);
      if (pause_ms > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
      }
    }
  };
  const std::vector<Flood> floods = {
      [&] { flood({kEcho}, 60000, 0); },
      [&] {
        flood({kNever}, 1000, 0);
        kept_->drop();
      },
      [&] { flood({kLarge}, 8, 0); },
      // So slow that each could be answered at once, if what is not read had no bound.
      [&] { flood({kLarge}, 8, 1); },
      [&] {
        flood({kEcho, kSilent, kFails, kUnknown}, 100, 0);
      },
  };
  endure(floods, [&] { return overdrawn_ > 8; });
  kept_->drop();
  EXPECT_TRUE(eventually([&] { return server_->stats().connections == 1; }));
}

INSTANTIATE_TEST_SUITE_P(Ways, NetGreedyPeers, testing::Values("plain"),
                         [](const auto& of) { return of.param; });

#endif

}  // namespace
}  // namespace gls::net
