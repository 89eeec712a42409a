// What a GPU does against what its memory gives, and against the processor. Each part is a run of
// its own and ends with a line of JSON; scripts/bench.sh gpu runs all, and bench/gpu_report.py
// makes one line of theirs.
//
//   bench_gpu products|billion|gather|zero_copy|loader [--rounds N] [--seconds S]
//
// products and billion sample [15, 10, 5] on made-up graphs of 2.4 million nodes and 124 million
// edges, and of 20 million nodes and a billion edges. --nodes and --edges give others.
#include <CLI/CLI.hpp>
#include <thread>

#include "base/philox.h"
#include "gpu_graph.h"
#include "gpu_limit.h"
#include "harness.h"
#include "loader/loader.h"
#include "must.h"
#include "sample/device_sampler.h"

namespace gls::bench {
namespace {

struct Settings {
  std::string part;
  int rounds = 5;
  double seconds = 0.3;
  int device = 0;
  int64_t nodes = 0;
  double edges = 0;
  int64_t features = 100;
  uint64_t table_bytes = uint64_t{16} << 30;  // rows that are gathered, on the device
  uint64_t pinned_bytes = uint64_t{4} << 30;  // and on the host
  uint64_t move_bytes = uint64_t{256} << 20;  // by a gather
  uint64_t reads = uint64_t{1} << 26;         // by a kernel that only reads
  std::vector<int64_t> batch_sizes = {1024, 8192};
};

void must_queue(bool done, const char* what) {
  if (!done) {
    fail(std::string("CUDA refused ") + what);
  }
}

void must_gpu(bool done, const device::GpuError& error) {
  if (!done) {
    fail(error.text);
  }
}

class Memory {
 public:
  Memory(const std::shared_ptr<Device>& device, uint64_t bytes)
      : stream_(must(device->stream())), memory_(must(device->allocate(bytes, stream_))) {
    must(stream_.finish());
  }
  void* data() const { return memory_->data(); }

 private:
  DeviceStream stream_;
  std::shared_ptr<DeviceMemory> memory_;
};

void print_part(const Settings& settings, const Device& device,
                const std::map<std::string, double>& ratios) {
  std::string text;
  for (const auto& [key, value] : ratios) {
    text += fmt::format("{}\"{}\": {:.4f}", text.empty() ? "" : ", ", key, value);
  }
  const bool emulated = std::string_view(device.info().name).starts_with("CUDA on host");
  if (emulated) {
    fmt::print("This is the emulated runtime: the figures mean nothing.\n");
  }
  fmt::print("{{\"bench\": \"gpu\", \"part\": \"{}\", \"device\": \"{}\", \"emulated\": {}, ",
             settings.part, device.info().name, emulated);
  fmt::print("\"ratios\": {{{}}}}}\n", text);
}

// ---- sampling ----------------------------------------------------------------------------------

SamplerOptions sampler_options() {
  SamplerOptions options;
  options.seed = 1;
  options.num_hops = 3;
  options.fanouts = {{15, 10, 5}};
  options.int32 = true;
  return options;
}

std::vector<int64_t> seeds_of(uint64_t batch, int64_t count, int64_t nodes) {
  std::vector<int64_t> seeds(static_cast<size_t>(count));
  for (size_t i = 0; i < seeds.size(); ++i) {
    seeds[i] = static_cast<int64_t>(
        mul_high64(key_of(philox(static_cast<uint32_t>(i), lo32(batch), hi32(batch), 0, 77)),
                   static_cast<uint64_t>(nodes)));
  }
  return seeds;
}

// A step of so many threads, each of which makes some batches: what `make(batch, stream)` returns,
// summed.
template <typename Make>
std::function<double()> threads_of(std::shared_ptr<Device> device, size_t threads, Make make) {
  return [device = std::move(device), threads, make, number = uint64_t{0}]() mutable {
    constexpr uint64_t kEach = 4;
    std::vector<double> sums(threads, 0);
    const auto run = [&](size_t thread) {
      const DeviceStream stream = must(device->stream());
      for (uint64_t i = 0; i < kEach; ++i) {
        sums[thread] += make(number + thread * kEach + i, stream);
      }
      must(stream.finish());
    };
    std::vector<std::thread> others;
    for (size_t thread = 1; thread < threads; ++thread) {
      others.emplace_back(run, thread);
    }
    run(0);
    for (std::thread& other : others) {
      other.join();
    }
    number += threads * kEach;
    double sum = 0;
    for (const double part : sums) {
      sum += part;
    }
    return sum;
  };
}

void sample(const Settings& settings, const std::shared_ptr<Device>& device) {
  const auto context = must(Context::create({}, nullptr, nullptr, nullptr));
  const bool products = settings.part == "products";
  GraphShape shape;
  shape.nodes = settings.nodes != 0 ? settings.nodes : products ? 2449029 : 20000000;
  shape.edges = settings.edges != 0 ? settings.edges : products ? 123.7e6 : 1e9;
  const uint64_t begin = now_ns();
  const auto dataset = make_graph(context, shape);
  const int64_t edges = dataset->edge_types()[0].count;
  fmt::print("{} nodes, {} edges, made in {:.1f} s\n", shape.nodes, edges,
             static_cast<double>(now_ns() - begin) * 1e-9);
  const auto sampler = must(Sampler::create(dataset, sampler_options()));
  const auto on_device = must(DeviceSampler::create(sampler, device));
  const auto cores = static_cast<size_t>(context->pool().size());

  // As much memory as the neighbours take, which is what is read at random.
  const uint64_t bytes = std::max<uint64_t>(uint64_t{4} * static_cast<uint64_t>(edges), 4096);
  const Memory memory(device, bytes);
  const Memory sink(device, 4);
  const DeviceStream stream = must(device->stream());

  std::map<std::string, double> ratios;
  for (const int64_t size : settings.batch_sizes) {
    const auto ask = [&](uint64_t batch, const auto& answer) {
      const std::vector<int64_t> seeds = seeds_of(batch, size, shape.nodes);
      SampleRequest request;
      request.batch = batch;
      request.seeds = {{0, IdSpan(seeds.data(), true, size)}};
      return static_cast<double>(answer(request)->num_edges());
    };
    const auto by_gpu = [&](uint64_t batch, const DeviceStream& on) {
      return ask(batch, [&](const SampleRequest& request) {
        return must(on_device->sample(request, on));
      });
    };
    const auto by_processor = [&](uint64_t batch, const DeviceStream&) {
      return ask(batch,
                 [&](const SampleRequest& request) { return must(sampler->sample(request)); });
    };
    Contest contest;
    contest.add("random sectors read", [&, salt = uint64_t{0}]() mutable {
      must_queue(
          random_reads(device->id(), memory.data(), bytes, settings.reads, salt += settings.reads,
                       static_cast<uint32_t*>(sink.data()), stream.get()),
          "random reads");
      must(stream.finish());
      return static_cast<double>(settings.reads);
    });
    contest.add("edges, GPU, one thread", threads_of(device, 1, by_gpu));
    contest.add("edges, GPU, four threads", threads_of(device, 4, by_gpu));
    contest.add("edges, one core", threads_of(device, 1, by_processor));
    contest.add("edges, all cores", threads_of(device, cores, by_processor));
    contest.run(settings.rounds, settings.seconds);
    fmt::print("batches of {}\n", size);
    contest.print("M/s", 1e-6);
    const std::string name = fmt::format("sample_{}_{}", settings.part, size);
    const double one = contest.ratio("edges, GPU, one thread", "random sectors read");
    const double four = contest.ratio("edges, GPU, four threads", "random sectors read");
    ratios[name + "_vs_limit"] = std::max(one, four);
    ratios[name + "_one_thread_vs_limit"] = one;
    ratios[name + "_vs_cpu"] =
        std::max(contest.ratio("edges, GPU, one thread", "edges, all cores"),
                 contest.ratio("edges, GPU, four threads", "edges, all cores"));
  }
  print_part(settings, *device, ratios);
}

// ---- rows --------------------------------------------------------------------------------------

constexpr uint64_t kRowBytes[] = {64, 128, 256, 512, 1024, 2048, 4096};
constexpr uint64_t kLists = 4;  // of ids, in turn, so that no cache has what is read

void copy_to(const DeviceStream& stream, const void* from, uint64_t bytes, void* to) {
  device::GpuError error;
  must_gpu(stream.gpu().copy_in(to, from, bytes, stream.get(), &error), error);
}

// Rows of `table`, which the device reads, against what `limit(salt, rows, row bytes)` queues.
template <typename Limit>
void contest_rows(const Settings& settings, const std::shared_ptr<Device>& device,
                  const void* table, uint64_t table_bytes, const char* limit_name, Limit limit,
                  void* out, std::map<std::string, double>* ratios) {
  const DeviceStream stream = must(device->stream());
  for (const uint64_t row_bytes : kRowBytes) {
    const uint64_t rows = table_bytes / row_bytes;
    const uint64_t count = std::max<uint64_t>(settings.move_bytes / row_bytes, 1);
    std::vector<int32_t> ids(kLists * count);
    for (size_t i = 0; i < ids.size(); ++i) {
      ids[i] = static_cast<int32_t>(
          mul_high64(key_of(philox(lo32(i), hi32(i), lo32(row_bytes), 0, 7)), rows));
    }
    const Memory list(device, 4 * ids.size());
    copy_to(stream, ids.data(), 4 * ids.size(), list.data());
    must(stream.finish());
    Contest contest;
    contest.add(limit_name, [&, salt = uint64_t{0}]() mutable {
      for (uint64_t i = 0; i < kLists; ++i) {
        limit(stream, salt += count, rows, row_bytes, count);
      }
      must(stream.finish());
      return static_cast<double>(kLists * count * row_bytes);
    });
    contest.add("gather", [&] {
      for (uint64_t i = 0; i < kLists; ++i) {
        device::GatherWork work{};
        work.rows = table;
        work.stride = static_cast<int64_t>(row_bytes);
        work.num_rows = static_cast<int64_t>(rows);
        work.row_elements = static_cast<int64_t>(row_bytes / 4);
        work.row_bytes = static_cast<int64_t>(row_bytes);
        work.form = device::RowForm::kSame;
        work.ids = static_cast<const int32_t*>(list.data()) + i * count;
        work.count = static_cast<int64_t>(count);
        work.total = static_cast<int64_t>(count);
        work.out = out;
        device::GpuError error;
        must_gpu(device->gpu().gather(work, stream.get(), &error), error);
      }
      must(stream.finish());
      return static_cast<double>(kLists * count * row_bytes);
    });
    contest.run(settings.rounds, settings.seconds);
    fmt::print("rows of {} bytes\n", row_bytes);
    contest.print("GB/s", 1e-9);
    (*ratios)[fmt::format("{}_{}", settings.part, row_bytes)] = contest.ratio("gather", limit_name);
  }
}

void gather(const Settings& settings, const std::shared_ptr<Device>& device) {
  // What is left has room for output and ids.
  const uint64_t bytes =
      std::min(settings.table_bytes, must(device->free_memory()) / 2) / 4096 * 4096;
  const Memory table(device, bytes);
  const Memory out(device, settings.move_bytes);
  std::map<std::string, double> ratios;
  fmt::print("a table of {} MB\n", bytes >> 20);
  contest_rows(
      settings, device, table.data(), bytes, "random rows, a plain kernel",
      [&](const DeviceStream& stream, uint64_t salt, uint64_t rows, uint64_t row_bytes,
          uint64_t count) {
        must_queue(random_rows(device->id(), table.data(), rows, row_bytes, count, salt, out.data(),
                               stream.get()),
                   "random rows");
      },
      out.data(), &ratios);
  const DeviceStream stream = must(device->stream());
  Contest contest;
  contest.add("plain copy", [&] {
    must_queue(plain_copy(device->id(), table.data(), std::min(bytes, settings.move_bytes),
                          out.data(), stream.get()),
               "a copy");
    must(stream.finish());
    return static_cast<double>(std::min(bytes, settings.move_bytes));
  });
  contest.run(settings.rounds, settings.seconds);
  contest.print("GB/s copied", 1e-9);
  print_part(settings, *device, ratios);
}

void zero_copy(const Settings& settings, const std::shared_ptr<Device>& device) {
  device::GpuError error;
  void* table = nullptr;
  must_gpu(device->gpu().allocate_pinned(settings.pinned_bytes, &table, &error), error);
  {
    const Memory out(device, settings.move_bytes);
    std::map<std::string, double> ratios;
    fmt::print("a table of {} MB, pinned\n", settings.pinned_bytes >> 20);
    contest_rows(
        settings, device, table, settings.pinned_bytes, "copy of pinned memory",
        [&](const DeviceStream& stream, uint64_t salt, uint64_t, uint64_t row_bytes,
            uint64_t count) {
          const uint64_t bytes = count * row_bytes;
          const uint64_t pieces = settings.pinned_bytes / bytes;
          copy_to(stream, static_cast<const std::byte*>(table) + salt / count % pieces * bytes,
                  bytes, out.data());
        },
        out.data(), &ratios);
    print_part(settings, *device, ratios);
  }
  device->gpu().release_pinned(table);
}

// ---- loaders -----------------------------------------------------------------------------------

// A step takes a batch, and epochs follow each other.
std::function<double()> taker(const std::shared_ptr<Loader>& loader) {
  return [loader, epoch = uint64_t{0}]() mutable {
    std::shared_ptr<Batch> batch;
    while (must(loader->next(-1, &batch)) == Loader::Next::kEnd) {
      loader->seek(++epoch);
    }
    return 1.0;
  };
}

void loader(const Settings& settings, const std::shared_ptr<Device>& device) {
  const auto context = must(Context::create({}, nullptr, nullptr, nullptr));
  GraphShape shape;
  shape.nodes = settings.nodes != 0 ? settings.nodes : 2449029;
  shape.edges = settings.edges != 0 ? settings.edges : 123.7e6;
  shape.features = settings.features;
  shape.classes = 47;
  const auto dataset = make_graph(context, shape);
  const auto sampler = must(Sampler::create(dataset, sampler_options()));
  std::map<std::string, double> ratios;
  for (const int64_t size : settings.batch_sizes) {
    LoaderOptions options;
    options.plan.batch_size = static_cast<uint64_t>(size);
    options.plan.shuffle = true;
    options.columns = default_columns(*sampler);
    Contest contest;
    contest.add("all cores, to the host", taker(must(Loader::create(sampler, Tensor(), options))));
    options.device = device;
    contest.add("the GPU, to itself", taker(must(Loader::create(sampler, Tensor(), options))));
    contest.run(settings.rounds, settings.seconds);
    fmt::print("batches of {}\n", size);
    contest.print("batches/s", 1);
    ratios[fmt::format("loader_{}_vs_cpu", size)] =
        contest.ratio("the GPU, to itself", "all cores, to the host");
  }
  print_part(settings, *device, ratios);
}

int run(const Settings& settings) {
  print_machine();
  const auto device = must(Device::open(settings.device));
  fmt::print("GPU {}: {}, {} MB, compute capability {}.{}\n", device->id(), device->info().name,
             device->info().bytes >> 20, device->info().major, device->info().minor);
  if (settings.part == "gather") {
    gather(settings, device);
  } else if (settings.part == "zero_copy") {
    zero_copy(settings, device);
  } else if (settings.part == "loader") {
    loader(settings, device);
  } else {
    sample(settings, device);
  }
  return 0;
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("What a GPU does against what its memory gives, and against the processor");
  gls::bench::Settings settings;
  app.add_option("part", settings.part)
      ->required()
      ->check(CLI::IsMember({"products", "billion", "gather", "zero_copy", "loader"}));
  app.add_option("--rounds", settings.rounds);
  app.add_option("--seconds", settings.seconds, "Per contestant and round");
  app.add_option("--device", settings.device);
  app.add_option("--nodes", settings.nodes, "Of the graph; 0: as the part has it");
  app.add_option("--edges", settings.edges);
  app.add_option("--features", settings.features, "Of a node, for loader");
  app.add_option("--table-bytes", settings.table_bytes, "Of rows on the GPU, for gather");
  app.add_option("--pinned-bytes", settings.pinned_bytes, "Of rows on the host, for zero_copy");
  app.add_option("--move-bytes", settings.move_bytes, "By a gather");
  app.add_option("--reads", settings.reads, "By a kernel that reads at random");
  app.add_option("--batch-sizes", settings.batch_sizes);
  CLI11_PARSE(app, argc, argv);
  return gls::bench::run(settings);
}
