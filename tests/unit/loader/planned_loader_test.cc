// Batches of a loader that plans its reads are the same, to the byte, as those of one that maps the
// files: for every kind of column and sampler, any memory, any window, and both ways of reading.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "loader/planned/planned_producer.h"
#include "planned_cases.h"
#include "sanitized.h"

namespace gls::test {
namespace {

TEST_F(PlannedLoader, GivesTheSameBytes) {
  constexpr int kAll = 1 << 20;
  for (uint64_t number = 0; number < 40; number += kEvery) {
    SCOPED_TRACE(number);
    Numbers random(number);
    const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
    const AnySampler chosen = any_sampler(&random);
    auto sampler = Sampler::create(dataset, chosen.options);
    ASSERT_TRUE(sampler.ok()) << sampler.status().message();
    LoaderOptions options = any_loader_options(**sampler, chosen.of_links, &random);
    if (random.one_in(3)) {
      PadOptions pad;
      options.pad = pad;
    }
    map();
    const auto expected = make(*sampler, options);
    const auto part = random.one_of<uint64_t>({2, 5, 10, 50, 100, 400});
    plan(bytes_of(*dataset) * part / 100,
         static_cast<uint64_t>(random.one_of<int64_t>({0, 1, 2, 3, 7, 1000})),
         random.one_of<const char*>({"auto", "threads"}));
    const auto loader = make(*sampler, options);
    ASSERT_NO_FATAL_FAILURE(expect_same_next(*expected, *loader, kAll));
    const LoaderStats stats = loader->stats();
    if (stats.batches > 0) {
      EXPECT_GT(stats.disk.rows, 0u);
      EXPECT_GT(stats.disk.read_bytes, 0u);
    }
    // Another epoch, part of it, from any batch on; and batches by number meanwhile.
    const uint64_t batches = loader->counts().batches;
    const auto done = static_cast<uint64_t>(random.below(static_cast<int64_t>(batches)));
    for (Loader* const each : {expected.get(), loader.get()}) {
      each->seek(1, done);
    }
    ASSERT_NO_FATAL_FAILURE(
        expect_same_next(*expected, *loader, static_cast<int>(random.below(4))));
    const auto any = static_cast<uint64_t>(random.below(static_cast<int64_t>(batches)));
    auto a = expected->sample(5, any);
    auto b = loader->sample(5, any);
    ASSERT_TRUE(a.ok() && b.ok());
    ASSERT_NO_FATAL_FAILURE(expect_same(**a, **b));
    for (Loader* const each : {expected.get(), loader.get()}) {
      each->seek(2);
    }
    ASSERT_NO_FATAL_FAILURE(expect_same_next(*expected, *loader, kAll));
    for (Loader* const each : {expected.get(), loader.get()}) {
      each->seek(3);
    }
    ASSERT_NO_FATAL_FAILURE(expect_same_next(*expected, *loader, random.coin() ? kAll : 2));
  }
}

TEST_F(PlannedLoader, IsChosenWhereTheColumnsDoNotFit) {
  Numbers random(1);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto sampler = make_sampler(dataset, false);
  const auto columns = default_columns(*sampler);
  StorageOptions options;
  options.memory = bytes_of(*dataset) + topology_bytes(*sampler);
  EXPECT_EQ(plan_columns(*sampler, columns, options)->size(), 0u);
  options.memory /= 2;
  const auto planned = plan_columns(*sampler, columns, options);
  ASSERT_TRUE(planned.ok());
  EXPECT_GT(planned->size(), 0u);
  EXPECT_LT(planned->size(), columns.size());  // small ones stay mapped
  options.way = StorageWay::kPlanned;
  const auto long_ones = std::count_if(columns.begin(), columns.end(), [](const auto& of) {
    return of.column->data.span_bytes() >= kDirectAlignment;  // others are a page
  });
  EXPECT_EQ(plan_columns(*sampler, columns, options)->size(), static_cast<size_t>(long_ones));
  EXPECT_LT(static_cast<size_t>(long_ones), columns.size());
  options.way = StorageWay::kMapped;
  EXPECT_EQ(plan_columns(*sampler, columns, options)->size(), 0u);
}

// A loader without columns plans nothing but passes over the topology.
TEST_F(PlannedLoader, SamplesInPassesWhereTheTopologyDoesNotFit) {
  Numbers random(8);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto sampler = make_sampler(dataset, false);
  const uint64_t topology = topology_bytes(*sampler);
  LoaderOptions options = options_for(*sampler);
  options.columns.clear();
  options.plan.batch_size = 7;
  map();
  const auto expected = make(sampler, options);
  EXPECT_EQ(expected->disk(), nullptr);
  for (const char* const way : {"auto", "planned"}) {
    SCOPED_TRACE(way);
    plan(topology / 20, 0, "auto");
    set(*context_, "storage.way", way);
    const auto loader = make(sampler, options);
    EXPECT_NE(loader->disk(), nullptr);
    expected->seek(0);
    ASSERT_NO_FATAL_FAILURE(expect_same_next(*expected, *loader, 1 << 20));
    EXPECT_EQ(loader->stats().disk.rows, 0u);
    plan(topology * 3 / 4, 0, "auto");  // more than half of it
    set(*context_, "storage.way", way);
    EXPECT_NE(make(sampler, options)->disk(), nullptr);
    plan(topology * 2, 0, "auto");
    set(*context_, "storage.way", way);
    EXPECT_EQ(make(sampler, options)->disk(), nullptr);
  }
  plan(topology / 20, 0, "auto");
  SamplerOptions excluding = sampler->options();
  const std::vector<int64_t> edges = {3, 5};
  excluding.exclude = {{0, Tensor(nullptr, edges.data(), kInt64, {2})}};
  const auto other = Sampler::create(dataset, excluding).take();
  EXPECT_EQ(make(other, options)->disk(), nullptr);
  const auto in_memory = make_sampler(shop(context_), false);
  EXPECT_EQ(make(in_memory, options)->disk(), nullptr);
}

TEST_F(PlannedLoader, ReportsATopologyThatIsCutShort) {
  Numbers random(9);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto sampler = make_sampler(dataset, false);
  LoaderOptions options = options_for(*sampler);
  options.columns.clear();
  plan(topology_bytes(*sampler) / 20, 0, "auto");
  const auto loader = make(sampler, options);
  const std::string path = dataset->edge_types()[0].csc->indices_tensor.file();
  std::filesystem::resize_file(path, 0);
  std::shared_ptr<Batch> batch;
  auto next = loader->next(-1, &batch);
  ASSERT_FALSE(next.ok());
  EXPECT_NE(next.status().message().find(path), std::string::npos) << next.status().message();
}

TEST_F(PlannedLoader, CountsWhatItReadsAndPacks) {
  Numbers random(7);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto sampler = make_sampler(dataset, false);
  LoaderOptions options = options_for(*sampler);
  options.plan.batch_size = 8;
  map();
  const auto expected = make(sampler, options);
  const auto counts_of = [&](uint64_t window) {
    plan(bytes_of(*dataset) / 1000, window, "auto");
    const auto loader = make(sampler, options);
    expected->seek(0);
    expect_same_next(*expected, *loader, 1 << 20);
    const DiskCounts counts = loader->stats().disk;
    EXPECT_GT(counts.rows, 0u);
    EXPECT_GE(counts.read_bytes, 1u);
    EXPECT_LT(counts.rows, loader->stats().tiers.host);  // some rows stayed in memory
    return counts;
  };
  // A long window is packed, as its rows do not fit into memory, unless the probe finds a disk that
  // is very quick at random reads; one batch is not.
  DiskCounts packed;
  for (int tries = 0; tries < 5 && packed.packed_bytes == 0; ++tries) {
    packed = counts_of(0);
  }
  EXPECT_GT(packed.packed_bytes, 0u);
  EXPECT_EQ(counts_of(1).packed_bytes, 0u);
  EXPECT_EQ(expected->stats().disk.rows, 0u);
}

// The memory of an epoch is for the next one, whose rows are planned anew.
TEST_F(PlannedLoader, KeepsMemoryForTheNextEpoch) {
  Numbers random(10);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto sampler = make_sampler(dataset, false);
  LoaderOptions options = options_for(*sampler);
  options.plan.batch_size = 8;
  map();
  const auto expected = make(sampler, options);
  plan(bytes_of(*dataset) / 4, 5, "auto");
  const auto loader = make(sampler, options);
  const auto other = make(sampler, options);
  const auto rows_of_epoch = [&](uint64_t epoch) {
    const uint64_t before = loader->stats().disk.rows;
    expected->seek(epoch);
    loader->seek(epoch);
    expect_same_next(*expected, *loader, 1 << 20);
    return loader->stats().disk.rows - before;
  };
  const uint64_t first = rows_of_epoch(0);
  EXPECT_GT(first, 0u);
  const auto left = [&] {
    return MemoryShares::Share(context_->storage_memory(), 1 << 20).bytes();
  };
  EXPECT_EQ(rows_of_epoch(0), first);
  for (uint64_t epoch = 1; epoch < 4; ++epoch) {
    rows_of_epoch(epoch);
  }
  EXPECT_EQ(left(), MemoryShares::first(1 << 20));  // idle memory is free for others
  EXPECT_EQ(rows_of_epoch(0), first);
  // The other one begins first, so this one gets little, and then most again.
  std::shared_ptr<Batch> batch;
  ASSERT_TRUE(other->next(-1, &batch).ok());
  EXPECT_GT(rows_of_epoch(0), first);
  other->cancel();
  other->seek(0);
  expected->seek(0);
  ASSERT_NO_FATAL_FAILURE(expect_same_next(*expected, *other, 1 << 20));
  EXPECT_EQ(rows_of_epoch(0), first);
}

TEST_F(PlannedLoader, TwoAtOnceShareTheMemory) {
  Numbers random(2);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto sampler = make_sampler(dataset, false);
  LoaderOptions options = options_for(*sampler);
  map();
  const auto first = make(sampler, options);
  const auto second = make(sampler, options);
  plan(bytes_of(*dataset) / 4, 2, "auto");
  const auto one = make(sampler, options);
  const auto other = make(sampler, options);
  for (int i = 0; i < 4; ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_same_next(*first, *one, 1));
    ASSERT_NO_FATAL_FAILURE(expect_same_next(*second, *other, 1));
  }
  MemoryShares shares;
  const MemoryShares::Share a(shares, 1 << 20);
  const MemoryShares::Share b(shares, 1 << 20);
  EXPECT_GT(a.bytes(), b.bytes());
  EXPECT_LE(a.bytes() + b.bytes(), 1u << 20);
}

TEST(MemoryShares, IdleMemoryIsFreedForOthers) {
  MemoryShares shares;
  MemoryShares::Idle idle(shares);
  MemoryShares::Idle other(shares);
  EXPECT_EQ(idle.take(), nullptr);
  const auto keep = [&](MemoryShares::Idle& of) {
    auto share = std::make_shared<MemoryShares::Share>(shares, 1 << 20);
    const uint64_t bytes = share->bytes();
    of.keep(std::move(share));
    return bytes;
  };
  const uint64_t most = keep(idle);
  EXPECT_EQ(most, MemoryShares::first(1 << 20));
  EXPECT_NE(idle.take(), nullptr);
  EXPECT_EQ(idle.take(), nullptr);
  EXPECT_EQ(keep(idle), most);
  EXPECT_EQ(keep(other), most);  // so that of `idle` was freed
  EXPECT_EQ(idle.take(), nullptr);
  EXPECT_NE(other.take(), nullptr);
}

TEST_F(PlannedLoader, EndsAtAnyMoment) {
  Numbers random(3);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto sampler = make_sampler(dataset, false);
  plan(bytes_of(*dataset) / 10, 0, "auto");
  for (int i = 0; i < 40; i += kEvery) {
    const auto loader = make(sampler, options_for(*sampler));
    for (int64_t b = random.below(4); b > 0; --b) {
      std::shared_ptr<Batch> batch;
      ASSERT_TRUE(loader->next(-1, &batch).ok());
      if (random.coin()) {
        loader->seek(static_cast<uint64_t>(random.below(3)), static_cast<uint64_t>(b));
      }
    }
    std::shared_ptr<Batch> batch;
    ASSERT_TRUE(loader->next(0, &batch).ok());
    if (random.coin()) {
      loader->cancel();
      EXPECT_EQ(loader->next(-1, &batch).status().code(), GLS_ERR_CANCELED);
    }
  }
}

TEST_F(PlannedLoader, ReportsAFileThatIsCutShort) {
  Numbers random(4);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto sampler = make_sampler(dataset, false);
  plan(bytes_of(*dataset) / 4, 1, "auto");
  LoaderOptions options = options_for(*sampler);
  const auto loader = make(sampler, options);
  const std::string path = options.columns[0].column->data.file();
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  std::shared_ptr<Batch> batch;
  Result<Loader::Next> next = Loader::Next::kBatch;
  for (int i = 0; i < 1000 && next.ok() && *next == Loader::Next::kBatch; ++i) {
    next = loader->next(-1, &batch);
  }
  ASSERT_FALSE(next.ok());
  EXPECT_NE(next.status().message().find(path), std::string::npos) << next.status().message();
}

TEST_F(PlannedLoader, ReportsAFileThatWasReplaced) {
  Numbers random(5);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto sampler = make_sampler(dataset, false);
  LoaderOptions options = options_for(*sampler);
  const std::string path = options.columns[0].column->data.file();
  std::filesystem::copy_file(path, path + "x");
  std::filesystem::rename(path + "x", path);
  plan(bytes_of(*dataset) / 4, 0, "auto");
  auto loader = Loader::create(sampler, Tensor(), options);
  ASSERT_FALSE(loader.ok());
  EXPECT_NE(loader.status().message().find("replaced"), std::string::npos);
}

TEST_F(PlannedLoader, NamesAFolderThatCannotHoldTemporaryFiles) {
  Numbers random(6);
  const auto dataset = in_files(context_, *shop(context_), &folder_, &random);
  const auto sampler = make_sampler(dataset, false);
  plan(bytes_of(*dataset) / 4, 0, "auto");
  set(*context_, "storage.folder", folder_.next() + "/missing");
  auto loader = Loader::create(sampler, Tensor(), options_for(*sampler));
  ASSERT_FALSE(loader.ok());
  EXPECT_NE(loader.status().message().find("/missing"), std::string::npos);
  EXPECT_EQ(*loader.status().detail("argument"), "storage.folder");
}

}  // namespace
}  // namespace gls::test
