#include "bench/cluster/one_sided.h"

#include <iostream>
#include <memory>
#include <random>
#include <vector>

#include "bench/cluster/served.h"
#include "bench/support/child.h"
#include "bench/support/sockets.h"
#include "query/graph_source.h"

namespace gls::bench {
namespace {

net::TransportOptions transport_of(const std::string& channels, bool reads) {
  net::TransportOptions out = transport(true, channels);
  out.data.one_sided = reads ? net::OneSided::kOn : net::OneSided::kOff;
  return out;
}

struct Way {
  Way(std::string name_in, const std::string& path, const std::string& channels, bool reads,
      const std::shared_ptr<Context>& context)
      : name(std::move(name_in)),
        server({"--serve", path, "--channels", channels,
                reads ? "--serve-reads" : "--serve-gathers"}) {
    RemoteGraphOptions options;
    options.transport = transport_of(channels, reads);
    graph = check(open_served(context, "gls://" + server.said(), options));
  }
  const std::string name;
  const Child server;
  std::shared_ptr<const Dataset> graph;
  double server_seconds = 0;
  double wall_seconds = 0;
};

}  // namespace

int serve_to_parent(const std::string& path, const std::string& channels, bool one_sided) {
  GraphServerOptions options;
  options.transport = transport_of(channels, one_sided);
  const auto server = check(GraphServer::start(context_of(1), path, options));
  std::cout << server->address() << std::endl;
  std::string line;
  std::getline(std::cin, line);
  return 0;
}

void one_sided(const std::string& path, int64_t nodes, int rounds, double seconds,
               std::map<std::string, double>* ratios) {
  const auto context = context_of(1);
  std::vector<std::unique_ptr<Way>> ways;
  const auto add = [&](const char* name, const char* channels, bool reads) {
    ways.push_back(std::make_unique<Way>(name, path, channels, reads, context));
  };
  std::vector<const char*> keys;  // of each two ways
#ifdef GLS_BENCH_UCX
  keys.insert(keys.end(), {"read_ucx", "read_ucx_shm"});
  add("UCX, tcp: gathered", "tcp", false);
  add("UCX, tcp: read", "tcp", true);
  add("UCX, shared memory: gathered", "shm,tcp", false);
  add("UCX, shared memory: read", "shm,tcp", true);
#endif
#ifdef GLS_BENCH_OFI
  keys.push_back("read_ofi");
  add("libfabric, TCP: gathered", "net,tcp", false);
  add("libfabric, TCP: read", "net,tcp", true);
#endif
  for (const int64_t count : {1000, 20000}) {
    std::mt19937_64 random(3);
    std::vector<int64_t> ids(static_cast<size_t>(count));
    Contest contest;
    for (const auto& way : ways) {
      way->server_seconds = way->wall_seconds = 0;
      contest.add(way->name, [&, of = way.get()] {
        for (int64_t& id : ids) {
          id = static_cast<int64_t>(random() % static_cast<uint64_t>(nodes));
        }
        const double busy = of->server.seconds();
        const uint64_t begin = now_ns();
        const RowQuestion question = {true, 0, 0, {ids.data(), true, count}, kFloat32};
        const Tensor rows = check(of->graph->source()->ask_rows(question, count, nullptr)());
        of->wall_seconds += static_cast<double>(now_ns() - begin) * 1e-9;
        of->server_seconds += of->server.seconds() - busy;
        return static_cast<double>(rows.rows());
      });
    }
    fmt::print("{} rows of 512 bytes of another process; from core to core and back {:.0f} ns\n",
               count, core_to_core_ns());
    contest.run(rounds, seconds);
    contest.print("GB/s", 512e-9);
    for (const auto& way : ways) {
      fmt::print("  {:<44} {:>9.0f} % of a processor by the server\n", way->name,
                 100 * way->server_seconds / way->wall_seconds);
    }
    for (size_t i = 0; i < keys.size(); ++i) {
      const char* const key = keys[i];
      const Way& gathered = *ways[2 * i];
      const Way& read = *ways[2 * i + 1];
      (*ratios)[fmt::format("{}_vs_gather_{}", key, count)] =
          contest.ratio(read.name, gathered.name);
      (*ratios)[fmt::format("{}_server_share_{}", key, count)] =
          read.server_seconds / read.wall_seconds;
      (*ratios)[fmt::format("{}_gather_server_share_{}", key, count)] =
          gathered.server_seconds / gathered.wall_seconds;
    }
  }
}

}  // namespace gls::bench
