#include "cluster/graph_server.h"

#include <algorithm>
#include <utility>

#include "graph/dataset_folder.h"

namespace gls {
namespace {

Result<std::vector<uint32_t>> parts_to_serve(const std::vector<uint32_t>& given, uint32_t count) {
  std::vector<uint32_t> out = given;
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i] >= count) {
      return invalid("parts: {}, expected 0 to {}", out[i], count - 1).with("argument", "parts");
    }
    if (std::count(out.begin(), out.end(), out[i]) > 1) {
      return invalid("parts: {} is there twice", out[i]).with("argument", "parts");
    }
  }
  for (uint32_t p = 0; given.empty() && p < count; ++p) {
    out.push_back(p);
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<GraphServer>> GraphServer::start(std::shared_ptr<Context> context,
                                                        const std::string& path,
                                                        const GraphServerOptions& options) {
  GLS_ASSIGN(std::shared_ptr<const Partition> partition, open_partition(path));
  GLS_ASSIGN(const std::vector<uint32_t> numbers,
             parts_to_serve(options.parts, partition->parts()));
  std::vector<std::shared_ptr<const Dataset>> parts;
  for (const uint32_t number : numbers) {
    GLS_ASSIGN(auto part, open_dataset(context, partition->part_path(number), {}));
    parts.push_back(std::move(part));
  }
  GLS_ASSIGN(const std::shared_ptr<PartService> service,
             PartService::create(partition, parts, options.service));
  std::vector<cluster::ServerOfParts> others;
  for (const std::string& address : options.servers) {
    GLS_ASSIGN(const auto checked, net::split_address(address, "servers"));
    static_cast<void>(checked);
    others.push_back({address, {}});  // they say themselves what they have
  }
  service->set_servers(std::move(others));
  net::EndpointOptions endpoint;
  endpoint.transport = options.transport;
  endpoint.limits = options.limits;
  endpoint.role = "server";
  endpoint.name = options.name;
  endpoint.listen = options.listen;
  endpoint.handlers = service->handlers();
  GLS_ASSIGN(auto made, net::Endpoint::create(std::move(context), std::move(endpoint)));
  return std::unique_ptr<GraphServer>(new GraphServer(std::move(made)));
}

}  // namespace gls
