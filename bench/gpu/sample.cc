// Neighbourhoods, sampled by a GPU: against sectors that its memory gives at random, and against
// all cores.
#include <atomic>
#include <barrier>
#include <functional>
#include <thread>

#include "base/philox.h"
#include "bench/gpu/graph.h"
#include "bench/gpu/limit.h"
#include "bench/gpu/parts.h"
#include "bench/support/harness.h"
#include "sample/device/device_sampler.h"

namespace gls::bench {
namespace {

constexpr uint64_t kSeedLists = 64;  // made beforehand; batches have them in turn
constexpr int kReadsQueued = 16;     // launches of a step, so that its end is none of its time

std::vector<int64_t> seeds_of(uint64_t list, int64_t count, int64_t nodes) {
  std::vector<int64_t> seeds(static_cast<size_t>(count));
  for (size_t i = 0; i < seeds.size(); ++i) {
    seeds[i] = static_cast<int64_t>(
        mul_high64(key_of(philox(static_cast<uint32_t>(i), lo32(list), hi32(list), 0, 77)),
                   static_cast<uint64_t>(nodes)));
  }
  return seeds;
}

SampleRequest request_of(uint64_t batch, const std::vector<int64_t>& seeds) {
  SampleRequest request;
  request.batch = batch;
  request.seeds = {{0, IdSpan(seeds.data(), true, static_cast<int64_t>(seeds.size()))}};
  return request;
}

// Threads that are there before and after a step, in which each takes the next batch until so many
// are made: what `make(batch, stream)` returns, summed.
class Crew {
 public:
  using Make = std::function<double(uint64_t batch, const DeviceStream& stream)>;
  Crew(const std::shared_ptr<Device>& device, size_t threads, uint64_t batches, Make make)
      : make_(std::move(make)),
        batches_(batches),
        sums_(threads, 0),
        turn_(static_cast<std::ptrdiff_t>(threads) + 1) {
    for (size_t thread = 0; thread < threads; ++thread) {
      threads_.emplace_back([this, device, thread] { work(device, thread); });
    }
  }
  ~Crew() {
    stopping_ = true;
    turn_.arrive_and_wait();
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  double step() {
    end_ = next_ + batches_;
    turn_.arrive_and_wait();
    turn_.arrive_and_wait();
    next_ = end_;
    double sum = 0;
    for (const double part : sums_) {
      sum += part;
    }
    return sum;
  }

 private:
  void work(const std::shared_ptr<Device>& device, size_t thread) {
    const DeviceStream stream = check(device->stream());
    for (;;) {
      turn_.arrive_and_wait();
      if (stopping_) {
        return;
      }
      double sum = 0;
      for (uint64_t batch = next_++; batch < end_; batch = next_++) {
        sum += make_(batch, stream);
      }
      check(stream.finish());
      sums_[thread] = sum;
      turn_.arrive_and_wait();
    }
  }

  Make make_;
  uint64_t batches_;  // of a step
  std::atomic<uint64_t> next_ = 0;
  uint64_t end_ = 0;
  bool stopping_ = false;
  std::vector<double> sums_;
  std::barrier<> turn_;
  std::vector<std::thread> threads_;
};

std::function<double()> crew(const std::shared_ptr<Device>& device, size_t threads,
                             uint64_t batches, Crew::Make make) {
  const auto members = std::make_shared<Crew>(device, threads, batches, std::move(make));
  return [members] { return members->step(); };
}

// Sectors of 32 bytes, each counted once for a batch, without which it cannot be sampled: those of
// the neighbours that were picked, and those of where rows begin and end, of all nodes whose
// neighbours were asked for.
struct Sectors {
  double edges = 0;
  double of_neighbors = 0;
  double of_rows = 0;
  double per_edge() const { return (of_neighbors + of_rows) / std::max(edges, 1.0); }
};

class Marks {
 public:
  explicit Marks(int64_t count) : words_(static_cast<size_t>(count / 64 + 1), 0) {}
  // 1, where it was not there before.
  double mark(int64_t number) {
    uint64_t& word = words_[static_cast<size_t>(number / 64)];
    const uint64_t bit = uint64_t{1} << (number % 64);
    const bool before = (word & bit) != 0;
    word |= bit;
    return before ? 0 : 1;
  }

 private:
  std::vector<uint64_t> words_;
};

// Of the batches that are measured, as edges that are picked do not depend on who picks them. Ids
// of edges are their places, as the graph has no others.
Sectors count_sectors(const std::shared_ptr<const Dataset>& dataset,
                      const std::vector<std::vector<int64_t>>& seeds) {
  SamplerOptions options = sampler_options();
  options.edge_ids = true;
  options.int32 = false;
  const auto sampler = check(Sampler::create(dataset, options));
  Sectors out;
  for (const uint64_t batch : {0, 1}) {
    const auto sampled = check(sampler->sample(request_of(batch, seeds[batch])));
    const SampledNodes& nodes = sampled->nodes[0];
    Marks of_neighbors(dataset->edge_types()[0].count / 8 + 1);
    Marks of_rows(dataset->node_types()[0].count / 4 + 2);
    const auto edges = static_cast<int64_t>(sampled->num_edges());
    for (int64_t e = 0; e < edges; ++e) {
      out.of_neighbors += of_neighbors.mark(sampled->edges[0].edge.as<int64_t>()[e] / 8);
    }
    int64_t expanded = 0;
    for (size_t hop = 0; hop < options.num_hops; ++hop) {
      expanded += nodes.num_nodes.as<int64_t>()[hop];
    }
    for (int64_t i = 0; i < expanded; ++i) {
      const int64_t node = nodes.node.as<int64_t>()[i];
      out.of_rows += of_rows.mark(node / 4) + of_rows.mark((node + 1) / 4);
    }
    out.edges += static_cast<double>(edges);
  }
  return out;
}

}  // namespace

void sample(const Settings& settings, const std::shared_ptr<Device>& device) {
  const auto context = check(Context::create({}, nullptr, nullptr, nullptr));
  const bool products = settings.part == "products";
  GraphShape shape;
  shape.nodes = settings.nodes != 0 ? settings.nodes : products ? 2449029 : 20000000;
  shape.edges = settings.edges != 0 ? settings.edges : products ? 123.7e6 : 1e9;
  const uint64_t begin = now_ns();
  const auto dataset = make_graph(context, shape);
  const int64_t edges = dataset->edge_types()[0].count;
  fmt::print("{} nodes, {} edges, made in {:.1f} s\n", shape.nodes, edges,
             static_cast<double>(now_ns() - begin) * 1e-9);
  const auto sampler = check(Sampler::create(dataset, sampler_options()));
  const auto on_device = check(DeviceSampler::create(sampler, device));
  const auto cores = static_cast<size_t>(context->pool().size());

  // As much memory as the neighbours take, which is what is read at random.
  const uint64_t bytes = std::max<uint64_t>(uint64_t{4} * static_cast<uint64_t>(edges), 4096);
  const Memory memory(device, bytes);
  const Memory sink(device, 4);
  const DeviceStream stream = check(device->stream());
  check_queue(fill(device->id(), bytes, 1, memory.data(), stream.get()), "filling memory");
  check(stream.finish());

  std::map<std::string, double> ratios;
  for (const int64_t size : settings.batch_sizes) {
    std::vector<std::vector<int64_t>> seeds;
    for (uint64_t list = 0; list < kSeedLists; ++list) {
      seeds.push_back(seeds_of(list, size, shape.nodes));
    }
    const Sectors sectors = count_sectors(dataset, seeds);
    const auto by_gpu = [&](uint64_t batch, const DeviceStream& on) {
      const SampleRequest request = request_of(batch, seeds[batch % kSeedLists]);
      return static_cast<double>(check(on_device->sample(request, on))->num_edges());
    };
    const auto by_processor = [&](uint64_t batch, const DeviceStream&) {
      const SampleRequest request = request_of(batch, seeds[batch % kSeedLists]);
      return static_cast<double>(check(sampler->sample(request))->num_edges());
    };
    if (by_gpu(0, stream) + by_gpu(1, stream) != sectors.edges) {
      fail("the GPU does not sample what the host does");
    }
    Contest contest(settings.warm_up);
    contest.add("random sectors read", [&, salt = uint64_t{0}]() mutable {
      for (int i = 0; i < kReadsQueued; ++i) {
        check_queue(
            random_reads(device->id(), memory.data(), bytes, settings.reads, salt += settings.reads,
                         static_cast<uint32_t*>(sink.data()), stream.get()),
            "random reads");
      }
      check(stream.finish());
      return kReadsQueued * static_cast<double>(settings.reads);
    });
    contest.add("edges, GPU, one thread", crew(device, 1, settings.batches, by_gpu));
    contest.add("edges, GPU, four threads", crew(device, 4, 4 * settings.batches, by_gpu));
    // Fewer of large batches, which take a core a second.
    const uint64_t each = size > 1024 ? (settings.batches + 7) / 8 : settings.batches;
    contest.add("edges, all cores", crew(device, cores, each * cores, by_processor));
    contest.run(settings.rounds, settings.seconds);
    fmt::print("batches of {}; the limit is {:.0f} GB/s in sectors\n", size,
               32e-9 * contest.rate("random sectors read"));
    fmt::print("an edge takes {:.3f} sectors of neighbours and {:.3f} of where rows begin\n",
               sectors.of_neighbors / sectors.edges, sectors.of_rows / sectors.edges);
    contest.print("M/s", 1e-6);
    const std::string name = fmt::format("sample_{}_{}", settings.part, size);
    const double one = contest.ratio("edges, GPU, one thread", "random sectors read");
    const double four = contest.ratio("edges, GPU, four threads", "random sectors read");
    const double best = std::max(one, four);
    ratios[name + "_vs_limit"] = best * sectors.per_edge();
    ratios[name + "_one_thread_vs_limit"] = one * sectors.per_edge();
    ratios[name + "_edges_vs_limit"] = best;
    ratios[name + "_sectors_per_edge"] = sectors.per_edge();
    ratios[name + "_vs_cpu"] =
        std::max(contest.ratio("edges, GPU, one thread", "edges, all cores"),
                 contest.ratio("edges, GPU, four threads", "edges, all cores"));
    print_part(settings, *device, ratios);
  }
}

}  // namespace gls::bench
