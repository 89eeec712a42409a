// What tests of importing share: temporary folders, files, edge lists and a plain way to sort them.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "graph/dataset/dataset.h"
#include "graph/folder/dataset_folder.h"
#include "graph/folder/verify.h"
#include "ingest/build/builder.h"
#include "temp_folder.h"

namespace gls::test {

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.is_open()) << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// Every file of a folder by its path in it, and its bytes.
inline std::vector<std::pair<std::string, std::string>> folder_bytes(const std::string& path) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) {
      out.emplace_back(std::filesystem::relative(entry.path(), path).string(),
                       read_file(entry.path().string()));
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

inline std::shared_ptr<Context> context_of(unsigned threads = 2) {
  ContextOptions options;
  options.num_threads = threads;
  options.log_level = GLS_LOG_ERROR;
  auto context = Context::create(options, nullptr, nullptr, nullptr);
  EXPECT_TRUE(context.ok()) << context.status().message();
  return context.take();
}

template <typename T>
Tensor tensor(std::vector<T> values, DLDataType dtype, std::vector<int64_t> shape = {}) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const T* const data = owner->data();
  if (shape.empty()) {
    shape = {static_cast<int64_t>(owner->size())};
  }
  return Tensor(std::move(owner), data, dtype, std::move(shape));
}
inline Tensor ids64(std::vector<int64_t> values) { return tensor(std::move(values), kInt64); }
inline Tensor ids32(const std::vector<int64_t>& values) {
  return tensor(std::vector<int32_t>(values.begin(), values.end()), kInt32);
}

template <typename T>
std::vector<T> values_of(const Tensor& data) {
  return std::vector<T>(data.as<T>(), data.as<T>() + data.rows() * data.row_elements());
}
inline std::vector<int64_t> id_values(const Tensor& data) {
  const IdSpan span = IdSpan::of(data, "ids").take();
  std::vector<int64_t> out(static_cast<size_t>(span.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = span[static_cast<int64_t>(i)];
  }
  return out;
}

struct EdgeList {
  std::vector<int64_t> source;
  std::vector<int64_t> target;
  size_t size() const { return source.size(); }
};

// Skewed: some nodes have very many edges, many have none.
inline EdgeList random_edges(size_t count, int64_t sources, int64_t targets, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  EdgeList out;
  for (size_t i = 0; i < count; ++i) {
    const double u = unit(random);
    out.source.push_back(static_cast<int64_t>(unit(random) * static_cast<double>(sources)));
    out.target.push_back(static_cast<int64_t>(u * u * u * static_cast<double>(targets)));
  }
  return out;
}

// Rows as they must be: neighbours and edge ids, in ascending edge id.
struct Rows {
  std::vector<int64_t> indptr;
  std::vector<int64_t> indices;
  std::vector<int64_t> edge_ids;
};
inline Rows sorted_rows(const std::vector<int64_t>& rows, const std::vector<int64_t>& neighbors,
                        int64_t num_rows) {
  std::vector<int64_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return rows[static_cast<size_t>(a)] < rows[static_cast<size_t>(b)];
  });
  Rows out;
  out.indptr.assign(static_cast<size_t>(num_rows) + 1, 0);
  for (const int64_t row : rows) {
    ++out.indptr[static_cast<size_t>(row) + 1];
  }
  std::partial_sum(out.indptr.begin(), out.indptr.end(), out.indptr.begin());
  for (const int64_t id : order) {
    out.indices.push_back(neighbors[static_cast<size_t>(id)]);
    out.edge_ids.push_back(id);
  }
  return out;
}
inline Rows rows_of(const Topology& topology) {
  Rows out;
  out.indptr = values_of<int64_t>(topology.indptr_tensor);
  for (int64_t i = 0; i < topology.num_edges; ++i) {
    out.indices.push_back(topology.neighbor(i));
    out.edge_ids.push_back(topology.edge_id(i));
  }
  return out;
}
inline void expect_rows(const Topology& topology, const Rows& expected) {
  const Rows found = rows_of(topology);
  EXPECT_EQ(found.indptr, expected.indptr);
  EXPECT_EQ(found.indices, expected.indices);
  EXPECT_EQ(found.edge_ids, expected.edge_ids);
}

inline BuildOptions both_layouts() {
  BuildOptions options;
  options.csr = true;
  return options;
}

// Builds in memory, and writes and opens: what both give must be the same, and pass verification.
// `fill` adds to an empty builder.
template <typename Fill>
std::vector<std::shared_ptr<const Dataset>> make_both(const Fill& fill,
                                                      BuildOptions options = both_layouts()) {
  std::vector<std::shared_ptr<const Dataset>> out;
  const std::shared_ptr<Context> context = context_of();
  Builder builder(context);
  fill(builder);
  auto built = builder.build(options);
  EXPECT_TRUE(built.ok()) << built.status().message();
  fill(builder);
  const TempFolder folder;
  const Status written = builder.write(folder.file("dataset"), options);
  EXPECT_TRUE(written.ok()) << written.message();
  auto opened = open_dataset(context, folder.file("dataset"), {});
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  for (auto* made : {&built, &opened}) {
    if (made->ok()) {
      const Status verified = verify_dataset(***made, {});
      EXPECT_TRUE(verified.ok()) << verified.message();
      out.push_back(made->take());
    }
  }
  return out;
}

// The error of building in memory and of writing, which must be the same.
template <typename Fill>
Status build_error(const Fill& fill, const BuildOptions& options = both_layouts()) {
  Builder builder(context_of());
  fill(builder);
  auto built = builder.build(options);
  const TempFolder folder;
  Status written = builder.write(folder.file("dataset"), options);
  EXPECT_FALSE(built.ok());
  EXPECT_FALSE(written.ok());
  EXPECT_EQ(written.code(), built.status().code());
  EXPECT_EQ(written.message(), built.status().message());
  EXPECT_TRUE(folder.names().empty()) << "a failed write left something behind";
  return written;
}

#define EXPECT_OK(expr)                             \
  do {                                              \
    const ::gls::Status status_ = (expr);           \
    EXPECT_TRUE(status_.ok()) << status_.message(); \
  } while (false)

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
#define EXPECT_MESSAGE(status, part) \
  EXPECT_TRUE(::gls::test::contains((status).message(), part)) << (status).message()

}  // namespace gls::test
