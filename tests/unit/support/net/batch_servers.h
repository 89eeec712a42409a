// Servers that make batches, and loaders over them beside those that make the same here.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "batch_equal.h"
#include "cluster/client/remote_graph.h"
#include "cluster/server/graph_server.h"
#include "loader/pipeline/loader.h"
#include "part_servers.h"

namespace gls::test {

inline GraphServerOptions server_options(const std::string& way, std::vector<uint32_t> parts = {},
                                         std::vector<std::string> servers = {}) {
  GraphServerOptions options;
  options.transport = net::options_for(way).transport;
  options.parts = std::move(parts);
  options.servers = std::move(servers);
  return options;
}

inline std::unique_ptr<GraphServer> start(const CutGraph& graph,
                                          const GraphServerOptions& options) {
  auto server = GraphServer::start(context_of(), graph.path, options);
  EXPECT_TRUE(server.ok()) << server.status().message();
  return server.take();
}

// A part each, and all know all.
inline std::vector<std::unique_ptr<GraphServer>> start_all(const CutGraph& graph,
                                                           const std::string& way) {
  std::vector<std::string> addresses;
  for (uint32_t p = 0; p < graph.parts; ++p) {
    addresses.push_back(start(graph, server_options(way, {p}))->address());
  }
  std::vector<std::unique_ptr<GraphServer>> out;
  for (uint32_t p = 0; p < graph.parts; ++p) {
    GraphServerOptions options = server_options(way, {p}, addresses);
    options.listen = addresses[p];
    out.push_back(start(graph, options));
  }
  return out;
}

inline std::shared_ptr<const Dataset> open(const std::string& url, const std::string& way,
                                           int64_t request_timeout_ms = 20000) {
  RemoteGraphOptions options;
  options.transport = net::options_for(way).transport;
  options.timeout_ms = 20000;
  options.part.timeout_ms = request_timeout_ms;
  auto served = open_served(context_of(), url, options);
  EXPECT_TRUE(served.ok()) << served.status().message();
  return served.take();
}

// What a test loads: the same of the whole, and by servers.
struct Load {
  std::function<void(SamplerOptions*)> sampling = [](SamplerOptions*) {};
  std::function<void(LoaderOptions*)> loading = [](LoaderOptions*) {};
  Tensor seeds{};
};

inline void neighborhoods(SamplerOptions* options) {
  options->seed = 5;
  options->num_hops = 3;
  options->fanouts = {{9, 4, 3}, {5, 0, 2}, {7, 3, 3}};
  options->edge_ids = true;
}

inline Result<std::shared_ptr<Loader>> try_loader(const std::shared_ptr<const Dataset>& dataset,
                                                  const Load& load, bool by_servers) {
  SamplerOptions options;
  neighborhoods(&options);
  load.sampling(&options);
  GLS_ASSIGN(auto sampler, Sampler::create(dataset, options));
  LoaderOptions loading;
  loading.plan.batch_size = 200;
  loading.plan.shuffle = true;
  loading.columns = default_columns(*sampler);
  loading.made_by_servers = by_servers;
  load.loading(&loading);
  return Loader::create(sampler, load.seeds, std::move(loading));
}

inline std::shared_ptr<Loader> make_loader(const std::shared_ptr<const Dataset>& dataset,
                                           const Load& load, bool by_servers) {
  auto loader = try_loader(dataset, load, by_servers);
  EXPECT_TRUE(loader.ok()) << loader.status().message();
  return loader.ok() ? loader.take() : nullptr;
}

inline void expect_same_batch(Loader& expected, Loader& loader) {
  std::shared_ptr<Batch> a;
  std::shared_ptr<Batch> b;
  auto first = expected.next(30000, &a);
  auto second = loader.next(30000, &b);
  ASSERT_TRUE(first.ok()) << first.status().message();
  ASSERT_TRUE(second.ok()) << second.status().message();
  ASSERT_EQ(*first, *second);
  ASSERT_NE(*second, BatchSource::Next::kNotYet);
  if (*first == BatchSource::Next::kBatch) {
    expect_same(*a, *b);
  }
}

inline void expect_same_batches(const std::shared_ptr<const Dataset>& whole,
                                const std::shared_ptr<const Dataset>& served, const Load& load,
                                int batches = 3) {
  const auto expected = make_loader(whole, load, false);
  const auto loader = make_loader(served, load, true);
  ASSERT_TRUE(expected != nullptr && loader != nullptr);
  for (int i = 0; i < batches; ++i) {
    ASSERT_NO_FATAL_FAILURE(expect_same_batch(*expected, *loader));
  }
  EXPECT_EQ(expected->save(), loader->save());
}

}  // namespace gls::test
