// Loaders: whole batches, delivered on a GPU, against those of all cores on the host.
#include "loader/pipeline/loader.h"

#include "bench/gpu/graph.h"
#include "bench/gpu/memory.h"
#include "bench/gpu/parts.h"
#include "bench/support/harness.h"

namespace gls::bench {
namespace {

// A step takes as many batches as there are threads, which begin at once and so end at once; epochs
// follow each other.
class Taker {
 public:
  Taker(std::shared_ptr<Loader> loader, uint64_t batches)
      : loader_(std::move(loader)), batches_(batches) {}

  double step() {
    for (uint64_t i = 0; i < batches_; ++i) {
      std::shared_ptr<Batch> batch;
      while (check(loader_->next(-1, &batch)) == Loader::Next::kEnd) {
        loader_->seek(++epoch_);
      }
      bytes_ += static_cast<double>(batch->bytes());
      ++taken_;
    }
    return static_cast<double>(batches_);
  }
  void print(const char* name) const {
    const double mean = bytes_ / std::max(taken_, 1.0);
    fmt::print("  {:<44} {:>9.0f} MB a batch, at most {:.1f} of them ready or in work\n", name,
               mean * 1e-6, static_cast<double>(loader_->stats().peak_bytes) / mean);
  }

 private:
  std::shared_ptr<Loader> loader_;
  uint64_t batches_;
  uint64_t epoch_ = 0;
  double bytes_ = 0;
  double taken_ = 0;
};

}  // namespace

void loader(const Settings& settings, const std::shared_ptr<Device>& device) {
  const auto context = check(Context::create({}, nullptr, nullptr, nullptr));
  GraphShape shape;
  shape.nodes = settings.nodes != 0 ? settings.nodes : 2449029;
  shape.edges = settings.edges != 0 ? settings.edges : 123.7e6;
  shape.features = settings.features;
  shape.classes = 47;
  const auto dataset = make_graph(context, shape);
  const auto sampler = check(Sampler::create(dataset, sampler_options()));
  const uint64_t threads = context->pool().size();
  const uint64_t bytes = bytes_ahead(*device);
  check(context->set("memory.pool", std::to_string(bytes)));
  fmt::print("{} threads, batches ahead of need may take {} MB\n", threads, bytes >> 20);
  constexpr const char* kHost = "all cores, to the host";
  constexpr const char* kDevice = "the GPU, to itself";
  std::map<std::string, double> ratios;
  for (const int64_t size : settings.batch_sizes) {
    LoaderOptions options;
    options.plan.batch_size = static_cast<uint64_t>(size);
    options.plan.shuffle = true;
    options.columns = default_columns(*sampler);
    options.prefetch_bytes = bytes;
    Taker on_host(check(Loader::create(sampler, Tensor(), options)), threads);
    options.device = device;
    Taker on_device(check(Loader::create(sampler, Tensor(), options)), threads);
    Contest contest(settings.warm_up);
    contest.add(kHost, [&] { return on_host.step(); });
    contest.add(kDevice, [&] { return on_device.step(); });
    contest.run(settings.rounds, settings.seconds);
    fmt::print("batches of {}\n", size);
    contest.print("batches/s", 1);
    on_host.print(kHost);
    on_device.print(kDevice);
    ratios[fmt::format("loader_{}_vs_cpu", size)] = contest.ratio(kDevice, kHost);
    print_part(settings, *device, ratios);
  }
}

}  // namespace gls::bench
