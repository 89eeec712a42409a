#include "lanes.h"

#include <fmt/core.h>

#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "feature/gather.h"
#include "graph/dataset_folder.h"
#include "harness.h"
#include "sample/graph_source.h"
#include "served.h"
#include "sockets.h"
#ifdef GLS_BENCH_UCX
#include "raw_ucx.h"
#endif

namespace gls::bench {
namespace {

constexpr uint64_t kAwake = 20'000'000;  // ns: longer than any reply takes

// One server and one client of it.
struct Pair {
  std::string name;  // of the ratio
  std::string lanes;
  Cluster servers;
  std::shared_ptr<const Dataset> client;
  Pair(std::string name_in, const std::string& path, const std::shared_ptr<Context>& context,
       const std::string& over)
      : name(std::move(name_in)),
        lanes(over),
        servers(path, 1, true, UINT32_MAX, over),
        client(servers.open(context, true)) {}
};

#ifdef GLS_BENCH_UCX
struct Raw {
  std::string name;
  RawUcx loop;
};
#endif

}  // namespace

void fetch_over_lanes(const std::string& path, int64_t nodes, int rounds, double seconds,
                      std::map<std::string, double>* ratios) {
  const auto context = context_of(1);
  const auto part = must(open_dataset(context, path + "/part-0", {}));
  const Tensor& column = part->node_types()[0].columns[0].data;
  const GatherOptions gathering = GatherOptions::from(*context);
  // One of them for each loop: replies are kept until the next.
  const auto serve = [&]() -> Sockets::Serve {
    return [&, gathered = Tensor()](Sockets::Bytes request) mutable {
      const IdSpan ids(request.data(), true, static_cast<int64_t>(request.size() / 8));
      gathered = gather(*context->buffers(), column, ids, kFloat32, gathering);
      return Sockets::Bytes(gathered.data(), static_cast<size_t>(gathered.span_bytes()));
    };
  };
  Sockets sockets(serve());
#ifdef GLS_BENCH_UCX
  const Pair tcp("ucx_tcp", path, context, "tcp");
  const Pair shm("ucx_shm", path, context, "shm,tcp");
  RawUcx tcp_awake({"tcp", false, kAwake}, serve());
  RawUcx tcp_sleeps({"tcp", false}, serve());
  RawUcx tcp_careless({"tcp", true, kAwake}, serve());
  RawUcx shm_awake({"shm,tcp", false, kAwake}, serve());
  RawUcx shm_sleeps({"shm,tcp", false}, serve());
  RawUcx shm_careless({"shm,tcp", true, kAwake}, serve());
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
    const auto fetch = [&](const Pair& from) {
      return [&, client = from.client] {
        draw();
        const RowQuestion question = {true, 0, 0, {ids.data(), true, count}, kFloat32};
        return static_cast<double>(must(client->source()->ask_rows(question, count)()).rows());
      };
    };
    const auto raw = [&](auto& loop) {
      return [&] {
        draw();
        const Buffer out = context->buffers()->acquire(bytes);
        loop.fetch(std::as_bytes(std::span(ids)), out.template as<>(), bytes);
        return static_cast<double>(count);
      };
    };
    Contest contest;
    contest.add("sockets", [&] {
      draw();
      const Buffer out = context->buffers()->acquire(bytes);
      sockets.send(std::as_bytes(std::span(ids)));
      sockets.receive(out.as<>(), bytes);
      return static_cast<double>(count);
    });
#ifdef GLS_BENCH_UCX
    contest.add("UCX, tcp", fetch(tcp));
    contest.add("  loop", raw(tcp_awake));
    contest.add("  loop that sleeps", raw(tcp_sleeps));
    contest.add("  loop, careless", raw(tcp_careless));
    contest.add("UCX, shared memory", fetch(shm));
    contest.add("  loop ", raw(shm_awake));
    contest.add("  loop that sleeps ", raw(shm_sleeps));
    contest.add("  loop, careless ", raw(shm_careless));
#endif
    fmt::print("lanes: {} rows of 512 bytes; from core to core and back {:.0f} ns\n", count,
               core_to_core_ns());
    contest.run(rounds, seconds);
    contest.print("GB/s", 512e-9);
#ifdef GLS_BENCH_UCX
    (*ratios)[fmt::format("fetch_ucx_tcp_vs_raw_{}", count)] = contest.ratio("UCX, tcp", "  loop");
    (*ratios)[fmt::format("fetch_ucx_shm_vs_raw_{}", count)] =
        contest.ratio("UCX, shared memory", "  loop ");
#endif
  }
}

}  // namespace gls::bench
