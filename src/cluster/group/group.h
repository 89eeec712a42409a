// A group of processes that were started together. Each process learns its rank. The group offers
// barriers, all-gathers, and calls of functions in the other processes. See docs/decisions/0043.
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

// Fills `all` with the bytes of every process, in the order of ranks.
using Exchange = std::function<Status(Bytes mine, std::span<std::byte> all)>;

struct GroupOptions {
  net::TransportOptions transport;
  net::Limits limits;
  std::string name = "gls";
  Place place;
  std::string listen;           // empty: the default
  std::string process_name;     // empty: made from the group, rank, host and process id
  Exchange exchange;            // may be empty
  int64_t timeout_ms = 120000;  // for joining; negative: no limit
  uint32_t function_threads = 1;
  Progress progress;
};

class Group {
 public:
  // Waits until all processes have joined. `context` belongs to the group, whose threads answer the
  // other processes. A group of one process uses no network.
  static Result<std::unique_ptr<Group>> join(std::shared_ptr<Context> context,
                                             GroupOptions options);
  // leave() without waiting. Functions of the group must not call it.
  ~Group();
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;

  const std::string& name() const;
  const Place& place() const;
  const std::vector<Member>& members() const;
  uint32_t local_rank() const;
  uint32_t local_size() const;
  uint64_t operations() const;  // that succeeded
  const Context& context() const;

  // Starts an operation. An error: it cannot start.
  Result<std::shared_ptr<Future>> operate(OperationKind kind, Bytes data, int64_t timeout_ms);
  FunctionTable& functions();
  Result<std::shared_ptr<Future>> call(uint32_t rank, const char* function, Bytes data,
                                       const CallRules& rules);
  void leave(int64_t timeout_ms);

 private:
  class Core;
  explicit Group(std::shared_ptr<Core> core);
  const std::shared_ptr<Core> core_;
};

}  // namespace gls::group
