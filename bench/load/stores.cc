// What a store costs, through the C ABI.
//
//   bench_stores [--rounds N]
//
// - callback_vs_mapped: time of gls_dataset_rows() for 1,000 random rows of 512 bytes. A callback
//   copies them from memory, over the same column as an array. It prefetches rows, as the library
//   does; plain_callback_vs_mapped is a callback that does not.
// - loader_vs_store: batches of a loader over a store whose calls take 5 ms, over the calls that
//   the store answers without the library. Threads make 4 or 16 calls at once.
//
// The last line is JSON.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <gls.hpp>
#include <random>
#include <thread>

#include "bench/support/harness.h"

namespace bench = gls::bench;

namespace {

using std::chrono::milliseconds;

constexpr int64_t kNodes = 1'000'000;
constexpr int64_t kWidth = 128;
constexpr size_t kRowBytes = kWidth * sizeof(float);
constexpr int64_t kRows = 1000;
constexpr const char* kEdgeType = "node__to__node";

// The rows of a column, and how a question for some of them is answered.
struct Memory {
  std::vector<float> rows = std::vector<float>(static_cast<size_t>(kNodes * kWidth));
  size_t ahead = 0;  // rows that are prefetched
  milliseconds pause{0};
};

void copy_rows(const Memory& memory, const int64_t* ids, size_t count, void* to, size_t row_bytes) {
  const auto* const from = reinterpret_cast<const char*>(memory.rows.data());
  const auto row = [from](int64_t id) { return from + static_cast<size_t>(id) * kRowBytes; };
  const auto prefetch = [&](size_t i) {
    for (size_t line = 0; line < kRowBytes; line += 64) {
      __builtin_prefetch(row(ids[i]) + line, 0, 2);
    }
  };
  for (size_t i = 0; i < std::min(memory.ahead, count); ++i) {
    prefetch(i);
  }
  for (size_t i = 0; i < count; ++i) {
    if (memory.ahead > 0 && i + memory.ahead < count) {
      prefetch(i + memory.ahead);
    }
    std::memcpy(static_cast<char*>(to) + i * row_bytes, row(ids[i]), row_bytes);
  }
}

void fetch(gls_fetch_t* taken, void* user_data) {
  const auto& memory = *static_cast<const Memory*>(user_data);
  gls::Fetch fetch(taken);
  const gls_fetch_info_t info = fetch.info();
  std::this_thread::sleep_for(memory.pause);
  copy_rows(memory, info.ids, info.num_ids, info.rows, info.row_bytes);
  fetch.rows_done();
}

gls::Dataset with_store(const gls::Context& context, const gls::Dataset& base, Memory* memory,
                        uint32_t max_fetches) {
  gls_store_column_t column = GLS_STORE_COLUMN_INIT;
  column.name = "stored";
  column.row_shape = &kWidth;
  column.row_ndim = 1;
  column.dtype = {kDLFloat, 32, 1};
  gls_store_options_t options = GLS_STORE_OPTIONS_INIT;
  options.fetch = fetch;
  options.user_data = memory;
  options.max_fetches = max_fetches;
  const gls::Store store = gls::Store::column(context, column, options);
  return base.with_stores({&store});
}

// Each node has one edge, so that a batch of 500 seeds has nearly 1,000 nodes.
gls::Dataset make_graph(const gls::Context& context, const Memory& memory) {
  std::mt19937_64 random(1);
  std::vector<int64_t> source(static_cast<size_t>(kNodes));
  std::vector<int64_t> target(static_cast<size_t>(kNodes));
  for (int64_t i = 0; i < kNodes; ++i) {
    source[static_cast<size_t>(i)] = static_cast<int64_t>(random() % kNodes);
    target[static_cast<size_t>(i)] = i;
  }
  gls::Builder builder(context);
  builder.add_node_type("node", kNodes);
  builder.add_edges(kEdgeType, gls::Tensor::copy(source, {kDLInt, 64, 1}),
                    gls::Tensor::copy(target, {kDLInt, 64, 1}));
  const int64_t shape[] = {kNodes, kWidth};
  const DLTensor view = {const_cast<float*>(memory.rows.data()),
                         {kDLCPU, 0},
                         2,
                         {kDLFloat, 32, 1},
                         const_cast<int64_t*>(shape),
                         nullptr,
                         0};
  builder.add_node_column("node", "mapped", GLS_ROLE_OTHER, gls::Tensor::wrap(view, true));
  return builder.build();
}

// Each once, in any order, as in a batch.
std::vector<int64_t> random_ids(std::mt19937_64& random) {
  constexpr int64_t kStep = kNodes / kRows;
  std::vector<int64_t> out(static_cast<size_t>(kRows));
  for (int64_t i = 0; i < kRows; ++i) {
    out[static_cast<size_t>(i)] = i * kStep + static_cast<int64_t>(random() % kStep);
  }
  std::shuffle(out.begin(), out.end(), random);
  return out;
}

// Questions for 1,000 rows.
double ask(const gls::Dataset& dataset, const char* column, std::mt19937_64& random) {
  constexpr int kTimes = 20;
  for (int i = 0; i < kTimes; ++i) {
    const gls::Tensor ids = gls::Tensor::copy(random_ids(random), {kDLInt, 64, 1});
    static_cast<void>(dataset.rows("node", column, ids.view()));
  }
  return kTimes;
}

// Calls that `threads` threads make of the store, without the library.
double calls_per_second(const Memory& memory, uint32_t threads, double seconds) {
  const volatile size_t row_bytes = kRowBytes;  // as if the question named it
  std::atomic<int64_t> calls = 0;
  std::atomic<bool> over = false;
  std::vector<std::thread> callers;
  const auto start = std::chrono::steady_clock::now();
  for (uint32_t t = 0; t < threads; ++t) {
    callers.emplace_back([&, t] {
      std::mt19937_64 random(t);
      std::vector<char> to(static_cast<size_t>(kRows) * kRowBytes);
      while (!over) {
        const std::vector<int64_t> ids = random_ids(random);
        std::this_thread::sleep_for(memory.pause);
        copy_rows(memory, ids.data(), ids.size(), to.data(), row_bytes);
        ++calls;
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  over = true;
  for (std::thread& caller : callers) {
    caller.join();
  }
  return static_cast<double>(calls) /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double batches_per_second(const gls::Dataset& dataset, double seconds) {
  const int64_t fanout = 1;
  const gls_fanout_t fanouts = {nullptr, &fanout, 1};
  gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
  options.fanouts = &fanouts;
  options.num_fanouts = 1;
  const gls::Sampler sampler(dataset, options);
  gls_loader_options_t loading = GLS_LOADER_OPTIONS_INIT;
  loading.flags = GLS_LOADER_SHUFFLE;
  loading.batch_size = static_cast<uint32_t>(kRows / 2);
  gls::Loader loader(sampler, gls::Tensor(), loading);
  int64_t batches = -16;  // the first ones begin together
  auto start = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  while (batches < 0 || passed() < seconds) {
    if (!loader.next().has_value()) {
      continue;  // the next epoch begins
    }
    if (++batches == 0) {
      start = std::chrono::steady_clock::now();
    }
  }
  return static_cast<double>(batches) / passed();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Stores against arrays, and against themselves");
  int rounds = 7;
  app.add_option("--rounds", rounds, "Of each contest");
  CLI11_PARSE(app, argc, argv);

  Memory memory;
  for (size_t i = 0; i < memory.rows.size(); ++i) {
    memory.rows[i] = static_cast<float>(i % 1000);
  }
  Memory plain = memory;
  memory.ahead = 48;
  const gls::Context context(0);
  const gls::Dataset graph = make_graph(context, memory);
  std::mt19937_64 random(2);
  bench::Contest contest;
  const gls::Dataset stored = with_store(context, graph, &memory, 16);
  const gls::Dataset stored_plainly = with_store(context, graph, &plain, 16);
  contest.add("array", [&] { return ask(graph, "mapped", random); });
  contest.add("callback", [&] { return ask(stored, "stored", random); });
  contest.add("callback without prefetching",
              [&] { return ask(stored_plainly, "stored", random); });
  contest.run(rounds, 0.5);
  fmt::print("1,000 rows of 512 bytes, thousand questions/s\n");
  contest.print("k/s", 1e-3);
  const double overhead = contest.ratio("array", "callback");
  const double plain_overhead = contest.ratio("array", "callback without prefetching");

  memory.pause = milliseconds(5);
  double ratios[2];
  const uint32_t at_once[] = {4, 16};
  for (size_t i = 0; i < 2; ++i) {
    const gls::Dataset slow = with_store(context, graph, &memory, at_once[i]);
    std::vector<double> found;
    for (int round = 0; round < rounds; ++round) {
      const double own = calls_per_second(memory, at_once[i], 0.5);
      const double loaded = batches_per_second(slow, 0.5);
      found.push_back(loaded / own);
      if (round == rounds - 1) {
        fmt::print("5 ms a call, {} at once: {:.0f} calls/s of the store, {:.0f} batches/s\n",
                   at_once[i], own, loaded);
      }
    }
    ratios[i] = bench::median(found);
  }
  fmt::print(
      "{{\"callback_vs_mapped\": {:.3f}, \"plain_callback_vs_mapped\": {:.3f}, "
      "\"loader_vs_store_4\": {:.3f}, \"loader_vs_store_16\": {:.3f}}}\n",
      overhead, plain_overhead, ratios[0], ratios[1]);
  return 0;
}
