#include "bench/cluster/channels.h"

#include <fmt/core.h>

#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/cluster/served.h"
#include "bench/support/harness.h"
#include "bench/support/sockets.h"
#include "feature/gather.h"
#include "graph/folder/dataset_folder.h"
#include "query/graph_source.h"
#ifdef GLS_BENCH_UCX
#include "bench/cluster/raw_ucx.h"
#endif
#ifdef GLS_BENCH_OFI
#include "bench/cluster/raw_ofi.h"
#endif

namespace gls::bench {
namespace {

#ifdef GLS_BENCH_UCX
constexpr uint64_t kAwake = 20'000'000;  // ns: longer than any reply takes
#endif

// A server, a client of it, and loops over the same transport.
struct OverChannels {
  std::string key;   // of the ratios
  std::string name;  // for people
  Cluster servers;
  std::shared_ptr<const Dataset> client;
  using Fetch = std::function<void(Sockets::Bytes request, void* out, size_t bytes)>;
  std::vector<std::pair<std::string, Fetch>>
      loops;  // the first one is what channels are measured by

  OverChannels(std::string key_in, std::string name_in, const std::string& path,
               const std::shared_ptr<Context>& context, const std::string& over)
      : key(std::move(key_in)),
        name(std::move(name_in)),
        servers(path, 1, true, UINT32_MAX, over),
        client(servers.open(context, true)) {}
  // "": a loop that is always awake.
  template <typename Loop, typename... Arguments>
  void add(const std::string& how, Arguments... arguments) {
    loops.emplace_back(
        name + ": loop" + how,
        [loop = std::make_shared<Loop>(std::move(arguments)...)](
            Sockets::Bytes request, void* out, size_t bytes) { loop->fetch(request, out, bytes); });
  }
};

}  // namespace

void fetch_over_channels(const std::string& path, int64_t nodes, int rounds, double seconds,
                         std::map<std::string, double>* ratios) {
  const auto context = context_of(1);
  const auto part = check(open_dataset(context, path + "/part-0", {}));
  const Tensor& column = part->node_types()[0].columns[0].data;
  const GatherOptions gathering = GatherOptions::from(*context);
  // One for each loop, as replies are kept until the next.
  const auto serve = [&]() -> Sockets::Serve {
    return [&, gathered = Tensor()](Sockets::Bytes request) mutable {
      const IdSpan ids(request.data(), true, static_cast<int64_t>(request.size() / 8));
      gathered = gather(*context->buffers(), column, ids, kFloat32, gathering);
      return Sockets::Bytes(gathered.data(), static_cast<size_t>(gathered.span_bytes()));
    };
  };
  Sockets sockets(serve());
  std::vector<std::unique_ptr<OverChannels>> all;
#ifdef GLS_BENCH_UCX
  for (const bool shared : {false, true}) {
    const std::string over = shared ? "shm,tcp" : "tcp";
    auto channels = std::make_unique<OverChannels>(shared ? "ucx_shm" : "ucx_tcp",
                                                   shared ? "UCX, shared memory" : "UCX, tcp", path,
                                                   context, over);
    channels->add<RawUcx>("", RawUcx::Options{over, false, kAwake}, serve());
    channels->add<RawUcx>(" that sleeps", RawUcx::Options{over, false}, serve());
    channels->add<RawUcx>(", UCX as it comes", RawUcx::Options{over, true, kAwake}, serve());
    all.push_back(std::move(channels));
  }
#else
  fmt::print("built without UCX: its channels are not measured\n");
#endif
#ifdef GLS_BENCH_OFI
  all.push_back(std::make_unique<OverChannels>("ofi", "libfabric, tcp", path, context, "net,tcp"));
  all.back()->add<RawOfi>("", serve());
#else
  fmt::print("built without libfabric: its channels are not measured\n");
#endif
  for (const int64_t count : {1000, 100000}) {
    std::mt19937_64 random(3);
    std::vector<int64_t> ids(static_cast<size_t>(count));
    const auto draw = [&] {
      for (int64_t& id : ids) {
        id = static_cast<int64_t>(random() % static_cast<uint64_t>(nodes));
      }
    };
    const auto bytes = static_cast<size_t>(count * kWidth * 4);
    Contest contest;
    const auto add = [&](const std::string& name, const OverChannels::Fetch& fetch) {
      contest.add(name, [&, fetch] {
        draw();
        const Buffer out = context->buffers()->acquire(bytes);
        fetch(std::as_bytes(std::span(ids)), out.as<>(), bytes);
        return static_cast<double>(count);
      });
    };
    add("sockets", [&](Sockets::Bytes request, void* out, size_t size) {
      sockets.send(request);
      sockets.receive(out, size);
    });
    const auto by_channels = [&](const OverChannels& channels) {
      return [&, client = channels.client] {
        draw();
        const RowQuestion question = {true, 0, 0, {ids.data(), true, count}, kFloat32};
        return static_cast<double>(
            check(client->source()->ask_rows(question, count, nullptr)()).rows());
      };
    };
    for (const auto& channels : all) {
      contest.add(channels->name, by_channels(*channels));
      for (const auto& [name, fetch] : channels->loops) {
        add(name, fetch);
      }
    }
    fmt::print("over channels: {} rows of 512 bytes; from core to core and back {:.0f} ns\n", count,
               core_to_core_ns());
    contest.run(rounds, seconds);
    contest.print("GB/s", 512e-9);
    for (const auto& channels : all) {
      const std::string key = "fetch_" + channels->key;
      (*ratios)[fmt::format("{}_vs_raw_{}", key, count)] =
          contest.ratio(channels->name, channels->loops[0].first);
      (*ratios)[fmt::format("{}_vs_sockets_{}", key, count)] =
          contest.ratio(channels->name, "sockets");
      if (count == 1000) {
        (*ratios)[key + "_switches_1000"] = switches_per_step(by_channels(*channels));
      }
      if (channels->loops.size() > 1) {
        (*ratios)[fmt::format("{}_vs_raw_sleeping_{}", key, count)] =
            contest.ratio(channels->name, channels->loops[1].first);
      }
    }
  }
}

}  // namespace gls::bench
