// Times that are kept by row: batches are the same with and without them, by every way of sampling
// that goes by times, within the memory that they may take, and whichever thread meets a row first.
#include "sample/pick/row_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <limits>
#include <thread>

#include "batch_equal.h"
#include "random_numbers.h"
#include "random_types.h"
#include "sample/kernels/bit_select.h"
#include "sample/kernels/row_scan.h"
#include "sample/kernels/time_order.h"
#include "sample/sampler.h"
#include "sanitized.h"

namespace gls::test {
namespace {

constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

// ---- bits --------------------------------------------------------------------------------------

TEST(BitSelect, FindsEveryBit) {
  Numbers random(1);
  for (int i = 0; i < 1000; ++i) {
    uint64_t word = 0;
    for (int64_t bits = random.below(65); bits > 0; --bits) {
      word |= uint64_t{1} << random.below(64);
    }
    int64_t rank = 0;
    for (int64_t bit = 0; bit < 64; ++bit) {
      if ((word >> bit & 1) != 0) {
        ASSERT_EQ(nth_set_bit(word, rank++), bit) << word;
      }
    }
  }
  EXPECT_EQ(nth_set_bit(~uint64_t{0}, 63), 63);
}

template <typename T>
void compare_kernels(const kernels::Table& table, Numbers* random) {
  for (int64_t count = 0; count < 200; ++count) {
    std::vector<T> times(static_cast<size_t>(count));
    using Limits = std::numeric_limits<T>;
    const auto any = [&]() -> T {
      const T some = static_cast<T>(random->below(9) - 4);
      return random->one_of<T>({some, some, some, Limits::min(), Limits::max()});
    };
    std::generate(times.begin(), times.end(), any);
    const T low = any();
    const T high = std::max(low, any());
    std::vector<uint64_t> words(static_cast<size_t>((count + 63) / 64), ~uint64_t{0});
    table.times_within[sizeof(T) == 8 ? 1 : 0](times.data(), count, low, high, words.data());
    for (int64_t i = 0; i < std::ssize(words) * 64; ++i) {
      const T time = i < count ? times[static_cast<size_t>(i)] : T{0};
      ASSERT_EQ((words[static_cast<size_t>(i / 64)] >> (i % 64) & 1) != 0,
                i < count && time >= low && time <= high)
          << table.name << " " << i << " of " << count;
    }
  }
}

TEST(RowTimes, AreScannedTheSameByEveryInstructionSet) {
  for (int level = 0; level <= static_cast<int>(detect_simd()); ++level) {
    Numbers random(2);
    compare_kernels<int32_t>(kernels::table_for(level), &random);
    compare_kernels<int64_t>(kernels::table_for(level), &random);
  }
}

// ---- long rows ---------------------------------------------------------------------------------

struct Ordered {
  Ordered(const IdSpan& times, bool finds)
      : memory(TimeOrder::bytes_for(times.size(), times.wide(), finds), false) {
    TimeOrder::make(times, finds, memory.data());
  }
  TimeOrder order() const { return TimeOrder(memory.data()); }
  PageBlock memory;
};

template <typename T>
void compare_orders(int64_t count, Numbers* random) {
  std::vector<T> times(static_cast<size_t>(count));
  const int64_t kinds = random->one_of<int64_t>({1, 3, 1000});
  std::generate(times.begin(), times.end(), [&] { return static_cast<T>(random->below(kinds)); });
  const Ordered made(IdSpan(times.data(), sizeof(T) == 8, count), true);
  const TimeOrder order = made.order();
  const auto time_at = [&](int64_t at) { return int64_t{times[static_cast<size_t>(at)]}; };
  for (int i = 0; i < 20; ++i) {
    const int64_t low = random->one_of<int64_t>({kFirst, random->below(kinds)});
    const int64_t high =
        random->one_of<int64_t>({kLast, kFirst, low, random->below(kinds), random->below(kinds)});
    std::vector<int64_t> expected;
    for (int64_t at = 0; at < count; ++at) {
      if (time_at(at) >= low && time_at(at) <= high) {
        expected.push_back(at);
      }
    }
    const TimeOrder::Range range = order.range(low, high);
    ASSERT_EQ(range.size(), std::ssize(expected));
    std::vector<int64_t> by_time;
    for (int64_t rank = range.begin; rank < range.end; ++rank) {
      by_time.push_back(order.position(rank));
    }
    ASSERT_TRUE(std::is_sorted(by_time.begin(), by_time.end(), [&](int64_t a, int64_t b) {
      return std::pair(time_at(a), a) < std::pair(time_at(b), b);
    }));
    std::sort(by_time.begin(), by_time.end());
    ASSERT_EQ(by_time, expected);
    if (!order.is_long()) {
      std::vector<uint64_t> words(mask_words(count), ~uint64_t{0});
      std::vector<uint64_t> other(words.size());
      order.mark(range, words.data(), other.data());
      std::vector<int64_t> marked;
      for (int64_t at = 0; at < std::ssize(words) * 64; ++at) {
        if ((words[static_cast<size_t>(at / 64)] >> (at % 64) & 1) != 0) {
          marked.push_back(at);
        }
      }
      ASSERT_EQ(marked, expected);
      continue;
    }
    for (int64_t index = 0; index < std::ssize(expected); index += 1 + random->below(50)) {
      const int64_t block = expected[static_cast<size_t>(index)] / TimeOrder::kBlock;
      const auto first =
          std::lower_bound(expected.begin(), expected.end(), block * TimeOrder::kBlock);
      const TimeOrder::InBlock found = order.find(range, index);
      ASSERT_EQ(found.block, block);
      ASSERT_EQ(found.index, index - (first - expected.begin()));
      ASSERT_EQ(order.before_block(range, block), first - expected.begin());
    }
  }
}

TEST(TimeOrder, FindsWhatAScanFinds) {
  Numbers random(3);
  for (const int64_t count : {1, 2, 13, 14, 15, 28, 64, 129, 511, 1000, 5000, 8192, 8193, 8704,
                              40000, 65535, 65536, 100000}) {
    SCOPED_TRACE(count);
    compare_orders<int32_t>(count, &random);
    compare_orders<int64_t>(count, &random);
  }
}

// ---- batches -----------------------------------------------------------------------------------

// Two types of nodes and three of edges; rows of "x" and "y" are of all kinds, from long to short,
// and the times of "z" ascend in every row.
TestGraph graph_in_time(Numbers* random, int64_t kinds) {
  constexpr int64_t kNodes = 300;
  constexpr int64_t kEdges = 30000;
  TestGraph graph;
  graph.nodes = {{"a", kNodes}, {"b", 2 * kNodes}};
  graph.edges = {
      {"a__x__a", {}, {}, {}, {}}, {"b__y__a", {}, {}, {}, {}}, {"a__z__b", {}, {}, {}, {}}};
  graph.wide = random->coin();
  graph.store_ids = random->coin();
  const auto skewed = [&](int64_t n) {
    return random->one_in(3) ? 7 : random->below(random->coin() ? 10 : n);
  };
  for (TestEdges& edges : graph.edges) {
    const bool sorted = edges.name == "a__z__b";
    for (int64_t i = 0; i < (sorted ? kEdges / 10 : kEdges); ++i) {
      edges.source.push_back(edges.name[0] == 'a' ? skewed(kNodes) : random->below(2 * kNodes));
      edges.target.push_back(edges.name.back() == 'a' ? skewed(kNodes) : random->below(2 * kNodes));
      edges.weight.push_back(static_cast<float>(random->below(4)));
      edges.time.push_back(sorted ? i * kinds / kEdges : random->below(kinds));
    }
    if (random->one_in(4)) {
      edges.time.clear();
    }
    if (random->one_in(3)) {  // rows are stored as they are given
      std::sort(edges.target.begin(), edges.target.end());
    }
  }
  for (const auto& [name, count] : graph.nodes) {
    std::vector<int64_t>& times = graph.node_times[name];
    for (int64_t i = 0; i < count; ++i) {
      times.push_back(random->below(kinds));
    }
  }
  graph.edges[1].time.resize(graph.edges[1].source.size(), 1);
  return graph;
}

// Of every way of sampling that takes times.
SamplerOptions options_in_time(Numbers* random) {
  SamplerOptions options;
  options.seed = static_cast<uint64_t>(random->below(1000));
  options.num_hops = 2;
  options.fanouts.assign(3, {random->one_of<int64_t>({1, 4, 20, 300, 9000}), 3});
  options.direction = random->coin() ? Direction::kIn : Direction::kOut;
  options.edge_ids = true;
  options.edge_time = random->one_in(4) ? "" : "time";
  options.node_time = random->coin() || options.edge_time.empty() ? "time" : "";
  options.time_strict = random->coin();
  options.time_window = random->one_of<int64_t>({0, 0, 3, 40, kLast});
  switch (random->below(6)) {
    case 0:
      options.weight = "weight";
      options.replace = random->coin() ? Replace::kAlways : Replace::kNever;
      break;
    case 1:
      options.pick = Pick::kLayer;
      options.weight = random->coin() ? "weight" : "";
      break;
    case 2:
      options.time_strategy = TimeStrategy::kLast;
      break;
    case 3:
      options.subgraph = Subgraph::kInduced;
      options.fanouts.assign(3, {4, 3});
      break;
    default:
      options.replace = random->one_of({Replace::kNever, Replace::kAbove, Replace::kAlways});
  }
  return options;
}

std::shared_ptr<const Sampler> sampler_of(const std::shared_ptr<const Dataset>& dataset,
                                          const SamplerOptions& options, const char* memory) {
  EXPECT_TRUE(dataset->context()->set("sample.row_times", memory).ok());
  auto sampler = Sampler::create(dataset, options);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  return sampler.take();
}

struct Asked {
  Asked(Numbers* random, int64_t kinds) {
    for (int i = 0; i < 12; ++i) {
      seeds.push_back(i % 4 == 0 ? 7 : random->below(300));
      times.push_back(random->one_of<int64_t>(
          {random->below(kinds), random->below(kinds), kinds, kFirst, kLast}));
    }
    if (random->coin()) {
      for (int i = 0; i < 500; ++i) {
        ids.push_back(random->below(3000));
      }
    }
  }
  SampleRequest request(uint64_t batch) const {
    SampleRequest out;
    out.batch = batch;
    const auto count = static_cast<int64_t>(seeds.size());
    out.seeds = {{0, IdSpan(seeds.data(), true, count), IdSpan(times.data(), true, count)}};
    if (!ids.empty()) {
      out.exclude = {{0, tensor_of(ids, kInt64)}, {1, tensor_of(ids, kInt64)}};
    }
    return out;
  }
  std::vector<int64_t> seeds;
  std::vector<int64_t> times;
  std::vector<int64_t> ids;
};

// Rows are met for the first time, then put in order, then looked up.
TEST(RowTimes, ChangeNoBatch) {
  int64_t edges = 0;
  for (uint64_t number = 0; number < (kSanitized ? 20 : 120); ++number) {
    SCOPED_TRACE(formatted("case {}", number));
    Numbers random(number + 100);
    const int64_t kinds = random.one_of<int64_t>({2, 100, 127});
    const auto context = make_context(1);
    ASSERT_TRUE(context->set("cpu.simd", random.one_of({"plain", "avx2", "avx512"})).ok());
    const auto dataset = make_any_dataset(context, graph_in_time(&random, kinds), number);
    const SamplerOptions options = options_in_time(&random);
    const auto plain = sampler_of(dataset, options, "0");
    const auto kept = sampler_of(dataset, options, "8G");
    for (uint64_t batch = 0; batch < 3; ++batch) {
      const Asked asked(&random, kinds);
      auto expected = plain->sample(asked.request(batch));
      auto found = kept->sample(asked.request(batch));
      ASSERT_EQ(expected.ok(), found.ok());
      if (!expected.ok()) {
        ASSERT_EQ(expected.status().message(), found.status().message());
        continue;
      }
      expect_same(**expected, **found);
      edges += (*found)->num_edges();
    }
    if (HasFailure()) {
      return;
    }
  }
  EXPECT_GT(edges, 10000);
}

// The edges of node 7 that a seed of this time may use by what docs/contract.md says, in the order
// of the row, which is that of ids.
std::vector<int64_t> edges_in_time(const TestGraph& graph, const SamplerOptions& options,
                                   int64_t seed_time) {
  const TestEdges& edges = graph.edges[0];
  const bool in = options.direction == Direction::kIn;
  const auto fits = [&](int64_t time) {
    const bool early = options.time_strict ? time < seed_time : time <= seed_time;
    return early && (options.time_window == 0 ||
                     static_cast<__int128>(time) >= __int128{seed_time} - options.time_window);
  };
  std::vector<int64_t> out;
  for (size_t e = 0; e < edges.source.size(); ++e) {
    const auto neighbor = static_cast<size_t>(in ? edges.source[e] : edges.target[e]);
    if ((in ? edges.target[e] : edges.source[e]) == 7 &&
        (options.edge_time.empty() || edges.time.empty() || fits(edges.time[e])) &&
        (options.node_time.empty() || fits(graph.node_times.at("a")[neighbor]))) {
      out.push_back(static_cast<int64_t>(e));
    }
  }
  return out;
}

TEST(RowTimes, AreThoseOfTheContract) {
  int64_t in_time = 0;
  for (uint64_t number = 0; number < 30; ++number) {
    Numbers random(number + 500);
    TestGraph graph = graph_in_time(&random, 100);
    SamplerOptions options = options_in_time(&random);
    options.num_hops = 1;
    options.fanouts.assign(3, {0});
    options.subgraph = Subgraph::kSampled;
    options.replace = Replace::kNever;
    options.pick = Pick::kIndependent;
    options.weight = "";
    const bool latest = random.coin();
    options.fanouts[0] = {latest ? random.one_of<int64_t>({1, 10, 600}) : -1};
    options.time_strategy = latest ? TimeStrategy::kLast : TimeStrategy::kUniform;
    if (graph.edges[0].time.empty() && options.node_time.empty()) {
      continue;  // then all edges may be used, and the latest are random ones
    }
    SCOPED_TRACE(formatted("case {}", number));
    const auto dataset = make_dataset(make_context(1), graph);
    const auto sampler = sampler_of(dataset, options, random.one_in(3) ? "0" : "1G");
    for (uint64_t batch = 0; batch < 3; ++batch) {
      const std::vector<int64_t> seed = {7};
      const std::vector<int64_t> time = {
          random.one_of<int64_t>({random.below(100), random.below(100), kFirst, kLast})};
      std::vector<int64_t> expected = edges_in_time(graph, options, time[0]);
      if (latest) {
        const bool by_edge = !options.edge_time.empty() && !graph.edges[0].time.empty();
        const auto when = [&](int64_t edge) {
          const auto e = static_cast<size_t>(edge);
          const std::vector<int64_t>& other =
              options.direction == Direction::kIn ? graph.edges[0].source : graph.edges[0].target;
          return by_edge ? graph.edges[0].time[e]
                         : graph.node_times.at("a")[static_cast<size_t>(other[e])];
        };
        std::sort(expected.begin(), expected.end(), [&](int64_t a, int64_t b) {
          return std::pair(when(a), a) < std::pair(when(b), b);
        });
        const auto extra = std::ssize(expected) - options.fanouts[0][0];
        expected.erase(expected.begin(), expected.begin() + std::max<int64_t>(0, extra));
        std::sort(expected.begin(), expected.end());
      }
      SampleRequest request;
      request.batch = batch;
      request.seeds = {{0, IdSpan(seed.data(), true, 1), IdSpan(time.data(), true, 1)}};
      auto found = sampler->sample(request);
      ASSERT_TRUE(found.ok()) << found.status().message();
      ASSERT_EQ(values_of((*found)->edges[0].edge), expected) << batch;
      in_time += std::ssize(expected);
    }
  }
  EXPECT_GT(in_time, 1000);
}

// One row of `degree` edges, whose times are mixed, after one of four whose times ascend.
std::shared_ptr<const Dataset> hub(int64_t degree, bool store_ids = true) {
  TestGraph graph;
  graph.nodes = {{"n", 50}};
  graph.edges = {{"n__e__n", {}, {}, {}, {}, {}}};
  graph.store_ids = store_ids;
  TestEdges& edges = graph.edges[0];
  Numbers random(4);
  for (int64_t i = 0; i < degree + 4; ++i) {
    edges.source.push_back(random.below(50));
    edges.target.push_back(i < 4 ? 0 : 1);
    edges.time.push_back(i < 4 ? i : random.below(1000));
  }
  return make_dataset(make_context(1), graph);
}

SamplerOptions of_hub() {
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{4}};
  options.edge_ids = true;
  options.edge_time = "time";
  return options;
}

Result<std::shared_ptr<Batch>> sample_hub(const Sampler& sampler, uint64_t batch) {
  const std::vector<int64_t> seeds = {1, 0, 1};
  const std::vector<int64_t> times = {500, 2, 40};
  SampleRequest request;
  request.batch = batch;
  request.seeds = {{0, IdSpan(seeds.data(), true, 3), IdSpan(times.data(), true, 3)}};
  return sampler.sample(request);
}

uint64_t room_of(const Dataset& dataset) { return RowTimes::room_of(dataset).take()->used(); }

TEST(RowTimes, StayWithinTheirMemory) {
  for (const int64_t degree : {int64_t{1000}, 2 * TimeOrder::kLong}) {
    const uint64_t times = static_cast<uint64_t>(degree + 4) * 8 + 50 * 9;
    const uint64_t order = TimeOrder::bytes_for(degree, true, true);
    struct Case {
      uint64_t most;
      uint64_t used;
    };
    for (const auto& [most, used] :
         {Case{0, 0}, Case{times - 1, 0}, Case{times, times}, Case{times + order - 1, times},
          Case{times + order, times + order}, Case{times + kHugePage, times + kHugePage},
          Case{uint64_t{1} << 40, times + kHugePage}}) {
      SCOPED_TRACE(formatted("{} edges, {} bytes", degree, most));
      const auto dataset = hub(degree);
      const auto plain = sampler_of(dataset, of_hub(), "0");
      const auto kept = sampler_of(dataset, of_hub(), formatted("{}", most).c_str());
      for (uint64_t batch = 0; batch < 4; ++batch) {
        expect_same(**sample_hub(*plain, batch), **sample_hub(*kept, batch));
      }
      EXPECT_EQ(room_of(*dataset), used);
    }
  }
}

TEST(RowTimes, AreThoseOfTheColumnWhereRowsLieLikeIt) {
  const auto dataset = hub(100, false);
  ASSERT_EQ(dataset->edge_types()[0].csc->edge_ids, nullptr);
  const auto kept = sampler_of(dataset, of_hub(), "1G");
  expect_same(**sample_hub(*sampler_of(dataset, of_hub(), "0"), 0), **sample_hub(*kept, 0));
  EXPECT_EQ(room_of(*dataset), uint64_t{50 * 9});
}

TEST(RowTimes, AreSharedBySamplersAndFreedWithTheDataset) {
  auto dataset = hub(20000);
  auto first = sampler_of(dataset, of_hub(), "1G");
  ASSERT_TRUE(sample_hub(*first, 3).ok());
  ASSERT_TRUE(sample_hub(*first, 4).ok());
  const uint64_t used = room_of(*dataset);
  SamplerOptions options = of_hub();
  options.time_strict = true;  // other bounds, the same times
  auto second = sampler_of(dataset, options, "1G");
  ASSERT_TRUE(sample_hub(*second, 3).ok());
  EXPECT_EQ(room_of(*dataset), used);
  const std::weak_ptr<RowTimes::Room> room = RowTimes::room_of(*dataset).take();
  dataset.reset();
  first.reset();
  second->trim();
  ASSERT_TRUE(sample_hub(*second, 4).ok());
  EXPECT_FALSE(room.expired());
  second.reset();
  EXPECT_TRUE(room.expired());
}

// All threads meet the same rows at once.
TEST(RowTimes, AreTheSameWhicheverThreadIsFirst) {
  constexpr size_t kThreads = 4;
  constexpr uint64_t kBatches = 6;
  for (int round = 0; round < (kSanitized ? 5 : 20); ++round) {
    const auto dataset = hub(round % 2 == 0 ? 20000 : 1000);
    const auto plain = sampler_of(dataset, of_hub(), "0");
    std::vector<std::shared_ptr<Batch>> expected;
    for (uint64_t batch = 0; batch < kBatches; ++batch) {
      expected.push_back(sample_hub(*plain, batch).take());
    }
    ASSERT_TRUE(dataset->context()->set("sample.row_times", "1G").ok());
    std::vector<std::vector<std::shared_ptr<Batch>>> found(kThreads);
    std::barrier start(kThreads);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        start.arrive_and_wait();
        const auto sampler = Sampler::create(dataset, of_hub()).take();
        for (uint64_t batch = 0; batch < kBatches; ++batch) {
          found[t].push_back(sample_hub(*sampler, batch).take());
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (const auto& batches : found) {
      for (uint64_t batch = 0; batch < kBatches; ++batch) {
        expect_same(*expected[batch], *batches[batch]);
      }
    }
  }
}

// A row that cannot be read is not taken for one that was.
TEST(RowTimes, OfDamagedRowsAreErrorsEachTime) {
  const auto sound = hub(100);
  std::vector<EdgeType> edges = sound->edge_types();
  const Topology rows = *edges[0].csc;
  std::vector<int32_t> ids(static_cast<const int32_t*>(rows.edge_ids),
                           static_cast<const int32_t*>(rows.edge_ids) + rows.num_edges);
  ids.back() = 104;
  edges[0].csr.reset();
  edges[0].csc = Topology::make(rows.indptr_tensor, rows.indices_tensor, tensor_of(ids, kInt32),
                                rows.num_rows, rows.num_edges, rows.num_neighbors, "test")
                     .take();
  const auto dataset =
      Dataset::create(sound->context(), sound->node_types(), std::move(edges)).take();
  for (const char* memory : {"0", "1G"}) {
    const auto sampler = sampler_of(dataset, of_hub(), memory);
    for (uint64_t batch = 0; batch < 3; ++batch) {
      auto found = sample_hub(*sampler, batch);
      ASSERT_FALSE(found.ok());
      EXPECT_EQ(found.status().message(),
                "edge type \"n__e__n\": edge id at position 103 is 104, expected 0 .. 103");
    }
  }
}

}  // namespace
}  // namespace gls::test
