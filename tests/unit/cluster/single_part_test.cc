// A dataset that was not cut, served as it is: the batches are its own.
#include "graph/partition/single_part.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "batch_equal.h"
#include "cluster/client/remote_graph.h"
#include "cluster/server/graph_server.h"
#include "format/manifest.h"
#include "format/sealed_json.h"
#include "graph/folder/verify.h"
#include "hop_client.h"
#include "loader/pipeline/loader.h"
#include "part_servers.h"
#include "sanitized.h"

namespace gls::test {
namespace {

struct Uncut {
  Uncut() {
    const Status status = save_dataset(*whole, path, {});
    EXPECT_TRUE(status.ok()) << status.message();
  }
  Result<std::unique_ptr<GraphServer>> start(const GraphServerOptions& given = {}) const {
    GraphServerOptions options = given;
    options.transport = net::options_for("plain").transport;
    return GraphServer::start(context_of(), path, options);
  }

  const std::shared_ptr<const Dataset> whole = whole_with_features(context_of());
  const TempFolder folder;
  const std::string path = folder.file("graph");
};

Result<std::shared_ptr<const Dataset>> open(const GraphServer& server, bool same_host,
                                            int64_t request_timeout_ms = 30000) {
  RemoteGraphOptions options;
  options.part.timeout_ms = request_timeout_ms;
  options.transport = net::options_for("plain").transport;
  options.timeout_ms = 20000;
  options.same_host = same_host;
  return open_served(context_of(), "gls://" + server.address(), options);
}

SamplerOptions three_hops(const HopCase& given) {
  SamplerOptions options;
  options.seed = 5;
  options.num_hops = 3;
  options.fanouts = {{9, 4, 3}, {5, 0, 2}, {7, 3, 3}};
  options.edge_ids = true;
  given.set(&options);
  return options;
}

std::shared_ptr<Loader> make_loader(const std::shared_ptr<const Dataset>& dataset,
                                    const SamplerOptions& options) {
  auto sampler = Sampler::create(dataset, options);
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  LoaderOptions loading;
  loading.plan.batch_size = 300;
  loading.plan.shuffle = true;
  loading.columns = default_columns(**sampler);
  auto loader = Loader::create(*sampler, Tensor(), std::move(loading));
  EXPECT_TRUE(loader.ok()) << loader.status().message();
  return loader.take();
}

// Asked, mapped on the same host, and with all in the server's memory.
TEST(ServedUncut, GivesItsOwnBatches) {
  const Uncut graph;
  for (const std::string way : {"asked", "mapped", "resident"}) {
    GraphServerOptions options;
    options.service.gives_files = way == "mapped";
    options.open.residency = way == "resident" ? Residency::kAll : Residency::kMapped;
    auto server = graph.start(options);
    ASSERT_TRUE(server.ok()) << server.status().message();
    auto served = open(**server, way == "mapped");
    ASSERT_TRUE(served.ok()) << served.status().message();
    EXPECT_EQ((*served)->fingerprint(), graph.whole->fingerprint());
    expect_same(*find_id_set((*served)->node_types()[0], "train", "seeds"),
                *find_id_set(graph.whole->node_types()[0], "train", "seeds"), "train");
    const uint64_t asked = (*server)->requests().requests;
    size_t number = way.size();  // other cases for each way
    for (const HopCase& given : hop_cases()) {
      if (number++ % kEvery != 0) {
        continue;
      }
      SCOPED_TRACE(way + " " + given.name);
      const SamplerOptions sampling = three_hops(given);
      if (sampling.temporal() && sampling.node_time.empty()) {
        continue;  // seeds have no times of their own then
      }
      const auto expected = make_loader(graph.whole, sampling);
      const auto loader = make_loader(*served, sampling);
      for (int i = 0; i < 2; ++i) {
        std::shared_ptr<Batch> a;
        std::shared_ptr<Batch> b;
        ASSERT_TRUE(expected->next(-1, &a).ok());
        const Status status = loader->next(-1, &b).status().copy();
        ASSERT_TRUE(status.ok()) << status.message();
        expect_same(*a, *b);
      }
    }
    EXPECT_EQ((*server)->requests().requests == asked, way == "mapped");
    EXPECT_EQ((*server)->requests().failures, 0U);
  }
}

// Whoever has it open is told when another one is served in its place.
TEST(ServedUncut, IsAnotherGraphWhenItChanges) {
  const Uncut graph;
  GraphServerOptions options;
  auto server = graph.start(options).take();
  options.listen = server->address();
  const auto served = open(*server, false, 5000).take();  // another server may come until then
  server.reset();
  SaveOptions saving;
  saving.overwrite = true;
  std::vector<NodeType> types = graph.whole->node_types();
  types[0].id_sets.clear();
  const auto other =
      Dataset::create(graph.whole->context(), std::move(types), graph.whole->edge_types()).take();
  ASSERT_TRUE(save_dataset(*other, graph.path, saving).ok());
  server = graph.start(options).take();
  const Status status = Sampler::create(served, three_hops(hop_cases()[0])).status().copy();
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT) << status.message();
  EXPECT_TRUE(contains(status.message(), "is served here")) << status.message();
}

// A manifest that was changed behind the server's back is not taken for the graph that it serves.
TEST(ServedUncut, FilesOfAnotherGraphAreNotTaken) {
  const Uncut graph;
  GraphServerOptions options;
  options.service.gives_files = true;
  const auto server = graph.start(options).take();
  const std::string file = graph.path + "/manifest.json";
  format::ManifestT other = parse_manifest(*read_text_file(file, kMaxManifestBytes), file).take();
  other.created_by = "another program";
  std::ofstream(file) << seal_json(manifest_to_json(other));
  auto served = open(*server, true);
  ASSERT_FALSE(served.ok());
  EXPECT_EQ(served.status().code(), GLS_ERR_CORRUPT_DATA) << served.status().message();
}

TEST(ServedUncut, Errors) {
  const Uncut graph;
  GraphServerOptions options;
  options.parts = {1};
  EXPECT_EQ(graph.start(options).status().message(), "parts: 1, expected 0 to 0");
  const CutGraph& cut = CutGraph::of(2);
  options = {};
  options.transport = net::options_for("plain").transport;
  Status status = GraphServer::start(context_of(), part_path(cut.path, 1), options).status().copy();
  EXPECT_EQ(status.code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_TRUE(contains(status.message(), "is part 1 of 2 of a graph, expected the folder of all"))
      << status.message();
  status = GraphServer::start(context_of(), graph.folder.file("no"), options).status().copy();
  EXPECT_EQ(status.code(), GLS_ERR_NOT_FOUND);
  EXPECT_TRUE(contains(status.message(), "neither a folder of parts nor a dataset"))
      << status.message();
}

}  // namespace
}  // namespace gls::test
