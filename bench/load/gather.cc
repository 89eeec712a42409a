// Feature gathering against memcpy of the same bytes and against a plain loop, by width of a row.
//
//   bench_gather [--rows-per-batch N] [--rounds N] [--seconds S]
#include "feature/gather.h"

#include <CLI/CLI.hpp>
#include <cstring>
#include <thread>

#include "base/philox.h"
#include "bench/support/harness.h"
#include "format/dataset_writer.h"

namespace gls::bench {
namespace {

constexpr size_t kTableBytes = size_t{1} << 30;  // far beyond any cache

struct Setup {
  int64_t row_bytes;
  int64_t stride;
  int64_t rows;
  std::shared_ptr<PageBlock> table;
  std::vector<int32_t> ids;

  Tensor column() const {
    return Tensor(table, table->data(), kUint8, {rows, row_bytes}, stride, true);
  }
  IdSpan id_span() const { return {ids.data(), false, static_cast<int64_t>(ids.size())}; }
  size_t bytes() const { return ids.size() * static_cast<size_t>(row_bytes); }
};

Setup make_setup(int64_t row_bytes, bool padded, int64_t rows_per_batch) {
  Setup setup;
  setup.row_bytes = row_bytes;
  setup.stride = padded ? padded_row_bytes(row_bytes) : row_bytes;
  setup.rows = static_cast<int64_t>(kTableBytes) / setup.stride;
  setup.table = std::make_shared<PageBlock>(kTableBytes, true);
  std::memset(setup.table->data(), 1, kTableBytes);
  const int64_t count = std::min(rows_per_batch, (int64_t{256} << 20) / row_bytes);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t word = key_of(philox(static_cast<uint32_t>(i), 0, 0, 0, 3));
    setup.ids.push_back(static_cast<int32_t>(mul_high64(word, static_cast<uint64_t>(setup.rows))));
  }
  return setup;
}

// Two threads, each gathering its own batch.
std::function<double()> twice(std::function<double()> one, std::function<double()> other) {
  return [one = std::move(one), other = std::move(other)] {
    double sum = 0;
    std::thread thread([&] { sum = other(); });
    const double own = one();
    thread.join();
    return own + sum;
  };
}

void run_width(int64_t row_bytes, int64_t rows_per_batch, int rounds, double seconds,
               std::map<std::string, double>* ratios) {
  const auto pool = std::make_shared<BufferPool>(true, uint64_t{4} << 30);
  const Setup padded = make_setup(row_bytes, true, rows_per_batch);
  const Setup packed = make_setup(row_bytes, false, rows_per_batch);
  const Simd simd = detect_simd();
  const auto gatherer = [&pool](const Setup& setup, GatherOptions options) {
    return [&pool, &setup, options] {
      const Tensor out = gather(*pool, setup.column(), setup.id_span(), kUint8, options);
      return static_cast<double>(out.span_bytes());
    };
  };
  const Buffer target = pool->acquire(padded.bytes());
  const auto copy = [&] {
    std::memcpy(target.as<>(), padded.table->data(), padded.bytes());
    return static_cast<double>(padded.bytes());
  };
  const auto plain_loop = [&] {
    const std::byte* const table = packed.table->data();
    std::byte* out = target.as<>();
    for (const int32_t id : packed.ids) {
      std::memcpy(out, table + id * row_bytes, static_cast<size_t>(row_bytes));
      out += row_bytes;
    }
    return static_cast<double>(packed.bytes());
  };
  Contest contest;
  contest.add("gather, rows padded as imported", gatherer(padded, {simd}));
  contest.add("gather, rows packed", gatherer(packed, {simd}));
  contest.add("gather, padded, no streaming", gatherer(padded, {simd, 0, ~uint64_t{0}}));
  contest.add("gather, padded, AVX2", gatherer(padded, {std::min(simd, Simd::kAvx2)}));
  contest.add("plain loop of memcpy", plain_loop);
  contest.add("memcpy of as many bytes", copy);
  contest.add("2 threads: gather", twice(gatherer(padded, {simd}), gatherer(padded, {simd})));
  contest.run(rounds, seconds);
  fmt::print("rows of {} bytes ({} with padding), {} rows a batch:\n", row_bytes, padded.stride,
             padded.ids.size());
  contest.print("GB/s", 1e-9);
  const std::string suffix = fmt::format("_{}", row_bytes);
  (*ratios)["vs_memcpy" + suffix] =
      contest.ratio("gather, rows padded as imported", "memcpy of as many bytes");
  (*ratios)["vs_loop" + suffix] =
      contest.ratio("gather, rows padded as imported", "plain loop of memcpy");
  (*ratios)["threads_2" + suffix] =
      contest.ratio("2 threads: gather", "gather, rows padded as imported");
}

}  // namespace
}  // namespace gls::bench

int main(int argc, char** argv) {
  CLI::App app("Feature gathering against memcpy");
  int64_t rows_per_batch = 578000;
  int rounds = 9;
  double seconds = 0.5;
  std::vector<int64_t> widths = {64, 400, 512, 4096};
  app.add_option("--rows-per-batch", rows_per_batch);
  app.add_option("--rounds", rounds);
  app.add_option("--seconds", seconds, "Per contestant and round");
  app.add_option("--widths", widths, "Bytes per row");
  CLI11_PARSE(app, argc, argv);
  gls::bench::print_machine();
  std::map<std::string, double> ratios;
  for (const int64_t width : widths) {
    gls::bench::run_width(width, rows_per_batch, rounds, seconds, &ratios);
  }
  gls::bench::print_json("gather", ratios);
  return 0;
}
