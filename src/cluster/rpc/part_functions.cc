#include "cluster/rpc/part_functions.h"

#include <algorithm>
#include <random>
#include <utility>

#include "query/graph_source.h"

namespace gls::group {
namespace {

std::shared_ptr<Route> route_of(const std::shared_ptr<net::Peer>& peer, int64_t part) {
  const auto connection = peer->connection();
  return route_to(
      peer,
      formatted("part {} at {}", part, connection != nullptr ? connection->who() : peer->address()),
      true);
}

}  // namespace

const PartFunctions* PartFunctions::of(const Dataset& dataset) {
  return dataset.source() != nullptr ? dataset.source()->services().find<PartFunctions>() : nullptr;
}

PartCaller::PartCaller(Pool pool, uint32_t parts)
    : parts_(parts), first_(std::random_device()()), caller_(std::move(pool)) {}

std::shared_ptr<Future> PartCaller::call(const std::shared_ptr<net::Peer>& server,
                                         const FunctionRequest& request, const CallRules& rules) {
  return caller_.call({route_of(server, request.part)}, request, rules);
}

Result<std::shared_ptr<Future>> PartCaller::call(const Servers& servers,
                                                 const FunctionRequest& request,
                                                 const CallRules& rules) {
  if (request.part < 0 || request.part >= int64_t{parts_}) {
    return invalid("part is {}, expected 0 to {}", request.part, parts_ - 1)
        .with("argument", "part");
  }
  const auto found = servers.find(static_cast<uint32_t>(request.part));
  if (found == servers.end()) {
    return error(GLS_ERR_INVALID_STATE, "nobody serves part {} now", request.part);
  }
  std::vector<std::shared_ptr<Route>> routes;
  for (const auto& peer : found->second) {
    routes.push_back(route_of(peer, request.part));
  }
  std::rotate(routes.begin(), routes.begin() + static_cast<ptrdiff_t>(first_ % routes.size()),
              routes.end());
  return caller_.call(std::move(routes), request, rules);
}

}  // namespace gls::group
