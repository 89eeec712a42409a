#include "cluster/rpc/function_registry.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

#include "net/connection/connection.h"

namespace gls::group {

constexpr size_t kMostReply = (size_t{1} << 30) - kReplyHead;
constexpr size_t kMostFunctions = 32;  // named in one error

static uintptr_t client_id(const net::Connection& connection) {
  return reinterpret_cast<uintptr_t>(&connection);
}

Status check_name(const char* name, const char* argument) {
  const size_t size = name != nullptr ? std::strlen(name) : 0;
  if (size == 0 || size > kMostName) {
    return invalid("{} has {} bytes, expected 1 to {}", argument, size, kMostName)
        .with("argument", argument);
  }
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(name, name + size, control)) {
    return invalid("{} has control characters", argument).with("argument", argument);
  }
  return {};
}

Status check_function_name(const char* name, const char* argument) {
  GLS_TRY(check_name(name, argument));
  if (std::string_view(name).starts_with(kOwnNames)) {
    return invalid("{} is \"{}\": names that begin with {} are the library's own", argument, name,
                   kOwnNames)
        .with("argument", argument);
  }
  return {};
}

// ---- a call ----

FunctionCall::~FunctionCall() {
  if (answered_.load()) {
    return;
  }
  try {
    static_cast<void>(fail(canceled() ? error(GLS_ERR_CANCELED, "nobody waits for it any more")
                                      : error(GLS_ERR_INTERNAL, "the function gave no answer")));
  } catch (const std::bad_alloc&) {  // NOLINT(bugprone-empty-catch)
    // The request itself reports that it received no answer.
  }
}

Status FunctionCall::begin_answer() {
  if (answered_.exchange(true)) {
    return error(GLS_ERR_INVALID_STATE, "the call of \"{}\" was answered", request_.name);
  }
  return {};
}

Status FunctionCall::reply(Bytes data) {
  if (data.size() > kMostReply) {
    return invalid("size is {}, expected at most {}", data.size(), kMostReply)
        .with("argument", "size");
  }
  net::Message message = make_reply(pool_, data.size());  // may fail, and then changes nothing
  if (!data.empty()) {
    std::memcpy(message.data() + kReplyHead, data.data(), data.size());
  }
  GLS_TRY(begin_answer());
  origin_.answer(std::move(message));
  return {};
}

Status FunctionCall::fail(const Status& status) {
  net::Message message = make_failure(pool_, status);
  GLS_TRY(begin_answer());
  origin_.answer(std::move(message));
  return {};
}

void FunctionCall::refuse(const Status& status) {
  if (!answered_.exchange(true)) {
    origin_.refuse(status);
  }
}

// ---- those that wait ----

void CallTurns::add(Item call) {
  const uintptr_t client = call->client();
  Items one;
  one.push_back(std::move(call));
  if (const auto found = clients_.find(client); found != clients_.end()) {
    found->second.splice(found->second.end(), one);
    return;
  }
  std::list<uintptr_t> turn{client};
  clients_.emplace(client, std::move(one));
  turns_.splice(turns_.end(), turn);
}

CallTurns::Item CallTurns::next(Items* dropped) {
  while (!turns_.empty()) {
    const auto found = clients_.find(turns_.front());
    Items& own = found->second;
    while (!own.empty() && own.front()->canceled()) {
      dropped->splice(dropped->end(), own, own.begin());
    }
    Item out;
    if (!own.empty()) {
      out = std::move(own.front());
      own.pop_front();
    }
    if (own.empty()) {
      clients_.erase(found);
      turns_.pop_front();
    } else {
      turns_.splice(turns_.end(), turns_, turns_.begin());
    }
    if (out != nullptr) {
      return out;
    }
  }
  return nullptr;
}

void CallTurns::forget(uintptr_t client, Items* dropped) {
  const auto found = clients_.find(client);
  if (found != clients_.end()) {
    dropped->splice(dropped->end(), found->second);
    clients_.erase(found);
    turns_.remove(client);
  }
}

CallTurns::Items CallTurns::take_all() {
  Items out;
  for (auto& [client, own] : clients_) {
    out.splice(out.end(), own);
  }
  clients_.clear();
  turns_.clear();
  return out;
}

size_t CallTurns::size() const {
  size_t out = 0;
  for (const auto& [client, own] : clients_) {
    out += own.size();
  }
  return out;
}

// ---- the table ----

Status FunctionTable::add(const char* name, gls_function_fn function, void* user_data,
                          gls_destroy_fn destroy) {
  GLS_TRY(check_function_name(name, "name"));
  return add_own(name, function, user_data, destroy);
}

Status FunctionTable::add_own(const char* name, gls_function_fn function, void* user_data,
                              gls_destroy_fn destroy) {
  const std::lock_guard lock(mutex_);
  if (closed_) {
    return error(GLS_ERR_INVALID_STATE, "nobody can call a function here any more");
  }
  if (functions_.contains(name)) {
    return error(GLS_ERR_ALREADY_EXISTS, "there is a function \"{}\"", name)
        .with("argument", "name");
  }
  if (pool_ == nullptr) {
    try {
      pool_ = std::make_shared<ThreadPool>(threads_);
    } catch (const std::system_error& failure) {
      return error(GLS_ERR_OUT_OF_MEMORY, "cannot start {} threads for functions: {}", threads_,
                   failure.what());
    }
  }
  auto owning = std::make_shared<Function>(function, user_data, destroy);
  try {
    functions_.emplace(name, owning);
  } catch (const std::bad_alloc&) {
    owning->forget();
    throw;
  }
  return {};
}

Result<std::shared_ptr<const Function>> FunctionTable::find(const FunctionRequest& request) const {
  if (request.part >= 0 && std::none_of(parts_.begin(), parts_.end(), [&](uint32_t part) {
        return static_cast<int64_t>(part) == request.part;
      })) {
    return error(GLS_ERR_INVALID_STATE, "part {} is not served here", request.part);
  }
  const auto found = functions_.find(request.name);
  if (found != functions_.end()) {
    return found->second;
  }
  if (request.name.starts_with(kOwnNames)) {
    return error(GLS_ERR_INVALID_STATE, "it has no memory for tables, or is of another version");
  }
  std::string names;
  size_t count = 0;
  for (const auto& [name, function] : functions_) {
    if (!name.starts_with(kOwnNames) && ++count <= kMostFunctions) {
      names += (names.empty() ? "\"" : ", \"") + name + "\"";
    }
  }
  if (count == 0) {
    return not_found("there is no such function, and no other");
  }
  return not_found(
      "there is no such function; there {} {}{}", count == 1 ? "is" : "are", names,
      count > kMostFunctions ? formatted(" and {} others", count - kMostFunctions) : "");
}

void FunctionTable::call(FunctionRequest request, FunctionCall::Origin origin) {
  auto call = std::make_unique<FunctionCall>(context_, context_->buffers(), std::move(request),
                                             std::move(origin));
  Status status;
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      auto found = find(call->request());
      if (found.ok()) {
        call->function_ = found.take();
        // Submitted first: if there is no memory to queue the call, the task finds nothing to run.
        pool_->submit([self = shared_from_this()] { self->run_next(); });
        waiting_.add(std::move(call));
        return;
      }
      status = std::move(found.status());
    }
  }
  if (status.ok()) {
    call->refuse(error(GLS_ERR_IO, "it calls its functions no more"));
  } else {
    static_cast<void>(call->fail(status));
  }
}

void FunctionTable::run_next() {
  CallTurns::Items dropped;
  CallTurns::Item call;
  {
    const std::lock_guard lock(mutex_);
    call = waiting_.next(&dropped);
  }
  dropped.clear();
  if (call == nullptr) {
    return;
  }
  const std::shared_ptr<const Function> function = call->function_;
  auto* const handle = new (std::nothrow) gls_call{std::move(call)};
  if (handle != nullptr) {  // otherwise the request reports that it received no answer
    function->run(handle);
  }
}

void FunctionTable::forget(const net::Connection& connection) {
  CallTurns::Items dropped;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  waiting_.forget(client_id(connection), &dropped);
}

size_t FunctionTable::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

net::Handler FunctionTable::handler() {
  return [self = shared_from_this()](const net::Request& request) {
    auto asked = decode_function(request.bytes());
    if (!asked.ok()) {
      request.fail(asked.status());
      return;
    }
    FunctionCall::Origin origin;
    origin.client = client_id(*request.connection());
    origin.caller = request.connection()->who();
    origin.keeps = std::make_shared<net::Request>(request);
    origin.canceled = [request] { return request.canceled(); };
    origin.answer = [request](net::Message message) { request.answer(std::move(message)); };
    origin.refuse = [request](const Status& status) { request.fail(status); };
    self->call(asked.take(), std::move(origin));
  };
}

void FunctionTable::close() {
  std::shared_ptr<ThreadPool> pool;
  std::map<std::string, std::shared_ptr<const Function>> functions;
  CallTurns::Items waiting;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    pool.swap(pool_);
    functions.swap(functions_);
    waiting = waiting_.take_all();
  }
  for (const auto& call : waiting) {
    call->refuse(error(GLS_ERR_IO, "it calls its functions no more"));
  }
  waiting.clear();
  pool.reset();  // joins its threads
}

}  // namespace gls::group
