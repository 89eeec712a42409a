// Functions of the servers of a graph, called by the part that they are wanted for.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "cluster/rpc/function_caller.h"

namespace gls::group {

class PartCaller {
 public:
  // Of each part, who has it now.
  using Servers = std::map<uint32_t, std::vector<std::shared_ptr<net::Peer>>>;

  // `parts`: of the graph.
  PartCaller(Pool pool, uint32_t parts);
  Result<std::shared_ptr<Answer>> call(const Servers& servers, const FunctionRequest& request,
                                       const CallRules& rules);
  // This server alone.
  std::shared_ptr<Answer> call(const std::shared_ptr<net::Peer>& server,
                               const FunctionRequest& request, const CallRules& rules);

 private:
  const uint32_t parts_;
  const size_t first_;  // so that clients spread over replicas
  Caller caller_;
};

// What a dataset's source also is where functions can be called.
class PartFunctions {
 public:
  virtual ~PartFunctions() = default;
  // `request` names the part. Does not wait.
  virtual Result<std::shared_ptr<Answer>> call_function(const FunctionRequest& request,
                                                        const CallRules& rules) const = 0;
  // The same, of one server alone.
  virtual std::shared_ptr<Answer> call_server(const std::shared_ptr<net::Peer>& server,
                                              const FunctionRequest& request,
                                              const CallRules& rules) const = 0;
  virtual PartCaller::Servers servers() const = 0;
  // Names the partition.
  virtual uint64_t graph() const = 0;
};

}  // namespace gls::group
