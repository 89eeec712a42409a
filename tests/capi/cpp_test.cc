// gls.hpp: the C++17 shell over gls.h.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <gls.hpp>
#include <numeric>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

constexpr DLDataType kInt64 = {kDLInt, 64, 1};
constexpr DLDataType kFloat32 = {kDLFloat, 32, 1};

// A handle has one owner; an error can be thrown, and so must be copied.
template <typename T>
constexpr bool kMoveOnly =
    std::is_nothrow_move_constructible_v<T> &&std::is_nothrow_move_assignable_v<T> &&
    !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(kMoveOnly<gls::Tensor> && kMoveOnly<gls::Context> && kMoveOnly<gls::Dataset> &&
              kMoveOnly<gls::Builder> && kMoveOnly<gls::Batch> && kMoveOnly<gls::Sampler> &&
              kMoveOnly<gls::Loader>);
static_assert(std::is_copy_constructible_v<gls::Error>);
static_assert(std::is_base_of_v<std::runtime_error, gls::Error>);

gls::Tensor ids(const std::vector<int64_t> &values) { return gls::Tensor::copy(values, kInt64); }

std::vector<int64_t> numbers(const gls::Tensor &tensor) {
  return {tensor.data<int64_t>(), tensor.data<int64_t>() + tensor.size(0)};
}

// What a call throws; the test fails when it does not throw.
template <typename Function>
gls::Error thrown_by(Function &&function) {
  try {
    function();
  } catch (const gls::Error &error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {GLS_OK, nullptr};
}

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gls-cpp-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  std::string file(const char *name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A path 0 > 1 > ... > n-1 with features and labels.
gls::Dataset make_path(const gls::Context &context, int64_t nodes) {
  gls::Builder builder(context);
  builder.add_node_type("node", nodes);
  std::vector<int64_t> source(static_cast<size_t>(nodes - 1));
  std::iota(source.begin(), source.end(), 0);
  std::vector<int64_t> target = source;
  for (int64_t &v : target) {
    ++v;
  }
  builder.add_edges("node__to__node", ids(source), ids(target));
  std::vector<float> x(static_cast<size_t>(nodes));
  std::iota(x.begin(), x.end(), 0.5f);
  builder.add_node_column("node", "x", GLS_ROLE_FEATURE, gls::Tensor::copy(x, kFloat32));
  builder.add_edge_column("node__to__node", "t", GLS_ROLE_TIME, ids(target));
  builder.add_id_set("node", "train", ids({0, 2}));
  return builder.build();
}

class Shell : public testing::Test {
 protected:
  gls_sampler_options_t sampler_options() const {
    gls_sampler_options_t options = GLS_SAMPLER_OPTIONS_INIT;
    options.fanouts = &fanout_;
    options.num_fanouts = 1;
    return options;
  }

  const std::array<int64_t, 2> per_hop_ = {-1, -1};
  const gls_fanout_t fanout_ = {nullptr, per_hop_.data(), 2};
  gls::Context context_{2};
};

// ---- errors ------------------------------------------------------------------------------------

TEST_F(Shell, ErrorsAreThrownWithTheirDetails) {
  const gls::Error error = thrown_by([&] { gls::Tensor::map_npy("/no/such.npy"); });
  EXPECT_EQ(error.status(), GLS_ERR_NOT_FOUND);
  EXPECT_NE(std::string(error.what()).find("/no/such.npy"), std::string::npos);
  EXPECT_EQ(error.detail("file"), "/no/such.npy");
  EXPECT_EQ(error.detail("column"), "");
  const gls::Error copy = error;  // shares what it holds
  EXPECT_EQ(copy.detail("file"), "/no/such.npy");
  EXPECT_STREQ(gls::Error(GLS_ERR_IO, nullptr).what(), "GLS_ERR_IO");
  EXPECT_EQ(gls::Error(GLS_ERR_IO, nullptr).detail("file"), "");
}

TEST_F(Shell, EveryClassThrows) {
  EXPECT_EQ(thrown_by([&] { context_.set("no.such", "1"); }).status(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(thrown_by([&] { context_.get("no.such"); }).status(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(thrown_by([&] { gls::Dataset::open(context_, "/no/such"); }).status(),
            GLS_ERR_NOT_FOUND);
  EXPECT_EQ(thrown_by([] { gls::Context(1u << 30); }).status(), GLS_ERR_INVALID_ARGUMENT);
  gls_context_options_t options = GLS_CONTEXT_OPTIONS_INIT;
  options.struct_size = 0;
  EXPECT_EQ(thrown_by([&] { gls::Context context(options); }).status(), GLS_ERR_INVALID_ARGUMENT);
  const gls::Dataset path = make_path(context_, 4);
  EXPECT_EQ(thrown_by([&] { path.node_column("node", 9); }).status(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(thrown_by([&] { path.find_node("", "1"); }).status(), GLS_ERR_UNSUPPORTED);
  EXPECT_EQ(thrown_by([&] { path.node_key("", 1); }).status(), GLS_ERR_UNSUPPORTED);
  const gls_sampler_options_t none = GLS_SAMPLER_OPTIONS_INIT;
  EXPECT_EQ(thrown_by([&] { gls::Sampler(path, none); }).status(), GLS_ERR_INVALID_ARGUMENT);
}

// ---- tensors -----------------------------------------------------------------------------------

TEST_F(Shell, TensorsOwnMemory) {
  gls::Tensor tensor = ids({1, 2, 3});
  EXPECT_TRUE(tensor);
  EXPECT_FALSE(tensor.read_only());
  EXPECT_EQ(numbers(tensor), (std::vector<int64_t>{1, 2, 3}));
  gls::Tensor moved = std::move(tensor);
  EXPECT_FALSE(tensor);  // NOLINT(bugprone-use-after-move): empty is what it promises
  EXPECT_EQ(moved.size(0), 3);
  int released = 0;
  float data[2] = {1, 2};
  int64_t shape = 2;
  const DLTensor view = {data, {kDLCPU, 0}, 1, kFloat32, &shape, nullptr, 0};
  {
    const gls::Tensor wrapped =
        gls::Tensor::wrap(view, true, &released, [](void *count) { ++*static_cast<int *>(count); });
    EXPECT_TRUE(wrapped.read_only());
    EXPECT_EQ(wrapped.data<float>(), data);
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_FALSE(gls::Tensor());
  // A copy that is refused gives its memory back; the sanitizers would tell.
  EXPECT_EQ(thrown_by([] {
              gls::Tensor::copy(std::vector<int>{1}, {kDLComplex, 32, 1});
            }).status(),
            GLS_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(ids({}).size(0), 0);
}

// ---- datasets ----------------------------------------------------------------------------------

TEST_F(Shell, DatasetsDescribeThemselves) {
  const gls::Dataset path = make_path(context_, 5);
  ASSERT_EQ(path.node_types().size(), 1u);
  EXPECT_STREQ(path.node_types()[0].name, "node");
  ASSERT_EQ(path.edge_types().size(), 1u);
  EXPECT_STREQ(path.edge_types()[0].relation, "to");
  EXPECT_EQ(path.num_nodes(), 5);
  EXPECT_EQ(path.num_nodes("nodes"), -1);
  EXPECT_EQ(path.num_edges("node__to__node"), 4);
  EXPECT_STREQ(path.node_column("", 0).name, "x");
  EXPECT_EQ(path.edge_column("", 0).role, GLS_ROLE_TIME);
  EXPECT_EQ(path.id_set("node", 0).num_ids, 2);
  EXPECT_EQ(numbers(path.tensor(GLS_ARRAY_CSC_INDPTR, "", "")),
            (std::vector<int64_t>{0, 0, 1, 2, 3, 4}));
  path.verify();
}

TEST_F(Shell, DatasetsAreSavedAndOpened) {
  const Folder folder;
  const std::string where = folder.file("graph");
  make_path(context_, 5).save(where);
  const gls::Dataset opened = gls::Dataset::open(context_, where);
  EXPECT_EQ(opened.num_edges(), 4);
  EXPECT_TRUE(opened.tensor(GLS_ARRAY_NODE_COLUMN, "node", "x").read_only());
  EXPECT_EQ(thrown_by([&] { opened.save(where); }).status(), GLS_ERR_ALREADY_EXISTS);
}

TEST_F(Shell, TextAndKeys) {
  const Folder folder;
  const std::string file = folder.file("edges.txt");
  std::FILE *const out = std::fopen(file.c_str(), "w");
  ASSERT_NE(out, nullptr);
  const std::string longest(300, 'k');  // more than the first buffer holds
  std::fprintf(out, "a,b\nb,%s\n", longest.c_str());
  ASSERT_EQ(std::fclose(out), 0);
  gls::Builder builder(context_);
  builder.add_node_type("node", 0, GLS_IDS_STRING);
  gls_text_options_t options = GLS_TEXT_OPTIONS_INIT;
  options.header = GLS_HEADER_NO;
  builder.add_edges_text("node__to__node", file, options);
  const gls::Dataset dataset = builder.build();
  EXPECT_EQ(dataset.find_node("", "b"), 1);
  EXPECT_EQ(dataset.node_key("node", 0), "a");
  EXPECT_EQ(dataset.node_key("", 2), longest);
}

TEST_F(Shell, BuildersKeepWhatWasRefused) {
  gls::Builder builder(context_);
  builder.add_topology("a__b__a", GLS_LAYOUT_CSC, ids({0, 1, 2}), ids({1, 0}), ids({1, 0}));
  EXPECT_EQ(thrown_by([&] { builder.add_edges("a__b__a", ids({0}), ids({0})); }).status(),
            GLS_ERR_ALREADY_EXISTS);  // and the tensors are released by their owners
  EXPECT_EQ(thrown_by([&] {
              builder.add_node_column("b", "x", GLS_ROLE_OTHER, ids({1, 2}));
            }).status(),
            GLS_ERR_NOT_FOUND);
  builder.add_topology("a__c__a", GLS_LAYOUT_CSC, ids({0, 1, 2}), ids({1, 0}));
  const gls::Dataset dataset = builder.build();
  EXPECT_EQ(dataset.num_edges("a__b__a"), 2);
  EXPECT_EQ(numbers(dataset.tensor(GLS_ARRAY_CSC_EDGE_IDS, "a__b__a", "")),
            (std::vector<int64_t>{1, 0}));
}

TEST_F(Shell, BuildersWrite) {
  const Folder folder;
  gls::Builder builder(context_);
  builder.add_edges("a__b__c", ids({0, 1}), ids({1, 0}), GLS_EDGES_ADD_REVERSE);
  builder.write(folder.file("graph"));
  const gls::Dataset opened = gls::Dataset::open(context_, folder.file("graph"));
  EXPECT_EQ(opened.edge_types().size(), 2u);
}

TEST_F(Shell, BuildersTakeCodes) {
  std::array<float, 6> numbers = {0, 0.5f, 1, 0.4f, 9, -9};
  std::array<int64_t, 2> shape = {2, 3};
  const DLTensor view = {numbers.data(), {kDLCPU, 0}, 2, kFloat32, shape.data(), nullptr, 0};
  gls_quantization_options_t how = GLS_QUANTIZATION_OPTIONS_INIT;
  how.bits = 1;
  how.high = 1;
  gls::Tensor codes = gls::quantize(view, how);
  gls::Tensor of_edges = gls::quantize(view, how);
  EXPECT_EQ(codes.data<uint8_t>()[0], 0b0010'0000);
  EXPECT_EQ(codes.data<uint8_t>()[1], 0b0100'0000);
  how.width = 3;
  gls::Builder builder(context_);
  builder.add_edges("node__to__node", ids({0, 1}), ids({1, 0}));
  builder.add_edge_codes("", "e", GLS_ROLE_OTHER, std::move(of_edges), how);
  builder.add_node_codes("node", "x", GLS_ROLE_FEATURE, std::move(codes), how);
  const gls::Dataset dataset = builder.build();
  EXPECT_EQ(dataset.tensor(GLS_ARRAY_NODE_COLUMN, "node", "x").size(1), 1);
  EXPECT_EQ(dataset.tensor(GLS_ARRAY_EDGE_COLUMN, "", "e").size(0), 2);
}

TEST_F(Shell, Settings) {
  context_.set("memory.pool", "16M");
  EXPECT_EQ(context_.get("memory.pool"), "16M");
}

// ---- sampling ----------------------------------------------------------------------------------

TEST_F(Shell, SamplersSample) {
  const gls::Dataset path = make_path(context_, 5);
  const gls::Sampler sampler(path, sampler_options());
  const gls::Tensor seed = ids({3});
  const gls_seed_set_t seeds = {nullptr, &seed.view()};
  gls_sample_request_t request = GLS_SAMPLE_REQUEST_INIT;
  request.seeds = &seeds;
  request.num_seeds = 1;
  request.batch = 7;
  const gls::Batch batch = sampler.sample(request);
  EXPECT_EQ(batch.info().batch, 7u);
  EXPECT_EQ(batch.info().num_hops, 2u);
  EXPECT_EQ(numbers(batch.tensor(GLS_BATCH_NODE)), (std::vector<int64_t>{3, 2, 1}));
  EXPECT_EQ(numbers(batch.tensor(GLS_BATCH_ROW, "node__to__node")), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(batch.arrays().size(), 6u);
  for (const gls_array_info_t &array : batch.arrays()) {
    EXPECT_TRUE(batch.tensor(array.array, array.type, array.name == nullptr ? "" : array.name));
  }
  EXPECT_EQ(thrown_by([&] { batch.tensor(GLS_BATCH_EDGE); }).status(), GLS_ERR_NOT_FOUND);
}

// A batch that is lent may be held as one's own: its release does nothing then.
gls_status_t attach_doubled(gls_batch_t *lent, void *, char *message, size_t capacity) {
  try {
    gls::Batch batch(lent);
    std::vector<int64_t> doubled = numbers(batch.tensor(GLS_BATCH_NODE));
    for (int64_t &id : doubled) {
      id *= 2;
    }
    batch.attach("doubled", ids(doubled));
    if (batch.info().batch == 1) {
      batch.attach("doubled", ids(doubled));
    }
    return GLS_OK;
  } catch (const gls::Error &error) {
    std::snprintf(message, capacity, "%s", error.what());
    return error.status();
  }
}

TEST_F(Shell, TransformsAttach) {
  const gls::Dataset path = make_path(context_, 10);
  const gls::Sampler sampler(path, sampler_options());
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 5;
  options.transform = attach_doubled;
  gls::Loader loader(sampler, gls::Tensor(), options);
  const std::optional<gls::Batch> batch = loader.next();
  const std::vector<int64_t> node = numbers(batch->tensor(GLS_BATCH_NODE));
  const std::vector<int64_t> doubled = numbers(batch->tensor(GLS_BATCH_ATTACHED, "", "doubled"));
  ASSERT_EQ(doubled.size(), node.size());
  for (size_t i = 0; i < node.size(); ++i) {
    EXPECT_EQ(doubled[i], 2 * node[i]);
  }
  const gls_array_info_t last = batch->arrays().back();
  EXPECT_TRUE(batch->tensor(last.array, last.type, last.name));
  const gls::Error error = thrown_by([&] { loader.next(); });
  EXPECT_EQ(error.status(), GLS_ERR_ALREADY_EXISTS);
  EXPECT_EQ(error.detail("batch"), "1");
  EXPECT_FALSE(loader.next());
}

TEST_F(Shell, LoadersLoad) {
  const gls::Dataset path = make_path(context_, 10);
  const gls::Sampler sampler(path, sampler_options());
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 4;
  gls::Loader loader(sampler, gls::Tensor(), options);
  int batches = 0;
  while (const std::optional<gls::Batch> batch = loader.next()) {
    const gls::Tensor node = batch->tensor(GLS_BATCH_NODE);
    const gls::Tensor x = batch->tensor(GLS_BATCH_NODE_COLUMN, "", "x");
    ASSERT_EQ(x.size(0), node.size(0));
    for (int64_t i = 0; i < node.size(0); ++i) {
      EXPECT_EQ(x.data<float>()[i], static_cast<float>(node.data<int64_t>()[i]) + 0.5f);
    }
    ++batches;
  }
  EXPECT_EQ(batches, 3);
  EXPECT_EQ(loader.info().num_seeds, 10u);
  EXPECT_EQ(loader.stats().batches, 3u);
  std::optional<gls::Batch> none;
  EXPECT_EQ(loader.next(0, &none), GLS_END);
  EXPECT_FALSE(none.has_value());
}

TEST_F(Shell, LoadersAreResumed) {
  const gls::Dataset path = make_path(context_, 10);
  const gls::Sampler sampler(path, sampler_options());
  gls_loader_options_t options = GLS_LOADER_OPTIONS_INIT;
  options.batch_size = 4;
  options.flags = GLS_LOADER_SHUFFLE;
  gls::Loader first(sampler, ids({1, 3, 5, 7, 9}), options);
  first.seek(2);
  first.next();
  gls::Loader second(sampler, ids({1, 3, 5, 7, 9}), options);
  second.restore(first.save());
  EXPECT_EQ(numbers(first.next()->tensor(GLS_BATCH_INPUT)),
            numbers(second.next()->tensor(GLS_BATCH_INPUT)));
  EXPECT_EQ(second.info().epoch, 2u);
  EXPECT_EQ(thrown_by([&] { second.restore("{}"); }).status(), GLS_ERR_INVALID_ARGUMENT);
  // Refused seeds are given back by their owner.
  EXPECT_EQ(thrown_by([&] { gls::Loader(sampler, ids({10}), options); }).status(),
            GLS_ERR_INVALID_ARGUMENT);
}

TEST_F(Shell, LoadersAreCancelled) {
  const gls::Dataset path = make_path(context_, 10);
  const gls::Sampler sampler(path, sampler_options());
  gls::Loader loader(sampler, gls::Tensor());
  std::thread other([&] { loader.cancel(); });
  other.join();
  EXPECT_EQ(thrown_by([&] { loader.next(); }).status(), GLS_ERR_CANCELED);
  loader.seek(0);
  EXPECT_TRUE(loader.next().has_value());
}

TEST_F(Shell, ChildrenOutliveTheirParents) {
  gls::Tensor kept;
  {
    gls::Context context(1);
    gls::Dataset path = make_path(context, 6);
    gls::Sampler sampler(path, sampler_options());
    gls::Loader loader(sampler, gls::Tensor());
    kept = loader.next()->tensor(GLS_BATCH_NODE);
    const gls::Context moved = std::move(context);
    EXPECT_NE(moved.get(), nullptr);
    EXPECT_EQ(context.get(), nullptr);  // NOLINT(bugprone-use-after-move)
  }
  EXPECT_EQ(numbers(kept), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
}

}  // namespace
