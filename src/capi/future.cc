#include "capi/support/futures.h"
#include "context/stop_scope.h"

namespace gls::capi {

Result<group::Bytes> read_bytes(const void* data, size_t size) {
  if (data == nullptr && size > 0) {
    return null_argument("data");
  }
  return group::Bytes(static_cast<const std::byte*>(data), size);
}

int64_t request_timeout(const Settings& settings, int64_t given_ms) {
  const int64_t ms = settings.integer(Setting::kClusterRequestTimeout);
  return limit_of(given_ms, ms == 0 ? -1 : ms);
}

Result<group::CallRules> read_rules(const gls_call_options_t* options, int64_t timeout_ms,
                                    const Settings& settings) {
  gls_call_options_t given;
  GLS_TRY(read_options(options, "options", &given));
  GLS_TRY(check_reserved(given.reserved));
  GLS_TRY(check_flags(given.flags, GLS_CALL_IDEMPOTENT, "flags"));
  group::CallRules rules;
  rules.idempotent = (given.flags & GLS_CALL_IDEMPOTENT) != 0;
  rules.timeout_ms = request_timeout(settings, timeout_ms);
  return rules;
}

}  // namespace gls::capi

using gls::Status;
using gls::capi::guard;

extern "C" {

gls_status_t gls_future_wait(const gls_future_t* future, int64_t timeout_ms, gls_error_t** err) {
  bool over = true;
  const gls_status_t status = guard(err, [&]() -> Status {
    GLS_USE(future);
    over = future->impl->wait(gls::capi::limit_of(timeout_ms)) || gls::is_given_up();
    return gls::is_given_up() ? gls::given_up() : over ? future->impl->status() : Status();
  });
  return over ? status : GLS_IN_PROGRESS;
}

gls_status_t gls_future_notify(gls_future_t* future, gls_ready_fn ready, void* user_data,
                               gls_error_t** err) {
  bool waits = false;
  const gls_status_t status = guard(err, [&]() -> Status {
    GLS_USE(future);
    GLS_REQUIRE(ready);
    waits = future->impl->notify(ready, user_data);
    return {};
  });
  return waits ? GLS_IN_PROGRESS : status;
}

size_t gls_future_count(const gls_future_t* future) {
  return future == nullptr || future->context->in_forked_child() ? 0 : future->impl->count();
}

gls_status_t gls_future_bytes(const gls_future_t* future, size_t index, gls_tensor_t** out,
                              gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(future);
    GLS_REQUIRE(out);
    const size_t count = future->impl->count();
    if (index >= count) {
      return gls::not_found("item {} does not exist, there are {}", index, count)
          .with("argument", "index");
    }
    *out = future->impl->item(index).export_dlpack();
    return {};
  });
}

void gls_future_cancel(gls_future_t* future) {
  if (future != nullptr && !future->context->in_forked_child()) {
    static_cast<void>(guard(nullptr, [&]() -> Status {
      future->impl->cancel();
      return {};
    }));
  }
}

void gls_future_release(gls_future_t* future) {
  gls_future_cancel(future);
  if (future != nullptr) {
    gls::capi::release(future, *future->context);
  }
}

gls_status_t gls_call_get_info(const gls_call_t* call, gls_call_info_t* out, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(call);
    GLS_REQUIRE(out);
    const gls::group::FunctionRequest& request = call->impl->request();
    return gls::capi::write_info(
        {0, request.name.c_str(), call->impl->caller().c_str(), request.rank, request.part,
         request.data.data(), request.data.size(), call->impl->canceled() ? 1 : 0, 0},
        out);
  });
}

gls_status_t gls_call_reply(gls_call_t* call, const void* data, size_t size, gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(call);
    GLS_ASSIGN(const gls::group::Bytes bytes, gls::capi::read_bytes(data, size));
    return call->impl->reply(bytes);
  });
}

gls_status_t gls_call_fail(gls_call_t* call, gls_status_t status, const char* message,
                           gls_error_t** err) {
  return guard(err, [&]() -> Status {
    GLS_USE(call);
    const gls_status_t code = status < 0 && status >= GLS_ERR_INTERNAL
                                  ? status
                                  : static_cast<gls_status_t>(GLS_ERR_INTERNAL);
    return call->impl->fail(Status(code, message != nullptr ? message : "the function failed"));
  });
}

void gls_call_release(gls_call_t* call) {
  if (call != nullptr) {
    // The call may release the context.
    static_cast<void>(guard(nullptr, [&]() -> Status {
      gls::capi::release(call, call->impl->context());
      return {};
    }));
  }
}

}  // extern "C"
