// What the network room adds to plain sockets: the latency of a small call, and replies of 1,000
// and 100,000 rows of 512 bytes, over TCP plain and under TLS, against blocking sockets that do the
// least that could be done. Server and client are threads of this process.
//
//   bench_net [--seconds S] [--rounds R]
#include <CLI/CLI.hpp>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <vector>

#include "bench/support/check.h"
#include "bench/support/harness.h"
#include "bench/support/sockets.h"
#include "net/connection/endpoint.h"

namespace gls::bench {
namespace {

constexpr uint64_t kRow = 512;
constexpr uint16_t kRows = 1;
constexpr char kKey[] = "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2";

// ---- the least that could be done ----

class PlainSockets {
 public:
  explicit PlainSockets(uint64_t most)
      : memory_(most), received_(most), sockets_([this](Sockets::Bytes request) {
          uint64_t bytes = 0;
          std::memcpy(&bytes, request.data(), sizeof bytes);
          return Sockets::Bytes(memory_).first(bytes);
        }) {}

  void ask(uint64_t bytes, int count) {
    for (int i = 0; i < count; ++i) {
      sockets_.send(std::as_bytes(std::span(&bytes, 1)));
    }
    for (int i = 0; i < count; ++i) {
      sockets_.receive(received_.data(), bytes);
    }
  }

 private:
  std::vector<std::byte> memory_;
  std::vector<std::byte> received_;
  Sockets sockets_;
};

// ---- the network room ----

class Endpoints {
 public:
  explicit Endpoints(bool plain) {
    ContextOptions options;
    options.num_threads = 2;
    context_ = check(Context::create(options, nullptr, nullptr, nullptr));
    net::EndpointOptions server = transport(plain);
    server.listen = "127.0.0.1:0";
    server.handlers[kRows] = [](const net::Request& request) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, request.bytes().data(), sizeof bytes);
      request.answer(request.reply(bytes));
    };
    server_ = check(net::Endpoint::create(context_, std::move(server)));
    client_ = check(net::Endpoint::create(context_, transport(plain)));
    peer_ = check(client_->connect(server_->address(), 10000));
  }

  void ask(uint64_t bytes, int count) {
    std::mutex mutex;
    std::condition_variable done;
    int left = count;
    const std::span<const std::byte> request(reinterpret_cast<const std::byte*>(&bytes),
                                             sizeof bytes);
    for (int i = 0; i < count; ++i) {
      peer_->call(kRows, net::Message::copied(context_->buffers(), request), {},
                  [&](Result<net::Message> reply) {
                    if (!reply.ok()) {
                      fail(reply.status().message());
                    }
                    const std::lock_guard lock(mutex);
                    if (--left == 0) {
                      done.notify_one();
                    }
                  });
    }
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return left == 0; });
  }

 private:
  static net::EndpointOptions transport(bool plain) {
    net::EndpointOptions options;
    options.transport.security.plain = plain;
    if (!plain) {
      ::setenv("GLS_BENCH_NET_KEY", kKey, 1);
      options.transport.security.psk_env = "GLS_BENCH_NET_KEY";
    }
    return options;
  }

  std::shared_ptr<Context> context_;
  std::unique_ptr<net::Endpoint> server_;
  std::unique_ptr<net::Endpoint> client_;
  std::shared_ptr<net::Peer> peer_;
};

struct Size {
  const char* name;
  uint64_t bytes;
  int in_flight;
};

}  // namespace

int run(int argc, char** argv) {
  double seconds = 0.5;
  int rounds = 5;
  CLI::App app("What the network room adds to plain sockets");
  app.add_option("--seconds", seconds, "of each contestant in each round");
  app.add_option("--rounds", rounds);
  CLI11_PARSE(app, argc, argv);
  ::setenv("GLS_PLUGIN_PATH", GLS_BENCH_PLUGINS, 0);

  print_machine();
  constexpr Size kSizes[] = {{"8 B, one at a time", 8, 1},
                             {"8 B, 64 at a time", 8, 64},
                             {"1,000 rows, 4 at a time", 1000 * kRow, 4},
                             {"100,000 rows, one at a time", 100000 * kRow, 1}};
  std::map<std::string, double> ratios;
  PlainSockets sockets(100000 * kRow);
  Endpoints plain(true);
  Endpoints tls(false);
  for (const Size& size : kSizes) {
    fmt::print("replies of {}; from core to core and back {:.0f} ns\n", size.name,
               core_to_core_ns());
    Contest contest;
    const auto step = [&size](auto& way) {
      return [&size, &way] {
        way.ask(size.bytes, size.in_flight);
        return static_cast<double>(size.in_flight);
      };
    };
    contest.add("sockets", step(sockets));
    contest.add("plain", step(plain));
    contest.add("TLS", step(tls));
    contest.run(rounds, seconds);
    const bool small = size.bytes < kRow;
    contest.print(small ? "kcalls/s" : "GB/s",
                  small ? 1e-3 : static_cast<double>(size.bytes) * 1e-9);
    ratios[std::string("plain: ") + size.name] = contest.ratio("plain", "sockets");
    ratios[std::string("TLS: ") + size.name] = contest.ratio("TLS", "sockets");
  }
  print_json("net", ratios);
  return 0;
}

}  // namespace gls::bench

int main(int argc, char** argv) { return gls::bench::run(argc, argv); }
