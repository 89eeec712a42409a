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
  // `servers` of each part.
  PartCaller(Pool pool, const std::map<uint32_t, std::vector<std::shared_ptr<net::Peer>>>& servers);

  Result<std::shared_ptr<Answer>> call(const FunctionRequest& request, const CallRules& rules);

 private:
  std::vector<std::vector<std::shared_ptr<Way>>> parts_;
  Caller caller_;
};

}  // namespace gls::group
