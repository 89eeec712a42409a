// A graph cut into parts, a server for each of them, and a client of them all, in one process.
#pragma once

#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/support/check.h"
#include "bench/support/harness.h"
#include "cluster/client/remote_graph.h"
#include "cluster/server/graph_server.h"
#include "ingest/partition/write_parts.h"

namespace gls::bench {

inline constexpr int64_t kWidth = 128;  // float32: rows of 512 bytes
inline constexpr int64_t kDegree = 15;

inline std::shared_ptr<Context> context_of(unsigned threads) {
  ContextOptions options;
  options.num_threads = threads;
  return check(Context::create(options, nullptr, nullptr, nullptr));
}

template <typename T>
Tensor tensor_of(std::vector<T> values, DLDataType dtype, std::vector<int64_t> shape) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  const T* const data = owner->data();
  return Tensor(std::move(owner), data, dtype, std::move(shape));
}

// Each node has kDegree neighbours, which `draw` gives, and a row.
inline std::shared_ptr<const Dataset> make_graph(const std::shared_ptr<Context>& context,
                                                 int64_t nodes,
                                                 const std::function<int64_t(int64_t)>& draw) {
  NodeType node;
  node.name = "node";
  node.count = nodes;
  std::vector<float> x(static_cast<size_t>(nodes * kWidth));
  std::iota(x.begin(), x.end(), 0.0F);
  node.columns.push_back(
      {"x", GLS_ROLE_FEATURE, tensor_of(std::move(x), kFloat32, {nodes, kWidth})});
  EdgeType edge;
  edge.name = {"node", "to", "node"};
  edge.joined = edge.name.joined();
  edge.count = nodes * kDegree;
  std::vector<int64_t> indptr;
  std::vector<int32_t> indices;
  for (int64_t v = 0; v <= nodes; ++v) {
    indptr.push_back(v * kDegree);
    for (int64_t i = 0; v < nodes && i < kDegree; ++i) {
      indices.push_back(static_cast<int32_t>(draw(v)));
    }
  }
  edge.csc = check(Topology::make(tensor_of(std::move(indptr), kInt64, {nodes + 1}),
                                  tensor_of(std::move(indices), kInt32, {edge.count}), Tensor(),
                                  nodes, edge.count, nodes, "csc"));
  return check(Dataset::create(context, {std::move(node)}, {std::move(edge)}));
}

inline void cut(const Dataset& dataset, uint32_t parts, const std::string& path,
                const std::function<uint32_t(int64_t)>& owner_of, uint32_t halo_hops = 0) {
  const int64_t nodes = dataset.node_types()[0].count;
  std::vector<uint8_t> owners;
  for (int64_t v = 0; v < nodes; ++v) {
    owners.push_back(static_cast<uint8_t>(owner_of(v)));
  }
  PartsOptions options;
  options.parts = parts;
  options.halo_hops = halo_hops;
  check(write_parts(dataset, {tensor_of(std::move(owners), kUint8, {nodes})}, path, options));
}

// Where the parts of the network are found, and its key.
inline void prepare_network(const char* plugins) {
  ::setenv("GLS_PLUGIN_PATH", plugins, 0);
  ::setenv("GLS_BENCH_NET_KEY", "c3ab8ff13720e8ad9047dd39466b3c8974e592c2fa383d4a3960714caef0c4f2",
           1);
}

// `channels`: the transports of UCX, or a provider of libfabric, that data go over; empty: the
// connection.
inline net::TransportOptions transport(bool plain, const std::string& channels = "") {
  net::TransportOptions options;
  options.security.plain = plain;
  if (!channels.empty()) {
    options.data.name = channels.starts_with("net") ? "ofi" : "ucx";
    options.data.devices = "lo";
    options.data.transports = channels;
  }
  if (!plain) {
    options.security.psk_env = "GLS_BENCH_NET_KEY";
  }
  return options;
}

class WorkFolder {
 public:
  WorkFolder() : path_((std::filesystem::temp_directory_path() / "gls_bench_XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) {
      fail("cannot make a folder for the graph");
    }
  }
  ~WorkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Of loopback, and nobody listens there. Below those that Linux gives to connections, so that none
// of them takes one before it is listened at.
inline std::vector<std::string> free_addresses(uint32_t count) {
  std::random_device random;
  std::uniform_int_distribution<int> ports(10000, 32767);
  std::set<int> found;
  while (found.size() < count) {
    const int port = ports(random);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
      fail("cannot open a socket");
    }
    if (::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) {
      found.insert(port);
    } else if (errno != EADDRINUSE) {
      fail("cannot bind a socket");
    }
    ::close(fd);
  }
  std::vector<std::string> out;
  for (const int port : found) {
    out.push_back("127.0.0.1:" + std::to_string(port));
  }
  return out;
}

// A server for each part. Those below `giving` give their files to clients that map them.
struct Cluster {
  Cluster(const std::string& path, uint32_t parts, bool plain, uint32_t giving = UINT32_MAX,
          std::string over = "")
      : lanes(std::move(over)) {
    const std::vector<std::string> addresses = free_addresses(parts);
    for (uint32_t p = 0; p < parts; ++p) {
      GraphServerOptions options;
      options.transport = transport(plain, lanes);
      options.listen = addresses[p];
      options.parts = {p};
      options.servers = addresses;
      options.service.gives_files = p < giving;
      servers.push_back(check(GraphServer::start(context_of(1), path, options)));
    }
  }
  std::shared_ptr<const Dataset> open(const std::shared_ptr<Context>& context, bool plain,
                                      bool same_host = false) const {
    RemoteGraphOptions options;
    options.transport = transport(plain, lanes);
    options.same_host = same_host;
    return check(open_served(context, "gls://" + servers.back()->address(), options));
  }
  std::string lanes;  // that data go over, on both sides
  std::vector<std::unique_ptr<GraphServer>> servers;
};

}  // namespace gls::bench
