#include "cluster/part_functions.h"

#include <algorithm>
#include <random>
#include <utility>

namespace gls::group {

PartCaller::PartCaller(Pool pool,
                       const std::map<uint32_t, std::vector<std::shared_ptr<net::Peer>>>& servers)
    : caller_(std::move(pool)) {
  const size_t first = std::random_device()();  // so that clients spread over replicas
  for (const auto& [part, peers] : servers) {
    std::vector<std::shared_ptr<Way>> ways;
    for (const auto& peer : peers) {
      const auto connection = peer->connection();
      ways.push_back(way_to(peer,
                            formatted("part {} at {}", part,
                                      connection != nullptr ? connection->who() : peer->address()),
                            true));
    }
    std::rotate(ways.begin(), ways.begin() + static_cast<ptrdiff_t>(first % ways.size()),
                ways.end());
    parts_.resize(part + 1);
    parts_[part] = std::move(ways);
  }
}

Result<std::shared_ptr<Answer>> PartCaller::call(const FunctionRequest& request,
                                                 const CallRules& rules) {
  if (request.part < 0 || static_cast<uint64_t>(request.part) >= parts_.size()) {
    return invalid("part is {}, expected 0 to {}", request.part, parts_.size() - 1)
        .with("argument", "part");
  }
  return caller_.call(parts_[static_cast<size_t>(request.part)], request, rules);
}

}  // namespace gls::group
