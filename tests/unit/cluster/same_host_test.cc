// Parts of servers on the same host, mapped from the files that they give.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "batch_equal.h"
#include "cluster/client/remote_graph.h"
#include "cluster/client/shared_part_files.h"
#include "cluster/part/partitioned_dataset.h"
#include "cluster/server/graph_server.h"
#include "feature/gather.h"
#include "loader/pipeline/loader.h"
#include "loader/seeds/visit_counter.h"
#include "net/core/descriptors.h"
#include "part_servers.h"
#include "system/file.h"

namespace gls::test {
namespace {

// ---- descriptors ----

std::vector<FileDescriptor> some_files(const TempFolder& folder, size_t count) {
  std::vector<FileDescriptor> out;
  for (size_t i = 0; i < count; ++i) {
    const std::string path = folder.file(std::to_string(i));
    auto writer = FileWriter::create(path);
    EXPECT_TRUE(writer.ok());
    const std::string text = "file " + std::to_string(i);
    EXPECT_TRUE(writer->write(std::as_bytes(std::span(text))).ok());
    EXPECT_TRUE(writer->close(false).ok());
    auto opened = open_to_read(path);
    EXPECT_TRUE(opened.ok());
    out.push_back(opened.take());
  }
  return out;
}

size_t open_files() {
  return static_cast<size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

TEST(Descriptors, ArriveInTheirOrder) {
  const TempFolder folder;
  for (const size_t count : {size_t{1}, size_t{3}, size_t{300}}) {
    SCOPED_TRACE(count);
    TempFolder own;
    const auto files = some_files(own, count);
    const size_t before = open_files();
    {
      auto inbox = net::DescriptorInbox::open();
      ASSERT_TRUE(inbox.ok()) << inbox.status().message();
      const Status sent = net::send_descriptors(inbox->address(), files);
      ASSERT_TRUE(sent.ok()) << sent.message();
      auto taken = inbox->take(count);
      ASSERT_TRUE(taken.ok()) << taken.status().message();
      for (size_t i = 0; i < count; ++i) {
        auto mapped = MappedFile::of((*taken)[i], "file");
        ASSERT_TRUE(mapped.ok());
        const auto bytes = (*mapped)->bytes();
        EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                  "file " + std::to_string(i));
      }
    }
    EXPECT_EQ(open_files(), before);
  }
}

TEST(Descriptors, OfStrangersAreClosed) {
  const TempFolder folder;
  const auto files = some_files(folder, 2);
  const size_t before = open_files();
  {
    auto inbox = net::DescriptorInbox::open();
    ASSERT_TRUE(inbox.ok());
    net::InboxAddress wrong = inbox->address();
    wrong.secret[31] ^= 1;
    ASSERT_TRUE(net::send_descriptors(wrong, files).ok());
    EXPECT_EQ(inbox->take(2).status().code(), GLS_ERR_IO);
    ASSERT_TRUE(net::send_descriptors(wrong, files).ok());
    ASSERT_TRUE(net::send_descriptors(inbox->address(), files).ok());
    EXPECT_TRUE(inbox->take(2).ok());  // those who know the secret get through
    ASSERT_TRUE(net::send_descriptors(inbox->address(), std::span(files).first(1)).ok());
    EXPECT_FALSE(inbox->take(2).ok());  // too few
    EXPECT_FALSE(inbox->take(1).ok());  // they are gone
  }
  EXPECT_EQ(open_files(), before);
}

TEST(Descriptors, NobodyIsThere) {
  const TempFolder folder;
  const auto files = some_files(folder, 1);
  net::InboxAddress nowhere;
  EXPECT_EQ(net::send_descriptors(nowhere, files).code(), GLS_ERR_NOT_FOUND);
  EXPECT_NE(net::host_number(), 0U);
  EXPECT_EQ(net::host_number(), net::host_number());
}

TEST(Descriptors, OnlyRegularFilesAreMapped) {
  const FileDescriptor folder(::open("/proc", O_RDONLY | O_DIRECTORY));
  EXPECT_EQ(MappedFile::of(folder, "/proc").status().code(), GLS_ERR_IO);
  const FileDescriptor device(::open("/dev/zero", O_RDONLY));
  EXPECT_EQ(MappedFile::of(device, "/dev/zero").status().code(), GLS_ERR_IO);
}

// ---- parts ----

std::unique_ptr<GraphServer> start(const CutGraph& graph, bool gives_files,
                                   const std::string& path = {}) {
  GraphServerOptions options;
  options.transport = net::options_for("plain").transport;
  options.service.gives_files = gives_files;
  auto server = GraphServer::start(context_of(), path.empty() ? graph.path : path, options);
  EXPECT_TRUE(server.ok()) << server.status().message();
  return server.take();
}

Result<std::shared_ptr<const Dataset>> open(const GraphServer& server, bool same_host) {
  RemoteGraphOptions options;
  options.transport = net::options_for("plain").transport;
  options.timeout_ms = 20000;
  options.same_host = same_host;
  return open_served(context_of(), "gls://" + server.address(), options);
}

std::shared_ptr<Loader> make_loader(const std::shared_ptr<const Dataset>& dataset) {
  auto sampler = Sampler::create(dataset, two_hops());
  EXPECT_TRUE(sampler.ok()) << sampler.status().message();
  LoaderOptions loading;
  loading.plan.batch_size = 200;
  loading.plan.shuffle = true;
  loading.columns = default_columns(**sampler);
  auto loader = Loader::create(*sampler, Tensor(), std::move(loading));
  EXPECT_TRUE(loader.ok()) << loader.status().message();
  return loader.take();
}

void expect_same_batches(Loader& expected, Loader& loader, int count) {
  for (int i = 0; i < count; ++i) {
    std::shared_ptr<Batch> a;
    std::shared_ptr<Batch> b;
    ASSERT_EQ(*expected.next(-1, &a), BatchSource::Next::kBatch);
    auto next = loader.next(-1, &b);
    ASSERT_TRUE(next.ok()) << next.status().message();
    ASSERT_EQ(*next, BatchSource::Next::kBatch);
    expect_same(*a, *b);
  }
}

TEST(SameHost, PartsAreMappedAndTheServerIsNotAsked) {
  const CutGraph& graph = CutGraph::of(3);
  auto server = start(graph, true);
  const size_t before = open_files();
  {
    auto served = open(*server, true);
    ASSERT_TRUE(served.ok()) << served.status().message();
    const uint64_t asked = server->requests().requests;
    EXPECT_EQ(server->requests().failures, 0U);
    const auto expected = make_loader(graph.whole);
    const auto loader = make_loader(*served);
    expect_same_batches(*expected, *loader, 3);
    EXPECT_EQ(server->requests().requests, asked);
    server->stop(1000);  // what is mapped stays
    server.reset();
    expect_same_batches(*expected, *loader, 3);
    EXPECT_EQ(expected->save(), loader->save());
  }
  EXPECT_LE(open_files(), before);
}

TEST(SameHost, BothSidesMustWantIt) {
  const CutGraph& graph = CutGraph::of(2);
  for (const bool gives : {false, true}) {
    const auto server = start(graph, gives);
    auto served = open(*server, !gives);
    ASSERT_TRUE(served.ok()) << served.status().message();
    const uint64_t asked = server->requests().requests;
    const auto expected = make_loader(graph.whole);
    const auto loader = make_loader(*served);
    expect_same_batches(*expected, *loader, 2);
    EXPECT_GT(server->requests().requests, asked);
    EXPECT_EQ(server->requests().failures, 0U);
  }
}

// Of a server of this process no files are needed: all is in its memory here.
TEST(SameHost, PartsOfThisProcessAreTakenAsTheyAre) {
  const CutGraph& graph = CutGraph::of(2);
  GraphServerOptions options;
  options.transport = net::options_for("plain").transport;
  options.open.residency = Residency::kAll;
  for (const bool same_process : {true, false}) {
    options.same_process = same_process;
    auto server = GraphServer::start(context_of(), graph.path, options).take();
    auto served = open(*server, true);
    ASSERT_TRUE(served.ok()) << served.status().message();
    const uint64_t asked = server->requests().requests;
    const auto expected = make_loader(graph.whole);
    const auto loader = make_loader(*served);
    expect_same_batches(*expected, *loader, 2);
    EXPECT_EQ(server->requests().requests == asked, same_process);
    if (same_process) {  // what is taken stays, and is nobody's when it was let go
      server.reset();
      expect_same_batches(*expected, *loader, 2);
    }
  }
}

// Where the files cannot be given, the network is there.
TEST(SameHost, ServersWhoseFilesAreGoneAreAsked) {
  const CutGraph& graph = CutGraph::of(2);
  const TempFolder folder;
  const std::string copy = folder.file("copy");
  std::filesystem::copy(graph.path, copy, std::filesystem::copy_options::recursive);
  const auto server = start(graph, true, copy);
  std::filesystem::remove_all(copy);
  auto served = open(*server, true);
  ASSERT_TRUE(served.ok()) << served.status().message();
  const auto expected = make_loader(graph.whole);
  const auto loader = make_loader(*served);
  expect_same_batches(*expected, *loader, 2);
}

TEST(SameHost, FilesOfAnotherPartAreNotTaken) {
  const CutGraph& graph = CutGraph::of(2);
  const TempFolder folder;
  const std::string copy = folder.file("copy");
  std::filesystem::copy(graph.path, copy, std::filesystem::copy_options::recursive);
  const auto server = start(graph, true, copy);
  const std::string one = part_path(copy, 0);
  const std::string two = part_path(copy, 1);
  std::filesystem::rename(one, folder.file("aside"));
  std::filesystem::rename(two, one);
  std::filesystem::rename(folder.file("aside"), two);
  auto served = open(*server, true);
  ASSERT_FALSE(served.ok());
  EXPECT_EQ(served.status().code(), GLS_ERR_CORRUPT_DATA);
}

TEST(SameHost, OneOfTheReplicasIsEnough) {
  const CutGraph& graph = CutGraph::of(2);
  const auto far = start(graph, false);
  const auto near = start(graph, true);
  RemoteGraphOptions options;
  options.transport = net::options_for("plain").transport;
  options.same_host = true;
  auto served =
      open_served(context_of(), "gls://" + far->address() + "," + near->address(), options);
  ASSERT_TRUE(served.ok()) << served.status().message();
  const uint64_t asked = far->requests().requests + near->requests().requests;
  const auto expected = make_loader(graph.whole);
  const auto loader = make_loader(*served);
  expect_same_batches(*expected, *loader, 2);
  EXPECT_EQ(far->requests().requests + near->requests().requests, asked);
}

// Of a part that is here, rows that others own and it has a copy of: they are not asked for.
TEST(SameHost, CopiesOfRowsAreTakenHere) {
  const CutGraph& plain = CutGraph::of(2);
  const TempFolder folder;
  PartsOptions cut;
  cut.parts = 2;
  cut.hot_rows = 100000;  // all that the part knows
  const std::string hot = folder.file("hot");
  ASSERT_TRUE(write_parts(*plain.whole, owners_of(*plain.whole, 2), hot, cut).ok());
  std::map<std::string, uint64_t> bytes;
  for (const std::string& path : {plain.path, hot}) {
    GraphServerOptions options;
    options.transport = net::options_for("plain").transport;
    options.parts = {0};
    options.service.gives_files = true;
    const auto here = GraphServer::start(context_of(), path, options).take();
    options.parts = {1};
    options.servers = {here->address()};
    options.service.gives_files = false;
    const auto there = GraphServer::start(context_of(), path, options).take();
    auto served = open(*there, true);
    ASSERT_TRUE(served.ok()) << served.status().message();
    const auto expected = make_loader(plain.whole);
    const auto loader = make_loader(*served);
    expect_same_batches(*expected, *loader, 4);
    EXPECT_EQ(here->requests().failures + there->requests().failures, 0U);
    bytes[path] = there->requests().reply_bytes;
  }
  // What is left are rows of nodes that the part does not know, and picks.
  EXPECT_LT(bytes[hot], bytes[plain.path] / 4 * 3) << bytes[hot] << " of " << bytes[plain.path];
  EXPECT_GT(bytes[hot], 0U);
}

// Hot by what batches ask for.
TEST(SameHost, VisitedRowsAreTheHotOnes) {
  const CutGraph& plain = CutGraph::of(2);
  const TempFolder folder;
  std::vector<PartitionBook> owners;
  const std::vector<Tensor> tensors = owners_of(*plain.whole, 2);
  for (size_t t = 0; t < tensors.size(); ++t) {
    owners.push_back(PartitionBook::make(tensors[t], tensors[t].rows(), 2, "owners").take());
  }
  VisitOptions sampling;
  sampling.id_set = "train";
  sampling.seed = 3;
  const auto counter = VisitCounter::create(plain.whole, sampling).take();
  const auto count = [&](const std::vector<PartitionBook>& books, uint32_t part) {
    return counter->count(books, part, {});
  };
  PartsOptions cut;
  cut.parts = 2;
  cut.hot_rows = 50;
  cut.visits = count;
  cut.hot_by = counter->description();
  const std::string path = folder.file("parts");
  const Status written = write_parts(*plain.whole, tensors, path, cut);
  ASSERT_TRUE(written.ok()) << written.message();
  for (uint32_t p = 0; p < 2; ++p) {
    const auto part = open_dataset(context_of(), part_path(path, p), {}).take();
    const Visits visits = count(owners, p).take();
    uint64_t all = 0;
    for (size_t t = 0; t < owners.size(); ++t) {
      const NodeType& type = part->node_types()[t];
      const GlobalIds& ids = *type.whole;
      const Column* const x = type.find_column("x");
      const int64_t end = x != nullptr ? x->data.rows() : ids.owned();
      std::set<int64_t> hot;
      uint32_t least = UINT32_MAX;
      for (int64_t row = ids.owned(); row < end; ++row) {
        hot.insert(ids.whole_of(row));
        least = std::min(least, visits[t][static_cast<size_t>(ids.whole_of(row))]);
      }
      if (x != nullptr) {
        EXPECT_EQ(hot.size(), 50U);
        EXPECT_GT(least, 0U);
      }
      for (int64_t id = 0; id < owners[t].count(); ++id) {
        const uint32_t times = visits[t][static_cast<size_t>(id)];
        all += times;
        EXPECT_TRUE(x == nullptr || owners[t][id] == p || hot.contains(id) || times <= least) << id;
      }
    }
    EXPECT_GT(all, 100U);
  }
  // The batches are what they were.
  const auto parts = open_whole(context_of(), path, {}).take();
  expect_same_batches(*make_loader(plain.whole), *make_loader(parts), 2);
}

// In trees a node may be there many times; its row comes once.
TEST(SameHost, RowsOfRepeatedIdsComeOnce) {
  const CutGraph& graph = CutGraph::of(2);
  const auto server = start(graph, false);
  const auto served = open(*server, false).take();
  const auto& type = graph.whole->node_types()[0];
  const auto x = static_cast<size_t>(type.find_column("x") - type.columns.data());
  constexpr int64_t kDistinct = 100;
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 3000; ++i) {
    ids.push_back(i * i % kDistinct * 17);
  }
  for (const std::vector<int64_t>& some :
       {ids, std::vector<int64_t>{5}, std::vector<int64_t>{5, 5}}) {
    RowQuestion question{true, 0, x, span_of(some), kFloat32};
    const Tensor expected =
        gather(*graph.context->buffers(), type.columns[x].data, question.ids, question.dtype, {});
    uint64_t bytes[2] = {};
    for (const bool repeats : {false, true}) {
      question.repeats = repeats;
      const uint64_t before = server->requests().reply_bytes;
      auto rows = served->source()->ask_rows(question, question.ids.size(), nullptr)();
      ASSERT_TRUE(rows.ok()) << rows.status().message();
      expect_same(*rows, expected, "rows");
      bytes[repeats ? 1 : 0] = server->requests().reply_bytes - before;
    }
    EXPECT_LE(bytes[1], some.size() > 2 ? bytes[0] / 10 : bytes[0]);
  }
  // As loaders ask for them.
  SamplerOptions options = two_hops();
  options.disjoint = true;
  const auto sampler = Sampler::create(served, options).take();
  const auto here = Sampler::create(graph.whole, options).take();
  LoaderOptions loading;
  loading.plan.batch_size = 200;
  loading.columns = default_columns(*sampler);
  const auto loader = Loader::create(sampler, Tensor(), loading).take();
  loading.columns = default_columns(*here);
  const auto expected = Loader::create(here, Tensor(), loading).take();
  expect_same_batches(*expected, *loader, 2);
}

// ---- what all parts share ----

// How often this process has mapped files whose names end so.
int mapped_here(const std::string& end) {
  std::ifstream maps("/proc/self/maps");
  int out = 0;
  for (std::string line; std::getline(maps, line);) {
    out += line.ends_with(end) ? 1 : 0;
  }
  return out;
}

void expect_same_sets(const Dataset& expected, const Dataset& dataset) {
  size_t sets = 0;
  for (size_t t = 0; t < expected.node_types().size(); ++t) {
    for (const IdSet& set : expected.node_types()[t].id_sets) {
      const auto& there = dataset.node_types()[t].id_sets;
      const auto found = std::find_if(there.begin(), there.end(),
                                      [&](const auto& s) { return s.name == set.name; });
      ASSERT_NE(found, there.end());
      ASSERT_EQ(found->ids.shape(), set.ids.shape());
      for (int64_t i = 0; i < set.ids.rows(); ++i) {
        ASSERT_EQ(element_as_double(found->ids.data() + i * found->ids.row_stride(),
                                    found->ids.dtype(), 0),
                  element_as_double(set.ids.data() + i * set.ids.row_stride(), set.ids.dtype(), 0));
      }
      ++sets;
    }
  }
  EXPECT_GT(sets, 0U);
}

// Neither fetched nor copied: the pages of the file, which all processes of the host share.
TEST(SameHost, BooksAndIdSetsAreMapped) {
  const CutGraph& graph = CutGraph::of(3);
  PartServiceOptions options;
  options.gives_files = true;
  std::atomic<int> fetched{0};
  const Server::Change count = [&](net::Handlers* handlers) {
    auto& handler = (*handlers)[static_cast<uint16_t>(cluster::Kind::kArray)];
    handler = [&fetched, answer = handler](const net::Request& request) {
      ++fetched;
      answer(request);
    };
  };
  const Server server(graph, {0, 1, 2}, "plain", "127.0.0.1:0", count, options);
  RemoteGraphOptions opening;
  opening.transport = net::options_for("plain").transport;
  const std::string book = "/book/nodes-0.npy";
  const format::NodeTypeT& type = *graph.partition->whole().node_types[0];
  const std::string set = "/whole/" + type.id_sets.at(0)->array->file;
  const int books = mapped_here(book);
  const int sets = mapped_here(set);
  for (const bool same_host : {true, false}) {
    SCOPED_TRACE(same_host);
    opening.same_host = same_host;
    fetched = 0;
    auto served = open_served(context_of(), "gls://" + server.address(), opening);
    ASSERT_TRUE(served.ok()) << served.status().message();
    EXPECT_EQ(fetched == 0, same_host) << fetched;
    EXPECT_EQ(mapped_here(book), books + (same_host ? 1 : 0));
    EXPECT_EQ(mapped_here(set), sets + (same_host ? 1 : 0));
    expect_same_sets(*graph.whole, **served);
    expect_same_batches(*make_loader(graph.whole), *make_loader(*served), 2);
  }
  EXPECT_EQ(mapped_here(book), books);
}

// The server has the old one mapped; who maps the new one would ask the wrong owners.
TEST(SameHost, ABookOfAnotherPartitionIsNotTaken) {
  const CutGraph& graph = CutGraph::of(2);
  const TempFolder folder;
  const std::string copy = folder.file("copy");
  std::filesystem::copy(graph.path, copy, std::filesystem::copy_options::recursive);
  const auto server = start(graph, true, copy);
  const std::string book = copy + "/book/nodes-0.npy";
  const std::string text = read_text_file(book, 1 << 20).take();
  std::filesystem::remove(book);
  std::string changed = text;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  std::ofstream(book, std::ios::binary) << changed;
  auto served = open(*server, true);
  ASSERT_FALSE(served.ok());
  EXPECT_EQ(served.status().code(), GLS_ERR_CORRUPT_DATA);
  EXPECT_NE(served.status().message().find("book/nodes-0.npy"), std::string::npos)
      << served.status().message();
  EXPECT_TRUE(open(*server, false).ok());
  std::ofstream(book, std::ios::binary) << text;
  EXPECT_TRUE(open(*server, true).ok());
  std::filesystem::remove(book);  // one that is gone is fetched
  served = open(*server, true);
  ASSERT_TRUE(served.ok()) << served.status().message();
  expect_same_batches(*make_loader(graph.whole), *make_loader(*served), 2);
}

TEST(SameHost, RequestsAreChecked) {
  const CutGraph& graph = CutGraph::of(2);
  PartServiceOptions options;
  options.gives_files = true;
  Server server(graph, {0}, "self", "127.0.0.1:0", {}, options);
  const auto ask = [&](const cluster::FilesRequest& request) {
    Status out;
    const net::Message message = cluster::encode(graph.context->buffers(), request);
    server.service().answer(cluster::Kind::kFiles, message.bytes(),
                            [&](Result<net::Message> reply) { out = std::move(reply.status()); });
    return out;
  };
  const uint64_t number = cluster::graph_number(graph.partition->file());
  auto inbox = net::DescriptorInbox::open();
  ASSERT_TRUE(inbox.ok());
  EXPECT_TRUE(ask({number, 0, inbox->address()}).ok());
  EXPECT_EQ(ask({number, 0, {}}).code(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(ask({number, 1, inbox->address()}).code(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(ask({number + 1, 0, inbox->address()}).code(), GLS_ERR_INVALID_ARGUMENT);
  EXPECT_TRUE(ask({number, 0, inbox->address(), true}).ok());
  EXPECT_EQ(ask({number, 0, {}, true}).code(), GLS_ERR_NOT_FOUND);
  EXPECT_EQ(ask({number + 1, 0, inbox->address(), true}).code(), GLS_ERR_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace gls::test
