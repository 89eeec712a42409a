// Files that are cut short while they are mapped.
#include "system/file_guard.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "cluster/part/partitioned_dataset.h"
#include "graph/folder/dataset_folder.h"
#include "graph/folder/verify.h"
#include "ingest/partition/write_parts.h"
#include "ingest_support.h"
#include "loader/pipeline/loader.h"
#include "query/graph_query.h"
#include "sample/sampler.h"
#include "system/file.h"

namespace gls {
namespace {

using namespace test;

constexpr int64_t kNodes = 20000;

// A ring with a column of some pages, in a folder.
std::string write_ring(const TempFolder& folder, const std::string& name) {
  Builder builder(context_of());
  NodeTypeOptions counted;
  counted.num_nodes = kNodes;
  EXPECT_OK(builder.add_node_type("n", counted));
  std::vector<int64_t> from;
  std::vector<int64_t> to;
  for (int64_t i = 0; i < kNodes; ++i) {
    from.push_back(i);
    to.push_back((i + 1) % kNodes);
  }
  EXPECT_OK(builder.add_edges("n__e__n", ids64(std::move(from)), ids64(std::move(to)), false));
  EXPECT_OK(builder.add_node_column(
      "n", "x", GLS_ROLE_FEATURE,
      tensor(std::vector<float>(static_cast<size_t>(kNodes) * 16, 1), kFloat32, {kNodes, 16})));
  EXPECT_OK(builder.write(folder.file(name), both_layouts()));
  return folder.file(name);
}

std::shared_ptr<const Dataset> open(const std::string& path) {
  auto opened = open_dataset(context_of(), path, {});
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  return opened.take();
}

std::shared_ptr<const Sampler> sampler_of(const std::shared_ptr<const Dataset>& dataset) {
  SamplerOptions options;
  options.num_hops = 1;
  options.fanouts = {{2}};
  return Sampler::create(dataset, options).take();
}

std::shared_ptr<Loader> loader_of(const std::shared_ptr<const Dataset>& dataset) {
  LoaderOptions options;
  options.plan.batch_size = 512;
  const Column& column = dataset->node_types()[0].columns[0];
  options.columns.push_back({true, 0, &column, false, column.data.dtype()});
  return Loader::create(sampler_of(dataset), Tensor(), options).take();
}

// The first error of an epoch; OK: there was none.
Status run_epoch(Loader& loader) {
  for (;;) {
    std::shared_ptr<Batch> batch;
    Result<Loader::Next> next = loader.next(-1, &batch);
    if (!next.ok()) {
      return std::move(next.status());
    }
    if (*next == Loader::Next::kEnd) {
      return {};
    }
  }
}

void expect_cut(const Status& status, const std::string& file) {
  EXPECT_EQ(status.code(), GLS_ERR_IO) << status.message();
  ASSERT_NE(status.detail("file"), nullptr) << status.message();
  EXPECT_TRUE(status.detail("file")->ends_with(file)) << *status.detail("file");
}

TEST(FileGuard, BatchesOfFilesCutShortAreErrors) {
  for (const std::string file : {"nodes/n/columns/x.npy", "edges/n__e__n/csc/indices.npy"}) {
    const TempFolder folder;
    const auto dataset = open(write_ring(folder, "d"));
    const auto other = open(write_ring(folder, "other"));
    const auto loader = loader_of(dataset);
    std::filesystem::resize_file(folder.file("d/" + file), 128);
    expect_cut(run_epoch(*loader), file);
    expect_cut(run_epoch(*loader_of(dataset)), file);  // of what now reads as zeros, too
    EXPECT_OK(run_epoch(*loader_of(other)));
  }
  EXPECT_FALSE(any_file_damaged());  // nothing is left of a file that is closed
}

TEST(FileGuard, EveryWayToReadSaysSo) {
  const TempFolder folder;
  const auto dataset = open(write_ring(folder, "d"));
  const FileReadScope reads;
  std::filesystem::resize_file(folder.file("d/edges/n__e__n/csc/indices.npy"), 128);
  expect_cut(verify_checksums(*dataset, {}), "indices.npy");
  expect_cut(verify_dataset(*dataset, {}), "indices.npy");
  expect_cut(save_dataset(*dataset, folder.file("copy"), {}), "indices.npy");
  EXPECT_FALSE(std::filesystem::exists(folder.file("copy")));
  OpenOptions resident;
  resident.residency = Residency::kAll;
  const auto again = open_dataset(context_of(), folder.file("d"), resident);
  EXPECT_FALSE(again.ok());
  SampleRequest request;
  const std::vector<int64_t> seeds = {19999};
  request.seeds.push_back({0, span_of(seeds)});
  expect_cut(sampler_of(dataset)->sample(request).status().copy(), "indices.npy");
}

TEST(FileGuard, BooksOfPartsAreGuarded) {
  const TempFolder folder;
  const auto whole = open(write_ring(folder, "d"));
  std::vector<uint8_t> owners(kNodes);
  for (size_t i = 0; i < owners.size(); ++i) {
    owners[i] = static_cast<uint8_t>(i * 7919 % 2);
  }
  PartsOptions options;
  options.parts = 2;
  ASSERT_TRUE(
      write_parts(*whole, {tensor(std::move(owners), kUint8)}, folder.file("p"), options).ok());
  const auto parts = open_whole(context_of(), folder.file("p"), {}).take();
  EXPECT_OK(run_epoch(*loader_of(parts)));
  std::filesystem::resize_file(folder.file("p/book/nodes-0.npy"), 0);
  expect_cut(run_epoch(*loader_of(parts)), "book/nodes-0.npy");
}

// Cut again and again while threads read.
TEST(FileGuard, ManyThreadsAtOnce) {
  const TempFolder folder;
  for (int round = 0; round < 20; ++round) {
    const auto dataset = open(write_ring(folder, formatted("d{}", round)));
    const Tensor& column = dataset->node_types()[0].columns[0].data;
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        const FileReadScope reads;
        for (int64_t i = 0; i < 4000; ++i) {
          const int64_t row = (i * 7919 + t * 97) % kNodes;
          const float value = reinterpret_cast<const float*>(column.data())[row * 16];
          wrong += value == 1 || any_file_damaged() ? 0 : 1;
        }
      });
    }
    std::filesystem::resize_file(folder.file(formatted("d{}/nodes/n/columns/x.npy", round)), 0);
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(wrong, 0);  // a zero is seen only by those who can know
  }
}

std::shared_ptr<const MappedFile> cut_file(const TempFolder& folder) {
  const std::string path = folder.write("f", std::string(100000, 'x'));
  auto mapped = MappedFile::open(path).take();
  std::filesystem::resize_file(path, 10);
  return mapped;
}

char read_at(const MappedFile& file, size_t at) {
  return static_cast<char>(*const_cast<const volatile std::byte*>(&file.bytes()[at]));
}

TEST(FileGuardDeathTest, ReadsOfOthersEndAsBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto read = [] {
    signal(SIGBUS, SIG_DFL);  // a sanitizer has its own
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    install_file_guard();
    const TempFolder folder;
    const auto file = cut_file(folder);
    read_at(*file, 50000);  // in no scope
  };
  EXPECT_EXIT(read(), testing::KilledBySignal(SIGBUS), "");
}

void end_with(int) { _exit(17); }
void end_with_info(int, siginfo_t* info, void*) { _exit(info->si_addr != nullptr ? 18 : 1); }

TEST(FileGuardDeathTest, HandlersThatWereThereAreCalled) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto read = [](bool with_info) {
    struct sigaction own {};
    if (with_info) {
      own.sa_sigaction = end_with_info;
      own.sa_flags = SA_SIGINFO;
    } else {
      own.sa_handler = end_with;
    }
    sigaction(SIGBUS, &own, nullptr);
    install_file_guard();
    const TempFolder folder;
    const auto file = cut_file(folder);
    {
      const FileReadScope reads;
      if (read_at(*file, 50000) != 0 || !any_file_damaged()) {
        _exit(2);
      }
    }
    const auto other = cut_file(folder);
    read_at(*other, 50000);
  };
  EXPECT_EXIT(read(false), testing::ExitedWithCode(17), "");
  EXPECT_EXIT(read(true), testing::ExitedWithCode(18), "");
}

struct sigaction of_guard;
void call_the_one_before(int number, siginfo_t* info, void* context) {
  of_guard.sa_sigaction(number, info, context);
}
void raise_again(int number) {
  sigaction(number, &of_guard, nullptr);
  raise(number);
}

// They set theirs when ours was there, and know it as the one to call.
TEST(FileGuardDeathTest, HandlersThatAreSetLaterAreCalledToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto read = [](void (*handler)(int), void (*with_info)(int, siginfo_t*, void*)) {
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGBUS, SIG_DFL);
    install_file_guard();
    struct sigaction own {};
    own.sa_flags = with_info != nullptr ? SA_SIGINFO : 0;
    if (with_info != nullptr) {
      own.sa_sigaction = with_info;
    } else {
      own.sa_handler = handler;
    }
    sigaction(SIGBUS, &own, &of_guard);
    const TempFolder folder;
    const auto file = cut_file(folder);
    {
      const FileReadScope reads;
      if (read_at(*file, 50000) != 0 || !any_file_damaged()) {
        _exit(2);
      }
    }
    const auto other = cut_file(folder);
    read_at(*other, 50000);
  };
  EXPECT_EXIT(read(end_with, nullptr), testing::ExitedWithCode(17), "");
  EXPECT_EXIT(read(nullptr, call_the_one_before), testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(read(raise_again, nullptr), testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace gls
