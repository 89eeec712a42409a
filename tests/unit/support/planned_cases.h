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

// The same rows in mapped files.
inline Topology in_files(const EdgeType& type, const Topology& of, Folder* folder, Numbers* random,
                         std::vector<ArrayFile>* files) {
  const auto move = [&](const Tensor& array) {
    if (!array.defined()) {
      return Tensor();
    }
    const auto before = static_cast<size_t>(random->one_of<int64_t>({0, 64, 128, 4096}));
    Tensor moved = in_file(array, folder->next(), before);
    files->push_back({moved, ""});
    return moved;
  };
  return Topology::make(move(of.indptr_tensor), move(of.indices_tensor), move(of.edge_ids_tensor),
                        of.num_rows, of.num_edges, of.num_neighbors, type.joined)
      .take();
}

// The same dataset with its topology, its columns, and some more columns in mapped files.
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
      const auto seed = static_cast<uint64_t>(random->below(1000));
      type.columns.push_back(
          {"weight", GLS_ROLE_WEIGHT, rows_of<float>(kFloat32, type.count, {}, seed)});
      type.columns.push_back(
          {"time", GLS_ROLE_TIME, rows_of<int64_t>(kInt64, type.count, {}, seed + 1)});
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
  for (EdgeType& type : edges) {
    for (std::optional<Topology>* const rows : {&type.csc, &type.csr}) {
      if (rows->has_value()) {
        *rows = in_files(type, **rows, folder, random, &files);
      }
    }
  }
  return Dataset::create(context, std::move(nodes), std::move(edges), std::move(files)).take();
}

inline uint64_t bytes_of(const Dataset& dataset) {
  uint64_t sum = 0;
  for (const ArrayFile& file : dataset.files()) {
    sum += file.data.span_bytes();
  }
  return sum;
}

// A sampler of any kind, and whether its seeds are links of type 0.
struct AnySampler {
  SamplerOptions options;
  bool of_links = false;
};

inline AnySampler any_sampler(Numbers* random) {
  AnySampler out;
  SamplerOptions& options = out.options;
  options.seed = static_cast<uint64_t>(random->below(1000));
  options.int32 = random->coin();
  options.edge_ids = true;
  const int64_t kind = random->below(10);
  if (kind == 0) {
    options.walk = WalkOptions();
    options.walk->path = {1, 0};
    options.walk->walks = 2;
    return out;
  }
  if (kind == 1) {
    options.importance = ImportanceOptions();
    options.importance->neighbors = 4;
    options.importance->path = {1, 0};
    options.edge_ids = false;
    return out;
  }
  if (kind == 2) {
    options.ppr = PprOptions();
    options.ppr->neighbors = 6;
    options.ppr->epsilon = 1e-2;
    options.edge_ids = false;
    return out;
  }
  options.num_hops = 2;
  options.fanouts = {{3, 2}, {4, 2}};
  if (kind == 3) {
    options.weight = "weight";
    return out;
  }
  if (kind == 4) {
    options.edge_time = "time";
    options.node_time = "time";
    options.time_strategy = random->coin() ? TimeStrategy::kLast : TimeStrategy::kUniform;
    return out;
  }
  if (kind == 5) {
    out.of_links = true;
    options.negatives.mode = random->coin() ? NegativeMode::kBinary : NegativeMode::kTriplet;
    options.negatives.amount = 2;
    options.exclude_links = random->coin();
    return out;
  }
  options.disjoint = random->one_in(4);  // rows repeat in a batch
  options.pick = random->one_in(4) && !options.disjoint ? Pick::kLayer : Pick::kIndependent;
  options.subgraph =
      random->one_in(4) && !options.disjoint ? Subgraph::kInduced : Subgraph::kSampled;
  return out;
}

inline LoaderOptions any_loader_options(const Sampler& sampler, bool of_links, Numbers* random) {
  LoaderOptions options;
  if (of_links) {
    options.edge_type = 0;
  }
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
