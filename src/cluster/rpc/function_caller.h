// Calls functions in other processes and follows each call to its end. It handles new connections,
// lost servers and deadlines.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/rpc/future.h"
#include "cluster/rpc/remote_call.h"
#include "cluster/wire/group_messages.h"
#include "net/connection/peer.h"

namespace gls::group {

// A route to one process that may have the function.
class Route {
 public:
  Route(std::string who, std::string address)
      : who_(std::move(who)), address_(std::move(address)) {}
  virtual ~Route() = default;
  Route(const Route&) = delete;
  Route& operator=(const Route&) = delete;

  const std::string& who() const { return who_; }  // "rank 2 (name at address)"
  const std::string& address() const { return address_; }
  virtual bool up() const = 0;
  virtual bool gone() const = 0;  // and will not return
  virtual Status why_not_up() const = 0;
  // 0: the call failed before anything was sent.
  virtual net::CallId call(net::Message message, const net::CallOptions& options,
                           net::Completion done) = 0;
  virtual void cancel(net::CallId id) = 0;
  virtual void give_up() {}

 private:
  const std::string who_;
  const std::string address_;
};

// `lasting`: worth reconnecting after a call was abandoned.
std::shared_ptr<Route> route_to(std::shared_ptr<net::Peer> peer, std::string who, bool lasting);
std::shared_ptr<Route> route_by(std::shared_ptr<net::Connection> connection, std::string who);

struct CallRules {
  int64_t timeout_ms = 30000;  // negative: no limit
  bool idempotent = false;
  // How long all routes may be disconnected before the call fails; negative: until its deadline.
  int64_t patience_ms = -1;
};

// Makes calls, and ends each of them by its deadline.
class Caller {
 public:
  explicit Caller(Pool pool);
  ~Caller() { close(); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // Does not wait. Tries the connected routes in order, starting from the first.
  std::shared_ptr<Future> call(std::vector<std::shared_ptr<Route>> routes,
                               const FunctionRequest& request, const CallRules& rules);
  // Watches a call of a function of this process itself, for which nothing is sent. The call ends
  // at its deadline, and in close(). The code that answers it calls the returned function.
  std::function<void()> watch(const std::shared_ptr<Future>& answer, const CallRules& rules,
                              const std::string& who, const std::string& address,
                              const std::string& function);
  // Ends every call, and makes later calls fail.
  void close();

 private:
  class Pending;
  class Core;
  struct Watched;
  const std::shared_ptr<Core> core_;
};

// Converts the reply to a function call into its items.
Result<Items> read_reply(net::Message message, const std::string& label, const std::string& address,
                         const std::string& function);
// One item that views `bytes`, which `message` owns.
Tensor item_of(const std::shared_ptr<const net::Message>& message, Bytes bytes);

}  // namespace gls::group
