// Functions of the servers of a graph, called by the part that they are wanted for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "cluster/caller.h"

namespace gls::group {

// What a dataset's source also is where functions can be called.
class PartFunctions {
 public:
  virtual ~PartFunctions() = default;
  // `request` names the part. Does not wait.
  virtual Result<std::shared_ptr<Answer>> call_function(const FunctionRequest& request,
                                                        const CallRules& rules) const = 0;
};

class PartCaller {
 public:
  // Of each part, who has it now.
  using Servers = std::map<uint32_t, std::vector<std::shared_ptr<net::Peer>>>;

  // `parts`: of the graph.
  PartCaller(Pool pool, uint32_t parts);
  Result<std::shared_ptr<Answer>> call(const Servers& servers, const FunctionRequest& request,
                                       const CallRules& rules);

 private:
  const uint32_t parts_;
  const size_t first_;  // so that clients spread over replicas
  Caller caller_;
};

}  // namespace gls::group
