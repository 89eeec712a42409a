// Functions of this process that other processes call by name.
#pragma once

#include <gls.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/wire/group_messages.h"
#include "context/context.h"
#include "net/connection/request.h"
#include "system/fork.h"

namespace gls::group {

class FunctionTable;

// A registered function. The library releases its user data when the last user of the function has
// ended.
class Function {
 public:
  Function(gls_function_fn function, void* user_data, gls_destroy_fn destroy)
      : function_(function), user_data_(user_data), destroy_(destroy) {}
  ~Function() {
    if (destroy_ != nullptr && fork_generation() == fork_generation_) {
      destroy_(user_data_);
    }
  }
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  void run(gls_call_t* call) const { function_(call, user_data_); }
  void forget() { destroy_ = nullptr; }  // the user data stay with the caller

 private:
  const gls_function_fn function_;
  void* const user_data_;
  gls_destroy_fn destroy_;
  const uint32_t fork_generation_ = fork_generation();
};

// A call of a function of this process. Any thread answers it once. If it is destroyed without an
// answer, the caller receives an error.
class FunctionCall {
 public:
  struct Origin {
    uintptr_t client = 0;  // whose queue it belongs to; 0: this process
    std::string caller;
    std::shared_ptr<const void> keeps;  // the bytes of the request
    std::function<bool()> canceled;
    std::function<void(net::Message)> answer;  // in the format of decode_reply()
    // This process did not run the function, and another process may run it.
    std::function<void(const Status&)> refuse;
  };
  FunctionCall(std::shared_ptr<const Context> context, Pool pool, FunctionRequest request,
               Origin origin)
      : context_(std::move(context)),
        pool_(std::move(pool)),
        request_(std::move(request)),
        origin_(std::move(origin)) {}
  ~FunctionCall();
  FunctionCall(const FunctionCall&) = delete;
  FunctionCall& operator=(const FunctionCall&) = delete;

  const FunctionRequest& request() const { return request_; }
  const std::string& caller() const { return origin_.caller; }
  uintptr_t client() const { return origin_.client; }
  bool canceled() const { return origin_.canceled && origin_.canceled(); }
  const Context& context() const { return *context_; }

  Status reply(Bytes data);
  Status fail(const Status& status);

 private:
  friend class FunctionTable;
  Status begin_answer();
  void refuse(const Status& status);

  const std::shared_ptr<const Context> context_;
  const Pool pool_;
  const FunctionRequest request_;
  const Origin origin_;
  std::shared_ptr<const Function> function_;
  std::atomic<bool> answered_ = false;
};

// Calls that wait for a thread, scheduled round-robin by client. A client may queue as many calls
// as the limits of its connection allow. Calls whose client no longer waits are not run.
class CallTurns {
 public:
  using Item = std::unique_ptr<FunctionCall>;
  using Items = std::list<Item>;  // they answer when they are destroyed, so never under a lock

  void add(Item call);
  // NULL: the queue is empty. `dropped`: receives the calls that were skipped.
  Item next(Items* dropped);
  // Drops the calls of a lost client.
  void forget(uintptr_t client, Items* dropped);
  Items take_all();
  size_t size() const;

 private:
  std::map<uintptr_t, Items> clients_;
  std::list<uintptr_t> turns_;  // each client in clients_ once
};

// The functions that this process offers, by name, and the threads that run them.
class FunctionTable : public std::enable_shared_from_this<FunctionTable> {
 public:
  // `threads` run functions; they start with the first function. `parts`: the parts that functions
  // may be called for.
  FunctionTable(std::shared_ptr<Context> context, uint32_t threads, std::vector<uint32_t> parts)
      : context_(std::move(context)), threads_(threads), parts_(std::move(parts)) {}

  Status add(const char* name, gls_function_fn function, void* user_data, gls_destroy_fn destroy);
  // Adds a function of the library, whose name begins with kOwnNames.
  Status add_own(const char* name, gls_function_fn function, void* user_data,
                 gls_destroy_fn destroy);
  // Handles requests from other processes; keeps the table alive.
  net::Handler handler();
  void call(FunctionRequest request, FunctionCall::Origin origin);
  // The connection was lost: drops its calls that have not started.
  void forget(const net::Connection& connection);
  // Refuses later calls and queued calls. Waits for functions that run.
  void close();
  size_t waiting() const;

 private:
  void run_next();
  Result<std::shared_ptr<const Function>> find(const FunctionRequest& request) const;

  const std::shared_ptr<Context> context_;
  const uint32_t threads_;
  const std::vector<uint32_t> parts_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Function>> functions_;
  CallTurns waiting_;  // one task of the pool is submitted for each
  std::shared_ptr<ThreadPool> pool_;
  bool closed_ = false;
};

Status check_name(const char* name, const char* argument);
// Checks the name of a user's function.
Status check_function_name(const char* name, const char* argument);

}  // namespace gls::group

// The call handle of the C ABI.
struct gls_call {
  std::unique_ptr<gls::group::FunctionCall> impl;
};
