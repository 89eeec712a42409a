// Functions of the caller's own that other processes call by their names.
#pragma once

#include <gls.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/context.h"
#include "base/fork.h"
#include "cluster/group_messages.h"
#include "net/request.h"

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
    std::string caller;
    std::shared_ptr<const void> keeps;  // the bytes of the request
    std::function<bool()> canceled;
    std::function<void(net::Message)> answer;  // as decode_reply() reads it
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
  bool canceled() const { return origin_.canceled && origin_.canceled(); }
  const Context& context() const { return *context_; }

  Status reply(Bytes data);
  Status fail(const Status& status);

 private:
  friend class FunctionTable;
  Status begin_answer();

  const std::shared_ptr<const Context> context_;
  const Pool pool_;
  const FunctionRequest request_;
  const Origin origin_;
  std::shared_ptr<const Function> function_;
  std::atomic<bool> answered_ = false;
};

class FunctionTable : public std::enable_shared_from_this<FunctionTable> {
 public:
  // `threads` run functions; they are made with the first function. `parts`: those that functions
  // may be called for.
  FunctionTable(std::shared_ptr<Context> context, uint32_t threads, std::vector<uint32_t> parts)
      : context_(std::move(context)), threads_(threads), parts_(std::move(parts)) {}

  Status add(const char* name, gls_function_fn function, void* user_data, gls_destroy_fn destroy);
  // Of requests from elsewhere; keeps the table.
  net::Handler handler();
  void call(FunctionRequest request, FunctionCall::Origin origin);
  // Later calls fail. Waits for functions that run.
  void close();

 private:
  Result<std::shared_ptr<const Function>> find(const FunctionRequest& request) const;

  const std::shared_ptr<Context> context_;
  const uint32_t threads_;
  const std::vector<uint32_t> parts_;
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const Function>> functions_;
  std::shared_ptr<ThreadPool> pool_;
  bool closed_ = false;
};

Status check_name(const char* name, const char* argument);

}  // namespace gls::group

// The handle of the C ABI.
struct gls_call {
  std::unique_ptr<gls::group::FunctionCall> impl;
};
