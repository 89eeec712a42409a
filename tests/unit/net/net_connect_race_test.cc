// How a server is reached by a name with several addresses, and what is not tried again.
#include "net_support.h"

#ifdef GLS_TEST_PLUGINS
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>
#include <deque>
#include <semaphore>

#include "cluster/client/remote_graph.h"
#include "net_certificates.h"
#include "system/file_descriptor.h"

namespace gls::net {
namespace {

constexpr const char* kName = "several-addresses.test";
std::vector<std::string>& addresses() {
  static std::vector<std::string> of_name;
  return of_name;
}

// Its look-up has no end until the test has.
constexpr const char* kStuckName = "silent-name-server.test";
std::binary_semaphore& stuck() {
  static std::binary_semaphore gate(0);
  return gate;
}
std::atomic<int>& stuck_count() {
  static std::atomic<int> count = 0;
  return count;
}

struct Answer {
  addrinfo info{};
  sockaddr_in place{};
};
std::deque<Answer>& answers() {
  static std::deque<Answer> all;
  return all;
}

}  // namespace
}  // namespace gls::net

// The plugin's look-ups come here, as this program exports it. No name server is asked.
extern "C" __attribute__((visibility("default"))) int getaddrinfo(const char* name,
                                                                  const char* service,
                                                                  const addrinfo* hints,
                                                                  addrinfo** out) {
  using gls::net::answers;
  if (name != nullptr && std::strcmp(name, gls::net::kStuckName) == 0) {
    ++gls::net::stuck_count();
    gls::net::stuck().acquire();
    --gls::net::stuck_count();
    return EAI_AGAIN;
  }
  if (name == nullptr || std::strcmp(name, gls::net::kName) != 0) {
    const auto next = reinterpret_cast<decltype(&getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
    return next(name, service, hints, out);
  }
  answers().clear();
  for (const std::string& address : gls::net::addresses()) {
    gls::net::Answer& answer = answers().emplace_back();
    answer.place.sin_family = AF_INET;
    answer.place.sin_port = htons(static_cast<uint16_t>(std::stoi(service)));
    inet_pton(AF_INET, address.c_str(), &answer.place.sin_addr);
    answer.info.ai_family = AF_INET;
    answer.info.ai_socktype = SOCK_STREAM;
    answer.info.ai_protocol = IPPROTO_TCP;
    answer.info.ai_addr = reinterpret_cast<sockaddr*>(&answer.place);
    answer.info.ai_addrlen = sizeof answer.place;
  }
  for (size_t i = 1; i < answers().size(); ++i) {
    answers()[i - 1].info.ai_next = &answers()[i].info;
  }
  *out = &answers().front().info;
  return 0;
}
extern "C" __attribute__((visibility("default"))) void freeaddrinfo(addrinfo* info) {
  for (const auto& answer : gls::net::answers()) {
    if (info == &answer.info) {
      return;
    }
  }
  reinterpret_cast<decltype(&freeaddrinfo)>(dlsym(RTLD_NEXT, "freeaddrinfo"))(info);
}

namespace gls::net {
namespace {

// Nobody answers there: its queue is full, so that the system drops who comes.
class SilentPlace {
 public:
  SilentPlace(const char* host, uint16_t port)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    inet_pton(AF_INET, host, &place.sin_addr);
    auto* const at = reinterpret_cast<sockaddr*>(&place);
    EXPECT_EQ(::bind(listener_.get(), at, sizeof place), 0) << std::strerror(errno);
    EXPECT_EQ(::listen(listener_.get(), 0), 0);
    for (int i = 0; i < 4; ++i) {
      callers_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      static_cast<void>(::connect(callers_.back().get(), at, sizeof place));
    }
  }

 private:
  FileDescriptor listener_;
  std::deque<FileDescriptor> callers_;
};

uint16_t port_of(const std::string& address) {
  return static_cast<uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
}

class NetReach : public testing::Test {
 protected:
  void SetUp() override {
    server_ = make("plain", "127.0.0.1:0");
    port_ = port_of(server_->address());
    name_ = std::string(kName) + ":" + std::to_string(port_);
  }
  std::unique_ptr<Endpoint> make(const Security& security, const std::string& listen,
                                 uint32_t handshake_timeout_ms = 60000) const {
    EndpointOptions options = options_for("plain");
    options.transport.security = security;
    options.listen = listen;
    options.handlers = make_handlers(kept_);
    options.limits.handshake_timeout_ms = handshake_timeout_ms;
    auto made = Endpoint::create(context_, std::move(options));
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.take();
  }
  std::unique_ptr<Endpoint> make(const std::string& way, const std::string& listen,
                                 uint32_t handshake_timeout_ms = 60000) const {
    return make(options_for(way).transport.security, listen, handshake_timeout_ms);
  }

  std::shared_ptr<Context> context_ = make_context();
  std::shared_ptr<Kept> kept_ = std::make_shared<Kept>();
  std::unique_ptr<Endpoint> server_;
  uint16_t port_ = 0;
  std::string name_;
};

TEST_F(NetReach, OneSilentAddressIsNotWaitedFor) {
  const SilentPlace silent("127.0.0.9", port_);
  addresses() = {"127.0.0.9", "127.0.0.1"};
  const auto client = make("plain", "");
  auto peer = client->connect(name_, 30000);
  ASSERT_TRUE(peer.ok()) << peer.status().message();
  EXPECT_TRUE(
      call_and_wait(**peer, kEcho, Message::copied(context_->buffers(), {}), {}).status().ok());
}

TEST_F(NetReach, OneThatRefusesIsFollowedByTheNext) {
  addresses() = {"127.0.0.8", "127.0.0.7", "127.0.0.1"};
  auto peer = make("plain", "")->connect(name_, 30000);
  EXPECT_TRUE(peer.ok()) << peer.status().message();
}

TEST_F(NetReach, WhereNobodyIsNothingIsSaidOfAGreeting) {
  const SilentPlace silent("127.0.0.9", port_);
  addresses() = {"127.0.0.9"};
  auto peer = make("plain", "", 300)->connect(name_, 30000);
  ASSERT_FALSE(peer.ok());
  EXPECT_EQ(peer.status().code(), GLS_ERR_TIMED_OUT);
  EXPECT_TRUE(contains(peer.status().message(), "no connection was made within 300 ms"))
      << peer.status().message();
  EXPECT_FALSE(contains(peer.status().message(), "greet")) << peer.status().message();
}

TEST_F(NetReach, AllThatRefuseAreNamedOnce) {
  addresses() = {"127.0.0.8", "127.0.0.7"};
  auto peer = make("plain", "")->connect(name_, 30000);
  ASSERT_FALSE(peer.ok());
  EXPECT_EQ(peer.status().message(), name_ + " is not connected: Connection refused");
}

TEST_F(NetReach, AServerThatIsConnectedAndSilentIsSaidToBe) {
  const FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof place;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&place), size), 0);
  ASSERT_EQ(::listen(listener.get(), 8), 0);
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&place), &size);
  const std::string address = "127.0.0.1:" + std::to_string(ntohs(place.sin_port));
  for (const char* way : {"plain", "key"}) {
    auto peer = make(way, "", 300)->connect(address, 30000);
    ASSERT_FALSE(peer.ok());
    EXPECT_TRUE(contains(peer.status().message(), "it did not finish its greeting within 300 ms"))
        << peer.status().message();
  }
}

// A client can be left while a name server is silent.
TEST_F(NetReach, ALookUpIsNotWaitedFor) {
  auto client = make("plain", "");
  const auto peer = client->begin_to_connect(std::string(kStuckName) + ":1");
  EXPECT_TRUE(eventually([] { return stuck_count() == 1; }));
  client = nullptr;
  EXPECT_EQ(stuck_count(), 1);
  stuck().release();
  EXPECT_TRUE(eventually([] { return stuck_count() == 0; }));
}

// ---- what another attempt would not mend ----

Security of(const std::string& name, const Certificate& own, const Certificate& ca) {
  Security security;
  security.certificate_file = write_file(name + ".pem", own.pem());
  security.key_file = write_file(name + ".key", own.key_pem());
  security.ca_file = write_file(name + ".ca", ca.pem());
  return security;
}

// There is no time limit: without a failure at once it would try for ever.
TEST_F(NetReach, SidesThatDoNotFitFailAtOnce) {
  const Certificate ca("GLS test CA", nullptr, "");
  const Certificate other_ca("another CA", nullptr, "");
  const Certificate own("own", &ca, "IP:127.0.0.1");
  const Certificate stranger("stranger", &other_ca, "IP:127.0.0.1");
  Security plain;
  plain.plain = true;
  Security key;
  key.psk_file = write_file("one", kTestKey);
  Security other_key;
  other_key.psk_file = write_file("other", std::string(64, 'a'));
  const Security certificates = of("own", own, ca);
  const std::vector<std::pair<Security, Security>> pairs = {
      {key, other_key},
      {key, plain},
      {plain, key},
      {plain, certificates},
      {certificates, plain},
      {certificates, key},
      {key, certificates},
      {certificates, of("stranger", stranger, ca)},  // the server does not trust the client
      {of("stranger", stranger, ca), certificates},  // nor the client the server
  };
  for (size_t i = 0; i < pairs.size(); ++i) {
    SCOPED_TRACE(i);
    const auto server = make(pairs[i].first, "127.0.0.1:0");
    const auto client = make(pairs[i].second, "");
    auto peer = client->connect(server->address(), -1, true);
    ASSERT_FALSE(peer.ok());
    EXPECT_EQ(peer.status().code(), GLS_ERR_INVALID_ARGUMENT) << peer.status().message();

    RemoteGraphOptions options;
    options.transport = options_for("plain").transport;
    options.transport.security = pairs[i].second;
    options.timeout_ms = -1;
    auto graph = open_served(context_, "gls://" + server->address(), options);
    ASSERT_FALSE(graph.ok());
    EXPECT_EQ(graph.status().code(), GLS_ERR_INVALID_ARGUMENT) << graph.status().message();
  }
}

// It may be the same one again: questions go on being asked until their time is over.
TEST_F(NetReach, AServerThatWasConnectedIsWaitedForWhateverIsThere) {
  Security key;
  key.psk_file = write_file("one", kTestKey);
  Security plain;
  plain.plain = true;
  auto server = make(key, "127.0.0.1:0");
  const std::string address = server->address();
  const auto client = make(key, "");
  auto peer = client->connect(address, 30000);
  ASSERT_TRUE(peer.ok()) << peer.status().message();
  server = nullptr;
  server = make(plain, address);
  ASSERT_TRUE(eventually([&] { return is_lasting((*peer)->why_lost()); }));
  auto call = call_and_wait(**peer, kEcho, Message::copied(context_->buffers(), {}), {});
  EXPECT_EQ(call.status().code(), GLS_ERR_IO) << call.status().message();
  server = nullptr;
  server = make(key, address);
  EXPECT_TRUE((*peer)->wait_until_up(-1, true).ok());
}

}  // namespace
}  // namespace gls::net
#endif
