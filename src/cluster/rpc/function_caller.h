// Calls of functions of other processes, followed to their ends: connections that are made, servers
// that are lost, deadlines.
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

// To one process that may have the function.
class Way {
 public:
  Way(std::string who, std::string address) : who_(std::move(who)), address_(std::move(address)) {}
  virtual ~Way() = default;
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  const std::string& who() const { return who_; }  // "rank 2 (name at address)"
  const std::string& address() const { return address_; }
  virtual bool up() const = 0;
  virtual bool gone() const = 0;  // and will not come back
  virtual Status why_not_up() const = 0;
  // 0: it failed before anything was sent.
  virtual net::CallId call(net::Message message, const net::CallOptions& options,
                           net::Completion done) = 0;
  virtual void cancel(net::CallId id) = 0;
  virtual void give_up() {}

 private:
  const std::string who_;
  const std::string address_;
};

// `lasting`: it is worth connecting again after a call was given up.
std::shared_ptr<Way> way_to(std::shared_ptr<net::Peer> peer, std::string who, bool lasting);
std::shared_ptr<Way> way_by(std::shared_ptr<net::Connection> connection, std::string who);

struct CallRules {
  int64_t timeout_ms = 30000;  // negative: none
  bool idempotent = false;
  // How long nobody may be connected before it is an error; negative: until the time is over.
  int64_t patience_ms = -1;
};

class Caller {
 public:
  explicit Caller(Pool pool);
  ~Caller() { close(); }
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // Does not wait. Of the ways one that is up is tried, from the first on.
  std::shared_ptr<Answer> call(std::vector<std::shared_ptr<Way>> ways,
                               const FunctionRequest& request, const CallRules& rules);
  // Of a call of a function of this process itself, which nothing is sent for: it ends when its
  // time is over, and in close(). Whoever answers it calls what this returns.
  std::function<void()> watch(const std::shared_ptr<Answer>& answer, const CallRules& rules,
                              const std::string& who, const std::string& address,
                              const std::string& function);
  // Every call ends, and later ones fail.
  void close();

 private:
  class Pending;
  class Core;
  struct Watched;
  const std::shared_ptr<Core> core_;
};

// What a reply to a function's call says, as an answer.
Result<Items> read_reply(net::Message message, const std::string& label, const std::string& address,
                         const std::string& function);
// One item of `bytes`, which `message` has.
Tensor item_of(const std::shared_ptr<const net::Message>& message, Bytes bytes);

}  // namespace gls::group
