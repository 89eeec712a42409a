// What it costs that a graph is served: rows of 512 bytes fetched by id, plain and under TLS,
// against blocking sockets that move the same bytes after the same gather; a loader of a graph that
// two servers have, against one of the same graph here; and the time until servers are asked.
// Servers and clients are threads of this process; those that are started are processes.
//
// Channels are compared with loops over the same library. Rows read out of a server's memory are of
// servers that are processes of their own.
//
//   bench_cluster [--seconds S] [--rounds R] [--nodes N]
//                 [--only fetches|channels|reads|loaders|starts]
#include <CLI/CLI.hpp>
#include <cstring>
#include <iostream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bench/cluster/channels.h"
#include "bench/cluster/one_sided.h"
#include "bench/cluster/served.h"
#include "bench/support/check.h"
#include "bench/support/child.h"
#include "bench/support/harness.h"
#include "bench/support/sockets.h"
#include "cluster/part/partitioned_dataset.h"
#include "feature/gather.h"
#include "graph/folder/dataset_folder.h"
#include "loader/pipeline/loader.h"
#include "query/graph_source.h"

namespace gls::bench {
namespace {

struct Making {
  bool by_servers = false;
  bool rows = true;  // of features
};

std::shared_ptr<Loader> make_loader(const std::shared_ptr<const Dataset>& dataset,
                                    const Making& making = {}) {
  SamplerOptions options;
  options.num_hops = 2;
  options.fanouts = {{10, 5}};
  auto sampler = check(Sampler::create(dataset, options));
  LoaderOptions loading;
  loading.plan.batch_size = 512;
  loading.plan.shuffle = true;
  if (making.rows) {
    loading.columns = default_columns(*sampler);
  }
  loading.made_by_servers = making.by_servers;
  return check(Loader::create(sampler, Tensor(), std::move(loading)));
}

// Null at the end of an epoch.
std::shared_ptr<Batch> take_batch(Loader& loader, uint64_t* epoch) {
  std::shared_ptr<Batch> batch;
  if (check(loader.next(-1, &batch)) == BatchSource::Next::kEnd) {
    loader.seek(++*epoch);
  }
  return batch;
}

double next_batch(Loader& loader, uint64_t* epoch) {
  return take_batch(loader, epoch) != nullptr ? 1 : 0;
}

// What the network alone leaves possible: batches are sampled here, nothing is known of parts, and
// two threads with blocking sockets give the rows, a half each, which stay where they arrive.
class RowsBySockets {
 public:
  explicit RowsBySockets(const std::shared_ptr<const Dataset>& graph)
      : graph_(graph), loader_(make_loader(graph, {false, false})) {
    for (size_t s = 0; s < 2; ++s) {
      sides_.push_back(std::make_unique<Sockets>([this, s](Sockets::Bytes request) {
        const IdSpan ids(request.data(), true, static_cast<int64_t>(request.size() / 8));
        replies_[s] = gather(*graph_->context()->buffers(), graph_->node_types()[0].columns[0].data,
                             ids, kFloat32, GatherOptions::from(*graph_->context()));
        return Sockets::Bytes(replies_[s].data(), static_cast<size_t>(replies_[s].span_bytes()));
      }));
    }
  }

  double next() {
    const auto batch = take_batch(*loader_, &epoch_);
    if (batch == nullptr) {
      return 0;
    }
    const Tensor& ids = batch->nodes[0].node;
    const auto count = static_cast<size_t>(ids.rows());
    constexpr size_t kRow = kWidth * 4;
    const Buffer rows = graph_->context()->buffers()->acquire(count * kRow);
    const size_t half = count / 2;
    sides_[0]->send({ids.data(), half * 8});
    sides_[1]->send({ids.data() + half * 8, (count - half) * 8});
    sides_[0]->receive(rows.as<>(), half * kRow);
    sides_[1]->receive(rows.as<>() + half * kRow, (count - half) * kRow);
    return 1;
  }

 private:
  const std::shared_ptr<const Dataset> graph_;
  const std::shared_ptr<Loader> loader_;
  uint64_t epoch_ = 0;
  Tensor replies_[2];
  std::vector<std::unique_ptr<Sockets>> sides_;
};

// A plain loop that asks for memory some rows ahead.
void copy_rows(std::byte* out, const std::byte* column, const std::vector<int64_t>& ids) {
  constexpr size_t kRow = kWidth * 4;
  constexpr size_t kLine = 64;
  constexpr size_t kAhead = 16;
  for (size_t i = 0; i < ids.size(); ++i) {
    if (i + kAhead < ids.size()) {
      const std::byte* const next = column + static_cast<size_t>(ids[i + kAhead]) * kRow;
      for (size_t at = 0; at < kRow; at += kLine) {
        __builtin_prefetch(next + at);
      }
    }
    std::memcpy(out + i * kRow, column + static_cast<size_t>(ids[i]) * kRow, kRow);
  }
}

// Four questions of 1000 rows are on their way at any time, as those of several batches are.
double four_at_a_time(Sockets& sockets, const Dataset& served, int rounds, double seconds) {
  constexpr int64_t kCount = 1000;
  constexpr size_t kFour = 4;
  const int64_t nodes = served.node_types()[0].count;
  std::mt19937_64 random(5);
  std::vector<std::vector<int64_t>> ids(2 * kFour, std::vector<int64_t>(kCount));
  const auto draw = [&](size_t i) -> const std::vector<int64_t>& {
    for (int64_t& id : ids[i]) {
      id = static_cast<int64_t>(random() % static_cast<uint64_t>(nodes));
    }
    return ids[i];
  };
  const auto send = [&](size_t i) { sockets.send(std::as_bytes(std::span(draw(kFour + i)))); };
  const auto ask = [&](size_t i) {
    const RowQuestion question = {true, 0, 0, {draw(i).data(), true, kCount}, kFloat32};
    return served.source()->ask_rows(question, kCount, nullptr);
  };
  BufferPool& pool = *served.context()->buffers();
  size_t sent = 0;
  size_t asked = 0;
  std::vector<Deferred<Tensor>> later(kFour);
  for (size_t i = 0; i < kFour; ++i) {
    send(i);
    later[i] = ask(i);
  }
  Contest contest;
  contest.add("sockets", [&] {
    constexpr size_t kBytes = kCount * kWidth * 4;
    const Buffer out = pool.acquire(kBytes);
    sockets.receive(out.as<>(), kBytes);
    send(sent++ % kFour);
    return static_cast<double>(kCount);
  });
  contest.add("plain", [&] {
    const size_t i = asked++ % kFour;
    check(later[i]());
    later[i] = ask(i);
    return static_cast<double>(kCount);
  });
  fmt::print("four questions of 1000 rows of 512 bytes at any time\n");
  contest.run(rounds, seconds);
  contest.print("GB/s", 512e-9);
  std::vector<std::byte> rest(kCount * kWidth * 4);
  for (size_t i = 0; i < kFour; ++i) {
    sockets.receive(rest.data(), rest.size());
    check(later[i]());
  }
  return contest.ratio("plain", "sockets");
}

void fetches(const std::shared_ptr<const Dataset>& graph, const std::string& path, int rounds,
             double seconds, std::map<std::string, double>* ratios) {
  const int64_t nodes = graph->node_types()[0].count;
  const Cluster plain_servers(path, 1, true);
  const Cluster tls_servers(path, 1, false);
  const auto context = context_of(1);
  const auto plain = plain_servers.open(context, true);
  const auto tls = tls_servers.open(context, false);
  const auto mapped = plain_servers.open(context, true, true);
  // What the server maps, too; its rows are those of the whole, as there is one part.
  const auto part = check(open_dataset(context, path + "/part-0", {}));
  const Tensor& column = part->node_types()[0].columns[0].data;
  const GatherOptions gathering = GatherOptions::from(*context);
  Tensor gathered;
  Sockets sockets([&](Sockets::Bytes request) {
    const IdSpan ids(request.data(), true, static_cast<int64_t>(request.size() / 8));
    gathered = gather(*context->buffers(), column, ids, kFloat32, gathering);
    return Sockets::Bytes(gathered.data(), static_cast<size_t>(gathered.span_bytes()));
  });
  for (const int64_t count : {1000, 100000}) {
    std::mt19937_64 random(3);
    std::vector<int64_t> ids(static_cast<size_t>(count));
    const auto draw = [&] {
      for (int64_t& id : ids) {
        id = static_cast<int64_t>(random() % static_cast<uint64_t>(nodes));
      }
    };
    const auto fetch = [&](const std::shared_ptr<const Dataset>& from) {
      return [&, from] {
        draw();
        const RowQuestion question = {true, 0, 0, {ids.data(), true, count}, kFloat32};
        const Tensor rows = check(from->source()->ask_rows(question, count, nullptr)());
        return static_cast<double>(rows.rows());
      };
    };
    const auto by_sockets = [&] {
      draw();
      const auto bytes = static_cast<size_t>(count * kWidth * 4);
      const Buffer out = context->buffers()->acquire(bytes);
      sockets.send(std::as_bytes(std::span(ids)));
      sockets.receive(out.as<>(), bytes);
      return static_cast<double>(count);
    };
    Contest contest;
    contest.add("sockets", by_sockets);
    contest.add("plain", fetch(plain));
    contest.add("TLS", fetch(tls));
    contest.add("loop", [&] {
      draw();
      const Buffer out = context->buffers()->acquire(static_cast<size_t>(count * kWidth * 4));
      copy_rows(out.as<>(), column.data(), ids);
      return static_cast<double>(count);
    });
    contest.add("same host", fetch(mapped));
    fmt::print("{} rows of 512 bytes; from core to core and back {:.0f} ns\n", count,
               core_to_core_ns());
    contest.run(rounds, seconds);
    contest.print("GB/s", 512e-9);
    (*ratios)[fmt::format("fetch_tcp_vs_raw_{}", count)] = contest.ratio("plain", "sockets");
    (*ratios)[fmt::format("fetch_tls_vs_raw_{}", count)] = contest.ratio("TLS", "sockets");
    (*ratios)[fmt::format("fetch_shm_vs_raw_{}", count)] = contest.ratio("same host", "loop");
    if (count == 1000) {
      (*ratios)["fetch_raw_switches_1000"] = switches_per_step(by_sockets);
      (*ratios)["fetch_tcp_switches_1000"] = switches_per_step(fetch(plain));
      (*ratios)["fetch_tls_switches_1000"] = switches_per_step(fetch(tls));
      // Longer ones would wait for each other's room on blocking sockets.
      (*ratios)["fetch_tcp_vs_raw_1000_four"] = four_at_a_time(sockets, *plain, rounds, seconds);
    }
  }
}

void loaders(const std::shared_ptr<const Dataset>& graph, const std::string& path, int rounds,
             double seconds, std::map<std::string, double>* ratios) {
  const Cluster plain_servers(path, 2, true);
  const Cluster tls_servers(path, 2, false);
  const auto plain = make_loader(plain_servers.open(context_of(2), true));
  const auto tls = make_loader(tls_servers.open(context_of(2), false));
  const auto parts = make_loader(check(open_whole(context_of(2), path, {})));
  const auto mapped = make_loader(plain_servers.open(context_of(2), true, true));
  const auto made = make_loader(plain_servers.open(context_of(2), true), {true, true});
  const auto made_tls = make_loader(tls_servers.open(context_of(2), false), {true, true});
  const auto here = make_loader(graph);
  RowsBySockets sockets(graph);
  uint64_t epochs[7] = {};
  Contest contest;
  contest.add("here", [&] { return next_batch(*here, &epochs[0]); });
  contest.add("here, rows by sockets", [&] { return sockets.next(); });
  contest.add("here, in two parts", [&] { return next_batch(*parts, &epochs[1]); });
  contest.add("two servers, plain", [&] { return next_batch(*plain, &epochs[2]); });
  contest.add("two servers, TLS", [&] { return next_batch(*tls, &epochs[3]); });
  contest.add("two servers, same host", [&] { return next_batch(*mapped, &epochs[4]); });
  contest.add("made by two servers, plain", [&] { return next_batch(*made, &epochs[5]); });
  contest.add("made by two servers, TLS", [&] { return next_batch(*made_tls, &epochs[6]); });
  fmt::print("loaders: batches of 512 seeds, fanouts 10 and 5\n");
  contest.run(rounds, seconds);
  contest.print("batches/s", 1);
  (*ratios)["loader_tcp_vs_local"] = contest.ratio("two servers, plain", "here");
  (*ratios)["loader_sockets_vs_local"] = contest.ratio("here, rows by sockets", "here");
  (*ratios)["loader_tls_vs_local"] = contest.ratio("two servers, TLS", "here");
  // What clients on the host of their servers get, unless they are told otherwise.
  (*ratios)["loader_vs_local"] = contest.ratio("two servers, same host", "here");
  (*ratios)["loader_made_vs_local"] = contest.ratio("made by two servers, plain", "here");
  (*ratios)["loader_made_tls_vs_local"] = contest.ratio("made by two servers, TLS", "here");
  (*ratios)["loader_parts_vs_local"] = contest.ratio("here, in two parts", "here");
}

// ---- starting ----

int serve_part(const std::string& path, uint32_t part, const std::string& address,
               const std::vector<std::string>& servers) {
  GraphServerOptions options;
  options.transport = transport(false);
  options.listen = address;
  options.parts = {part};
  options.servers = servers;
  const auto server = check(GraphServer::start(context_of(1), path, options));
  std::cout << server->address() << std::endl;
  std::string line;
  std::getline(std::cin, line);
  return 0;
}

int take_first_batch(const std::string& address) {
  RemoteGraphOptions options;
  options.transport = transport(false);
  const auto loader = make_loader(check(open_served(context_of(1), address, options)));
  check(loader->sample(0, 0));
  std::cout << "ready" << std::endl;
  return 0;
}

// Eight processes. Clients know one of the servers, and begin with them.
double start_seconds(const std::string& path) {
  constexpr uint32_t kParts = 4;
  const uint64_t begin = now_ns();
  const std::vector<std::string> addresses = free_addresses(kParts);
  std::vector<std::unique_ptr<Child>> servers;
  for (uint32_t p = 0; p < kParts; ++p) {
    std::vector<std::string> arguments = {"--serve-part",    path,       "--part",
                                          std::to_string(p), "--listen", addresses[p]};
    for (const std::string& address : addresses) {
      arguments.insert(arguments.end(), {"--server", address});
    }
    servers.push_back(std::make_unique<Child>(std::move(arguments)));
  }
  std::vector<std::unique_ptr<Child>> clients;
  for (uint32_t p = 0; p < kParts; ++p) {
    clients.push_back(std::make_unique<Child>(
        std::vector<std::string>{"--first-batch", "gls://" + addresses[p]}));
  }
  for (const auto& client : clients) {
    client->said();
  }
  return static_cast<double>(now_ns() - begin) * 1e-9;
}

int run(int argc, char** argv) {
  double seconds = 0.5;
  int rounds = 5;
  int64_t nodes = 400000;
  CLI::App app("What it costs that a graph is served");
  app.add_option("--seconds", seconds, "of each contestant in each round");
  app.add_option("--rounds", rounds);
  app.add_option("--nodes", nodes)->check(CLI::Range(1000, 10000000));
  std::string only;
  app.add_option("--only", only)
      ->check(CLI::IsMember({"fetches", "channels", "reads", "loaders", "starts"}));
  std::string serve;
  std::string channels;
  bool serve_reads = false;
  app.add_option("--serve", serve, "for processes that this program starts");
  app.add_option("--channels", channels);
  app.add_flag("--serve-reads,!--serve-gathers", serve_reads);
  std::string serve_part_of;
  uint32_t part = 0;
  std::string listen;
  std::vector<std::string> servers;
  std::string first_batch;
  app.add_option("--serve-part", serve_part_of);
  app.add_option("--part", part);
  app.add_option("--listen", listen);
  app.add_option("--server", servers);
  app.add_option("--first-batch", first_batch);
  CLI11_PARSE(app, argc, argv);
  prepare_network(GLS_BENCH_PLUGINS);
  if (!serve.empty()) {
    return serve_to_parent(serve, channels, serve_reads);
  }
  if (!serve_part_of.empty()) {
    return serve_part(serve_part_of, part, listen, servers);
  }
  if (!first_batch.empty()) {
    return take_first_batch(first_batch);
  }
  print_machine();

  const WorkFolder folder;
  std::mt19937_64 random(7);
  const auto any = [&](int64_t) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(nodes));
  };
  const auto graph = make_graph(context_of(2), nodes, any);
  for (const uint32_t parts : {1u, 2u, 4u}) {
    cut(*graph, parts, folder.file(std::to_string(parts)),
        [&](int64_t) { return static_cast<uint32_t>(random() % parts); });
  }
  std::map<std::string, double> ratios;
  if (only.empty() || only == "fetches") {
    fetches(graph, folder.file("1"), rounds, seconds, &ratios);
  }
  if (only.empty() || only == "channels") {
    fetch_over_channels(folder.file("1"), nodes, rounds, seconds, &ratios);
  }
  if (only.empty() || only == "reads") {
    one_sided(folder.file("1"), nodes, rounds, seconds, &ratios);
  }
  if (only.empty() || only == "loaders") {
    loaders(graph, folder.file("2"), rounds, seconds, &ratios);
  }
  if (only.empty() || only == "starts") {
    std::vector<double> starts;
    for (int i = 0; i < rounds; ++i) {
      starts.push_back(start_seconds(folder.file("4")));
    }
    ratios["start_s"] = median(starts);
    fmt::print("four servers and four clients started, each a process, a batch each: {:.3f} s\n",
               ratios["start_s"]);
  }
  print_json("cluster", ratios);
  return 0;
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) { return gls::bench::run(argc, argv); }
