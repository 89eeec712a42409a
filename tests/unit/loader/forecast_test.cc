// The plan of an epoch: its numbers are those of the batches that the loader delivers afterwards,
// and of what it then reads.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "loader/forecast/epoch_forecast.h"
#include "loader/forecast/row_uses.h"
#include "planned_cases.h"
#include "sanitized.h"

namespace gls::test {
namespace {

class Forecast : public PlannedLoader {
 protected:
  std::shared_ptr<const Dataset> shop_in_files() {
    Numbers random(3);
    return in_files(context_, *shop(context_), &folder_, &random);
  }
  static EpochForecast forecast(const Loader& loader, const ForecastOptions& options) {
    auto found = forecast_epoch(loader, options);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return found.take();
  }
};

// What the batches of an epoch have, counted one by one.
struct Delivered {
  std::vector<TypeForecast> nodes;
  std::vector<TypeForecast> edges;
  std::vector<uint64_t> rows;                     // by column
  std::vector<std::map<int64_t, uint64_t>> uses;  // by column: batches of each row
  uint64_t batches = 0;
  uint64_t seeds = 0;

  explicit Delivered(const EpochForecast& like)
      : nodes(like.nodes.size()),
        edges(like.edges.size()),
        rows(like.columns.size()),
        uses(like.columns.size()) {}

  // A batch without a hop has none of its nodes or edges.
  static void add(const Tensor& counts, uint64_t before, TypeForecast* to) {
    const int64_t hops = counts.defined() ? counts.rows() : 0;
    while (std::ssize(to->hops) < hops) {
      to->hops.emplace_back().least = before == 0 ? ~uint64_t{0} : 0;
    }
    uint64_t sum = 0;
    for (int64_t hop = 0; hop < std::ssize(to->hops); ++hop) {
      const auto count = hop < hops ? static_cast<uint64_t>(counts.as<int64_t>()[hop]) : 0;
      to->hops[static_cast<size_t>(hop)].add(count);
      sum += count;
    }
    to->all.add(sum);
  }

  void add(const Batch& batch, const std::vector<ColumnToGather>& columns) {
    seeds += static_cast<uint64_t>(batch.num_inputs());
    for (size_t t = 0; t < nodes.size(); ++t) {
      add(batch.nodes[t].num_nodes, batches, &nodes[t]);
    }
    for (size_t t = 0; t < edges.size(); ++t) {
      add(batch.edges[t].num_edges, batches, &edges[t]);
    }
    for (size_t c = 0; c < columns.size(); ++c) {
      rows[c] += static_cast<uint64_t>(batch.columns[c].data.rows());
      const ColumnToGather& wanted = columns[c];
      if (wanted.seeds_only) {
        continue;
      }
      const IdSpan ids =
          span_of(wanted.of_nodes ? batch.nodes[wanted.type].node : batch.edges[wanted.type].edge);
      std::set<int64_t> different;
      for (int64_t i = 0; i < ids.size(); ++i) {
        different.insert(ids[i]);
      }
      for (const int64_t row : different) {
        ++uses[c][row];
      }
    }
    ++batches;
  }
};

void expect_equal(const Spread& found, const Spread& counted) {
  EXPECT_EQ(found.total, counted.total);
  EXPECT_EQ(found.least, counted.least);
  EXPECT_EQ(found.most, counted.most);
}

void expect_equal(const TypeForecast& found, const TypeForecast& counted) {
  expect_equal(found.all, counted.all);
  ASSERT_EQ(found.hops.size(), counted.hops.size());
  for (size_t hop = 0; hop < found.hops.size(); ++hop) {
    SCOPED_TRACE(hop);
    expect_equal(found.hops[hop], counted.hops[hop]);
  }
}

TEST_F(Forecast, CountsWhatTheEpochThenHas) {
  for (uint64_t number = 0; number < 25; number += kEvery) {
    SCOPED_TRACE(number);
    Numbers random(number);
    const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
    const AnySampler chosen = any_sampler(&random);
    auto sampler = Sampler::create(dataset, chosen.options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    const LoaderOptions options = any_loader_options(**sampler, chosen.of_links, &random);
    const uint64_t memory = bytes_of(*dataset) * random.one_of<uint64_t>({2, 5, 10, 50, 100}) / 100;
    plan(memory, static_cast<uint64_t>(random.one_of<int64_t>({0, 1, 2, 3, 7, 1000})),
         random.one_of<const char*>({"auto", "threads"}));
    const auto loader = make(*sampler, options);
    if (EpochPlan::count_steps(loader->plan_options(), 0) == 0) {
      continue;
    }
    ForecastOptions asked;
    asked.memory = {memory, memory * 3};
    const EpochForecast found = forecast(*loader, asked);
    Delivered counted(found);
    for (;;) {
      std::shared_ptr<Batch> batch;
      auto next = loader->next(-1, &batch);
      ASSERT_TRUE(next.ok()) << next.status().message();
      if (*next == Loader::Next::kEnd) {
        break;
      }
      counted.add(*batch, options.columns);
    }
    EXPECT_EQ(found.batches, counted.batches);
    EXPECT_EQ(found.epoch_batches, counted.batches);
    EXPECT_EQ(found.seeds, counted.seeds);
    for (size_t t = 0; t < found.nodes.size(); ++t) {
      expect_equal(found.nodes[t], counted.nodes[t]);
    }
    for (size_t t = 0; t < found.edges.size(); ++t) {
      expect_equal(found.edges[t], counted.edges[t]);
    }
    for (size_t c = 0; c < found.columns.size(); ++c) {
      SCOPED_TRACE(found.columns[c].name);
      EXPECT_EQ(found.columns[c].rows, counted.rows[c]);
      if (found.columns[c].planned && !options.columns[c].seeds_only) {
        uint64_t uses = 0;
        for (const auto& [row, batches] : counted.uses[c]) {
          uses += batches;
        }
        EXPECT_EQ(found.columns[c].uses, uses);
        EXPECT_EQ(found.columns[c].distinct_rows, counted.uses[c].size());
      }
    }
    const DiskCounts disk = loader->stats().disk;
    ASSERT_EQ(found.memory.size(), 2u);
    const MemoryForecast& of = found.memory[0];
    EXPECT_EQ(of.memory, memory);
    EXPECT_EQ(of.missed_rows, disk.rows);
    EXPECT_EQ(of.missed_bytes, disk.row_bytes);
    EXPECT_EQ(of.read_bytes, disk.read_bytes);
    EXPECT_EQ(of.packed_bytes, disk.packed_bytes);
    EXPECT_GT(of.epoch_seconds, 0.0);
    EXPECT_GT(found.memory[1].row_bytes, of.row_bytes);
  }
}

// Against the fewest misses of one window, which no way of keeping rows beats, and against
// counting.
TEST_F(Forecast, ComparesSizesOfMemory) {
  const auto dataset = shop_in_files();
  const auto sampler = make_sampler(dataset, false);
  LoaderOptions options = options_for(*sampler);
  options.plan.batch_size = 8;
  plan(bytes_of(*dataset) / 10, 0, "auto");
  const auto loader = make(sampler, options);
  const EpochForecast found = forecast(*loader, {});
  ASSERT_EQ(found.curve.size(), 8u);
  uint64_t uses = 0;
  uint64_t distinct = 0;
  for (const ColumnForecast& column : found.columns) {
    uses += column.uses;
    distinct += column.distinct_rows;
  }
  const CurvePoint& none = found.curve.front();
  const CurvePoint& all = found.curve.back();
  EXPECT_EQ(none.share, 0.0);
  EXPECT_EQ(none.missed, 1.0);
  EXPECT_EQ(none.hot_missed, 1.0);
  EXPECT_EQ(all.share, 1.0);
  const double once = static_cast<double>(distinct) / static_cast<double>(uses);
  EXPECT_DOUBLE_EQ(all.missed, once);
  EXPECT_DOUBLE_EQ(all.hot_missed, once);
  for (size_t i = 1; i < found.curve.size(); ++i) {
    EXPECT_GT(found.curve[i].share, found.curve[i - 1].share);
    EXPECT_LE(found.curve[i].missed, found.curve[i - 1].missed * 1.01);  // a window sees no further
    EXPECT_LE(found.curve[i].hot_missed, found.curve[i - 1].hot_missed);
    EXPECT_GE(found.curve[i].missed, once);
    EXPECT_LE(found.curve[i].missed, found.curve[i].hot_missed * 1.01);
  }
  ASSERT_EQ(found.memory.size(), 5u);  // parts of the data, and the loader's own
  for (const MemoryForecast& of : found.memory) {
    EXPECT_EQ(of.uses, uses);
    EXPECT_EQ(of.memory_bytes + of.missed_bytes,
              found.memory[0].memory_bytes + found.memory[0].missed_bytes);
  }
}

TEST(RowUses, MissesAllButTheRowsWithTheMostUses) {
  for (uint64_t number = 0; number < 100; ++number) {
    Numbers random(number);
    const int64_t num_rows = 1 + random.below(50);
    RowUses uses(static_cast<uint64_t>(num_rows));
    std::vector<uint64_t> counts(static_cast<size_t>(num_rows));
    uint64_t all = 0;
    for (int64_t windows = random.below(4); windows >= 0; --windows) {
      std::vector<RowList> batches(1 + random.index(5));
      for (RowList& batch : batches) {
        for (int64_t row = random.below(3); row < num_rows; row += 1 + random.below(4)) {
          batch.add(static_cast<uint64_t>(row));
          ++counts[static_cast<size_t>(row)];
          ++all;
        }
      }
      uses.add(batches);
    }
    uses.close();
    std::sort(counts.begin(), counts.end(), std::greater<>());
    EXPECT_EQ(uses.uses(), all);
    uint64_t missed = all;
    for (size_t slots = 0; slots <= counts.size(); ++slots) {
      EXPECT_EQ(uses.missed(slots), missed) << number;
      if (slots < counts.size() && counts[slots] > 0) {
        missed -= counts[slots] - 1;
      }
    }
    EXPECT_EQ(uses.distinct(), missed);
  }
}

TEST_F(Forecast, TakesTheFirstBatches) {
  const auto dataset = shop_in_files();
  const auto sampler = make_sampler(dataset, false);
  LoaderOptions options = options_for(*sampler);
  options.plan.batch_size = 4;
  map();
  const auto loader = make(sampler, options);
  ForecastOptions asked;
  asked.epoch = 3;
  asked.batches = 2;
  const EpochForecast found = forecast(*loader, asked);
  EXPECT_EQ(found.batches, 2u);
  EXPECT_GT(found.epoch_batches, 2u);
  uint64_t nodes = 0;
  for (const TypeForecast& type : found.nodes) {
    nodes += type.all.total;
  }
  uint64_t counted = 0;
  for (uint64_t number = 0; number < 2; ++number) {
    counted += static_cast<uint64_t>((*loader->sample(3, number))->num_nodes());
  }
  EXPECT_EQ(nodes, counted);
  EXPECT_EQ(found.seeds, 8u);
}

TEST_F(Forecast, OfDataThatFitsReadsEachRowOnce) {
  const auto dataset = shop_in_files();
  const auto sampler = make_sampler(dataset, false);
  set(*context_, "storage.way", "auto");
  const auto loader = make(sampler, options_for(*sampler));
  ForecastOptions asked;
  asked.memory = {bytes_of(*dataset) / 20, uint64_t{1} << 40};
  const EpochForecast found = forecast(*loader, asked);
  ASSERT_EQ(found.memory.size(), 2u);
  EXPECT_NE(found.memory[0].way, "mapped");
  EXPECT_EQ(found.memory[1].way, "mapped");
  uint64_t distinct = 0;
  for (const ColumnForecast& column : found.columns) {
    distinct += column.distinct_rows;
  }
  EXPECT_EQ(found.memory[1].missed_rows, distinct);
}

// The columns are those that a loader with less memory would plan.
TEST_F(Forecast, OfMemoryForAllDataAlone) {
  const auto dataset = shop_in_files();
  const auto sampler = make_sampler(dataset, false);
  set(*context_, "storage.way", "auto");
  const auto loader = make(sampler, options_for(*sampler));
  ForecastOptions asked;
  asked.memory = {uint64_t{1} << 40};
  const EpochForecast found = forecast(*loader, asked);
  ASSERT_EQ(found.memory.size(), 1u);
  EXPECT_EQ(found.memory[0].way, "mapped");
  EXPECT_GT(found.memory[0].missed_rows, 0u);
  EXPECT_EQ(found.curve.size(), 8u);
}

TEST_F(Forecast, OfALoaderWithoutColumnsHasCounts) {
  const auto sampler = make_sampler(shop(context_), false);
  LoaderOptions options = options_for(*sampler);
  options.columns.clear();
  const auto loader = make(sampler, options);
  const EpochForecast found = forecast(*loader, {});
  EXPECT_GT(found.batches, 2u);
  EXPECT_GT(found.nodes[0].all.total, 0u);
  EXPECT_EQ(found.memory.size(), 0u);
  EXPECT_EQ(found.curve.size(), 0u);
}

TEST_F(Forecast, OfATopologyThatIsSampledInPasses) {
  const auto sampler = make_sampler(shop_in_files(), false);
  LoaderOptions options = options_for(*sampler);
  options.columns.clear();
  map();
  const EpochForecast expected = forecast(*make(sampler, options), {});
  EXPECT_FALSE(expected.sampled_in_passes);
  plan(topology_bytes(*sampler) / 20, 0, "auto");
  const EpochForecast found = forecast(*make(sampler, options), {});
  EXPECT_TRUE(found.sampled_in_passes);
  EXPECT_FALSE(found.temporary_folder.empty());
  EXPECT_EQ(found.batches, expected.batches);
  EXPECT_EQ(found.nodes[0].all.total, expected.nodes[0].all.total);
  EXPECT_EQ(found.edges[1].all.most, expected.edges[1].all.most);
}

TEST_F(Forecast, SaysWhatIsWrong) {
  const auto dataset = shop_in_files();
  const auto sampler = make_sampler(dataset, false);
  map();
  const auto loader = make(sampler, options_for(*sampler));
  ForecastOptions asked;
  asked.batches = 1 << 20;
  EXPECT_EQ(*forecast_epoch(*loader, asked).status().detail("argument"), "batches");
  asked.batches = 0;
  asked.memory = {0};
  EXPECT_EQ(*forecast_epoch(*loader, asked).status().detail("argument"), "memory");
  asked.memory.clear();
  asked.progress = [](const char*, uint64_t, uint64_t, const char*) { return false; };
  EXPECT_EQ(forecast_epoch(*loader, asked).status().code(), GLS_ERR_CANCELED);
}

}  // namespace
}  // namespace gls::test
