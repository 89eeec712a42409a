// Datasets in files, and loaders over them that plan their reads.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "file_rows.h"
#include "loader/pipeline/loader.h"
#include "loader/planned/planned_columns.h"
#include "random_numbers.h"
#include "random_rows.h"
#include "shop_graph.h"

namespace gls::test {

// The same dataset with its columns, and some more, in mapped files.
inline std::shared_ptr<const Dataset> in_files(const std::shared_ptr<Context>& context,
                                               const Dataset& dataset, Folder* folder,
                                               Numbers* random) {
  std::vector<NodeType> nodes = dataset.node_types();
  std::vector<EdgeType> edges = dataset.edge_types();
  std::vector<ArrayFile> files;
  const auto move = [&](auto* types) {
    for (auto& type : *types) {
      const DLDataType dtype = any_dtype(random);
      type.columns.push_back(
          {"any", GLS_ROLE_FEATURE, any_rows(random, type.count, dtype, any_width(random, dtype))});
      for (Column& column : type.columns) {
        const auto before = static_cast<size_t>(
            random->one_of<int64_t>({0, 64, 128, 511, 512, 4000, 4096, 5000}) / 64 * 64);
        column = column.with(in_file(column.data, folder->next(), before));
        files.push_back({column.data, ""});
      }
    }
  };
  move(&nodes);
  move(&edges);
  return Dataset::create(context, std::move(nodes), std::move(edges), std::move(files)).take();
}

inline uint64_t bytes_of(const Dataset& dataset) {
  uint64_t sum = 0;
  for (const ArrayFile& file : dataset.files()) {
    sum += file.data.span_bytes();
  }
  return sum;
}

inline SamplerOptions any_options(Numbers* random) {
  SamplerOptions options;
  options.seed = static_cast<uint64_t>(random->below(1000));
  options.int32 = random->coin();
  options.edge_ids = true;
  if (random->one_in(4)) {
    options.walk = WalkOptions();
    options.walk->path = {1, 0};
    options.walk->walks = 2;
    return options;
  }
  options.num_hops = 2;
  options.fanouts = {{3, 2}, {4, 2}};
  options.disjoint = random->one_in(4);  // rows repeat in a batch
  options.pick = random->one_in(4) && !options.disjoint ? Pick::kLayer : Pick::kIndependent;
  options.subgraph =
      random->one_in(4) && !options.disjoint ? Subgraph::kInduced : Subgraph::kSampled;
  return options;
}

inline LoaderOptions any_loader_options(const Sampler& sampler, Numbers* random) {
  LoaderOptions options;
  options.plan.batch_size = static_cast<uint64_t>(random->one_of<int64_t>({5, 16, 64, 1000}));
  options.plan.shuffle = random->coin();
  options.plan.world_size = static_cast<uint64_t>(1 + random->below(3));
  options.plan.rank =
      static_cast<uint64_t>(random->below(static_cast<int64_t>(options.plan.world_size)));
  options.columns = default_columns(sampler);
  options.num_workers = static_cast<uint32_t>(1 + random->below(4));
  options.prefetch = static_cast<uint32_t>(random->below(7));
  return options;
}

inline void set(Context& context, const char* key, const std::string& value) {
  const Status status = context.set(key, value);
  ASSERT_TRUE(status.ok()) << status.message();
}

// Makes loaders that map files, and loaders that plan their reads.
class PlannedLoader : public testing::Test {
 protected:
  // Settings of loaders that are made from now on.
  void plan(uint64_t memory, uint64_t window, const char* reads) {
    set(*context_, "storage.way", "planned");
    set(*context_, "storage.memory", std::to_string(memory));
    set(*context_, "storage.window", std::to_string(window));
    set(*context_, "storage.reads", reads);
    set(*context_, "storage.folder", std::filesystem::path(folder_.next()).parent_path());
  }
  void map() { set(*context_, "storage.way", "mapped"); }

  static std::shared_ptr<Loader> make(const std::shared_ptr<const Sampler>& sampler,
                                      LoaderOptions options) {
    auto loader = Loader::create(sampler, Tensor(), std::move(options));
    EXPECT_TRUE(loader.ok()) << loader.status().message();
    return loader.take();
  }

  // Both give the same next `count` batches.
  static void expect_same_next(Loader& expected, Loader& loader, int count) {
    for (int i = 0; i < count; ++i) {
      std::shared_ptr<Batch> a;
      std::shared_ptr<Batch> b;
      auto first = expected.next(-1, &a);
      auto second = loader.next(-1, &b);
      ASSERT_TRUE(first.ok()) << first.status().message();
      ASSERT_TRUE(second.ok()) << second.status().message();
      ASSERT_EQ(*first, *second);
      if (*first == Loader::Next::kEnd) {
        return;
      }
      ASSERT_NO_FATAL_FAILURE(expect_same(*a, *b));
    }
  }

  std::shared_ptr<Context> context_ = make_context(2);
  Folder folder_;
};

}  // namespace gls::test
