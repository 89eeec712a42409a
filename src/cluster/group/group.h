// Processes that were started together: who they are, barriers and all-gathers among them, and
// calls of each other's functions. docs/decisions/0043.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "cluster/group/launcher.h"
#include "cluster/rpc/function_caller.h"
#include "cluster/rpc/function_registry.h"
#include "cluster/rpc/future.h"
#include "context/context.h"
#include "net/connection/endpoint.h"

namespace gls::group {

// Gives `all` the bytes of every process, by rank.
using Exchange = std::function<Status(Bytes mine, std::span<std::byte> all)>;

struct GroupOptions {
  net::TransportOptions transport;
  net::Limits limits;
  std::string name = "gls";
  Place place;
  std::string listen;           // empty: by default
  std::string process_name;     // empty: made of what is known
  Exchange exchange;            // may be empty
  int64_t timeout_ms = 120000;  // of joining; negative: none
  uint32_t function_threads = 1;
  Progress progress;
};

class Group {
 public:
  // Waits for all. `context` is the group's own: its threads answer the others. Of a group of one,
  // nothing of the network is used.
  static Result<std::unique_ptr<Group>> join(std::shared_ptr<Context> context,
                                             GroupOptions options);
  // leave() without waiting. Not from one of its functions.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const std::string& name() const;
  const Place& place() const;
  const std::vector<Member>& members() const;
  uint32_t local_rank() const;
  uint32_t local_size() const;
  uint64_t operations() const;  // that ended well
  const Context& context() const;

  // Begins one; an error when it cannot begin.
  Result<std::shared_ptr<Answer>> operate(OperationKind kind, Bytes data, int64_t timeout_ms);
  FunctionTable& functions();
  Result<std::shared_ptr<Answer>> call(uint32_t rank, const char* function, Bytes data,
                                       const CallRules& rules);
  void leave(int64_t timeout_ms);

 private:
  class Core;
  explicit Group(std::shared_ptr<Core> core);
  const std::shared_ptr<Core> core_;
};

}  // namespace gls::group
