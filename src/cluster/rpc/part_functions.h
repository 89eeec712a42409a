// Calls functions of a graph's servers. The caller names the part, and a server of that part runs
// the function.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "cluster/rpc/function_caller.h"
#include "graph/dataset/dataset.h"

namespace gls::group {

// Chooses a server of the named part for each call.
class PartCaller {
 public:
  // The current servers of each part.
  using Servers = std::map<uint32_t, std::vector<std::shared_ptr<net::Peer>>>;

  // `parts`: the number of parts of the graph.
  PartCaller(Pool pool, uint32_t parts);
  Result<std::shared_ptr<Future>> call(const Servers& servers, const FunctionRequest& request,
                                       const CallRules& rules);
  // Calls this server only.
  std::shared_ptr<Future> call(const std::shared_ptr<net::Peer>& server,
                               const FunctionRequest& request, const CallRules& rules);

 private:
  const uint32_t parts_;
  const size_t first_;  // spreads clients over replicas
  Caller caller_;
};

// A service of a dataset's source, where servers run functions.
class PartFunctions {
 public:
  virtual ~PartFunctions() = default;
  // NULL: the dataset has no servers.
  static const PartFunctions* of(const Dataset& dataset);
  // `request` names the part. Does not wait.
  virtual Result<std::shared_ptr<Future>> call_function(const FunctionRequest& request,
                                                        const CallRules& rules) const = 0;
  // Calls a function of this server only.
  virtual std::shared_ptr<Future> call_server(const std::shared_ptr<net::Peer>& server,
                                              const FunctionRequest& request,
                                              const CallRules& rules) const = 0;
  virtual PartCaller::Servers servers() const = 0;
  // The number that names the partition.
  virtual uint64_t graph() const = 0;
};

}  // namespace gls::group
