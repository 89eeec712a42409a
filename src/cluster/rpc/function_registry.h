// Functions of the caller's own that other processes call by their names.
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

// What the library lets go of when the last who uses it does.
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
  void forget() { destroy_ = nullptr; }  // it stays the caller's

 private:
  const gls_function_fn function_;
  void* const user_data_;
  gls_destroy_fn destroy_;
  const uint32_t fork_generation_ = fork_generation();
};

// A call of a function of this process. Answered once, by any thread; who goes without an answer
// leaves an error.
class FunctionCall {
 public:
  struct Origin {
    uintptr_t client = 0;  // whose turn it is; 0: this process
    std::string caller;
    std::shared_ptr<const void> keeps;  // the bytes of the request
    std::function<bool()> canceled;
    std::function<void(net::Message)> answer;  // as decode_reply() reads it
    // It was not run here, and another process may run it.
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

// Calls that wait for a thread: one of each client in its turn, as many as it may have asked (the
// bounds of its connection). Those that nobody waits for any more are not run.
class CallTurns {
 public:
  using Item = std::unique_ptr<FunctionCall>;
  using Items = std::list<Item>;  // they answer where they go: not under a lock

  void add(Item call);
  // NULL: there is none. `dropped`: those that were passed over.
  Item next(Items* dropped);
  // Of a client that is gone.
  void forget(uintptr_t client, Items* dropped);
  Items take_all();
  size_t size() const;

 private:
  std::map<uintptr_t, Items> clients_;
  std::list<uintptr_t> turns_;  // each of clients_ once
};

class FunctionTable : public std::enable_shared_from_this<FunctionTable> {
 public:
  // `threads` run functions; they are made with the first function. `parts`: those that functions
  // may be called for.
  FunctionTable(std::shared_ptr<Context> context, uint32_t threads, std::vector<uint32_t> parts)
      : context_(std::move(context)), threads_(threads), parts_(std::move(parts)) {}

  Status add(const char* name, gls_function_fn function, void* user_data, gls_destroy_fn destroy);
  // One of the library's own, whose name begins with kOwnNames.
  Status add_own(const char* name, gls_function_fn function, void* user_data,
                 gls_destroy_fn destroy);
  // Of requests from elsewhere; keeps the table.
  net::Handler handler();
  void call(FunctionRequest request, FunctionCall::Origin origin);
  // The connection is gone: what it asked and nobody began goes, too.
  void forget(const net::Connection& connection);
  // Later calls, and those that wait, are refused. Waits for functions that run.
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
  CallTurns waiting_;  // as many tasks of the pool come for them
  std::shared_ptr<ThreadPool> pool_;
  bool closed_ = false;
};

Status check_name(const char* name, const char* argument);
// Of a function of users.
Status check_function_name(const char* name, const char* argument);

}  // namespace gls::group

// The handle of the C ABI.
struct gls_call {
  std::unique_ptr<gls::group::FunctionCall> impl;
};
