// Rows that come from files straight into memory of a GPU: on the emulated runtime with a library
// that stands in for cuFile, or, where all of it is there, on a GPU (test_device.h).
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <thread>

#include "cuda_on_host/cufile_on_host.h"
#include "device/memory/transfer.h"
#include "feature/device_columns.h"
#include "feature/stored_rows.h"
#include "file_rows.h"
#include "shop_graph.h"
#include "system/file.h"
#include "test_device.h"

namespace gls::test {
namespace {

constexpr uint64_t kBlock = device::kFileBlock;

void* stand_in = nullptr;

void load_stand_in() {
  if (stand_in == nullptr && !on_gpu()) {
    // It has the name by which the plugin looks for it.
    stand_in = dlopen((std::string(kCudaOnHost) + "/libcufile.so.0").c_str(), RTLD_NOW);
    ASSERT_NE(stand_in, nullptr) << dlerror();
  }
}

CufileOnHost told() {
  CufileOnHost out;
  reinterpret_cast<void (*)(CufileOnHost*)>(dlsym(stand_in, "cufile_on_host"))(&out);
  return out;
}

// See cufile_on_host.h.
void fail(const char* call) {
  reinterpret_cast<void (*)(const char*)>(dlsym(stand_in, "cufile_on_host_fail"))(call);
}

// That of shop.h, with all columns in files.
std::shared_ptr<const Dataset> shop_in_files(const std::shared_ptr<Context>& context,
                                             Folder* folder) {
  const auto plain = shop(context);
  std::vector<NodeType> nodes = plain->node_types();
  std::vector<EdgeType> edges = plain->edge_types();
  for (auto* const columns : {&nodes[0].columns, &nodes[1].columns, &edges[0].columns}) {
    for (Column& column : *columns) {
      column.data = in_file(column.data, folder->next(), 128);
    }
  }
  return Dataset::create(context, std::move(nodes), std::move(edges)).take();
}

std::shared_ptr<Context> context_with(const char* room, const char* cache = "none") {
  auto context = make_context();
  EXPECT_TRUE(context->set("device.column_memory", room).ok());
  EXPECT_TRUE(context->set("device.cache", cache).ok());
  EXPECT_TRUE(context->set("device.direct_storage", "true").ok());
  return context;
}

Result<std::shared_ptr<Loader>> loader_of(const std::shared_ptr<const Dataset>& dataset,
                                          int64_t batch_size = 64) {
  const auto sampler = make_sampler(dataset, true);
  LoaderOptions options = options_for(*sampler);
  options.plan.batch_size = batch_size;
  options.device = open_device(0);
  return Loader::create(sampler, Tensor(), options);
}

class DeviceStorage : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    choose_device_plugin();
    setenv("CUDA_ON_HOST_PROTECT", "1", 1);
    setenv("CUDA_ON_HOST_DEVICES", "2", 1);
  }
  void SetUp() override {
    GLS_NEEDS_DEVICE();
    setenv("CUDA_ON_HOST_MEMORY", "268435456", 1);
  }
};

// With the stand-in, or with cuFile where it reads this file system.
class DeviceStorageRead : public DeviceStorage {
 protected:
  void SetUp() override {
    DeviceStorage::SetUp();
    load_stand_in();
    if (on_gpu() && !IsSkipped() && !HasFatalFailure()) {
      Folder folder;
      const Tensor rows = in_file(rows_of<uint8_t>(kUint8, 9, {3}, 1), folder.next(), 0);
      if (auto stored = StoredRows::open(open_device(0), rows); !stored.ok()) {
        GTEST_SKIP() << "here for the emulated runtime alone: " << stored.status().message();
      }
    }
  }
  void TearDown() override {
    if (stand_in != nullptr) {
      fail("");
      const CufileOnHost now = told();
      EXPECT_EQ(now.files + now.buffers + now.batches, 0u);
      EXPECT_LE(now.most_buffers, 4u);
    }
  }
};

// What only the stand-in does.
class DeviceStorageFault : public DeviceStorageRead {
 protected:
  void SetUp() override {
    if (on_gpu()) {
      GTEST_SKIP() << "cuFile does not fail when it is told to: for the emulated runtime alone";
    }
    DeviceStorageRead::SetUp();
  }
};

// This comes first: what is loaded stays.
TEST_F(DeviceStorage, IsNotThereUnlessItIsAskedFor) {
  ASSERT_EQ(dlopen("libcufile.so.0", RTLD_NOW | RTLD_NOLOAD), nullptr);
  Folder folder;
  const auto context = make_context();
  ASSERT_TRUE(context->set("device.column_memory", "1").ok());
  const auto sampler = make_sampler(shop_in_files(context, &folder), true);
  LoaderStats stats;
  compare_epochs(sampler, options_for(*sampler), open_device(0), {}, &stats);
  EXPECT_EQ(dlopen("libcufile.so.0", RTLD_NOW | RTLD_NOLOAD), nullptr);
}

// In a process of its own, since a real one, which goes no further without a driver, would stay.
TEST_F(DeviceStorage, SaysWhyItIsNotThere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        Folder folder;
        auto loader = loader_of(shop_in_files(context_with("1"), &folder));
        const bool said = !loader.ok() && loader.status().code() == GLS_ERR_UNSUPPORTED &&
                          loader.status().has("argument", "device.direct_storage");
        const bool made =
            loader.ok() && dlopen("libcufile.so.0", RTLD_NOW | RTLD_NOLOAD) != nullptr;
        std::fputs(loader.ok() ? "device.direct_storage: it is there (cuFile)"
                               : loader.status().message().c_str(),
                   stderr);
        std::_Exit(made || said ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      "device.direct_storage: .*(cuFile is not there: libcufile.so.0|cuFile: opening|without "
      "cufile.h|.cuFile.)");
}

// Of columns that have room, and of those in memory, nothing is read this way.
TEST_F(DeviceStorage, IsForFilesWithoutRoomAlone) {
  if (on_gpu()) {
    GTEST_SKIP() << "of a driver nobody knows what it pins: for the emulated runtime alone";
  }
  load_stand_in();
  const CufileOnHost before = told();
  Folder folder;
  for (const bool in_files : {false, true}) {
    const auto context = context_with(in_files ? "0" : "1");
    const auto dataset = in_files ? shop_in_files(context, &folder) : shop(context);
    const auto sampler = make_sampler(dataset, true);
    LoaderStats stats;
    compare_epochs(sampler, options_for(*sampler), open_device(0), {}, &stats);
    EXPECT_EQ(in_files ? stats.tiers.device : stats.tiers.pinned, all_rows(stats.tiers));
  }
  EXPECT_EQ(told().opened, before.opened);
  EXPECT_EQ(told().reads, before.reads);
}

// ---- what is read --------------------------------------------------------------------------

// Rows of a column from a file, and the same gathered by the processor.
void expect_same_rows(const Column& column, const std::vector<int64_t>& ids, DLDataType dtype) {
  const auto device = open_device(0);
  DeviceColumn::Placing placing;
  placing.from_storage = true;
  placing.whole = false;
  uint64_t room = 0;
  auto placed = DeviceColumn::place(device, column, placing, &room);
  ASSERT_TRUE(placed.ok()) << placed.status().message();
  ASSERT_EQ((*placed)->where(), DevicePlace::kStorage);
  const DeviceStream stream = device->stream().take();
  RowTiers tiers;
  std::vector<std::shared_ptr<const void>> held;
  const auto count = static_cast<int64_t>(ids.size());
  auto gathered = (*placed)->gather({span_of(ids), {}}, dtype, {}, count + 2,
                                    {nullptr, &tiers, &held}, stream, nullptr);
  ASSERT_TRUE(gathered.ok()) << gathered.status().message();
  ASSERT_TRUE(stream.finish().ok());
  EXPECT_EQ(tiers.host, ids.size());
  Tensor here = *gathered;
  Tensor* const moved[] = {&here};
  ASSERT_TRUE(move_out(device, moved, nullptr).ok());
  const auto context = make_context();
  BufferPool& pool = *context->buffers();
  expect_same(here,
              column.codebook != nullptr
                  ? gather_decoded(pool, column.data, *column.codebook, span_of(ids), {}, count + 2)
                  : gather(pool, column.data, span_of(ids), dtype, {}, count + 2),
              "rows");
}

TEST_F(DeviceStorageRead, RowsOfEveryWidth) {
  Folder folder;
  std::mt19937_64 random(6);
  for (const int64_t width : {1, 3, 8, 400, 4095, 4096, 4097, 10000}) {
    for (const auto& [before, padding] :
         {std::pair<size_t, int64_t>{0, 0}, {128, 0}, {4095, 1}, {5000, 24}}) {
      SCOPED_TRACE(std::to_string(width) + " behind " + std::to_string(before));
      constexpr int64_t kRows = 150;
      const Column column = {
          "x", GLS_ROLE_FEATURE,
          in_file(rows_of<uint8_t>(kUint8, kRows, {width}, 3, padding), folder.next(), before)};
      std::vector<int64_t> ids = {kRows - 1, 0, kRows - 1, 1, 0};
      for (int i = 0; i < 60; ++i) {
        ids.push_back(static_cast<int64_t>(random() % kRows));
      }
      expect_same_rows(column, ids, kUint8);
      expect_same_rows(column, {kRows - 1}, kUint8);
      expect_same_rows(column, {}, kUint8);
    }
  }
}

TEST_F(DeviceStorageRead, RowsThatAreWidenedOrDecoded) {
  Folder folder;
  std::vector<int64_t> ids(300);
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int64_t>((i * 37 + i / 9) % ids.size());
  }
  for (const DLDataType stored : {kFloat16, kBfloat16}) {
    for (const int64_t width : {1, 15, 16, 1000}) {
      const Column column = {"h", GLS_ROLE_FEATURE,
                             in_file(rows_of<uint16_t>(stored, 300, {width}, 3), folder.next(), 6)};
      expect_same_rows(column, ids, kFloat32);
      expect_same_rows(column, ids, stored);
    }
  }
  for (const int64_t bits : {1, 2, 4, 8}) {
    for (const int64_t width : {7, 64, 5000}) {
      auto codebook =
          Codebook::create(bits, width, Codebook::even_values(bits, -1, 1).take()).take();
      const Tensor codes = rows_of<uint8_t>(kUint8, 300, {codebook->packed_width()}, 5);
      expect_same_rows(
          Column::of_codes("c", GLS_ROLE_FEATURE, in_file(codes, folder.next(), 128), codebook),
          ids, kFloat32);
    }
  }
}

// More than a piece holds, and more than are in flight at once.
TEST_F(DeviceStorageRead, ManyRows) {
  Folder folder;
  constexpr int64_t kRows = 9000;
  const Column column = {"x", GLS_ROLE_FEATURE,
                         in_file(rows_of<uint16_t>(kFloat16, kRows, {1100}, 3), folder.next(), 64)};
  std::vector<int64_t> all(kRows);
  std::vector<int64_t> some;
  for (int64_t i = 0; i < kRows; ++i) {
    all[static_cast<size_t>(i)] = (i * 7919) % kRows;
    if (i % 4 == 1) {
      some.push_back(kRows - i);
    }
  }
  expect_same_rows(column, all, kFloat16);
  const CufileOnHost before = on_gpu() ? CufileOnHost() : told();
  expect_same_rows(column, some, kFloat32);
  if (!on_gpu()) {
    EXPECT_GT(told().most_in_flight, 128u);
    EXPECT_LE(told().most_in_flight, 256u * 4);
    // Every fourth row has its two blocks, or one.
    EXPECT_LE(told().bytes - before.bytes, some.size() * 2 * kBlock);
  }
  // Rows so short that their number ends a piece.
  const Column narrow = {"y", GLS_ROLE_LABEL,
                         in_file(rows_of<uint8_t>(kUint8, 200000, {}, 3), folder.next(), 1)};
  std::vector<int64_t> odd;
  for (int64_t i = 1; i < 200000; i += 2) {
    odd.push_back(i);
  }
  expect_same_rows(narrow, odd, kUint8);
}

TEST_F(DeviceStorageRead, BatchesAreThoseOfTheHost) {
  Folder folder;
  for (const char* const cache : {"fixed", "adaptive", "none"}) {
    for (const char* const room : {"1", "9000"}) {
      for (const char* const where : {"device", "host"}) {
        SCOPED_TRACE(std::string(cache) + " " + room + " " + where);
        const auto context = context_with(room, cache);
        ASSERT_TRUE(context->set("device.sampling", where).ok());
        const auto dataset = shop_in_files(context, &folder);
        const auto sampler = make_sampler(dataset, room[0] == '1');
        LoaderStats stats;
        compare_epochs(sampler, options_for(*sampler), open_device(0), {}, &stats);
        EXPECT_GT(stats.tiers.host, 0u);
        EXPECT_EQ(stats.tiers.pinned, 0u);
        EXPECT_EQ(stats.tiers.device > 0, room[0] == '9');  // also columns that have room
      }
    }
  }
}

TEST_F(DeviceStorageRead, RowsThatDevicesDivide) {
  GLS_NEEDS_DEVICES(2);
  Folder folder;
  const auto context = context_with("9000", "fixed");
  ASSERT_TRUE(context->set("device.group", "0,1").ok());
  const auto sampler = make_sampler(shop_in_files(context, &folder), true);
  LoaderStats stats;
  compare_epochs(sampler, options_for(*sampler), open_device(1), {}, &stats);
  EXPECT_GT(stats.tiers.peers, 0u);
  EXPECT_GT(stats.tiers.host, 0u);
}

// Loaders and threads at once, more than there are readers.
TEST_F(DeviceStorageRead, ManyAtOnce) {
  Folder folder;
  ContextOptions threads;
  threads.num_threads = 4;
  const auto context = Context::create(threads, nullptr, nullptr, nullptr).take();
  ASSERT_TRUE(context->set("device.column_memory", "1").ok());
  ASSERT_TRUE(context->set("device.direct_storage", "true").ok());
  const auto sampler = make_sampler(shop_in_files(context, &folder), true);
  std::vector<std::thread> loaders;
  for (int i = 0; i < 3; ++i) {
    loaders.emplace_back([&] {
      LoaderStats stats;
      compare_epochs(sampler, options_for(*sampler), open_device(0), {}, &stats);
      EXPECT_GT(stats.tiers.host, 0u);
    });
  }
  const Column column = {"x", GLS_ROLE_FEATURE,
                         in_file(rows_of<float>(kFloat32, 900, {700}, 3), folder.next(), 64)};
  std::vector<int64_t> ids(900);
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int64_t>((i * 7) % ids.size());
  }
  for (int i = 0; i < 4; ++i) {
    loaders.emplace_back([&] { expect_same_rows(column, ids, kFloat32); });
  }
  for (std::thread& loader : loaders) {
    loader.join();
  }
}

// ---- what goes wrong -----------------------------------------------------------------------

TEST_F(DeviceStorageFault, ALoaderIsNotMade) {
  Folder folder;
  const struct {
    const char* call;
    gls_status_t code;
    const char* text;
  } cases[] = {
      {"register", GLS_ERR_UNSUPPORTED, "registering the file"},
      {"buffer", GLS_ERR_OUT_OF_MEMORY, "registering memory"},
      {"setup", GLS_ERR_OUT_OF_MEMORY, "making a batch"},
      {"read", GLS_ERR_IO, "Input/output error"},
      {"short", GLS_ERR_IO, "cuFile: of 4096 bytes at 0 came 2048"},
      {"tail", GLS_ERR_IO, "cuFile: reading"},
  };
  for (const auto& one : cases) {
    fail(one.call);
    auto loader = loader_of(shop_in_files(context_with("1"), &folder));
    ASSERT_EQ(loader.status().code(), one.code) << one.call;
    const std::string& text = loader.status().message();
    EXPECT_EQ(text.find("device.direct_storage: "), 0u) << text;
    EXPECT_NE(text.find(one.text), std::string::npos) << text;
    EXPECT_TRUE(loader.status().has("argument", "device.direct_storage"));
    fail("");
    EXPECT_TRUE(loader_of(shop_in_files(context_with("1"), &folder)).ok());
  }
}

// In processes of their own, as it is opened once.
TEST_F(DeviceStorageFault, ItIsOpenedOnlyIfItReadsByItself) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const auto& [call, text] : {std::pair{"open", "cuFile: opening"},
                                   {"opened", "allow_compat_mode"},
                                   {"forced", "force_compat_mode"}}) {
    EXPECT_EXIT(
        {
          fail(call);
          Folder folder;
          auto loader = loader_of(shop_in_files(context_with("1"), &folder));
          std::fputs(loader.ok() ? "made" : loader.status().message().c_str(), stderr);
          std::_Exit(loader.ok() ? 1 : 0);
        },
        testing::ExitedWithCode(0), text);
  }
}

TEST_F(DeviceStorageFault, AFileMustBeTheOneThatIsMapped) {
  Folder folder;
  const std::string path = folder.next();
  const Tensor old = in_file(rows_of<float>(kFloat32, 100, {70}, 1), path, 128);
  remove_tree(path);
  auto stored = StoredRows::open(open_device(0), old);
  EXPECT_EQ(stored.status().code(), GLS_ERR_NOT_FOUND);
  const Tensor now = in_file(rows_of<float>(kFloat32, 100, {70}, 1), path, 128);
  EXPECT_TRUE(StoredRows::open(open_device(0), now).ok());
  stored = StoredRows::open(open_device(0), old);
  ASSERT_EQ(stored.status().code(), GLS_ERR_IO);
  EXPECT_NE(stored.status().message().find("is not the file any more"), std::string::npos);
  EXPECT_TRUE(stored.status().has("file", path));
  ASSERT_EQ(truncate(path.c_str(), 5000), 0);
  EXPECT_EQ(StoredRows::open(open_device(0), now).status().code(), GLS_ERR_IO);
}

TEST_F(DeviceStorageFault, RowsAreNoLongerThanAPiece) {
  Folder folder;
  const auto width = static_cast<int64_t>(DirectReaders::kPiece - 2 * kBlock);
  const Tensor longest = in_file(rows_of<uint8_t>(kUint8, 1, {width}, 1), folder.next(), 4095);
  expect_same_rows({"x", GLS_ROLE_FEATURE, longest}, {0}, kUint8);
  const Tensor longer = in_file(rows_of<uint8_t>(kUint8, 1, {width + 1}, 1), folder.next(), 0);
  auto stored = StoredRows::open(open_device(0), longer);
  ASSERT_EQ(stored.status().code(), GLS_ERR_UNSUPPORTED);
  EXPECT_NE(stored.status().message().find("rows have"), std::string::npos);
}

// The batch is the error, and later ones come.
TEST_F(DeviceStorageFault, ABatchFailsAndTheNextComes) {
  Folder folder;
  const auto dataset = shop_in_files(context_with("1"), &folder);
  const struct {
    const char* call;
    const char* text;
  } cases[] = {
      {"read", "Input/output error"},
      {"state", "it ended in state 0x40"},
      {"tail", "cuFile: reading"},
      {"short", " came "},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.call);
    auto loader = loader_of(dataset, 4).take();
    fail(one.call);
    std::shared_ptr<Batch> batch;
    auto next = loader->next(-1, &batch);
    ASSERT_EQ(next.status().code(), GLS_ERR_IO);
    const std::string& text = next.status().message();
    EXPECT_NE(text.find("device.direct_storage: "), std::string::npos) << text;
    EXPECT_NE(text.find(one.text), std::string::npos) << text;
    EXPECT_EQ(text.find("the file was cut"), std::string::npos) << text;
    ASSERT_NE(next.status().detail("file"), nullptr);
    EXPECT_NE(text.find(*next.status().detail("file")), std::string::npos) << text;
    fail("");
    bool came = false;
    for (int i = 0; i < 70 && !came; ++i) {  // some have failed by now
      came = loader->next(-1, &batch).ok() && batch != nullptr;
    }
    EXPECT_TRUE(came);
  }
}

TEST_F(DeviceStorageFault, AFileThatIsCutIsAnError) {
  Folder folder;
  const std::string path = folder.next();
  const Tensor rows = in_file(rows_of<float>(kFloat32, 100, {1000}, 1), path, 128);
  const auto device = open_device(0);
  const auto stored = StoredRows::open(device, rows).take();
  ASSERT_EQ(truncate(path.c_str(), 50 * 4000), 0);
  const DeviceStream stream = device->stream().take();
  const auto memory = device->allocate(uint64_t{10} * 4000, stream).take();
  const std::vector<int64_t> there = {3, 4};
  EXPECT_TRUE(stored->read(there, memory->data(), stream).ok());
  const std::vector<int64_t> gone = {3, 98, 99};
  const Status status = stored->read(gone, memory->data(), stream);
  ASSERT_EQ(status.code(), GLS_ERR_IO);
  EXPECT_NE(status.message().find(path), std::string::npos);
  EXPECT_NE(status.message().find("the file was cut"), std::string::npos);
  EXPECT_TRUE(stored->read(there, memory->data(), stream).ok());
}

TEST_F(DeviceStorageFault, ItIsAskedAgain) {
  Folder folder;
  const Column column = {"x", GLS_ROLE_FEATURE,
                         in_file(rows_of<float>(kFloat32, 900, {700}, 3), folder.next(), 64)};
  fail("later");
  expect_same_rows(column, {7, 800, 20}, kFloat32);
}

bool is_open(const std::string& path) {
  namespace fs = std::filesystem;
  const fs::directory_iterator all("/proc/self/fd");
  return std::any_of(begin(all), end(all), [&](const fs::directory_entry& one) {
    std::error_code ec;
    return fs::read_symlink(one.path(), ec) == fs::canonical(path);
  });
}

// What storage may still write to is given to nobody, and no wait is without end.
void lose_readers(const char* call, uint64_t times) {
  Folder folder;
  const std::string path = folder.next();
  const Tensor rows = in_file(rows_of<float>(kFloat32, 900, {700}, 3), path, 64);
  const auto device = open_device(0);
  const DeviceStream stream = device->stream().take();
  const auto memory = device->allocate(uint64_t{20} * 2800, stream).take();
  std::vector<int64_t> ids(20);
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int64_t>(i * 40);
  }
  auto stored = StoredRows::open(device, rows).take();
  for (uint64_t lost = 1; lost <= times; ++lost) {
    EXPECT_TRUE(stored->read(ids, memory->data(), stream).ok());
    EXPECT_EQ(told().buffers, lost);
    fail(call);
    const Status status = stored->read(ids, memory->data(), stream);
    EXPECT_EQ(status.code(), GLS_ERR_IO);
    EXPECT_TRUE(status.has("file", path));
    fail("");
    EXPECT_EQ(told().buffers, lost);
    EXPECT_EQ(told().batches, lost * 2);
  }
  const Status status = stored->read(ids, memory->data(), stream);
  EXPECT_EQ(status.ok(), times < 4);
  EXPECT_EQ(status.message().find("no reader is left") != std::string::npos, times == 4);
  stored.reset();
  EXPECT_EQ(told().files, 1u);
  EXPECT_EQ(told().buffers, times);
  EXPECT_TRUE(is_open(path));
  EXPECT_TRUE(StoredRows::open(device, rows).ok());
}

// In processes of their own, which they are lost to.
TEST_F(DeviceStorageFault, AReaderIsLostIfItsReadsDoNotEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  for (const auto& [call, times] : {std::pair<const char*, uint64_t>{"submit", 4},
                                    {"wait", 2},
                                    {"silent", 1},
                                    {"pending", 2},
                                    {"status", 1}}) {
    EXPECT_EXIT(
        {
          lose_readers(call, times);
          std::_Exit(HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
  }
}

// Who finds no room for a reader waits for that of others.
TEST_F(DeviceStorageFault, OneReaderMustDo) {
  Folder folder;
  const Column column = {"x", GLS_ROLE_FEATURE,
                         in_file(rows_of<float>(kFloat32, 900, {700}, 3), folder.next(), 64)};
  const auto kept = StoredRows::open(open_device(0), column.data).take();
  fail("setup");
  std::vector<int64_t> ids(900);
  for (size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<int64_t>((i * 7) % ids.size());
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { expect_same_rows(column, ids, kFloat32); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(told().buffers, 1u);
}

// Any other reason is told, and says nothing of how many there may be.
TEST_F(DeviceStorageFault, NoMoreReadersForAnotherReason) {
  const auto readers = DirectReaders::of(open_device(0));
  const auto first = readers->take();
  ASSERT_TRUE(first.ok());
  fail("batch");
  EXPECT_EQ(readers->take().status().code(), GLS_ERR_IO);
  fail("");
  EXPECT_TRUE(readers->take().ok());
}

TEST_F(DeviceStorageFault, MemoryOfTheDeviceIsBounded) {
  Folder folder;
  const auto dataset = shop_in_files(context_with("1"), &folder);
  setenv("CUDA_ON_HOST_MEMORY", "16000000", 1);  // less than the pieces of a reader
  auto none = loader_of(dataset);
  ASSERT_EQ(none.status().code(), GLS_ERR_OUT_OF_MEMORY);
  EXPECT_NE(none.status().message().find("device.direct_storage: CUDA: GPU 0"), std::string::npos);
  setenv("CUDA_ON_HOST_MEMORY", "268435456", 1);
  EXPECT_TRUE(loader_of(dataset).ok());
}

}  // namespace
}  // namespace gls::test
